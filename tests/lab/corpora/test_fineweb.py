"""Tests of FineWeb's shards: fetched over HTTP one by one as a training comes to them, read as they were written.

The real shards have a hundred million tokens; these have a few dozen, and pieces of two letters.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers.pre_tokenizers import ByteLevel

from lab import corpora
from lab.cli import language
from lab.corpora import CorpusError, fineweb, sources
from lab.corpora.shards import HEADER, MARK, VERSION
from lab.kinds.language import Predicting
from lab.text.tokenizers import EOS, SPECIAL, BytePairs, restore
from solutions.language_model.__main__ import SOLUTION, next_probabilities
from solutions.language_model.model import Decoder
from solutions.language_model.recipe import RECIPES
from tests.support import sites

PAIRS = [("t", "h"), ("th", "e"), ("Ġ", "c")]
LETTERS = sorted(ByteLevel.alphabet())
NUMBERS = {piece: number for number, piece in enumerate([*LETTERS, *map("".join, PAIRS), "<|endoftext|>"])}
END = len(NUMBERS) - 1
TEXTS = {"train_000001": "the cat sat", "train_000002": "the cats, the cäts!", "val_000000": "the cat"}


def written(path: Path, tokens: list[int], count: int | None = None) -> None:
    header = np.zeros(HEADER, dtype="<i4")
    header[:3] = MARK, VERSION, len(tokens) if count is None else count
    path.write_bytes(header.tobytes() + np.array(tokens, dtype="<u2").tobytes())


@pytest.fixture
def served(here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Serve three small shards and the pieces on this machine; yield the folder that is served."""
    site, data = here / "site", here / "data"
    site.mkdir()
    (site / "encoder.json").write_text(json.dumps(NUMBERS), encoding="utf-8")
    (site / "vocab.bpe").write_text("#version: 0.2\n" + "\n".join(map(" ".join, PAIRS)) + "\n", encoding="utf-8")
    pieces = BytePairs(*((site / name).read_text(encoding="utf-8") for name in fineweb.SHA256))
    for name, text in TEXTS.items():
        tokens = [END, *(number - len(SPECIAL) for number in pieces.encode(text))] * 6
        written(site / f"fineweb_{name}.bin", tokens)
    monkeypatch.setenv("ATTENTION_DATA", str(data))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(fineweb, "SHARDS", 2)
    monkeypatch.setattr(
        fineweb, "SHA256", {name: hashlib.sha256((site / name).read_bytes()).hexdigest() for name in fineweb.SHA256}
    )

    with sites.served(site) as url:
        for name in ("SITE", "PIECES"):
            monkeypatch.setattr(fineweb, name, url)
        yield site


def fetched() -> list[str]:
    return sorted(path.stem for path in (sources.data_folder() / "fineweb10B-gpt2").glob("*.bin"))


def test_a_shard_is_fetched_when_it_is_read_and_holds_its_text(served: Path) -> None:
    corpus = corpora.load("fineweb")
    assert fetched() == []
    second = corpus.train[1]
    assert second[:1].tolist() == [EOS]
    assert corpus.tokenizer.decode(second[:]) == TEXTS["train_000002"] * 6
    assert len(second) == len(second[:])
    assert fetched() == ["fineweb_train_000002"]


def test_an_epoch_reads_its_shards_in_turns(served: Path) -> None:
    shards = corpora.load("fineweb").train
    task = Predicting(shards, tokens=1000, context=20, share=0.5)
    for epoch in (4, 5, 6):
        text = shards[epoch % 2][:].tolist()
        rows = [row.tolist() for group in task.groups(epoch) for row in group]
        assert all(row in [text[at : at + len(row)] for at in range(len(text))] for row in rows)
        assert sum(len(row) - 1 for row in rows) >= len(text) - 20


def test_a_model_is_trained_on_shards_measured_and_writes(served: Path, capsys: pytest.CaptureFixture) -> None:
    here = ["--corpus", "fineweb", "--variant", "tiny"]
    small = "--d-model 8 --d-ff 12 --heads 2 --layers 1 --context 7 --tokens 40 --share .5 --epochs"
    for epochs, shards in (("1", 1), ("2", 2)):
        language.main(SOLUTION, next_probabilities, ["train", *small.split(), epochs, *here, "--fresh"])
        assert len(fetched()) == shards + 1  # and that of validation
    language.main(SOLUTION, next_probabilities, ["evaluate", *here])
    assert "nats a subword" in capsys.readouterr().out
    language.main(SOLUTION, next_probabilities, ["generate", "the cät", "--count", "5", *here])
    assert capsys.readouterr().out.startswith("the cät")


@pytest.mark.parametrize("damage", [b"", b"<html>not found</html>", None], ids=["empty", "a page", "cut short"])
def test_a_file_that_is_no_whole_shard_is_named(served: Path, damage: bytes | None) -> None:
    path = served / "fineweb_train_000001.bin"
    path.write_bytes(path.read_bytes()[:-2] if damage is None else damage)
    with pytest.raises(CorpusError, match=r"fineweb_train_000001\.bin is no shard of tokens(?s:.*)Delete the file"):
        len(corpora.load("fineweb").train[0])


def test_pieces_write_any_text_and_a_checkpoint_keeps_them(served: Path) -> None:
    pieces = corpora.load("fineweb").tokenizer
    assert restore(pieces.state()).encode("the cat") == pieces.encode("the cat")
    assert pieces.pieces("the cat") == ["the", " c", "a", "t"]
    assert pieces.decode(pieces.encode("日本 ÿ\n\t")) == "日本 ÿ\n\t"
    assert max(pieces.encode("".join(map(chr, range(1, 400))))) < len(pieces)


def test_the_recipe_has_the_published_number_of_parameters() -> None:
    with torch.device("meta"):
        model = Decoder(RECIPES["gpt2"], 50257)
    assert sum(weight.numel() for weight in model.parameters()) == 124_439_808
