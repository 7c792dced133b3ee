"""Numbers that students work out on paper: two decimals are enough, and a known slip is named from two decimals."""

import numpy as np
import pytest

from autograder.checks import find
from autograder.kit.example_hints import TRY_IT
from autograder.kit.grading import Verdict, grade

CHECK_ID = "encoder_decoder.step_and_loss_by_hand"


def graded(*numbers: float) -> Verdict:
    check = find(CHECK_ID)
    caller = check.calling(lambda: numbers)
    return grade(CHECK_ID, check.draw(np.random.default_rng(0)), check.criteria, caller, check.worked_examples)


@pytest.mark.parametrize("numbers", [(0.39, 1.25), (0.393, 1.248), find(CHECK_ID).reference()])
def test_two_decimals_are_enough(numbers):
    assert graded(*numbers).hint is None


@pytest.mark.parametrize("mistake", find(CHECK_ID).mistakes)
def test_a_known_slip_is_named_from_two_decimals(mistake):
    verdict = graded(*(round(number, 2) for number in mistake()))
    assert verdict.score == 1
    assert verdict.mistakes == [mistake.__name__]


@pytest.mark.parametrize("numbers", [(0.37, 1.25), (0.42, 1.25), (0.39, 1.22), (0.39, 1.28), (1.25, 0.39), (0.0, 0.0)])
def test_what_is_off_by_more_loses_its_point_and_no_number_is_given_away(numbers):
    verdict = graded(*numbers)
    hint = verdict.hint or ""
    assert verdict.score < 2
    assert {failure.kind for failure in verdict.failures} == {"wrong"}
    assert TRY_IT not in hint
    assert not {"0.39", "1.24", "1.25"} & set(hint.split())
