"""Grades, comments and feedback pages of one assignment for Canvas, without those that it already has."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder.assignment import template
from autograder.canvas.api import Canvas
from autograder.export import grades as class_grades
from autograder.export.grades import Grade
from autograder.export.lms import LMS
from autograder.files import exclusive
from autograder.grade.summary import note
from autograder.gradebook import view
from autograder.gradebook.store.gradebook import ClassGradebook

AT_ONCE = 50  # students in one request


def push(
    canvas: Canvas,
    name: str,
    course: int,
    number: int,
    out: Path,
    dry_run: bool = False,
    zero: bool = False,
    final_only: bool = False,
) -> Iterator[str]:
    """Upload the grades of the assignment `name` in DIR `out` to `canvas`; yield lines on the work done.

    `course` and `number` are Canvas's numbers of the course and of the assignment. With `dry_run`, nothing is sent.
    With `zero`, ungraded work has 0 points; with `final_only`, grades that are not final are held back. A line names
    each grade that Canvas shows otherwise afterwards.

    Raise CanvasError where Canvas refuses, ValueError where there are no grades.
    """
    path = f"courses/{course}/assignments/{number}"
    submissions = {
        each["user_id"]: each for each in canvas.all(f"{path}/submissions", **{"include[]": "submission_comments"})
    }
    with exclusive(out):
        book = ClassGradebook(out)
        try:
            book.penalise([name])
            by_name, notes = class_grades.read(view.read(out), [name], zero)
            yield from notes
            if final_only:
                by_name, held_back = class_grades.final(by_name)
                yield from held_back
            known, left_out = _addressed(by_name[name], submissions)
            yield from left_out
            new = {user: grade for user, grade in known.items() if _is_new(grade, submissions[user])}
            yield f"{name}: {len(new)} of {len(known)} grades differ from Canvas's"
            for user, grade in new.items():
                points = "no grade" if grade.total is None else f"{grade.total:g}"
                yield f"  {grade.student}: {_shown(submissions[user])} → {points}; {grade.comment}"
            yield from class_grades.notes(list(known.values()))
            if dry_run or not new:
                yield "A dry run: nothing was uploaded." if dry_run else "Nothing was uploaded."
                return
            pages = {user: _page(book, grade) for user, grade in new.items()}
        finally:
            book.close()
    _send(canvas, path, new, pages)
    yield f"uploaded: {len(new)} grades, {sum(page is not None for page in pages.values())} feedback pages"
    yield from _differing(canvas, path, new)


def _addressed(grades: Sequence[Grade], submissions: dict[int, Any]) -> tuple[dict[int, Grade], list[str]]:
    """Return the grades by Canvas's number, and lines on the students left out."""
    known: dict[int, Grade] = {}
    strangers, excused, twice = [], [], []
    for grade in grades:
        to = LMS["canvas"].recipient(grade.lms_name, grade.graded.assignment)
        user = int(to.number) if to and to.number else None
        if user is None or user not in submissions:
            strangers.append(grade.student)
        elif submissions[user].get("excused"):
            excused.append(grade.student)
        elif user in known:
            twice.append(grade.student)
        else:
            known[user] = grade
    lines = note("left out, without a Canvas number or not in this Canvas course", strangers)
    lines += note("left out, excused in Canvas", excused)
    return known, [*lines, *note("left out, with another's Canvas number: delete the wrong one's records", twice)]


def _shown(submission: dict[str, Any]) -> str:
    score = submission.get("score")
    return "no grade" if score is None else f"{score:g}"


def _is_new(grade: Grade, submission: dict[str, Any]) -> bool:
    """Return whether Canvas lacks this grade or comment; an existing grade is never taken away."""
    if grade.total is None and (grade.is_missing or submission.get("score") is not None):
        return False
    comments = [each.get("comment") for each in submission.get("submission_comments") or []]
    return _is_different(submission, grade) or (not grade.is_missing and grade.comment not in comments)


def _is_different(submission: dict[str, Any], grade: Grade) -> bool:
    score = submission.get("score")
    return grade.total is not None and (score is None or abs(score - grade.total) > 0.005)


def _page(book: ClassGradebook, grade: Grade) -> bytes | None:
    """Return the feedback page, made anew; None without a submission."""
    if grade.is_missing:
        return None
    name = grade.graded.assignment
    book.feedback(grade.student, template(name))
    return book.files.page(grade.student, name).read_bytes()


def _send(canvas: Canvas, path: str, grades: dict[int, Grade], pages: dict[int, bytes | None]) -> None:
    """Upload page by page, then grades and comments of some students at once; wait until Canvas has finished them."""
    users = list(grades)
    for begin in range(0, len(users), AT_ONCE):
        fields: list[tuple[str, Any]] = []
        for user in users[begin : begin + AT_ONCE]:
            grade, page, key = grades[user], pages[user], f"grade_data[{user}]"
            if grade.total is not None:
                fields.append((f"{key}[posted_grade]", f"{grade.total:g}"))
            if page is not None:
                file = canvas.upload(
                    f"{path}/submissions/{user}/comments/files", f"{grade.graded.assignment}.html", page
                )
                fields += [(f"{key}[text_comment]", grade.comment), (f"{key}[file_ids][]", file)]
        if fields:
            canvas.finish(canvas.post(f"{path}/submissions/update_grades", fields))


def _differing(canvas: Canvas, path: str, grades: dict[int, Grade]) -> list[str]:
    """Return a line on the students whose grade Canvas shows otherwise."""
    submissions = {each["user_id"]: each for each in canvas.all(f"{path}/submissions")}
    wrong = [grade.student for user, grade in grades.items() if _is_different(submissions.get(user, {}), grade)]
    return note("have a grade in Canvas that differs from the upload: see its late policy (Gradebook, Settings)", wrong)
