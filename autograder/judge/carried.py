"""Errors carried forward: a function that lost points by an earlier one is judged once more, with that one right."""

import re
from dataclasses import dataclass, replace

from autograder import checks
from autograder.assignment import Template
from autograder.checks import Check
from autograder.judge.caller import Student
from autograder.judge.reference_server import Earlier
from autograder.judge.session import Limits, Session
from autograder.kit import course
from autograder.kit.local import Parts, named, repair_first
from autograder.kit.verdict.grading import Case, Verdict, grade
from autograder.sandbox.sandbox import Sandbox


@dataclass(frozen=True)
class Lost:
    """A check that lost points: its cases, to be used again, and the cells that ran before it."""

    function: str
    cases: list[Case]
    ran: list[str]


@dataclass
class Forward:
    """Carries the errors of one notebook forward, each check in a fresh worker."""

    form: Template
    sandbox: Sandbox
    limits: Limits
    until: float  # when the notebook's time is over

    def carry(self, verdicts: dict[str, Verdict], lost: list[Lost]) -> None:
        """Give the checks that lost points, in their order, their verdicts with right earlier functions.

        Bug hunts are left out: the answer to one is an earlier function, and calling that would give it away.
        """
        numbers = course.numbers(self.form.notebook.cells)
        for one in lost:
            check = checks.find(f"{self.form.assignment}.{one.function}")
            wrong = {name: numbers.get(name) for name in check.may_call if _is_wrong(verdicts.get(name))}
            if wrong:
                verdicts[one.function] = self._verdict(check, verdicts[one.function], one, wrong)

    def _verdict(self, check: Check, first: Verdict, lost: Lost, wrong: Parts) -> Verdict:
        if check.is_bug_hunt:
            return repair_first(first, wrong)
        if not any(has_mention(name, source) for source in lost.ran for name in wrong):
            return first  # no cell can call one of them: another worker would give the same
        earlier = Earlier({name: checks.find(f"{self.form.assignment}.{name}").reference for name in wrong})
        again = self._again(check, lost, earlier)
        if again is None:
            return repair_first(first, wrong)
        used = {name: part for name, part in wrong.items() if name in earlier.asked}
        return combined(check.function, first, again, used) if used else first

    def _again(self, check: Check, lost: Lost, earlier: Earlier) -> Verdict | None:
        """Return the verdict with right earlier functions, or None when the cells take too long to run once more."""
        with Session(self.sandbox, self.limits, earlier, until=self.until) as session:
            for source in lost.ran:
                session.run(source, own=False, is_shown=False)
            session.begin_check()
            if session.trouble or len(session.ran) < len(lost.ran):
                return None
            earlier.begin()
            check_id = f"{self.form.assignment}.{check.function}"
            cases = [replace(case, cotangents=None) for case in lost.cases]  # stand-ins give values and no gradients
            student = Student(session, adapter=check.portable_adapter)
            return grade(check_id, cases, check.criteria, student, check.worked_examples)


def combined(function: str, first: Verdict, again: Verdict, earlier: Parts) -> Verdict:
    """Return the verdict on a function tried with its student's earlier functions, and with right ones.

    A demand counts if it was met in either run. Students whose two functions agree only with each other lose nothing.
    """
    names = " and ".join(named(*each) for each in earlier.items())
    those, are = ("those", "are") if len(earlier) > 1 else ("that one", "is")
    both = list(zip(first.criteria, again.criteria, strict=True))
    rows = [(name, points, max(got, other)) for (name, points, got), (_, _, other) in both]
    score = sum(got for *_, got in rows)
    head = f"{function}: {score:g} of {first.max_score:g} points"
    if score == first.max_score:
        hint = f"{head}. It has them with a right {names}; with yours it fails, so repair {those} first."
        return Verdict(score, first.max_score, hint, [], rows)
    better = again if again.score >= first.score else first
    with_whom = "a right one" if better is again else "yours"
    lines = [
        f"{head}. Your {names} {are} not right yet: repair {those} first. Tried with {with_whom}, this part shows:"
    ]
    lines += better.details
    more = [name for (name, _, got), (_, _, most) in zip(better.criteria, rows, strict=True) if got < most]
    if more:
        lines.append(
            f"With {'yours' if better is again else 'a right one'} it has the points for “{'”, “'.join(more)}”."
        )
    return replace(better, score=score, hint="\n".join(lines), criteria=rows, details=lines[1:])


def has_mention(name: str, source: str) -> bool:
    """Return whether a cell mentions a name, not counting its own definition."""
    return bool(re.search(rf"(?<!def )\b{name}\b", source))


def _is_wrong(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.score < verdict.max_score
