"""Mutation testing: no mutant of a reference gets all points but those that compute the same, each of them listed."""

import itertools
import signal

import pytest

from autograder.checks import find
from tests.answers import check_ids, collected
from tests.support.mutants import mutants, same
from tests.support.verdicts import loses

EQUIVALENT, PARTS = collected("equivalent", "EQUIVALENT"), collected("equivalent", "PARTS")
# Of these other forms are right too, or take too long.
LEFT_OUT = ("SelfAttention", "exact_layer_cost", "crossing_length", "rotated", "chunked_attention")
MUTATED = [id for id in check_ids() if find(id).arguments and not find(id).hunt and not id.endswith(LEFT_OUT)]
SEEDS = (0, 1)
SECONDS = 5  # of a mutant that never ends


def _equivalent(check_id: str, where: str) -> bool:
    before, _, after = where.partition(": ")[2].partition(": ")[2].rpartition(" → ")
    documented = before.startswith("'Return") or before.startswith('"Return')  # the docstring
    typed = any(word in before for word in ("tuple[", "list[int]"))  # an annotation
    refused = "ValueError(" in before  # nothing is tried that a function refuses
    listed = (before, after) in itertools.chain(*EQUIVALENT.get(check_id, {}).values())
    return documented or typed or refused or same(before, after) or listed


def _interrupt(*_):
    raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("check_id", MUTATED)
def test_no_mutant_gets_all_points(check_id):
    check, alive, count = find(check_id), [], 0
    before = signal.signal(signal.SIGALRM, _interrupt)
    try:
        for where, mutant in mutants(check.reference, {part.__name__: part for part in PARTS.get(check_id, ())}):
            count += 1
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            try:
                full = all(not loses(check_id, seed, mutant) for seed in SEEDS)
            except KeyboardInterrupt:
                full = False
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            alive += [where] if full and not _equivalent(check_id, where) else []
    finally:
        signal.signal(signal.SIGALRM, before)
    assert count > 15
    assert alive == []
