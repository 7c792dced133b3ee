"""The checks of structured self-attention and of its penalty."""

from autograder.checks import FAR, MASKED, NO_MASK, Hunt, Points
from autograder.checks.structured import hunt
from autograder.checks.structured.hops import ATTENTION, PENALTY
from autograder.checks.structured.starred import BACKWARD, BY_HAND, OVERLAP, PRUNED

HUNT = Hunt(
    ATTENTION,
    hunt.repaired_attention,
    hunt.failing_input,
    hunt.diagnosis,
    bug="reshape(batch, words, -1).transpose(1, 2) => reshape(batch, -1, words)",
    points={"several hops": Points(4, (NO_MASK, MASKED)), "one hop, as before": Points(1, "one hop"), FAR: 1},
)

CHECKS = [BY_HAND, PENALTY, ATTENTION, OVERLAP, *HUNT.checks(), PRUNED, BACKWARD]
