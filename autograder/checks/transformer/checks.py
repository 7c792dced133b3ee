"""The checks of the Transformer's functions."""

from autograder.checks.transformer.around_layers import GREEDY, LOSS, MASKS, POSITIONS, RATE, STEP
from autograder.checks.transformer.hunt import BY_HAND, HUNT
from autograder.checks.transformer.layers import ATTENTION, DECODER, ENCODER, STACK

CHECKS = [BY_HAND, ATTENTION, POSITIONS, MASKS, ENCODER, DECODER, STACK, LOSS, RATE, GREEDY, *HUNT.checks(), STEP]
