"""The checks of self-attention as functions and as a module, of what layers cost, of rotations and of chunks."""

from autograder.checks import by_hand
from exercises.self_attention.attention import COST, PRODUCT, PROJECTED, SIMPLE
from exercises.self_attention.hunt import HUNT
from exercises.self_attention.layers import CHUNKED, CROSSING, EXACT, MODULE, ROTATED
from solutions.self_attention.attention import weights_by_hand

HAND = by_hand(weights_by_hand, {"weights": "the weights", "outputs": "the outputs"})
CHECKS = [HAND, SIMPLE, PRODUCT, PROJECTED, MODULE, *HUNT.checks(), COST, EXACT, CROSSING, ROTATED, CHUNKED]
