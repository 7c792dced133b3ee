"""The checks of structured self-attention and of its penalty."""

from autograder.checks.structured.hops import ATTENTION, PENALTY
from autograder.checks.structured.hunt import HUNT
from autograder.checks.structured.starred import BACKWARD, BY_HAND, OVERLAP, PRUNED

CHECKS = [BY_HAND, PENALTY, ATTENTION, OVERLAP, *HUNT.checks(), PRUNED, BACKWARD]
