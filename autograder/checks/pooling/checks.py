"""The checks of attention that pools: one sentence, one level of a hierarchy, both levels, and the bug hunt."""

from autograder.checks.pooling.hunt import HUNT
from autograder.checks.pooling.levels import CONTEXT, HIERARCHY, POOL
from autograder.checks.pooling.starred import ALONG, BY_HAND, LEAVE

CHECKS = [BY_HAND, POOL, CONTEXT, HIERARCHY, *HUNT.checks(), LEAVE, ALONG]
