"""The checks of the functions for long texts, in the order of the notebook."""

from autograder.checks.long_context.far import ALIBI, CACHE, WINDOWED
from autograder.checks.long_context.hunt import BY_HAND, HUNT
from autograder.checks.long_context.states import DELTA, LINEAR, STEP
from autograder.checks.long_context.tiles import BACKWARD, FORWARD, MERGE

CHECKS = [BY_HAND, MERGE, FORWARD, ALIBI, WINDOWED, LINEAR, STEP, CACHE, *HUNT.checks(), DELTA, BACKWARD]
