"""Laws of a corpus that no memory holds: fetched, unpacked, sharded, shuffled, and gone on with where it was left.

The real files are 4.5 million pairs; these are a few dozen, served on this machine.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks.wmt import archive as write_archive
from benchmarks.wmt import served as serve
from lab import corpora, shards, translation
from lab.batches import Example
from lab.corpora import CorpusError, wmt14
from lab.corpora.lines import LinePairs, Lines
from lab.schedules import Training
from lab.shards import Shards
from lab.translation import Run, train
from solutions.bahdanau.model import SOLUTION
from solutions.bahdanau.recipe import Recipe
from solutions.transformer.fast import SOLUTION as TRANSFORMER
from solutions.transformer.recipe import DEFAULTS, RECIPES

WORDS = "der die das ein haus baum hund sieht mag den alten neuen".split()


def lines(count: int, language: str) -> list[str]:
    rng = np.random.default_rng(5)
    return [" ".join([language, *rng.choice(WORDS, rng.integers(1, 8)), f"{n}"]) for n in range(count)]


def archive(path: Path, files: dict[str, str]) -> None:
    write_archive(path, {name: content.encode() for name, content in files.items()})


def plain(stem: str, count: int) -> dict[str, str]:
    return {f"{stem}.{language}": "\n".join(lines(count, language)) + "\n" for language in ("de", "en")}


def sgml(stem: str, count: int) -> dict[str, str]:
    def file(role: str, language: str) -> str:
        segments = [f'<seg id="{n + 1}">{line} &amp; mehr</seg>' for n, line in enumerate(lines(count, language))]
        return '<refset setid="newstest2014">\n<doc>\n' + "\n".join(segments) + "\n</doc>\n</refset>\n"

    return {
        f"{stem}-{role}.{language}.sgm": file(role, language) for role in ("src", "ref") for language in ("de", "en")
    }


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Serve the archives in small; the data folder is empty."""
    served = tmp_path / "served"
    long = "wort " * 251
    crawl = plain("commoncrawl.de-en", 30)
    for language, odd in (("de", f"leer links\u2028hier\r\n\n\n{long}\n"), ("en", "no line break\n\none side\nlong\n")):
        crawl[f"commoncrawl.de-en.{language}"] += odd
    archive(served / "wmt13/training-parallel-europarl-v7.tgz", plain("training/europarl-v7.de-en", 40))
    archive(served / "wmt13/training-parallel-commoncrawl.tgz", crawl)
    archive(served / "wmt14/training-parallel-nc-v9.tgz", plain("training/news-commentary-v9.de-en", 20))
    archive(served / "wmt14/dev.tgz", plain("dev/newstest2013", 6))
    archive(served / "wmt14/test-full.tgz", sgml("test-full/newstest2014-deen", 5))
    with serve(served) as address:
        monkeypatch.setattr(wmt14, "SITE", address)
        monkeypatch.setenv("ATTENTION_DATA", str(tmp_path / "data"))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield served


def test_the_corpus_is_fetched_unpacked_and_then_used_without_the_archives(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = corpora.load("wmt14")
    assert (corpus.source, corpus.target) == ("en", "de")
    assert [len(corpus.train), len(corpus.validation), len(corpus.tests["newstest2014"])] == [40 + 30 + 1 + 20, 6, 5]
    assert [pair.source for pair in corpus.train[:40]] == lines(40, "en")
    assert [pair.target for pair in corpus.train[71:]] == lines(20, "de")
    assert corpus.train[70].target == "leer links hier"
    assert corpus.tests["newstest2014"][0].target == f"{lines(5, 'de')[0]} & mehr"
    folder = tmp_path / "data" / "wmt14"
    assert not list(folder.glob(".*"))
    for file in folder.glob("wmt1*/*"):
        file.unlink()
    monkeypatch.setattr(wmt14, "SITE", "http://127.0.0.1:9")
    turned = corpora.load("wmt14", "de", "en")
    assert turned.train[-1].source == corpus.train[-1].target


def test_an_archive_that_is_not_what_it_should_be_is_named_and_leaves_nothing_behind(
    site: Path, tmp_path: Path
) -> None:
    path = tmp_path / "data" / "wmt14" / "wmt14" / "dev.tgz"
    archive(path, plain("dev/newstest2012", 3))
    with pytest.raises(CorpusError, match=r"dev\.tgz has no file called newstest2013\.en"):
        wmt14.prepare("newstest2013")
    path.write_bytes(b"no archive")
    with pytest.raises(CorpusError, match=r"dev\.tgz cannot be unpacked.*Delete it"):
        wmt14.prepare("newstest2013")
    archive(path, plain("dev/newstest2013", 3) | {"dev/newstest2013.en": "one line\n"})
    with pytest.raises(CorpusError, match="have not the same number of lines"):
        wmt14.prepare("newstest2013")
    assert [file.name for file in (tmp_path / "data" / "wmt14").iterdir()] == ["wmt14"]


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "text.de"
    for some in ([], [""], ["eins", "", "zwei\u2028drei", "vier"]):
        path.write_text("".join(f"{line}\n" for line in some))
        read = Lines(path)
        assert list(read) == read[:] == some
    assert read[-1] == "vier"
    assert read[1:3] == ["", "zwei\u2028drei"]
    with pytest.raises(IndexError):
        read[4]
    path.write_text("eins\nzw")
    with pytest.raises(CorpusError, match="was cut off"):
        Lines(path)
    other = tmp_path / "text.en"
    path.write_text("eins\n")
    other.write_text("one\ntwo\n")
    with pytest.raises(CorpusError, match="they have 1 and 2"):
        LinePairs(Lines(path), Lines(other))


def examples(count: int) -> list[Example]:
    rng = np.random.default_rng(3)
    return [([n, *[4 + n % 5] * int(rng.integers(9))], [n] * int(rng.integers(1, 9))) for n in range(count)]


@pytest.fixture
def written(tmp_path: Path) -> Shards:
    shards.write(tmp_path / "shards", examples(100), pairs=13)
    return Shards(tmp_path / "shards", buffer=3)


def test_each_epoch_reads_every_pair_once_in_another_order(written: Shards) -> None:
    assert len(written) == 100
    orders = [list(written.groups(30, seed)[:]) for seed in (1, 2, 1)]
    for groups in orders:
        assert sorted(pair for group in groups for pair in group) == sorted(examples(100))
        assert all(max(len(target) + 1 for _, target in group) * len(group) <= 30 for group in groups)
    assert orders[0] == orders[2] != orders[1]


def test_an_epoch_is_gone_on_with_at_any_batch_and_reads_no_shard_too_many(
    written: Shards, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = written.groups(30, 7)
    whole = list(plan[:])
    assert len(plan) == len(whole)
    for start in range(len(whole) + 1):
        assert list(plan[start:]) == whole[start:]
    assert plan[4] == whole[4]
    opened: list[int] = []
    read = written.examples
    monkeypatch.setattr(written, "examples", lambda number: (opened.append(number), read(number))[1])
    list(plan[len(whole) - 1 :])
    assert sorted(opened) == sorted(plan.buffers[-1])
    assert len(opened) < written.count


def test_shards_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    def broken() -> Iterator[Example]:
        yield from examples(5)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shards.write(tmp_path / "shards", broken(), pairs=2)
    assert not (tmp_path / "shards").exists()
    shards.write(tmp_path / "shards", examples(5), pairs=2)
    assert len(Shards(tmp_path / "shards")) == 5
    shards.write(tmp_path / "shards", examples(5), pairs=2)  # by another training, at the same time
    assert [path.name for path in tmp_path.iterdir()] == ["shards"]


RECIPE = Recipe(
    embedding_dim=6,
    units=8,
    hidden=7,
    maxout=6,
    dropout=0.3,
    vocabulary=60,
    training=Training(tokens=300, epochs=2, rate=1e-2, precision="fp32"),
)


def test_a_training_on_shards_that_was_stopped_ends_with_the_very_same_weights(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translation, "LARGE", 10)
    monkeypatch.setattr(translation, "SAMPLE", 50)
    monkeypatch.setattr(translation, "SHARDS", tmp_path / "shards")
    monkeypatch.setattr(shards, "PAIRS", 25)
    run = Run("bahdanau", "wmt14", "en", "de", "tiny")

    def go(folder: str, minutes: float | None = None) -> translation.Trained:
        return train(SOLUTION, run, RECIPE, folder=tmp_path / folder, minutes=minutes, quiet=True)

    whole = go("whole")
    assert whole.progress.step > 6
    for _ in range(3):
        assert go("parts", minutes=0.0).progress.ended_by_budget
    parts = go("parts")
    weights = [torch.load(tmp_path / name / "last.pt", weights_only=True)["model"] for name in ("whole", "parts")]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert parts.progress.step == whole.progress.step
    assert len(list((tmp_path / "shards").iterdir())) == 1


def test_the_transformer_learns_from_it_with_one_vocabulary_for_both_languages(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translation, "LARGE", 10)
    monkeypatch.setattr(translation, "SHARDS", tmp_path / "shards")
    assert DEFAULTS["wmt14"] == "base"
    recipe = replace(
        RECIPES["base"],
        **{"d_model": 8, "d_ff": 8, "heads": 2, "layers": 1, "vocabulary": 60},
        training=Training(tokens=300, epochs=1, precision="fp32"),
    )
    run = Run("transformer", "wmt14", "en", "de", "tiny")
    trained = train(TRANSFORMER, run, recipe, folder=tmp_path / "run", quiet=True)
    assert trained.source_text.state() == trained.target_text.state()
    assert len(trained.translate(["en haus"])) == 1
