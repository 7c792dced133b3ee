"""Hand-ins, the roster, times and extensions of one assignment, in the forms that `grade` reads."""

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.canvas.api import Canvas, CanvasError
from autograder.files import atomic_write
from autograder.gradebook.store import spreadsheet
from autograder.settings import settings

COLUMNS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


def pull(canvas: Canvas, name: str, course: int, number: int, place: Path) -> Iterator[str]:
    """Write Canvas's submissions to an assignment into a folder; yield lines on them, and on how to go on.

    Files have the names of Canvas's own zip, so that `push` and `export` know their owners. Raise CanvasError where
    Canvas refuses; if a single file fails, a line names it, and the others are there.
    """
    path = f"courses/{course}/assignments/{number}"
    about = canvas.get(path)
    handed = [each for each in canvas.all(f"{path}/submissions", **{"include[]": "user"}) if each.get("user")]
    students = _names(handed)
    for each in handed:
        for file in each.get("attachments") or []:
            try:
                _fetch(canvas, place / "submissions" / _file_name(students[each["user_id"]], each, file), file)
            except CanvasError as error:
                yield f"{each['user']['name']}: {file.get('display_name', '')} could not be downloaded: {error}"
    times = {students[each["user_id"]]: each["submitted_at"] for each in handed if each.get("submitted_at")}
    extended = dict(_extensions(canvas, path, course, about.get("due_at")))
    until = {students[user]: date for user, date in extended.items() if user in students}
    atomic_write(place / "roster.csv", spreadsheet.table(COLUMNS, (_row(each["user"]) for each in handed)))
    atomic_write(place / "times.txt", _lines(f"{name}/{student}={at}" for student, at in times.items()))
    atomic_write(place / "extensions.txt", _lines(f"{student}/{name}={at}" for student, at in until.items()))
    late = sum(bool(each.get("late")) for each in handed)
    counts = f"{len(handed)} people, {len(times)} handed in, {late} late, {len(until)} extended"
    yield f"{about.get('name', number)}: {counts}"
    due = "" if name in settings().deadlines or not about.get("due_at") else f" --due {name}={about['due_at']}"
    files = {"--roster": "roster.csv", "--handed-in": "times.txt", "--extend": "extensions.txt"}
    words = " ".join(f"{option} {shlex.quote(str(place / file))}" for option, file in files.items())
    yield f"Now: python -m autograder grade {shlex.quote(str(place / 'submissions'))} {words}{due}"


def _names(handed: list[dict[str, Any]]) -> dict[int, str]:
    """Return each student's name for files, by Canvas's number; if two share a name, theirs contain the number."""
    plain = {each["user_id"]: _letters(each["user"].get("sortable_name") or each["user"]["name"]) for each in handed}
    count = Counter(plain.values())
    return {user: name if count[name] == 1 else f"{name}{user}" for user, name in plain.items()}


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFC", name)).lower()[:80] or "student"


def _file_name(student: str, handed: dict[str, Any], file: dict[str, Any]) -> str:
    late = "LATE_" if handed.get("late") else ""
    own = re.sub(r'[\x00-\x1f\x7f/\\:*?"<>|]', " ", str(file.get("display_name") or file.get("filename") or "file"))
    return f"{student}_{late}{handed['user_id']}_{file['id']}_{own[-100:]}"


def _fetch(canvas: Canvas, place: Path, file: dict[str, Any]) -> None:
    if not (place.is_file() and place.stat().st_size == file.get("size")):
        atomic_write(place, canvas.download(file["url"]))


def _extensions(canvas: Canvas, path: str, course: int, due: str | None) -> Iterator[tuple[int, str]]:
    """Yield student and date of each override with a later date; those for a single student come last, and count."""
    overrides = [
        each for each in canvas.all(f"{path}/overrides") if each.get("due_at") and due and each["due_at"] > due
    ]
    for each in sorted(overrides, key=lambda each: "student_ids" in each):
        yield from ((user, each["due_at"]) for user in _members(canvas, course, each))


def _members(canvas: Canvas, course: int, override: dict[str, Any]) -> list[int]:
    if section := override.get("course_section_id"):
        answer = canvas.get(f"courses/{course}/sections/{section}", **{"include[]": "students"})
        return [student["id"] for student in answer.get("students") or []]
    if group := override.get("group_id"):
        return [user["id"] for user in canvas.all(f"groups/{group}/users")]
    return override.get("student_ids") or []


def _row(user: dict[str, Any]) -> dict[str, Any]:
    about = {"Student": user.get("sortable_name") or user["name"], "ID": str(user["id"])}
    return about | {"SIS User ID": user.get("sis_user_id"), "SIS Login ID": user.get("login_id"), "Section": ""}


def _lines(lines: Iterator[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
