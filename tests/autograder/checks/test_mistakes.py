"""Tests of the feedback: every mistake is told from every other, and a hint shows public numbers alone."""

import itertools
import re

import numpy as np
import pytest
import torch

from autograder.checks import find
from autograder.kit.shown.example_hints import RIGHT_GIVES, TRY_IT, YOURS
from autograder.kit.verdict.compare import are_same
from exercises.encoder_decoder.beam_parts import Shuffled, searched
from tests.answers import SEEDS, check_ids
from tests.support.verdicts import drawn, examples, graded, on_mistake, without_gradients

IDS = check_ids()
CALLED = [id for id in IDS if find(id).examples]  # a right call without arguments would be the answer


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (10, 11, 12))])
@pytest.mark.parametrize("check_id", IDS)
def test_every_two_mistakes_are_told_apart_on_every_draw(check_id, seed):
    outputs: dict[str, list] = {}
    for case in drawn(check_id, seed) if seed else without_gradients(check_id, seed):
        for known in case.known:
            if not known.usual:
                outputs.setdefault(known.name, []).append(known.outputs)
        outputs.setdefault("the reference", []).append(list(case.outputs.values()))
    for one, two in itertools.combinations(outputs, 2):
        pairs = zip(outputs[one], outputs[two], strict=True)
        apart = any((a is None) != (b is None) or (a is not None and not are_same(a, b)) for a, b in pairs)
        assert apart, f"{one} and {two} with seed {seed}"


@pytest.mark.parametrize("check_id", CALLED)
def test_every_mistake_shows_on_a_public_example_that_can_be_pasted(check_id):
    check = find(check_id)
    shown = {name for example in examples(check_id) for name in example.mistakes}
    # Of a function without arguments, an example would tell the answer.
    unseen = {mistake.__name__ for mistake in check.mistakes if check.arguments} ^ shown
    assert not unseen, f"{check_id}: no call in its Check's `examples` shows {unseen}: add one that does"
    for example in examples(check_id):
        assert len(example.code.splitlines()) <= 5
        *setup, last = example.code.splitlines()
        namespace = {"torch": torch, check.function: check.reference}
        exec("\n".join(setup), namespace)
        result = eval(last, namespace)
        # How many steps were asked for is no result of the function.
        right = [value for name, value in example.outputs.items() if not (check.steps and name == "steps")]
        outputs = result if len(right) > 1 else [result]
        for got, expected in zip(outputs, right, strict=True):
            got = got.detach() if isinstance(got, torch.Tensor) else got
            assert np.allclose(sorted(got) if isinstance(got, set) else got, expected)


@SEEDS
@pytest.mark.parametrize(("check_id", "mistake"), [(id, m) for id in IDS for m in find(id).mistakes])
def test_a_mistake_loses_points_is_named_alone_and_shown_beside_what_is_right(check_id, mistake, seed):
    verdict = on_mistake(check_id, seed, mistake)
    hint = verdict.hint
    assert verdict.score < verdict.max_score
    assert verdict.mistakes == [mistake.__name__]
    assert " ".join(mistake.__doc__.split()) in hint
    if not find(check_id).examples or not find(check_id).arguments:
        assert TRY_IT not in hint
        return
    tried = hint.partition(f"{TRY_IT}\n")[2]
    right, wrong = re.search(rf"{RIGHT_GIVES} (.*)\n  {YOURS} \w+ (.*)", tried).groups()
    assert right != wrong
    assert any(example.code.splitlines()[-1] in tried for example in examples(check_id))


@SEEDS
@pytest.mark.parametrize("check_id", IDS)
def test_no_hidden_number_stands_in_a_hint(check_id, seed):
    hidden = set()
    for case in drawn(check_id, seed):
        given = [value for value in case.arguments.values() if isinstance(value, np.ndarray)]
        for array in [*given, *case.outputs.values(), *(case.gradients or [])]:
            if array is not None and array.dtype.kind == "f":
                hidden |= {f"{x:.3f}".rstrip("0") for x in np.ravel(array) if abs(x) < 1e3}
    public = {piece for e in examples(check_id) for piece in _numbers(_everything(e))}
    for mistake in find(check_id).mistakes:
        sentence, _, tried = on_mistake(check_id, seed, mistake).hint.partition(TRY_IT)
        shown = _numbers(re.sub(r"\(\d+, .*?\)|`[^`]*`", "", sentence)) & hidden
        assert not {x for x in shown if len(x) > 4}, mistake.__name__
        assert _numbers(tried.partition(YOURS)[0]) <= public


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"-?\d+\.\d*", text))


def _everything(example) -> str:
    numbers = " ".join(f"{x:.3f}".rstrip("0") for output in example.outputs.values() for x in np.ravel(output))
    return f"{example.code} {numbers} 0."


def test_an_unnamed_fault_is_shown_on_an_example_too():
    def odd(scores, mask):
        return 0.7 * find("bahdanau.masked_softmax").reference(scores, mask)

    verdict = graded("bahdanau.masked_softmax", 0, odd)
    assert verdict.mistakes == []
    assert "A right function gives [[0.881, 0.119, 0.]]\n  Yours gives [[0.617, 0.083, 0.]]" in verdict.hint


def test_who_is_right_on_the_examples_is_shown_none():
    def cut(scores, mask):
        return find("bahdanau.masked_softmax").reference(scores.detach(), mask)

    verdict = graded("bahdanau.masked_softmax", 0, cut)
    assert {failure.kind for failure in verdict.failures} == {"no_gradient"}
    assert TRY_IT not in verdict.hint


def test_a_crash_on_every_case_is_said_once():
    def crashes(scores, mask):
        return scores.no_such_thing

    verdict = graded("bahdanau.masked_softmax", 0, crashes)
    assert verdict.hint.count("no_such_thing") <= 3  # the message, and the student's line
    assert verdict.hint.count("✗") == 1


def test_a_crash_that_some_cases_survive_names_one_that_does_not():
    def unmasked(query, keys, values, W_q, W_k, v, mask):
        return find("bahdanau.additive_attention").reference(query, keys, values, W_q, W_k, v, mask.bool())

    hint = graded("bahdanau.additive_attention", 0, unmasked).hint
    assert re.search(r"with “no[^”]* mask[^”]*”: .*has no attribute 'bool'", hint)


def test_what_does_not_fit_is_said_in_words_under_gradients_too():
    for wrong in (lambda *a: torch.zeros(2, 2), lambda *a: (torch.zeros(2), torch.zeros(2), torch.zeros(2))):
        hint = graded("bahdanau.additive_attention", 0, wrong).hint
        assert "zip()" not in hint
        assert "size of tensor" not in hint


def test_tokens_and_score_in_the_wrong_order_have_a_name():
    def swapped(*arguments):
        tokens, score = find("encoder_decoder.beam_search").reference(*arguments)
        return torch.tensor(score), torch.tensor(tokens)

    for seed in range(3):
        assert graded("encoder_decoder.beam_search", seed, swapped).mistakes == ["results_swapped"]


def test_the_search_that_cases_are_drawn_with_is_the_reference():
    for case in drawn("encoder_decoder.beam_search", 0):
        step, *rest = case.arguments.values()
        tokens, score = searched(step, *rest)
        assert np.array_equal(tokens, case.outputs["tokens"])
        assert abs(score - case.outputs["score"]) < 1e-5
        shuffled = Shuffled(step.table, np.arange(len(step.table)), {})
        assert searched(shuffled, *rest) == (tokens, score)
