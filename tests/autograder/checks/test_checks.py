"""Tests of the checks: the right get everything, the wrong do not, and a known mistake is called by its name."""

import functools
import itertools

import pytest
import torch

from autograder.checks import Check, find
from autograder.kit.calls.call import call
from autograder.kit.verdict.cases import Kind
from autograder.kit.verdict.grading import grade
from autograder.places import ROOT
from tests.answers import SEEDS, answers, check_ids, collected
from tests.answers.spoilers import HARMLESS, can_be_spoiled, quick, spoiled
from tests.support.verdicts import drawn, graded, loses, plainly_graded

IDS = check_ids()
SPOILED = [check_id for check_id in IDS if can_be_spoiled(find(check_id))]


def test_every_check_has_answers():
    # What is typed in without arguments has tests of its own, in test_by_hand.py, and a repair, which may be only one
    # statement, in kit/test_repair.py and judge/test_hunts.py.
    ids = {check_id for check_id in IDS if find(check_id).arguments and not find(check_id).hunt}
    for kind in ("right", "wrong"):
        answered = set(collected(kind, kind.upper()))
        assert answered <= set(IDS), f"there are {kind} answers of no check: {answered - set(IDS)}"
        assert ids <= answered, "\n".join(
            f'tests/answers/{check_id.partition(".")[0]}/: write {kind.upper()} = {{"{check_id}": [f, …]}} in {kind}.py'
            + ", or edits in wrong/FUNCTION.txt" * (kind == "wrong")
            for check_id in ids - answered
        )


@SEEDS
@pytest.mark.parametrize("check_id", IDS)
def test_the_reference_gets_all_points_and_no_hint(check_id, seed):
    check = find(check_id)
    verdict = graded(check_id, seed, check.reference)
    assert (verdict.score, verdict.hint, verdict.mistakes) == (check.max_points, None, [])


@pytest.mark.parametrize("check_id", IDS)
def test_an_unwritten_function_gets_nothing(check_id):
    def blank(*arguments):
        raise NotImplementedError()

    assert plainly_graded(check_id, 0, blank).score == 0
    missing = grade(check_id, drawn(check_id, 0), find(check_id).criteria, functools.partial(call, {}))
    assert missing.score == 0
    assert [failure.kind for failure in missing.failures] == ["undefined"]


@SEEDS
@pytest.mark.parametrize(("check_id", "function"), answers("right"))
def test_every_right_style_gets_all_points(check_id, function, seed):
    assert graded(check_id, seed, function).hint is None


@pytest.mark.parametrize(("check_id", "function"), answers("wrong"))
def test_no_wrong_answer_gets_all_points(check_id, function):
    assert loses(check_id, 0, function)


@pytest.mark.slow
@pytest.mark.parametrize(("check_id", "function"), answers("wrong"))
def test_no_wrong_answer_gets_all_points_on_another_draw_and_all_get_a_hint(check_id, function):
    verdict = graded(check_id, 1, function)
    assert verdict.score < verdict.max_score
    assert verdict.hint


def _double(value):
    if isinstance(value, dict):
        return {name: _double(each) for name, each in value.items()}
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


@pytest.mark.parametrize("check_id", [id for id in SPOILED if id != "luong.windowed_attention"])  # copies of 4,000,000
def test_double_precision_and_a_list_of_results_are_right(check_id):
    def wide(*arguments):
        result = find(check_id).reference(*map(_double, arguments))
        return list(result) if isinstance(result, tuple) else result

    verdict = plainly_graded(check_id, 0, wide)
    assert verdict.score == verdict.max_score


def _changed(check: Check, change) -> object:
    """Return the right function with a change made to those outputs that are compared exactly."""

    def changed(*arguments):
        result = check.reference(*arguments)
        outputs = result if isinstance(result, tuple) else (result,)
        pairs = zip(check.outputs, outputs, strict=True)
        made = tuple(change(torch.as_tensor(each)) if name in check.exact else each for name, each in pairs)
        return made if isinstance(result, tuple) else made[0]

    return changed


@pytest.mark.parametrize("check_id", [id for id in IDS if find(id).exact and not isinstance(find(id).reference, type)])
def test_floats_are_no_integers_nearly_0_is_no_weight_of_0_and_16_bits_are_not_32(check_id):
    check, cases = find(check_id), drawn(check_id, 0)
    whole = all(case.outputs[name].dtype.kind == "i" for case in cases for name in check.exact)
    nearly = {lambda weights: torch.where(weights == 0, 1e-20, weights): "exactly 0"}
    rounded = dict.fromkeys((torch.Tensor.half, torch.Tensor.bfloat16), "16-bit floats")
    for change, words in ({torch.Tensor.float: "expected integers"} if whole else nearly | rounded).items():
        verdict = plainly_graded(check_id, 0, _changed(check, change))
        assert verdict.score < verdict.max_score
        assert words in verdict.hint


@SEEDS
@pytest.mark.parametrize("check_id", SPOILED)
def test_no_spoiled_reference_gets_all_points(check_id, seed):
    forms = spoiled(find(check_id), drawn(check_id, seed))
    tried = forms if seed else quick(find(check_id), forms)
    full = {name for name in tried if not loses(check_id, seed, forms[name])}
    assert full == HARMLESS.get(check_id, set()) & set(tried), (
        f"{check_id}: these get all points. Draw more cases, of other sizes and with gradients=True (what tires "
        "has to be called more than nine times), or list them in HARMLESS, tests/answers/spoilers.py, with the reason"
    )


def test_what_the_readme_shows_of_a_check_is_what_it_says():
    shown = (ROOT / "README.md").read_text("utf-8").partition("```\nadditive_attention")[2].partition("```")[0]
    check = find("bahdanau.additive_attention")
    mistake, *_ = [each for each in check.mistakes if "read upside down" in (each.__doc__ or "")]
    hint = graded("bahdanau.additive_attention", 0, mistake).hint.splitlines()
    for line in f"additive_attention{shown}".splitlines():
        assert line in hint or line == "  …"


@pytest.mark.parametrize("check_id", IDS)
def test_every_output_of_every_case_earns_points(check_id):
    check, cases = find(check_id), drawn(check_id, 0)
    judged = {
        (case.name, output)
        for criterion in check.criteria
        if criterion.kind is Kind.VALUES
        for case in criterion.chosen(cases)
        for output in ([criterion.part] if criterion.part else check.outputs)
    }
    assert judged == {(case.name, output) for case in cases for output in check.outputs}
    assert all(criterion.points > 0 for criterion in check.criteria)
    assert len(check.mistakes) >= 4 or not check.arguments, (
        f"{check_id} knows {len(check.mistakes)} mistakes: write four or more, in `mistakes` of its Check"
    )


def test_a_near_match_is_not_named():
    def nearly(scores, mask, error):
        return scores.softmax(-1) * (1 if mask is None else 1 + error)

    for error, named in ((0, ["mask_ignored"]), (1e-3, [])):
        function = functools.partial(nearly, error=error)
        assert graded("bahdanau.masked_softmax", 0, function).mistakes == named


def relu_in_another_order(query, keys, values, W_q, W_k, v, mask=None):
    hidden = (torch.einsum("bsk,hk->bsh", keys, W_k) + torch.einsum("bq,hq->bh", query, W_q)[:, None]).clamp(min=0)
    scores = (hidden * v).flip(-1).sum(-1)
    scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
    return torch.einsum("bs,bsd->bd", scores.softmax(-1), values), scores.softmax(-1)


def softmax_after_epsilon(scores, mask=None, epsilon=1e-6):
    weights = scores.softmax(-1) if mask is None else scores.softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True).clamp_min(epsilon)


def attention_after_epsilon(query, keys, values, W_q, W_k, v, mask=None):
    weights = softmax_after_epsilon(torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T) @ v, mask, 1e-9)
    return torch.einsum("bs,bsd->bd", weights, values), weights


@pytest.mark.parametrize(
    ("check_id", "function", "named"),
    [
        ("bahdanau.additive_attention", relu_in_another_order, "relu"),
        ("bahdanau.masked_softmax", softmax_after_epsilon, "epsilon_in_denominator"),
        ("bahdanau.additive_attention", attention_after_epsilon, "epsilon_in_denominator"),
        ("bahdanau.repaired_attention", attention_after_epsilon, "epsilon_in_denominator"),
    ],
)
def test_a_known_mistake_is_recognised_in_another_hand(check_id, function, named):
    for seed in range(2):
        assert graded(check_id, seed, function).mistakes == [named]


@pytest.mark.parametrize(
    ("check_id", "function"),
    [each for each in answers("right") if each.values[0] in ("bahdanau.masked_softmax", "bahdanau.additive_attention")],
)
def test_padding_that_scores_high_takes_nothing_from_the_right_on_any_draw(check_id, function):
    for seed in range(10, 13):
        assert not loses(check_id, seed, function)


def test_rounding_that_differs_from_call_to_call_is_no_other_answer():
    right, calls = find("pooling.leave_one_out").reference, itertools.count()

    def rounded(*given):
        return right(*given) * (1 + 1e-5 * (next(calls) % 2))

    assert graded("pooling.leave_one_out", 0, rounded).hint is None


def test_whoever_forgets_max_len_loses_the_same_on_every_draw():
    def endless(step, batch_size, bos, eos, pad, max_len):
        return find("encoder_decoder.greedy_decode").reference(step, batch_size, bos, eos, pad, 10**9)

    for seed in range(4):
        verdict = graded("encoder_decoder.greedy_decode", seed, endless)
        assert [name for name, points, got in verdict.criteria if got < points] == [
            "the shape of the tokens",
            "max_len",
        ]
        assert verdict.mistakes == ["forgets_max_len"]


def test_a_crash_on_one_case_costs_only_what_needs_it():
    def needs_a_mask(scores, mask=None):
        return find("bahdanau.masked_softmax").reference(scores, mask.logical_or(mask))

    verdict = graded("bahdanau.masked_softmax", 0, needs_a_mask)
    lost = {name for name, points, got in verdict.criteria if got < points}
    assert lost == {"no mask, any number of axes", "scores far from 0"}
    assert "NoneType" in verdict.hint
    assert "needs_a_mask" in verdict.hint  # the student's own line


def test_unknown_checks_are_refused_in_a_sentence():
    with pytest.raises(LookupError, match=r"'bahdanau' has no check for 'softmax'.*masked_softmax"):
        find("bahdanau.softmax")
    for name in ("draw", "luong_", "..kit", ""):
        with pytest.raises(LookupError, match=f"no checks for '{name.partition('.')[0]}'"):
            find(f"{name}.masked_softmax")
