"""The checks of structured self-attention and of its penalty."""

from autograder.checks.structured.hops import ATTENTION, BACKWARD, BY_HAND, OVERLAP, PENALTY, PRUNED
from autograder.checks.structured.hunt import HUNT

CHECKS = [BY_HAND, PENALTY, ATTENTION, OVERLAP, *HUNT.checks(), PRUNED, BACKWARD]
