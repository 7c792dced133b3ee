"""The checks of the Transformer's functions."""

from autograder.checks.transformer.decoding import GREEDY, STEP
from autograder.checks.transformer.hunt import BY_HAND, HUNT
from autograder.checks.transformer.layers import ATTENTION, DECODER, ENCODER, STACK
from autograder.checks.transformer.training import LOSS, MASKS, POSITIONS, RATE

CHECKS = [BY_HAND, ATTENTION, POSITIONS, MASKS, ENCODER, DECODER, STACK, LOSS, RATE, GREEDY, *HUNT.checks(), STEP]
