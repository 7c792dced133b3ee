"""Tests of mistakes that are edits of the reference: each finds its place, and a wrong one says where it stands."""

import numpy as np
import pytest
import torch

from autograder.checks import CaseInput, Check, CheckFault, find
from autograder.checks.edits import Edit, Mistake, known, pairs, target, union
from autograder.checks.random_inputs import normal
from autograder.kit.verdict.grading import grade
from exercises.transformer.hunt import plain_heads
from solutions.bahdanau.attention import additive_attention, masked_softmax
from solutions.transformer.attention import multi_head_attention
from tests.answers import check_ids


def edited(*edits: str, reference=masked_softmax) -> Mistake:
    return Mistake("wrong", "A hint.", reference, [Edit(reference, text, "a/file.txt: wrong") for text in edits])


@pytest.mark.parametrize("check_id", check_ids())
def test_every_edit_finds_its_place_and_changes_the_source(check_id):
    for mistake in [*find(check_id).mistakes, *find(check_id).usual]:
        assert callable(target(mistake))


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ("scores.argmax() => scores", r"`scores.argmax\(\)` is not in the source of masked_softmax"),
        ("-1 => 0", "`-1` stands there 2 times: write more of it"),
        ("lowest => lowest", "changes nothing"),
        ("lowest", "expected `old => new`"),
        ("lowest => (", "is no whole expression or statement"),
        ("in additive_attention: scores => mask", "additive_attention is not called by masked_softmax"),
    ],
)
def test_an_edit_that_does_not_fit_says_where_it_stands_and_why(edit, says):
    with pytest.raises(CheckFault, match=f"a/file.txt: wrong: .*{says}"):
        target(edited(edit))


def test_a_check_with_such_an_edit_fails_and_takes_it_for_no_crash():
    cases, wrong = (lambda rng: [CaseInput("a", [normal(rng, 2, 3), None])]), edited("no_such_name => 1")
    check = Check(masked_softmax, ("weights",), cases, {"a": 1}, also=(), mistakes=(wrong,))
    (case,) = check.draw(np.random.default_rng(0))
    with pytest.raises(CheckFault, match="no_such_name"):
        assert case.known[0].outputs


def test_edits_may_be_expressions_statements_results_and_first_lines():
    scores, mask = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[True, True, False]])
    right = masked_softmax(scores, mask)
    for edit, expected in (
        ("start => mask = None", scores.softmax(-1)),
        ("return => 2 * _", 2 * right),
        ("return => _ + right(scores, mask)", 2 * right),
        ("every -1 => 0", mask.float()),
        ("... * mask => _ + 1", right + 1),
        ("lowest = ... => lowest = 0.0", scores.masked_fill(~mask, 0).softmax(-1) * mask),
        ("scores.masked_fill(...) => scores", scores.softmax(-1) * mask),
    ):
        assert torch.allclose(edited(edit)(scores, mask), expected), edit


def test_an_edit_of_an_earlier_function_reaches_those_that_call_it():
    for reference in (additive_attention, multi_head_attention):
        mistake = next(each for each in known(reference) if each.__name__ == "mask_ignored")
        assert [each.name for edit in mistake.edits for each in edit.places] == ["masked_softmax"]
        assert target(mistake) is not reference


def test_two_mistakes_at_once_are_both_edits_in_whichever_order_they_fit():
    edits = (edited("lowest => -1.0"), edited("~mask => mask"))
    assert pairs((*edits, masked_softmax)) == [(0, 1)]
    scores, mask = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[True, True, False]])
    assert torch.allclose(union(*edits)(scores, mask), scores.masked_fill(mask, -1.0).softmax(-1) * mask)
    relu, scaled = (each for each in known(additive_attention) if each.__name__ in ("relu", "scaled"))
    assert callable(target(union(relu, scaled)))  # the second has to be made first
    assert callable(target(union(scaled, relu)))


def test_a_check_without_mistakes_knows_the_usual_ones():
    def cases(rng):
        return [
            CaseInput(f"{n} sentences", [normal(rng, n, 4, 6), *(normal(rng, 6, 6) for _ in "qkvo"), 2], "any")
            for n in (3, 1)
        ]

    check = Check(plain_heads, ("out", "weights"), cases, {"any": 1}, also=())
    drawn = check.draw(np.random.default_rng(0))
    for wrong, sentence in (
        (lambda *given: plain_heads(*given)[::-1], "changed places. Their order: out, weights"),
        (lambda x, *rest: plain_heads(x[:1].expand_as(x), *rest), "the first one's `x`"),
        (lambda *given: tuple(each.squeeze() for each in plain_heads(*given)), "every axis of length 1"),
    ):
        verdict = grade("transformer.plain_heads", drawn, check.criteria, check.calling(wrong))
        assert sentence in (verdict.hint or "")


def test_numbers_by_hand_that_have_changed_places_are_named():
    check = find("bahdanau.attention_by_hand")
    cases = check.draw(np.random.default_rng(0))
    verdict = grade("bahdanau.attention_by_hand", cases, check.criteria, check.calling(lambda: check.reference()[::-1]))
    assert "The results have changed places" in (verdict.hint or "")
