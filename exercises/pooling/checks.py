"""The checks of attention that pools: one sentence, one level of a hierarchy, both levels, and the bug hunt."""

from exercises.pooling.hunt import HUNT
from exercises.pooling.levels import CONTEXT, HIERARCHY, POOL
from exercises.pooling.starred import ALONG, BY_HAND, LEAVE

CHECKS = [BY_HAND, POOL, CONTEXT, HIERARCHY, *HUNT.checks(), LEAVE, ALONG]
