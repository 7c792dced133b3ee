"""Known mistakes are named where some cases crash and when two occur together, and nothing else is."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from autograder.checks import find
from autograder.kit.known.recognition import Evidence
from autograder.kit.known.recordings import Recording, load, pack, path
from autograder.kit.verdict.answer import Answer, Failure
from autograder.kit.verdict.cases import Pairs
from autograder.kit.verdict.compare import SAME, are_same
from autograder.kit.verdict.grading import Verdict, grade
from tests.answers import check_ids, collected
from tests.support.verdicts import drawn

IDS = check_ids()
FEW_IDS = ["bahdanau.masked_softmax", "transformer.make_masks", "long_context.sliding_window"]


def graded(check_id: str, function, seed: int = 0) -> Verdict:
    check = find(check_id)
    cases = check.draw(np.random.default_rng(seed))
    return grade(check_id, cases, check.criteria, check.calling(function))


def lost(verdict: Verdict) -> set[str]:
    return {name for name, points, got in verdict.criteria if got < points}


def angles(x, first=0):
    d = x.shape[-1]
    return (torch.arange(x.shape[1]) + first)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)


def sines_then_cosines(x):
    return x + torch.cat([angles(x).sin(), angles(x).cos()], -1)  # crashes at odd widths


def sines_then_cosines_from_one(x):
    return x + torch.cat([angles(x, 1).sin(), angles(x, 1).cos()], -1)


def even_columns_first(x):
    table = torch.zeros(x.shape[1:])
    table[:, 0::2], table[:, 1::2] = angles(x).sin(), angles(x).cos()  # right, and crashes at odd widths
    return x + table


def test_sines_concatenated_with_cosines_are_named_though_odd_widths_crash():
    verdict = graded("transformer.positional_encoding", sines_then_cosines)
    assert verdict.mistakes == ["halves"]
    assert "the shape" not in lost(verdict)
    assert "The sines come first" in verdict.hint


def test_who_crashes_at_odd_widths_alone_loses_these_alone():
    verdict = graded("transformer.positional_encoding", even_columns_first)
    assert lost(verdict) == {"odd widths"}
    assert verdict.mistakes == []


def unscaled_unmasked(query, key, value, mask):
    weights = (query @ key.mT).softmax(-1)
    return weights @ value, weights


def relu_over_sums(query, keys, values, W_q, W_k, v, mask):
    scores = ((query @ W_q.T)[:, None] + keys @ W_k.T).relu() @ v / v.shape[0] ** 0.5
    weights = scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -1e9).softmax(-1) * mask
    return (weights[..., None] * values).sum(1), weights


def heads_without_an_axis_in_the_mask(query, key, value, params, heads, mask):
    q, k, v = (
        (x @ params[f"W_{n}"].T + params[f"b_{n}"]).unflatten(-1, (heads, -1)).transpose(1, 2)
        for n, x in (("q", query), ("k", key), ("v", value))
    )
    scores = q @ k.mT / q.shape[-1] ** 0.5
    weights = (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1)  # stops at most masks
    return (weights @ v).transpose(1, 2).reshape(query.shape) @ params["W_o"].T + params["b_o"], weights


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_of_two_that_only_a_crash_tells_apart_both_are_named(seed):
    """Nor is one that explains all by itself half of a pair, whose other half shows nowhere."""
    verdict = graded("transformer.multi_head_attention", heads_without_an_axis_in_the_mask, seed)
    assert verdict.mistakes == ["mask_repeated", "masks_in_another_order"]
    assert "no axis was added for the heads" in verdict.hint
    assert "and of another" not in verdict.hint


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("check_id", "function", "named"),
    [
        ("transformer.positional_encoding", sines_then_cosines_from_one, {"halves", "from_one"}),
        ("bahdanau.additive_attention", relu_over_sums, {"relu", "scaled"}),
    ],
)
def test_two_mistakes_at_once_are_both_named(check_id, function, named, seed):
    verdict = graded(check_id, function, seed)
    assert set(verdict.mistakes) == named
    assert "two known mistakes at once" in verdict.hint


def test_one_mistake_here_and_another_there_are_both_named():
    mistakes = {mistake.__name__: mistake for mistake in find("bahdanau.masked_softmax").mistakes}

    def by_axes(scores, mask):
        return mistakes["sigmoid_weights" if scores.ndim > 1 else "not_divided"](scores, mask)

    assert set(graded("bahdanau.masked_softmax", by_axes).mistakes) == {"sigmoid_weights", "not_divided"}


def wide_window_of_even_sinks(query, key, value, window, sinks, error=1.0):
    place = torch.arange(query.shape[1])
    seen = (place <= place[:, None]) & (place >= place[:, None] - window)
    weights = (query @ key.mT / query.shape[-1] ** 0.5).masked_fill(~seen, -torch.inf).softmax(-1)
    first = value[:, :sinks].mean(1, keepdim=True) if sinks else 0
    return error * (weights @ value + first)


def test_a_mistake_that_explains_the_cases_without_a_feature_is_named_with_these():
    verdict = graded("long_context.sliding_window", wide_window_of_even_sinks)
    assert verdict.mistakes == ["one_too_wide"]
    assert "In the cases without sinks, your numbers are those of a known mistake: The window has one" in verdict.hint
    assert graded("long_context.sliding_window", partial(wide_window_of_even_sinks, error=1.001)).mistakes == []


def test_a_mistake_that_explains_a_group_of_cases_is_named_with_it():
    mistakes = {mistake.__name__: mistake for mistake in find("language_model.rope").mistakes}

    def by_axes(x, positions, base):
        return mistakes["turned_back"](x, positions, base) * (1.0 if x.ndim == 3 else 0.7)

    verdict = graded("language_model.rope", by_axes)
    assert verdict.mistakes == ["turned_back"]
    assert "In the cases of “positions from anywhere”, your numbers are those of a known mistake" in verdict.hint


def bytes_squared(tokens, layers, kv_heads, head_dim, local_layers, window, bytes_a_number):
    return find("long_context.kv_bytes").reference(
        tokens, layers, kv_heads, head_dim, local_layers, window, bytes_a_number**2
    )


def test_what_would_show_where_the_student_is_right_is_no_mistake_of_a_group_either():
    # 2² is the 4 of a known mistake, always four bytes, and 1² is right.
    assert graded("long_context.kv_bytes", bytes_squared).mistakes == []


@pytest.mark.parametrize("error", [1e-3, -1e-3])
def test_two_mistakes_and_a_little_more_are_not_named(error):
    def nearly(query, key, value, mask):
        output, weights = unscaled_unmasked(query, key, value, mask)
        return output * (1 + error), weights * (1 + error)

    assert graded("self_attention.scaled_dot_product", nearly).mistakes == []


def test_two_mistakes_that_undo_each_other_are_not_named():
    def numbers(source, target, pad):
        return tuple(mask.float() for mask in find("transformer.make_masks").reference(source, target, pad))

    assert graded("transformer.make_masks", numbers).mistakes == []


def test_sentences_of_another_length_are_no_fault_of_the_shape():
    answers = dict(collected("wrong", "WRONG")["encoder_decoder.beam_search"])
    verdict = graded("encoder_decoder.beam_search", answers["twice_beam_looked_at"])
    assert verdict.mistakes == ["fills_up"]  # it does, and looks at more ends than the beam has places
    assert "a known mistake, and of another" in verdict.hint


def test_a_right_function_that_crashes_somewhere_has_no_known_mistake():
    for check_id in ("bahdanau.masked_softmax", "transformer.make_masks", "luong.dot_score"):
        check = find(check_id)
        cases = check.draw(np.random.default_rng(0))

        def caller(function, arguments, cotangents, check=check, first=cases[0]):
            if all(one is other for one, other in zip(arguments, first.arguments.values(), strict=True)):
                return Answer(error=Failure("raised", "ZeroDivisionError: division by zero"))
            return check.calling(check.reference)(function, arguments, cotangents)

        assert grade(check_id, cases, check.criteria, caller).mistakes == []


@pytest.mark.parametrize("check_id", IDS)
def test_a_crash_on_one_case_costs_only_the_values_of_that_case(check_id):
    check = find(check_id)
    cases = check.draw(np.random.default_rng(0))
    right = {
        (case.name, backward): check.calling(check.reference)(
            check.function,
            list(case.arguments.values()),
            case.cotangents if backward else None,
        )
        for case in cases
        for backward in (False, True)
        if case.cotangents is not None or not backward
    }
    for crashing in {case.group: case for case in cases}.values():  # one of each group

        def caller(function, arguments, cotangents, crashing=crashing):
            case = next(c for c in cases if all(a is b for a, b in zip(arguments, c.arguments.values(), strict=True)))
            crash = Answer(error=Failure("raised", "ZeroDivisionError: division by zero"))
            return crash if case is crashing else right[case.name, cotangents is not None]

        of_it = {criterion.name for criterion in check.criteria if crashing.group in criterion.groups}
        assert lost(grade(check_id, cases, check.criteria, caller)) == of_it, (
            f"{crashing.name}: if it alone has gradients=True, give them to another case, too"
        )


def test_the_laptop_names_the_same_two_mistakes(tmp_path):
    check_id = "transformer.positional_encoding"
    check = find(check_id)
    packed = pack(Recording(check.draw(np.random.default_rng(5)), check.criteria))
    path(check_id, tmp_path).write_bytes(packed)
    known = load(check_id, tmp_path)
    verdict = grade(check_id, known.cases, known.criteria, check.calling(sines_then_cosines_from_one))
    assert set(verdict.mistakes) == {"halves", "from_one"}
    assert len(packed) < 500_000


@pytest.mark.parametrize(
    "check_id", FEW_IDS + [pytest.param(each, marks=pytest.mark.slow) for each in IDS if each not in FEW_IDS]
)
def test_what_the_laptop_keeps_of_a_mistake_tells_it_from_the_others(check_id, tmp_path):
    cases = [replace(case, pairs=Pairs()) for case in drawn(check_id, 0)]
    path(check_id, tmp_path).write_bytes(pack(Recording(cases, [])))
    kept = load(check_id, tmp_path).cases
    for place, mistake in enumerate(cases[0].known):
        numbers = {case.name: case.known[place].outputs for case in cases}
        answers = {
            name: Answer(error=Failure("raised", "")) if given is None else Answer(given, several=len(given) > 1)
            for name, given in numbers.items()
        }
        named, kept_named = ([known.name for known in Evidence(of, answers).alone()] for of in (cases, kept))
        assert kept_named == named, mistake.name
        assert mistake.usual or mistake.name in named


@pytest.mark.parametrize("check_id", IDS)
def test_a_public_example_is_small_enough_to_be_done_by_hand(check_id):
    examples = find(check_id).worked_examples()
    for i, example in enumerate(examples):
        literals = re.findall(r"(?<![\w.])\d+(?:\.\d*)?(?:e-\d+)?", example.code)
        first = i == 0
        assert len(literals) <= (36 if first else 64), example.code
        assert sum(output.size for output in example.outputs.values()) <= (24 if first else 48), example.code
        assert max(map(len, example.code.splitlines())) <= 200, example.code
        assert not re.search(r"rand|linspace|Generator", example.code), example.code


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, bool])
def test_numbers_are_the_same_where_numpy_says_so(dtype):
    numbers = np.array([0, 1, -1, 1 + 2e-6, 1 + 2e-5, 1 + 6e-5, 1e38, np.inf, -np.inf, np.nan, 65500])
    with np.errstate(over="ignore", invalid="ignore"):
        values = (numbers if np.dtype(dtype).kind == "f" else numbers[:6]).astype(dtype)
    for one in values:
        for two in values:
            expected = np.allclose(one, two, rtol=SAME, atol=SAME, equal_nan=True)
            assert are_same([np.array([1, one], dtype)], [np.array([1, two], dtype)]) == expected, (one, two)
    assert not are_same([np.zeros((2, 3), dtype)], [np.zeros((3, 2), dtype)])


def test_nan_alone_fits_no_mistake_in_a_part_of_the_cases():
    def spoilt(scores, mask):
        return float("nan") * find("bahdanau.masked_softmax").reference(scores, mask)

    assert graded("bahdanau.masked_softmax", spoilt).mistakes == []
