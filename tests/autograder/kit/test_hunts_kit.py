"""Bug hunts on a student's own machine: what the kit can tell, and what it leaves to grading."""

import re

import pytest
import torch

from autograder.checks import find
from autograder.checks.hunts import KINDS
from autograder.kit import NoPoints, check
from autograder.kit.known import recordings
from autograder.kit.local import verdict_on
from autograder.kit.shown.printed import Prints
from autograder.kit.verdict.hunts import LETTERS, NOT_SHOWN
from autograder.kit.verdict.repair import repair
from autograder.release.recordings import recording
from solutions.luong.attention import local_p_weights
from solutions.transformer.attention import multi_head_attention

HUNT = find("luong.failing_input").hunt


def words(text: str) -> str:
    """Return a pattern for a text whose lines may be broken between any two words."""
    return r"\s+".join(map(re.escape, text.split()))


@pytest.fixture(scope="module", autouse=True)
def _recorded(tmp_path_factory):
    """Record what a release would record of the hunt and of its right function."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recordings, "FOLDER", tmp_path_factory.mktemp("recordings"))
        for function in ("failing_input", "diagnosis", "repaired_weights", "local_p_weights"):
            recordings.path(f"luong.{function}").write_bytes(recording(f"luong.{function}", {}))
        yield


def test_an_input_is_tried_against_the_students_own_function():
    namespace = {"failing_input": HUNT.failing_input, "local_p_weights": local_p_weights}
    assert verdict_on("luong.failing_input", namespace, Prints()).verdict.hint is None
    zeros = torch.zeros(1, 1)
    wide = (torch.ones(1, 1), torch.ones(1, 4, 1), zeros, zeros, torch.ones(1), torch.tensor([4]), 9.0)
    with pytest.raises(NoPoints, match=words(NOT_SHOWN)):
        check("luong.failing_input", namespace | {"failing_input": lambda: wide})
    with pytest.raises(NoPoints, match=words("is a `return` missing")):
        check("luong.failing_input", namespace | {"failing_input": lambda: None})


@pytest.mark.parametrize("own", [None, lambda *_: torch.zeros(1)], ids=["none", "a wrong one"])
def test_without_a_right_function_of_the_students_the_input_waits_for_grading(own, capsys):
    namespace = {"failing_input": HUNT.failing_input, "local_p_weights": own}
    assert check("luong.failing_input", namespace) is None
    assert "write your local_p_weights first" in " ".join(capsys.readouterr().out.split())


def test_an_input_for_other_arguments_than_the_students_goes_through_what_calls_theirs():
    transformer = find("transformer.failing_input").hunt
    for function in ("failing_input", "multi_head_attention"):
        recordings.path(f"transformer.{function}").write_bytes(recording(f"transformer.{function}", {}))
    namespace = {"failing_input": transformer.failing_input, "multi_head_attention": multi_head_attention}
    assert verdict_on("transformer.failing_input", namespace, Prints()).verdict.hint is None
    one = torch.eye(2)
    with pytest.raises(NoPoints, match=words(NOT_SHOWN)):
        check(
            "transformer.failing_input", namespace | {"failing_input": lambda: (one[None] * 2, one, one, one, one, 1)}
        )
    with pytest.raises(NoPoints, match=words("the right function gives NaN or infinity")):
        check(
            "transformer.failing_input",
            namespace | {"failing_input": lambda: (torch.full((1, 3, 2), 1e38), one, one, one, one, 1)},
        )


def test_a_diagnosis_is_taken_without_a_word_on_whether_it_is_right(capsys):
    for answer in ((8, "b"), (1, "f")):
        assert check("luong.diagnosis", {"diagnosis": lambda answer=answer: answer}) is None
        assert "Only grading says" in capsys.readouterr().out
    with pytest.raises(NoPoints, match=words("one letter")):
        check("luong.diagnosis", {"diagnosis": lambda: ("b", 8)})
    for answer, reason in (((11, "b"), "1 to 10"), ((0, "b"), "1 to 10"), ((8, "g"), "a, b, c, d, e, f")):
        with pytest.raises(NoPoints, match=words(reason)):
            check("luong.diagnosis", {"diagnosis": lambda answer=answer: answer})
    assert len(LETTERS) == len(KINDS)
    known = recordings.load("luong.diagnosis")
    assert all(output != output for case in known.cases for output in case.outputs.values())


def test_a_repair_is_compared_by_its_source():
    assert check("luong.repaired_weights", {"repaired_weights": HUNT.repaired}) is None
    with pytest.raises(NoPoints, match=words(repair("", None, "repaired_weights").complaint)):
        check("luong.repaired_weights", {"repaired_weights": local_p_weights})
