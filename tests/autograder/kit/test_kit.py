"""Tests of the public side: values in, values out, whatever the student's function does."""

import functools
import random

import numpy as np
import pytest
import torch

from autograder.checks import find
from autograder.kit.calls.call import call
from autograder.kit.calls.errors import _is_foreign
from autograder.kit.known import recordings
from autograder.kit.known.recordings import Recording
from autograder.kit.verdict.answer import OWN_KINDS, Answer, Failure, clean_answer
from autograder.kit.verdict.grading import Case, Criterion, grade


def one_case(function, caller=None):
    """Grade a function that should double its argument x."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    case = Case("a case", {"x": x}, {"y": 2 * x}, cotangents=[np.ones_like(x)], gradients=[np.full_like(x, 2)])
    criteria = [Criterion(kind, 1, kind) for kind in ("shape", "values", "gradients", "unchanged", "repeat")]
    return grade("name.double", [case], criteria, caller or functools.partial(call, {"double": function}))


@pytest.mark.parametrize(
    "double",
    [
        lambda x: x + x,
        lambda x: (2 * x).double(),
        lambda x: list(2 * x),
        lambda x: torch.stack([row + row for row in x]),
    ],
)
def test_right_values_get_all_points_in_any_wrapping(double):
    assert one_case(double).hint is None


def written_into(x):
    weights = (2 * x).exp()
    weights[weights > 1] = 0
    return weights.log()


@pytest.mark.parametrize(
    ("double", "sentence"),
    [
        (lambda x: None, "returned None"),
        (lambda x: "2x", "returned a str"),
        (lambda x: x[0], "y has shape (3,), expected (2, 3)"),
        (lambda x: x / 0 * 0, "NaN"),
        (lambda x: x / 0, "NaN"),
        (lambda x: x * 3, "not the expected values"),
        (lambda x: 2 * x.detach(), "No gradient comes back"),
        (lambda x: x + x.detach(), "(a case). The values are right: is a part of the way back cut off"),
        (lambda x: torch.where(x > -1e9, 2 * x, (1e4 * x.abs()).exp()), "The values are right: does a part of the way"),
        (lambda x: x.detach().mul_(2), "changes its argument x"),
        (lambda x: 2 * x * torch.rand(1).round() + torch.rand(1), "another answer the second time"),
        (lambda x: [[1.0], [1.0, 2.0]], "different"),
        (lambda x: (2 * x).tolist(), "No gradient comes back: a .detach(), .item(), .tolist()"),
        (lambda x: x @ x, "RuntimeError"),
        (lambda x: x & (x > 0), "not implemented for 'Float' (another dtype is wanted: `.bool()` for a mask"),
        (
            lambda x: x if x > 0 else 2 * x,
            "is ambiguous (for a mask that may be missing, `if mask is not None`; to compare many numbers, `.all()`",
        ),
        (lambda x: 2 * x + (x, x), "'tuple' (a function called there returns several things: name the one to use)"),
        (lambda x: x.numpy(), "stay in torch"),
        (lambda x: torch.tensor(list(2 * x)), "(`torch.stack` joins tensors)"),
        (written_into, "modified by an inplace operation"),
        (lambda x: exit(), "SystemExit"),
        (lambda x: (x, x, x), "returns a tuple of 3, expected y alone, as one tensor."),
        (lambda x: tuple(2 * x), "returns a tuple of 2, expected y alone, as one tensor."),
        (lambda x: (2 * x,), "returns a tuple of 1, expected y alone, as one tensor."),
    ],
)
def test_the_hint_says_what_is_wrong(double, sentence):
    verdict = one_case(double)
    assert verdict.score < verdict.max_score
    assert sentence in verdict.hint


def several_cases(function):
    """Grade a function that should return 2x and x + 1, on one to four rows, a demand for each number of rows."""
    cases = []
    for rows in range(1, 5):
        x = np.arange(1, 3 * rows + 1, dtype=np.float32).reshape(rows, 3)
        cases.append(Case(f"{rows} rows", {"x": x}, {"twice": 2 * x, "more": x + 1}, group=str(rows)))
    criteria = [Criterion(f"demand {rows}", 1, "values", [str(rows)]) for rows in range(1, 5)]
    return grade("name.both", cases, criteria, functools.partial(call, {"both": function}))


@pytest.mark.parametrize(
    ("both", "sentences", "lines"),
    [
        (lambda x: (3 * x, x + 1), ["Right in all cases: more.", "everything: twice: not the"], 1),
        (lambda x: (2 * x, x + 2), ["Right in all cases: twice.", "everything: more: not the expected values"], 1),
        (lambda x: (2 * x, x + (x != 2)), ["more: not the expected values at 1 of 3 places, first at [0, 1] (1"], 1),
        (lambda x: (2 * x.where(x != 2, torch.nan), x + 1), ["twice: NaN at 1 of 3 places, first at [0, 1] (1"], 1),
        (lambda x: (2 * x / (x != 3), x + 1), ["twice: an infinity at 1 of 3 places, first at [0, 2] (1"], 1),
        (lambda x: (2 * x, x[:, :2]), ["Right in all cases: twice.", "more has shape (1, 2), expected (1, 3)."], 1),
        (lambda x: (2 * x * len(x), x + 1), ["It is right only with “1 rows”.", "demand 2 (1), demand 3"], 2),
        (lambda x: (2 * x[:1] if len(x) > 2 else 2 * x, x + 1), ["twice has shape (1, 3), expected (3, 3)."], 4),
    ],
)
def test_a_verdict_says_which_cases_and_outputs_are_right_and_the_same_only_once(both, sentences, lines):
    verdict = several_cases(both)
    assert [sentence for sentence in sentences if sentence not in verdict.hint] == []
    assert sum(line.startswith("  ") for line in verdict.details) == lines


@pytest.mark.parametrize(
    ("both", "sentence"),
    [
        (lambda x: (2 * x, (x, x)), "a tuple of 2 tensors as result 2, expected one tensor there"),
        (lambda x: (list(2 * x), torch.stack([x, x])), "a list of 2 tensors as result 1, expected one tensor there"),
        (lambda x: torch.stack([x, x]), "returns one thing, expected 2: (y, pair)."),
        (lambda x: (2 * x, x, x), "returns 3 things, expected 2: (y, pair)."),
        (lambda x: [(2 * x).tolist(), torch.stack([x, x])], None),
    ],
)
def test_a_tuple_in_the_place_of_a_tensor_is_told_so_and_a_tensor_in_the_place_of_a_tuple(both, sentence):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    case = Case("a case", {"x": x}, {"y": 2 * x, "pair": np.stack([x, x])})
    criteria = [Criterion("values", 2, "values", part="y"), Criterion("shape", 1, "shape")]
    verdict = grade("name.both", [case], criteria, functools.partial(call, {"both": both}))
    assert verdict.score == (0 if sentence else 3)
    assert sentence is None or sentence in verdict.hint


@pytest.mark.parametrize(
    ("function", "right"),
    [
        (lambda x, unused: 2 * x, True),
        (lambda x, unused: 2 * x + 0 * unused.sum(), True),
        (lambda x, unused: 2 * x + (unused - unused.detach()).sum(), False),
    ],
)
def test_a_gradient_of_zeros_is_as_good_as_none_where_nothing_depends_on_the_argument(function, right):
    x, unused = np.ones((2, 3), np.float32), np.ones((4, 5), np.float32)
    gradients = [np.full_like(x, 2), None]
    case = Case("a case", {"x": x, "unused": unused}, {"y": 2 * x}, cotangents=[np.ones_like(x)], gradients=gradients)
    verdict = grade(
        "name.f",
        [case],
        [Criterion("values", 1, "values"), Criterion("gradients", 1, "gradients")],
        functools.partial(call, {"f": function}),
    )
    assert (verdict.score == 2) == right, verdict.hint


def test_an_exception_that_cannot_be_printed_is_still_a_fault_of_the_student():
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    def double(x):
        raise Mute

    assert "Mute" in one_case(double).hint


@pytest.mark.parametrize(
    "answer",
    [
        Answer(outputs=[None]),
        Answer(outputs="aa"),
        Answer(outputs=[np.array(["a"])]),
        Answer(outputs=[]),
        Answer(outputs=[np.zeros((2, 3))], gradients=[np.array("x")], inputs_after=[None]),
        Answer(outputs=[np.zeros((2, 3))], gradients=[], inputs_after=[]),
        Answer(error=3),
        Answer(error=Failure(3, "text")),
        Answer(error=Failure(["raised"], 3)),
        Answer(error=Failure("all right", "text")),
        Answer(),
    ],
)
def test_answers_from_a_hostile_worker_are_only_wrong(answer):
    verdict = one_case(None, caller=lambda *call: answer)
    assert verdict.score <= 1
    assert verdict.hint


@pytest.mark.parametrize("kind", ["timeout", "died", "no_worker", "wrong", "all right", 3, ["raised"]])
def test_a_worker_cannot_give_a_failure_that_only_the_grader_can_know(kind):
    error = clean_answer(Answer(error=Failure(kind, "the text")), OWN_KINDS).error
    assert error.kind == "bad_output"
    assert "the text" not in error.text


def test_what_ends_a_call_has_a_kind():
    def masked_softmax(x):
        raise NotImplementedError

    def calls_it(x):
        return masked_softmax(x)

    x = np.ones(2, np.float32)
    functions = {
        "masked_softmax": masked_softmax,
        "calls_it": calls_it,
        "stops": lambda x: x.nothing,
        "leaves": lambda x: exit(),
        "gives_text": lambda x: "text",
        "gives_none": lambda x: None,
        "cuts": lambda x: x.detach(),
    }
    kinds = {name: call(functions, name, [x], [x]).error.kind for name in [*functions, "missing"]}
    assert kinds == {
        "masked_softmax": "unwritten",
        "calls_it": "raised",  # its own cell is written
        "stops": "raised",
        "leaves": "raised",
        "gives_text": "bad_output",
        "gives_none": "bad_output",
        "cuts": "no_gradient",
        "missing": "undefined",
    }


def test_a_function_that_is_as_it_was_released_is_said_to_be_so_and_a_written_one_with_its_last_line_is_not():
    def double(x):
        """Return it."""
        raise NotImplementedError()

    assert one_case(double).hint == "double: 0 of 5 points. It is not written yet."

    def double(x):
        x = 2 * x
        # YOUR CODE HERE
        raise NotImplementedError()

    assert "everything: the line `raise NotImplementedError()` is still in your function" in one_case(double).hint


def test_lines_of_libraries_are_not_shown_as_the_students():
    for place in (
        "/usr/local/lib/python3.12/dist-packages/torch/nn.py",
        "/usr/lib/python3.12/random.py",
        torch.__file__,
    ):
        assert _is_foreign(place)
    for place in ("/tmp/ipykernel_17/1.py", "<ipython-input-3-a>", r"C:\Users\me\work\helpers.py", __file__):
        assert not _is_foreign(place)
    hint = one_case(lambda x: random.sample(x, 2)).hint
    assert "random.sample(x, 2)" in hint
    assert "in sample" not in hint
    assert "call.py" not in hint


def test_the_hint_holds_neither_inputs_nor_expected_values():
    verdict = one_case(lambda x: 0.123 * x)
    assert not any(digit in verdict.hint.replace("(1)", "").replace("points", "") for digit in ("10.", "8.", "6."))


def test_recorded_cases_come_back_as_they_were(tmp_path):
    for check_id in ("bahdanau.additive_attention", "encoder_decoder.beam_search", "encoder_decoder.greedy_decode"):
        drawn = find(check_id)
        cases = drawn.draw(np.random.default_rng(0))
        packed = recordings.pack(Recording(cases, drawn.criteria, drawn.worked_examples(), stars=2))
        assert len(recordings.pack(Recording(cases * 3, drawn.criteria))) < 2 * len(packed)  # equal arrays once
        recordings.path(check_id, tmp_path).write_bytes(packed)
        known = recordings.load(check_id, tmp_path)
        assert (known.criteria, known.stars) == (drawn.criteria, 2)
        assert recordings.pack(known) == packed
        assert grade(check_id, known.cases, known.criteria, drawn.calling(drawn.reference)).hint is None


def test_a_missing_recording_is_named(tmp_path):
    with pytest.raises(LookupError, match=r"no recorded answers for the check 'bahdanau.magic'.*none"):
        recordings.load("bahdanau.magic", tmp_path)
    for name in ("bahdanau.masked_softmax", "self_attention.rotated"):
        recordings.path(name, tmp_path).touch()
    for typed in ("bahdanau.masked_sofmax", "masked_softmax"):
        with pytest.raises(LookupError, match=rf"check '{typed}': did you mean 'bahdanau.masked_softmax'\?"):
            recordings.load(typed, tmp_path)


def test_an_error_whose_sizes_alone_differ_is_said_once():
    verdict = several_cases(lambda x: (2 * x @ torch.ones(len(x), 3), x + 1))  # 3 rows fit
    assert verdict.hint.count("RuntimeError") == 1
    assert "✗ demand 1 (1), demand 2 (1), demand 4 (1): with “1 rows”: RuntimeError" in verdict.hint
