"""The checks of self-attention as functions and as a module, of what layers cost, of rotations and of chunks."""

from autograder.checks import FAR, MASKED, NO_MASK, Hunt, Points
from autograder.checks.by_hand import by_hand
from autograder.checks.self_attention import hunt
from autograder.checks.self_attention.attention import COST, PRODUCT, PROJECTED, SIMPLE
from autograder.checks.self_attention.layers import CHUNKED, CROSSING, EXACT, MODULE, ROTATED
from solutions.self_attention.attention import weights_by_hand

HAND = by_hand(weights_by_hand, {"weights": "the weights", "outputs": "the outputs"})

HUNT = Hunt(
    PROJECTED,
    hunt.repaired_attention,
    hunt.failing_input,
    hunt.diagnosis,
    bug="outside[:, None] => outside[:, :, None]",
    points={"sentences of one length": Points(1, NO_MASK), "padded sentences": Points(3, MASKED), FAR: 1},
    # Where the rows of padding are not compared, the broken function gives what one without a mask does.
)

CHECKS = [HAND, SIMPLE, PRODUCT, PROJECTED, MODULE, *HUNT.checks(), COST, EXACT, CROSSING, ROTATED, CHUNKED]
