"""What is typed in without arguments, in every notebook: numbers by hand, and inputs and diagnoses of the bug hunts."""

import math

import pytest
import torch

from autograder.checks import checks, find
from autograder.kit.shown.example_hints import TRY_IT
from tests.answers import chapters
from tests.support.verdicts import graded

TYPED = {
    f"{name}.{function}": check
    for name in chapters()
    for function, check in checks(name).items()
    if not check.arguments
}
NUMBERS = [check_id for check_id, check in TYPED.items() if not check.hunt]
INPUTS, DIAGNOSES = ([id for id in TYPED if id.endswith(name)] for name in (".failing_input", ".diagnosis"))
one, ones = torch.ones(1), torch.ones(1, 1)
TWO = torch.tensor([[[[1.0]], [[-1.0]]]])
SHOW_NOTHING = {  # what the broken function is right on
    "bahdanau": lambda: (ones, torch.ones(1, 1, 1), torch.ones(1, 1, 1), ones, ones, one, None),
    "long_context": lambda: (*(torch.arange(12.0).view(1, 6, 2).cos() for _ in range(3)), 2, 1),
    "pooling": lambda: (TWO, ones, one, one, ones, one, one, None),
    "structured": lambda: (torch.randn(2, 3, 4), torch.randn(5, 4), torch.randn(1, 5), None),
    "transformer": lambda: (torch.randn(2, 3, 4), *[torch.eye(4)] * 4, 1),
}


def rounded(numbers, change=lambda x: x):
    """Return numbers, and lists of them, with two decimals, and changed before."""
    if isinstance(numbers, tuple | list):
        return type(numbers)(rounded(each, change) for each in numbers)
    return round(change(float(numbers)), 2)


@pytest.mark.parametrize("check_id", NUMBERS)
def test_two_decimals_are_enough_in_lists_and_tensors(check_id):
    right = find(check_id).reference()
    for form in (
        rounded(right),
        list(right),
        tuple(map(torch.tensor, right)),
        [torch.tensor(x).numpy() for x in right],
    ):
        assert graded(check_id, 0, lambda form=form: form).hint is None


@pytest.mark.parametrize("check_id", NUMBERS)
def test_other_numbers_lose_and_none_is_given_away(check_id):
    right = find(check_id).reference()
    wrong = {
        "nothing": None,
        "off": rounded(right, lambda x: x + 0.03),
        "infinite": rounded(right, lambda x: math.copysign(1e300, x)),
        "zeros": tuple(0 * torch.tensor(each) for each in right),
        "not a number": tuple(math.nan * torch.tensor(each) for each in right),
        "exchanged": right[::-1],
        "the first alone": right[0],
        "one more": (*right, 0.0),
        "text": tuple(map(str, right)),
        "named": dict(enumerate(right)),
    }
    for name, form in wrong.items():
        verdict = graded(check_id, 0, lambda form=form: form)
        assert verdict.score < verdict.max_score, name
        assert verdict.hint
        assert TRY_IT not in verdict.hint


@pytest.mark.parametrize("mistake", find("encoder_decoder.step_and_loss_by_hand").mistakes)
def test_a_known_slip_is_named_from_two_decimals(mistake):
    verdict = graded("encoder_decoder.step_and_loss_by_hand", 0, lambda: rounded(mistake()))
    assert verdict.score < verdict.max_score
    assert verdict.mistakes == [mistake.__name__]


@pytest.mark.parametrize("check_id", INPUTS)
def test_an_input_that_shows_the_bug_counts_as_tuple_and_list_and_no_other(check_id):
    *given, last = find(check_id).reference()
    assert graded(check_id, 0, lambda: [*given, last]).hint is None
    wrong = {
        "nothing": None,
        "one less": given,
        "one more": (*given, last, 1),
        "not finite": (torch.nan * given[0], *given[1:], last),
        "another kind": (given[0] > 0, *given[1:], last),
        "an axis more": (given[0][None], *given[1:], last),
        "huge": (torch.zeros(5000), *given[1:], last),
        "a verdict": torch.tensor(1.0),
    }
    if show_nothing := SHOW_NOTHING.get(check_id.partition(".")[0]):
        wrong["what shows nothing"] = show_nothing()
    for name, form in wrong.items():
        verdict = graded(check_id, 0, lambda form=form: form)
        assert verdict.score < verdict.max_score, name
        assert verdict.hint


@pytest.mark.parametrize("check_id", DIAGNOSES)
def test_a_diagnosis_is_a_line_and_a_letter_small_or_capital(check_id):
    line, letter = find(check_id).reference()
    assert graded(check_id, 0, lambda: [line, letter.upper()]).hint is None
    other = "abcdef"[("abcdef".index(letter) + 1) % 6]
    wrong = [(line + 1, letter), (line, other), (line - 1, other), (letter, line), (str(line), letter), (line, 1)]
    for form in (*wrong, (line, "axis"), line, letter, None):
        verdict = graded(check_id, 0, lambda form=form: form)
        assert verdict.score < verdict.max_score, form
        assert verdict.hint
