"""Verdicts on answers: the cases of a check and a seed are drawn once, and no known mistake is graded twice."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np

from autograder.checks import find
from autograder.checks.edits import target
from autograder.kit.cases import Case, Example, Kind, Pairs
from autograder.kit.criteria import Evaluation
from autograder.kit.grading import Verdict, grade


@cache
def drawn(check_id: str, seed: int) -> list[Case]:
    cases = find(check_id).draw(np.random.default_rng(seed))
    for case in cases:
        two = case.together()
        case.pairs = Pairs(two.places, cache(two.row))
    return cases


@cache
def without_mistakes(check_id: str, seed: int) -> list[Case]:
    """Return the cases without what the known mistakes give: points are the same, and nothing is searched for."""
    return [replace(case, known=[], pairs=None, usual=[]) for case in drawn(check_id, seed)]


@cache
def examples(check_id: str) -> list[Example]:
    return find(check_id).worked_examples()


def graded(check_id: str, seed: int, function: Callable) -> Verdict:
    """Return the verdict that a student reads, with examples; an edit that does not fit raises CheckFault."""
    check = find(check_id)
    caller = check.caller(check.calling(target(function)))
    return grade(check_id, drawn(check_id, seed), check.criteria, caller, partial(examples, check_id))


def loses(check_id: str, seed: int, function: Callable) -> bool:
    """Return whether an answer loses points; the first criterion that it fails decides, values before the others."""
    check = find(check_id)
    caller = check.caller(check.calling(target(function)))
    evaluation = Evaluation(check_id.partition(".")[2], without_mistakes(check_id, seed), caller)
    return any(map(evaluation.failure, sorted(check.criteria, key=lambda each: each.kind is not Kind.VALUES)))


@cache
def on_mistake(check_id: str, seed: int, mistake: Callable) -> Verdict:
    return graded(check_id, seed, mistake)
