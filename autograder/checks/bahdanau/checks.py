"""The checks of additive attention."""

from autograder.checks.bahdanau.attention import ADDITIVE, BACKWARD, COVERAGE, SOFTMAX
from autograder.checks.bahdanau.decoder import BY_HAND, LINKS, RATE, STEP
from autograder.checks.bahdanau.hunt import HUNT

CHECKS = [BY_HAND, SOFTMAX, ADDITIVE, STEP, LINKS, RATE, *HUNT.checks(), COVERAGE, BACKWARD]
