"""The current grades of a class: with points by hand, late penalties, and marks on grades that are not final."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.grade.summary import MISSING, note, printable
from autograder.gradebook.people.lateness import duration
from autograder.gradebook.people.names import name_key
from autograder.gradebook.people.roster import Person
from autograder.gradebook.store import query, spreadsheet
from autograder.gradebook.view import Class

DAY = 86400.0  # seconds
COLUMNS = [
    "student",
    "assignment",
    "lms_name",
    "score",
    "manual_score",
    "max_score",
    "extended_to",
    "days_late",
    "late_penalty",
    "total",
    "needs_manual_grade",
    "error",
]


@dataclass(frozen=True)
class Grade:
    """One student's grade for one assignment. `lms_name` is an LMS's name of the folder or file, else ""."""

    graded: query.Submission
    max_score: float  # of all core tasks, written questions included; bonus points come on top
    lms_name: str
    error: str
    zero: bool = False  # whether ungraded work has 0 points
    roster_name: str = ""  # the student's name on the roster, "" where there is none
    is_missing: bool = False  # nothing was handed in
    is_starved: bool = False  # the machine was too busy to finish it: points may be missing
    is_disputed: bool = False  # a regrade request waits for its answer

    @property
    def student(self) -> str:
        return self.graded.student

    @property
    def total(self) -> float | None:
        """Return the points after the late penalty, with two decimals, as both LMSs show them; None: not graded.

        Work that could not be graded has a grade if a teacher gave points for it.
        """
        if self.error and not self.zero and not self.graded.manual_score:
            return None
        return round(self.graded.total, 2)

    @property
    def is_final(self) -> bool:
        """Return whether there is no known reason for a change."""
        return not (self.graded.needs_manual_grade or self.is_starved or self.is_disputed)

    @property
    def days_late(self) -> float:
        return round(self.graded.seconds_late / DAY, 4)

    @property
    def comment(self) -> str:
        """Return the comment for the student: the parts of the grade, or the reason why there is none."""
        of, total = self.graded, self.total
        reason = printable(self.error)
        if self.error and not self.is_missing:
            reason = f"it could not be graded: {reason}"
        if total is None:
            return f"no grade; {reason}"
        words = f"{total:g} of {self.max_score:g} points"
        words += ", bonus points among them" if total > self.max_score else ""
        if of.manual_score:
            words += f", {of.manual_score:g} of them given by hand"
        if of.seconds_late:
            words += f"; {duration(of.seconds_late)} late"
            words += f": {round(of.late_penalty, 2):g} points taken off" if of.late_penalty else ""
        if of.extended_to:
            words += f"; own deadline {of.extended_to:%Y-%m-%d %H:%M} UTC"
        words += f"; {reason}" if reason else ""
        return f"{words}; not final: an answer waits for points by hand" if of.needs_manual_grade else words


def read(class_data: Class, names: Sequence[str], zero: bool = False) -> tuple[dict[str, list[Grade]], list[str]]:
    """Return the grades by assignment, of these or of all, and a line on each kind of work without one.

    Raise ValueError if the gradebook does not answer or has none of them.
    """
    if not class_data.has_gradebook:
        raise ValueError(f"{' '.join(class_data.notes)} Grades are exported from the gradebook: grade the class first.")
    disputed = {(each.student, each.assignment) for each in class_data.requests if each.answer is None}
    grades: dict[str, list[Grade]] = {}
    missing = []
    for entry in class_data.entries:
        if names and entry.assignment not in names:
            continue
        if entry.graded is None:
            missing.append(f"{entry.student}/{entry.assignment}")
            continue
        most = entry.line["max_score"] + entry.line["manual_max_score"]
        who = entry.student, entry.assignment
        grade = Grade(
            entry.graded, most, entry.origin.get("lms_name", ""), entry.line["error"] or "", zero,
            class_data.people[who].name if who in class_data.people else "",
            is_starved=entry.line.get("starved", False), is_disputed=who in disputed,
        )  # fmt: skip
        grades.setdefault(entry.assignment, []).append(grade)
    for assignment, people in class_data.missing.items():
        if assignment in grades:
            most = grades[assignment][0].max_score
            grades[assignment] += [_missing(person, assignment, most, zero) for person in people]
    if lacking := [name for name in names if name not in grades] or ([] if grades else ["any assignment"]):
        raise ValueError(
            f"{class_data.out} holds no grades of {', '.join(lacking)}: `python -m autograder grade FOLDER` first."
        )
    notes = list(class_data.notes)
    notes += note("left out, in the records but not in the gradebook: grade again", missing)
    students = {entry.student for entry in class_data.entries}
    strays = dict.fromkeys(who for who, _ in class_data.strays if who not in students)
    notes += note("handed in files that got no grade: see summary.csv", strays)
    return grades, notes


def _missing(person: Person, assignment: str, most: float, zero: bool) -> Grade:
    """Return the grade of a person on the roster without a submission, under the LMS's name for such work."""
    name = ""
    if number := person.numbers.get(assignment):
        name = f"{person.name}_{number}_assignsubmission_file_"
    elif number := person.numbers.get(""):
        name = f"{name_key(person.name)}_{number}_0_none"
    nothing = query.Submission("", person.name, assignment)
    return Grade(nothing, most, name, MISSING, zero, person.name, is_missing=True)


def not_final(grades: Sequence[Grade]) -> list[str]:
    """Return a line for each reason why grades are not final, with the students' names."""
    waiting = [grade.student for grade in grades if grade.graded.needs_manual_grade]
    return [
        *note("not final, an answer waits for points by hand", waiting),
        *note("not final, a regrade request waits for its answer", [g.student for g in grades if g.is_disputed]),
        *note("not final, the machine was too busy: grade again", [g.student for g in grades if g.is_starved]),
    ]


def final(by_assignment: dict[str, list[Grade]]) -> tuple[dict[str, list[Grade]], list[str]]:
    """Return the final grades, of assignments that have any, and lines on those held back, with the reasons.

    Raise ValueError, with those lines, where no grade is final.
    """
    kept = {name: chosen for name, grades in by_assignment.items() if (chosen := [g for g in grades if g.is_final])}
    held_back = [f"{name}: held back: {line}" for name, grades in by_assignment.items() for line in not_final(grades)]
    if not kept:
        raise ValueError("\n".join([*held_back, "--final-only: no grade is final yet, so none is handed on."]))
    return kept, held_back


def notes(grades: Sequence[Grade]) -> list[str]:
    """Return lines on the students whose grades are not final, or whose submissions could not be graded."""
    ungraded = [grade.student for grade in grades if grade.total is None and not grade.is_missing]
    zero = [grade.student for grade in grades if grade.error and grade.total == 0 and not grade.is_missing]
    missing = {total: [g.student for g in grades if g.is_missing and g.total == total] for total in (None, 0)}
    return [
        *not_final(grades),
        *note("not graded, without a grade (--zero gives 0 points)", ungraded),
        *note("not graded, 0 points", zero),
        *note("not handed in, without a grade (--zero gives 0 points)", missing[None]),
        *note("not handed in, 0 points", missing[0]),
    ]


def table(grades: Iterable[Grade]) -> bytes:
    """Return one row for each grade, as CSV."""
    return spreadsheet.table(COLUMNS, map(_row, grades))


def _row(grade: Grade) -> dict[str, object]:
    of = grade.graded
    return {
        "student": of.student,
        "assignment": of.assignment,
        "lms_name": grade.lms_name,
        "score": None if grade.total is None else of.score,
        "manual_score": of.manual_score,
        "max_score": grade.max_score,
        "extended_to": f"{of.extended_to:%Y-%m-%d %H:%M:%S} UTC" if of.extended_to else None,
        "days_late": grade.days_late,
        "late_penalty": of.late_penalty,
        "total": grade.total,
        "needs_manual_grade": of.needs_manual_grade,
        "error": grade.error,
    }
