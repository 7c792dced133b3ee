"""`python -m autograder try NAME`: do right answers get all points, and known mistakes their names?"""

import ast
import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from autograder.assignment import demand, grade_id
from autograder.checks import Check, checks, find
from autograder.checks.faults import duplicates
from autograder.kit.calls.call import call
from autograder.kit.verdict.cases import Case, Kind
from autograder.kit.verdict.compare import are_same
from autograder.kit.verdict.grading import Verdict, grade
from autograder.kit.verdict.hunts import refusing
from autograder.kit.verdict.repair import repair
from autograder.release.missing import missing_parts
from autograder.release.notebook import build_source, setup

SEEDS = (0, 1, 2)
OWN_OR_GIVEN = re.compile(r"^(\w+) = own_or_given\(\"([\w.]+)\"", re.MULTILINE)


@dataclass
class Row:
    """One answer tried: its points on the first draw, a remark, and whether anything is wrong with it."""

    answer: str
    score: float
    seen: str
    is_wrong: bool = False


class Trial:
    """A check on a few draws of its cases."""

    def __init__(self, name: str, check: Check) -> None:
        self.check_id, self.check = f"{name}.{check.function}", check
        self.draws = [check.draw(np.random.default_rng(seed)) for seed in SEEDS]

    def verdict(self, cases: list[Case], function: Callable) -> Verdict:
        caller = self.check.caller(self.check.calling(function))
        return grade(self.check_id, cases, self.check.criteria, caller, self.check.worked_examples)

    def rows(self) -> Iterator[Row]:
        """Yield a row for the reference, for an unwritten function and for each known mistake."""
        yield self._right()
        yield self._unwritten()
        in_examples = {name for example in self.check.worked_examples() for name in example.mistakes}
        yield from (self._mistake(mistake, mistake.__name__ in in_examples) for mistake in self.check.mistakes)

    def _right(self) -> Row:
        verdicts = [self.verdict(cases, self.check.reference) for cases in self.draws]
        hints = [verdict.hint for verdict in verdicts if verdict.hint]
        return Row("the reference", verdicts[0].score, hints[0] if hints else "all points", bool(hints))

    def _unwritten(self) -> Row:
        namespace: dict[str, Any] = {}
        exec(f"def {self.check.function}(*arguments):\n    raise NotImplementedError()", namespace)
        verdict = self.verdict(self.draws[0], namespace[self.check.function])
        fine = verdict.score == 0 and "not written yet" in (verdict.hint or "")
        return Row("an unwritten function", verdict.score, "not written yet" if fine else str(verdict.hint), not fine)

    def _mistake(self, mistake: Callable, on_example: bool) -> Row:
        name = mistake.__name__
        verdicts = [self.verdict(cases, mistake) for cases in self.draws]
        places = [case.name for case in self.draws[0] if self._is_visible(case, name)]
        about = f"shows in {len(places)} of {len(self.draws[0])} cases" + ("" if on_example else ", in no example")
        if not (mistake.__doc__ or "").strip():
            return Row(name, verdicts[0].score, "has no docstring: that is what students read", True)
        if any(verdict.hint is None for verdict in verdicts):
            seen = "keeps all points on some draw: add a case that shows it"
            seen += "" if places else ", or it is no mistake: its numbers are the right ones in every case"
            return Row(name, verdicts[0].score, seen, True)
        if crash := self._crash(mistake):
            return Row(name, verdicts[0].score, f"crashes in every case, so that it has no numbers: {crash}", True)
        others = [word for verdict in verdicts for word in verdict.mistakes if word != name]
        if others:
            return Row(name, verdicts[0].score, f"no case tells it from {others[0]}", True)
        if any(verdict.mistakes != [name] for verdict in verdicts):
            return Row(name, verdicts[0].score, "is not recognised on every draw", True)
        return Row(name, verdicts[0].score, about)

    def _crash(self, mistake: Callable) -> str:
        """Return the error of a mistake that fails in every case, "" for one that gives numbers somewhere."""
        calling = self.check.calling(mistake)
        answers = [calling(self.check.function, list(case.arguments.values()), None) for case in self.draws[0]]
        errors = [answer.error.text for answer in answers if answer.error]
        return errors[0] if len(errors) == len(answers) else ""

    @staticmethod
    def _is_visible(case: Case, mistake: str) -> bool:
        """Return whether a known mistake gives other numbers than the right ones on a case, or crashes there."""
        known = next(known for known in case.known if known.name == mistake)
        return not are_same(known.outputs, case.outputs.values())

    def unasked(self) -> list[str]:
        """Return the cases whose right values earn no points."""
        values = [criterion for criterion in self.check.criteria if criterion.kind is Kind.VALUES]
        judged = {case.name for criterion in values for case in criterion.chosen(self.draws[0])}
        return [case.name for case in self.draws[0] if case.name not in judged]

    def fixed(self) -> list[str]:
        """Return the cases if every one of them has the same arguments on all draws, else none."""
        first, *others = [[case.arguments for case in cases if case.arguments] for cases in self.draws]
        if not first:  # a function without arguments: it asks for the student's numbers
            return []
        same_numbers = all(repr(first) == repr(other) for other in others)
        return [case.name for case in self.draws[0]] if same_numbers else []

    def idle(self) -> list[str]:
        """Return the cases in which no known mistake shows."""
        names = [mistake.__name__ for mistake in self.check.mistakes]
        return [case.name for case in self.draws[0] if not any(self._is_visible(case, name) for name in names)]


def try_checks(name: str) -> int:
    """Try the checks of a name and print a table for each; return the exit status: 1 where something is wrong."""
    if "." in name:
        raise ValueError(f"for {name}, give a file with your code: python -m autograder try {name} FILE")
    demand([name])
    missing = list(missing_parts(name, build_source(name).cells))
    for fault in missing:
        print(f"✗ {fault}")
    wrong = [function for function, check in checks(name).items() if _try_check(name, check)]
    return int(bool(wrong or missing))


def _try_check(name: str, check: Check) -> bool:
    """Print the points that a check gives each answer; return whether anything is wrong."""
    trial = Trial(name, check)
    rows = list(trial.rows())
    bonus = f" bonus ({'★' * check.stars})" if check.stars else ""
    print(f"{trial.check_id}: {check.max_points} points{bonus}, {len(trial.draws[0])} cases")
    for criterion in check.criteria:
        print(f"  {criterion.points:3}  {criterion.name}")
    width = max(len(row.answer) for row in rows)
    for row in rows:
        seen = row.seen.replace("\n", "\n      ")
        print(f"{'✗' if row.is_wrong else '✓'} {row.answer:{width}}  {row.score:3g}  {seen}")
    unasked, idle = trial.unasked(), trial.idle() if check.mistakes else []
    counted = {
        "earn no points": unasked,
        "are names of several cases": duplicates(case.name for case in trial.draws[0]),
        "are drawn without `rng`: every student gets the same numbers": trial.fixed(),
    }
    for fault, names in counted.items():
        if names:
            print(f"✗ {fault}: {', '.join(names)}")
    if idle:
        print(f"  show no mistake: {', '.join(idle)}")
    return any(counted.values()) or any(row.is_wrong for row in rows)


def _around(check_id: str) -> dict[str, Any]:
    """Return the names around a function in the notebook: its setup's imports, and the other functions, solved."""
    name, _, function = check_id.partition(".")
    solved = {other: check.reference for other, check in checks(name).items() if other != function}
    cells = build_source(name).cells
    first = next(number for number, cell in enumerate(cells) if grade_id(cell))
    for cell in (cell for cell in cells[:first] if cell.cell_type == "code"):
        if earlier := OWN_OR_GIVEN.findall(cell.source):
            solved |= {other: find(other_id).reference for other, other_id in earlier}
        else:
            exec(cell.source.removeprefix(setup().replace("NAME", name)), solved)
    return solved


def try_file(check_id: str, path: Path) -> int:
    """Print a student's view of a notebook with the code of this Python file; return 1 unless it gets all points.

    The code runs unguarded: it is for files of one's own.
    """
    if "." not in check_id:
        demand([check_id])
        raise ValueError(
            f"name the function too: python -m autograder try {check_id}.{next(iter(checks(check_id)))} {path}"
        )
    try:
        check = find(check_id)
    except LookupError as error:
        raise ValueError(error.args[0]) from None
    text = path.read_text("utf-8") if path.is_file() else None
    if text is None:
        raise ValueError(f"there is no file {path}")
    namespace = {**_around(check_id), "__name__": path.stem}
    try:
        exec(compile(text, str(path), "exec"), namespace)
    except SyntaxError as error:
        raise ValueError(f"{path}, line {error.lineno}: {error.msg}: {(error.text or '').strip()}") from error
    except Exception as error:
        raise ValueError(f"{path} does not run: {traceback.format_exception_only(error)[-1].strip()}") from error
    cases = check.draw(np.random.default_rng(0))
    caller = check.caller(partial(call, namespace, adapter=check.portable_adapter))
    if check.hunt and check.is_bug_hunt:
        made = repair(check.hunt.source, ast.parse(text), check.function)
        caller = refusing(made.complaint, caller) if made.complaint else caller
    verdict = grade(check_id, cases, check.criteria, caller, check.worked_examples)
    print(verdict.hint or f"✓ {check.function}: all {verdict.max_score:g} points.")
    return int(verdict.hint is not None)
