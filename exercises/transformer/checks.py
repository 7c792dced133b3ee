"""The checks of the Transformer's functions."""

from exercises.transformer.around_layers import GREEDY, LOSS, MASKS, POSITIONS, RATE, STEP
from exercises.transformer.hunt import BY_HAND, HUNT
from exercises.transformer.layers import ATTENTION, DECODER, ENCODER, STACK

CHECKS = [BY_HAND, ATTENTION, POSITIONS, MASKS, ENCODER, DECODER, STACK, LOSS, RATE, GREEDY, *HUNT.checks(), STEP]
