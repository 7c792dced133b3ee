"""A finite number is no −∞: whoever fills hidden scores with −10⁴ or −10⁵, or begins a maximum there, loses points."""

from functools import cache

import pytest

from autograder.checks import find
from autograder.checks.edits import Edit, Mistake
from autograder.checks.faults import CheckFault
from tests.answers import check_ids
from tests.support.verdicts import loses

FILLS = ("-1e4", "-1e5")
PLACES = ("torch.finfo(scores.dtype).min => {}", "every -math.inf => {}", "every -torch.inf => {}")
HARMLESS = {
    "self_attention.simple_self_attention",  # a word sees itself, whose score is a square
    "structured.penalty_backward",  # weights of 1 and 0, or of 0 alone: no score moves them
    "transformer.pre_norm_stack",  # scores of normalised states: its notebook calls multi_head_attention for them
    "transformer.cached_heads",  # without a mask
    "long_context.alibi_bias",  # not a fill that a softmax follows: -∞ is compared
    "long_context.merge_softmax",  # compares a maximum with it
    "long_context.with_sink",  # calls it
}


@cache
def filled(check_id: str) -> list[tuple[str, Mistake]]:
    """Return the reference with each fill at each place that it has."""
    reference, made = find(check_id).reference, []
    for text in (place.format(fill) for place in PLACES for fill in FILLS):
        wrong = Mistake("filled", "", reference, [Edit(reference, text, check_id)])
        try:
            wrong.made  # noqa: B018 — raises where the place is none of the function's
        except (CheckFault, TypeError):
            continue
        made.append((text, wrong))
    return made


FILLED = [id for id in check_ids() if find(id).arguments and not find(id).hunt and id not in HARMLESS and filled(id)]


@pytest.mark.parametrize("check_id", FILLED)
def test_a_finite_fill_loses_points(check_id):
    for text, wrong in filled(check_id):
        assert loses(check_id, 0, wrong), text


def test_every_function_with_a_mask_is_tried():
    masked = {id for id in check_ids() if {"mask", "source_mask"} & set(find(id).arguments) and not find(id).hunt}
    no_softmax = {"structured.hop_overlap", "bahdanau.coverage_penalty", "pooling.leave_one_out"}
    assert masked - HARMLESS - no_softmax <= set(FILLED)
