"""Tests of what the text says of a matrix: its numbers, its largest columns, and words whose weights are moved."""

import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import torch

from book.contents import chapters, page_file
from book.show import reading
from book.show.reading import Reading, StoryError, all_on_one
from lab.text.batches import collate
from lab.text.tokenizers import Words
from solutions.bahdanau.attention import additive_attention
from solutions.bahdanau.model import SOLUTION

MATRIX = torch.tensor([[0.7, 0.2, 0.1], [0.05, 0.45, 0.5]])


@pytest.fixture
def quoted(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    numbers: dict[str, str] = {}
    monkeypatch.setattr(reading, "quote", lambda **given: numbers.update(given))
    return numbers


def test_a_story_that_is_so_is_quoted(quoted):
    read = Reading(MATRIX, ["me", "me"], ["m'", "a", "</s>"])
    read.tell({"first": ("me", "m'"), "second": ("me 2", "</s>")}, least=0.5)
    read.quote({"a": ("me 2", "a")}, digits=3)
    assert quoted == {"first": ".70", "second": ".50", "a": ".450"}


@pytest.mark.parametrize(
    ("story", "least", "says"),
    [
        (("me 2", "a"), 0.0, "the row me 2 is largest on a.*there it has .45, and most on </s>, .50"),
        (("me", "m'"), 0.8, "at least 0.8: there it has .70"),
        (("him", "m'"), 0.0, "the text tells of him, and the matrix has me, me 2"),
    ],
)
def test_a_story_that_is_not_so_stops_the_build_and_is_not_quoted(quoted, story, least, says):
    with pytest.raises(StoryError, match=says):
        Reading(MATRIX, ["me", "me"], ["m'", "a", "</s>"]).tell({"it": story}, least=least)
    assert not quoted


def test_all_weight_on_one_word_gives_its_state_as_the_context_of_that_step_alone():
    torch.manual_seed(1)
    source_text, target_text = Words.learn(["il m' a"]), Words.learn(["he has me here"])
    model = SOLUTION.build(SOLUTION.recipes["small"], len(source_text), len(target_text)).eval()
    trained = SimpleNamespace(model=model, source_text=source_text, target_text=target_text)
    target = "here he has me"
    shares = all_on_one(trained, additive_attention, "m' a", target)  # type: ignore[arg-type]
    assert shares.shape == (4, 3)
    assert model.attend is None
    batch, calls = collate([(source_text.encode("m' a"), target_text.encode(target))]), 0

    def second_from_the_last(query, keys, values, *others):
        nonlocal calls
        calls += 1
        return (values[:, 2], None) if calls == 2 else additive_attention(query, keys, values, *others)

    def both(*given):
        context, weights = second_from_the_last(*given)
        return context, torch.ones(1, 3) if weights is None else weights

    model.attend = both
    with torch.no_grad():
        expected = model(batch.source, batch.mask, batch.inputs, None).softmax(dim=-1)
    torch.testing.assert_close(shares[1, 2], expected[1, batch.targets[0, 1]])
    assert shares[1].unique().numel() == 3


# What a lesson's cell calls to show the matrix of a trained model.
MATRICES = (
    "heat_table( moved( long_matrix( short_matrix( without_penalty( with_penalty( mean_and_learned( "
    "looks_back( copies( resting("
).split()
INVENTED = "align * gaussian("  # a window over scores that are all the same
HIDDEN = re.compile(r"^```\{code-cell\}[^\n]*\n:tags: \[remove-cell\].*?^```\n", re.MULTILINE | re.DOTALL)
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def below_matrices(lesson: str) -> Iterator[tuple[str, str]]:
    """Yield the code of each cell that shows a matrix, and the text from there to the next cell or heading."""
    text = HIDDEN.sub("", lesson)
    for cell in CELL.finditer(text):
        if any(call in cell[1] for call in MATRICES) and INVENTED not in cell[1]:
            yield cell[1], re.split(r"^(?:```|#)", text[cell.end() :], maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.parametrize("name", chapters())
def test_a_matrix_is_read_below_it_by_its_numbers_and_not_by_a_question(name: str) -> None:
    for cell, text in below_matrices(page_file(name).read_text("utf-8")):
        first = next(paragraph for paragraph in text.split("\n\n") if paragraph.strip())
        assert "?" not in re.sub(r"`[^`]*`", "", first), f"a question stands below the matrix of:\n{cell}"
        assert text.count("{glue:text}") >= 2, f"what does this matrix say? Quote it, below\n{cell}"


def test_lessons_show_matrices() -> None:
    shown = {name: len(list(below_matrices(page_file(name).read_text("utf-8")))) for name in chapters()}
    expected = {"bahdanau": 3, "luong": 2, "structured": 2, "language_model": 2, "long_context": 0}
    assert {name: shown[name] for name in expected if name in shown} == {
        name: count for name, count in expected.items() if name in shown
    }
