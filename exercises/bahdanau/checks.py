"""The checks of additive attention."""

from exercises.bahdanau.attention import ADDITIVE, BACKWARD, COVERAGE, SOFTMAX
from exercises.bahdanau.decoder import BY_HAND, LINKS, RATE, STEP
from exercises.bahdanau.hunt import HUNT

CHECKS = [BY_HAND, SOFTMAX, ADDITIVE, STEP, LINKS, RATE, *HUNT.checks(), COVERAGE, BACKWARD]
