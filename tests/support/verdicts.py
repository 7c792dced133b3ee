"""Verdicts on answers: the cases of a check and a seed are drawn once, and no known mistake is graded twice."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import numpy as np

from autograder.checks import Check, find
from autograder.checks.edits import target
from autograder.kit.verdict.answer import Answer, Call, Caller
from autograder.kit.verdict.cases import Case, Example, Kind, Pairs
from autograder.kit.verdict.compare import aligned
from autograder.kit.verdict.criteria import Evaluation
from autograder.kit.verdict.grading import Verdict, grade


@cache
def drawn(check_id: str, seed: int) -> list[Case]:
    check = find(check_id)
    cases = check.draw(np.random.default_rng(seed))
    for case in cases:
        case.pairs.row = cache(case.pairs.row)
        for known, mistake in zip(case.known, [*check.mistakes, *check.usual], strict=True):
            known.run = partial(_numbers, check_id, check.function, mistake, case)
    return cases


def _numbers(check_id: str, function: str, mistake: Callable, case: Case) -> list[np.ndarray] | None:
    answer = calling(check_id, mistake)(function, list(case.arguments.values()), None)
    return None if answer.error else aligned(answer, case)


@cache
def calling(check_id: str, mistake: Callable) -> Caller:
    """Return what calls a known mistake, once a case: by the answers it is told from others, and graded."""
    answers: dict[tuple, tuple[list, Answer]] = {}
    call = find(check_id).calling(target(mistake))

    def caller(function: str, arguments: list, cotangents: list | None) -> Answer:
        key = tuple(map(id, arguments))  # the arguments are kept with the answer: their ids stay theirs
        if cotangents is not None:
            return call(function, arguments, cotangents)
        if key not in answers:
            answers[key] = arguments, call(function, arguments, None)
        return answers[key][1]

    return caller


@cache
def without_mistakes(check_id: str, seed: int) -> list[Case]:
    """Return the cases without what the known mistakes give: points are the same, and nothing is searched for."""
    return [replace(case, known=[], pairs=Pairs()) for case in drawn(check_id, seed)]


@cache
def examples(check_id: str) -> list[Example]:
    return find(check_id).worked_examples()


@cache
def without_gradients(check_id: str, seed: int) -> list[Case]:
    return [
        replace(case, cotangents=None)
        for case in drawn(check_id, seed)
        if not case.peak  # which takes seconds, and where a mistake shows as it does elsewhere
    ]


def graded(check_id: str, seed: int, function: Callable) -> Verdict:
    """Return the verdict that a student reads, with examples; an edit that does not fit raises CheckFault."""
    check = find(check_id)
    return grade(check_id, drawn(check_id, seed), check.criteria, called(check, function), partial(examples, check_id))


def plainly_graded(check_id: str, seed: int, function: Callable) -> Verdict:
    """Return a verdict without mistakes and examples, which cost more than all else."""
    check = find(check_id)
    return grade(check_id, without_mistakes(check_id, seed), check.criteria, called(check, function))


def called(check: Check, function: Callable) -> Caller:
    return check.caller(check.calling(target(function)))


class WrongValue(Exception):
    """An output of a case has a wrong value: every output of every case earns points, as a test demands."""


class ValuesFirst(Evaluation):
    """An evaluation that makes no further call once a value is wrong."""

    def _answers(self, calls: list[tuple[Case, Call]]) -> dict[str, Answer]:
        answers: dict[str, Answer] = {}
        for case, call in calls:
            answers |= super()._answers([(case, call)])
            if "second" not in vars(self):  # the first calls
                self.first = answers
                if self._values(case, None):
                    raise WrongValue
        return answers


def loses(check_id: str, seed: int, function: Callable) -> bool:
    """Return whether an answer loses points; the first wrong value decides, or the first criterion that it fails."""
    check = find(check_id)
    try:
        evaluation = ValuesFirst(check.function, without_mistakes(check_id, seed), called(check, function))
    except WrongValue:
        return True
    return any(map(evaluation.failure, check.criteria))


@cache
def on_mistake(check_id: str, seed: int, mistake: Callable) -> Verdict:
    """Return the verdict on a known mistake; with seed 0 on its values alone, by which it is known."""
    if seed:
        return graded(check_id, seed, mistake)
    check = find(check_id)
    criteria = [each for each in check.criteria if each.kind in (Kind.SHAPE, Kind.VALUES)]
    cases = without_gradients(check_id, seed)
    return grade(check_id, cases, criteria, check.caller(calling(check_id, mistake)), partial(examples, check_id))
