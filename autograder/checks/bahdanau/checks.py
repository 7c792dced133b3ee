"""The checks of additive attention."""

from autograder.checks.bahdanau.attention import ADDITIVE, SOFTMAX
from autograder.checks.bahdanau.decoder import BY_HAND, LINKS, RATE, STEP
from autograder.checks.bahdanau.hunt import HUNT
from autograder.checks.bahdanau.starred import BACKWARD, COVERAGE

CHECKS = [BY_HAND, SOFTMAX, ADDITIVE, STEP, LINKS, RATE, *HUNT.checks(), COVERAGE, BACKWARD]
