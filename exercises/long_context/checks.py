"""The checks of the functions for long texts, in the order of the notebook."""

from exercises.long_context.far import ALIBI, CACHE, DELTA, LINEAR, STEP, WINDOWED
from exercises.long_context.hunt import BY_HAND, HUNT
from exercises.long_context.newer import CHOSEN, SINK, STRETCHED
from exercises.long_context.tiles import BACKWARD, FORWARD, MERGE

CHECKS = [
    *(BY_HAND, MERGE, FORWARD, ALIBI, WINDOWED, SINK, LINEAR, STEP, CACHE),
    *(*HUNT.checks(), STRETCHED, DELTA, CHOSEN, BACKWARD),
]
