"""The checks of structured self-attention and of its penalty."""

from exercises.structured.hops import ATTENTION, BACKWARD, BY_HAND, OVERLAP, PENALTY, PRUNED
from exercises.structured.hunt import HUNT

CHECKS = [BY_HAND, PENALTY, ATTENTION, OVERLAP, *HUNT.checks(), PRUNED, BACKWARD]
