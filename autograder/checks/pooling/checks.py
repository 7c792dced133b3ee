"""The checks of attention that pools: one sentence, one level of a hierarchy, both levels, and the bug hunt."""

from dataclasses import replace

from autograder.checks import FAR, CaseInput, Hunt, Points
from autograder.checks.pooling import hunt
from autograder.checks.pooling.levels import CONTEXT, HIERARCHY, PADDED, POOL, WHOLE, hierarchy_cases
from autograder.checks.pooling.starred import ALONG, BY_HAND, LEAVE
from autograder.checks.random_inputs import Rng


def two_level_cases(rng: Rng) -> list[CaseInput]:
    """Draw the documents of the check of both levels, without the encoder between them."""
    return [replace(each, arguments=each.arguments[:-1]) for each in hierarchy_cases(rng)]


HUNT = Hunt(
    replace(HIERARCHY, reference=hunt.two_levels, cases=two_level_cases),
    hunt.repaired_hierarchy,
    hunt.failing_input,
    hunt.diagnosis,
    bug="W_s.T + b_s => W_s.T + b_w",
    points={
        "documents without padded sentences": Points(3, (WHOLE, "padded sentences")),
        "documents with padded sentences": Points(2, (PADDED, "an empty document")),
        FAR: 1,
    },
    own="hierarchical_attention",
)

CHECKS = [BY_HAND, POOL, CONTEXT, HIERARCHY, *HUNT.checks(), LEAVE, ALONG]
