"""`python -m autograder export`: writes tables of grades, and zips of feedback pages, for the way back."""

import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from autograder.assignment import Template, demand, template
from autograder.export import grades as class_grades
from autograder.export.grades import Grade
from autograder.export.lms import LMS, Lms, Recipient
from autograder.files import PRIVATE, atomic_write, exclusive, folder, hand_over, made
from autograder.grade.summary import counted, note
from autograder.gradebook import view
from autograder.gradebook.store.gradebook import ClassGradebook, NoGradebook, NotRecorded
from autograder.submissions.lms_names import owner_of
from lab.files import aside

Addressed = list[tuple[Grade, Recipient]]


def export(
    out: Path,
    to: str,
    names: Sequence[str] = (),
    numbers: Iterable[str] = (),
    zero: bool = False,
    final_only: bool = False,
) -> list[str]:
    """Write the grades in DIR `out` into DIR/export; return lines on the files written and on the work left out.

    `to` is "moodle", "canvas" or "csv". `names` are assignments, by default all graded ones. `numbers` are
    NAME=NUMBER, Canvas's numbers of assignments. With `zero`, ungraded work has 0 points, else no grade; with
    `final_only`, grades that are not final are held back. Raise ValueError if nothing can be exported, or while the
    class is being graded.
    """
    demand(names)
    number_by_name = _numbers(numbers, to)
    if not out.is_dir():
        raise NotADirectoryError(f"No folder {out}: grade a class first, `python -m autograder grade FOLDER`.")
    with exclusive(out):
        class_data = view.read(out)
        by_assignment, notes = class_grades.read(class_data, names, zero)
        book = ClassGradebook(out)
        try:
            revised = book.penalise([*by_assignment])  # new points by hand change the penalties
            if revised.changed:
                class_data.read_gradebook()
                by_assignment, notes = class_grades.read(class_data, names, zero)
            by_assignment, held_back = class_grades.final(by_assignment) if final_only else (by_assignment, [])
            if to == "csv":
                written = _table(by_assignment, out / "export" / "grades.csv", book.mode)
            else:
                written = _for_lms(by_assignment, LMS[to], number_by_name, out / "export", book)
            return [*notes, *revised.failed, *held_back, *written]
        except NoGradebook as error:
            raise ValueError(str(error)) from error
        finally:
            book.close()


def _table(by_assignment: dict[str, list[Grade]], path: Path, mode: int) -> list[str]:
    every = [grade for grades in by_assignment.values() for grade in grades]
    atomic_write(path, class_grades.table(every), mode)
    about = (f"{name}: {line}" for name, grades in by_assignment.items() for line in class_grades.notes(grades))
    return [f"{path}: {_grades(every)}", *about]


def _grades(grades: Iterable[Grade]) -> str:
    return counted(sum(grade.total is not None for grade in grades), "grade")


def _numbers(written: Iterable[str], to: str) -> dict[str, str]:
    """Return Canvas's numbers of assignments by name."""
    numbers = {}
    for each in written:
        name, _, number = (part.strip() for part in each.partition("="))
        if to != "canvas":
            raise ValueError(f"--id is Canvas's number of an assignment: leave it out with --to {to}.")
        demand([name])
        if not (number.isascii() and number.isdigit()):
            raise ValueError(
                f"--id: expected NAME=NUMBER, with the number that ends its address in Canvas, got {each!r}."
            )
        numbers[name] = number
    return numbers


def _for_lms(
    by_assignment: dict[str, list[Grade]], lms: Lms, numbers: dict[str, str], place: Path, book: ClassGradebook
) -> list[str]:
    """Write table and zip of each assignment; return lines on the files written and on the work left out.

    Raise ValueError, with nothing written, if somebody's penalty cannot be computed, or nobody has a name of the LMS's.
    """
    for name, grades in by_assignment.items():
        _demand_times(name, grades)
    known = {name: _addressed(name, grades, lms) for name, grades in by_assignment.items()}
    lines = [f"{name}: {line}" for name, (_, left_out) in known.items() for line in left_out]
    if not any(addressed for addressed, _ in known.values()):
        raise ValueError(
            f"Nobody has a name from {lms.title}: expected a class graded from {lms.title}'s zip, packed or unpacked. "
            "Grade that zip, or export with --to csv.\n" + "\n".join(lines)
        )
    for name, (addressed, _) in known.items():
        if addressed:
            lines += _for_one(name, addressed, lms, numbers.get(name, ""), place / f"{lms.title.lower()}-{name}", book)
    return [*lines, lms.upload]


def _for_one(name: str, addressed: Addressed, lms: Lms, number: str, stem: Path, book: ClassGradebook) -> Iterator[str]:
    """Write a table and a zip, their paths beginning with `stem`; yield lines on the files and on the work left out.

    `addressed` are the grades of the assignment `name` with their recipients, `lms` gives the form, `number` is the
    assignment's in Canvas, and `book` makes the pages.
    """
    table, pages = (stem.with_name(stem.name + ending) for ending in (".csv", "-feedback.zip"))
    if numbered := [(grade, to) for grade, to in addressed if to.number]:
        atomic_write(table, lms.table(name, numbered, number), book.mode)
        yield f"{table}: {_grades(grade for grade, _ in numbered)}"
    anonymous = note(
        f"anonymous in {lms.title}, only in the zip of pages: download the submissions again once "
        "names are shown and grade them, or use --to csv",
        [grade.student for grade, to in addressed if not to.number],
    )
    yield from (f"{name}: {line}" for line in anonymous)
    missing = _write_pages(pages, name, addressed, book)
    count = sum(not grade.is_missing for grade, _ in addressed) - len(missing)
    yield f"{pages}: {counted(count, 'page')}"
    yield from missing
    kept = [grade for grade, _ in addressed]
    yield from (f"{name}: {line}" for line in [*class_grades.notes(kept), *_above(kept, lms, template(name))])


def _demand_times(name: str, grades: Sequence[Grade]) -> None:
    """Raise ValueError if Canvas marked somebody late after a due date, and the hand-in's time is unknown."""
    marked = [
        grade for grade in grades if grade.graded.is_undated and (owner := owner_of((grade.lms_name,))) and owner.late
    ]
    for line in note("marked LATE by Canvas, without a time", [grade.student for grade in marked]):
        raise ValueError(
            f"{name}: {line} Their penalty cannot be worked out. `python -m autograder canvas pull` fetches the times; "
            f'or grade again with --handed-in "{name}/{marked[0].student}=DATE", for each of them.'
        )


def _addressed(name: str, grades: list[Grade], lms: Lms) -> tuple[Addressed, list[str]]:
    """Return the grades that the LMS can take, with their recipients, and lines on grades whose owner is uncertain."""
    recipients = [(grade, lms.recipient(grade.lms_name, name)) for grade in grades]
    count = Counter(to.number or to.name for _, to in recipients if to)
    twice = [grade.student for grade, to in recipients if to and count[to.number or to.name] > 1]
    nobody = [grade.student for grade, to in recipients if to is None and not grade.is_missing]
    lines = note(f"left out, without a name from {lms.title}; --to csv has them", nobody)
    lines += note(f"left out, with the same {lms.title} number as another: delete the wrong student's records", twice)
    return [(grade, to) for grade, to in recipients if to and count[to.number or to.name] == 1], lines


def _above(grades: list[Grade], lms: Lms, form: Template) -> list[str]:
    """Return a line on grades above the maximum, by bonus points."""
    above = {grade.student: grade.total for grade in grades if grade.total and grade.total > grade.max_score}
    if not above:
        return []
    highest = max(form.core_points + form.bonus_points, *above.values())  # also the most that a later grade may reach
    what = f"above the {grades[0].max_score:g} points of the core tasks"
    if lms is LMS["moodle"]:
        what += f"; Moodle ignores a grade above the assignment's maximum: set it to at least {highest:g} first"
    return note(what, above)


def _write_pages(path: Path, name: str, addressed: Addressed, book: ClassGradebook) -> list[str]:
    """Write the zip of feedback pages, each made anew with its points by hand; return a line on each missing one."""
    missing, form = [], template(name)
    folder(path.parent)
    with aside(path) as part:
        made(part, PRIVATE)
        with zipfile.ZipFile(part, "w") as opened:
            for grade, to in ((grade, to) for grade, to in addressed if not grade.is_missing):
                try:
                    book.feedback(grade.student, form)
                    page = book.files.page(grade.student, name).read_bytes()
                except (NotRecorded, OSError) as error:
                    missing.append(f"No feedback page of {name} for {grade.student!r}: {error}")
                else:
                    opened.writestr(zipfile.ZipInfo(to.page), page, zipfile.ZIP_DEFLATED)  # without a time
        part.chmod(book.mode)
        hand_over(part)
    return missing
