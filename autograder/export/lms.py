"""Grades and feedback pages in the forms of Moodle and Canvas.

The forms are those that the LMSs' own importers ask for, read in their public sources; neither was tried in a running
LMS.

Moodle: mod/assign/feedback/offline/importgradeslib.php finds the columns "Identifier", "Grade" and "Last modified
(grade)" by their headings in the teacher's language, and takes the number after "Participant "; locallib.php beside it
passes over an empty grade, one above the assignment's maximum, and one that changed in Moodle after the time in the
third column; the comment is taken all the same;
mod/assign/feedback/file/importziplib.php splits a folder's name at "_": second is the number, third "assignsubmission".

Canvas: lib/gradebook_importer.rb asks for "Student" and "ID" first and "Section" before the grades, finds an assignment
by the number in brackets, else by its title, and takes an empty cell for a grade that is to be deleted, so that each
assignment has its own table, without those who have no grade; app/models/abstract_assignment.rb
(generate_comments_from_files) takes the first two numbers between "_" in a file's name for the student and the upload,
and shows the page under the name of what was handed in.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autograder.export.grades import Grade
from autograder.gradebook.store import spreadsheet
from autograder.submissions.lms_names import ANONYMOUS, CANVAS, MOODLE

NO_FILE_NAME = re.compile(r'[\x00-\x1f\x7f-\x9f/\\:*?"<>|]')
MOODLE_COLUMNS = ["Identifier", "Full name", "Grade", "Maximum grade", "Last modified (grade)", "Feedback comments"]
CANVAS_COLUMNS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


@dataclass(frozen=True)
class Recipient:
    """A student for an LMS: its number, the name in its zip, and the path under which it takes a feedback page.

    Anonymous students have no number: the LMS takes their page, and no row of a table.
    """

    number: str
    name: str
    page: str


@dataclass(frozen=True)
class Lms:
    """One LMS: its names of students (None: not its name), its table, and instructions for table and zip."""

    title: str
    recipient: Callable[[str, str], Recipient | None]
    table: Callable[[str, Sequence[tuple[Grade, Recipient]], str], bytes]
    upload: str


def _moodle_recipient(lms_name: str, assignment: str) -> Recipient | None:
    match = MOODLE.fullmatch(lms_name)
    if not match or not match["account"].isascii():
        return None
    name = _clean(match["name"].replace("_", " "))  # Moodle splits at "_", and only the number tells the student
    return Recipient(
        _plain(match["account"]), name, f"{name}_{match['account']}_assignsubmission_file_/{assignment}.html"
    )


def _canvas_recipient(lms_name: str, assignment: str) -> Recipient | None:
    match = CANVAS.fullmatch(lms_name)
    if not match or not (match["account"] + match["attempt"]).isascii():
        return None
    stem = _clean(re.sub(r"\.[^.]*$", "", match["file"])) or assignment
    if match["name"].lower() == ANONYMOUS:
        name = f"{ANONYMOUS}_{match['account']}"
        return Recipient("", name, f"{name}_{match['attempt']}_{stem}.html")
    name = re.sub(r"^(?=\d+$)", "student", _clean(match["name"]))  # a name of digits would be taken for the number
    numbers = f"{match['late'] or ''}{match['account']}_{match['attempt']}"
    return Recipient(_plain(match["account"]), name, f"{name}_{numbers}_{stem}.html")


def _plain(number: str) -> str:
    """Return a number in the LMS's form: 07 is 7."""
    return number.lstrip("0") or "0"


def _clean(name: str) -> str:
    """Return a name without characters that a zip or a file system refuses."""
    return NO_FILE_NAME.sub(" ", name.encode("utf-8", "replace").decode("utf-8")).lstrip(".~ ") or "student"


def _moodle_table(assignment: str, grades: Sequence[tuple[Grade, Recipient]], number: str = "") -> bytes:
    rows = [
        {
            "Identifier": f"Participant {to.number}",
            "Full name": to.name,
            "Grade": grade.total,
            "Maximum grade": grade.max_score,
            "Feedback comments": grade.comment,
        }
        for grade, to in grades
    ]
    return spreadsheet.table(MOODLE_COLUMNS, rows)


def _canvas_table(assignment: str, grades: Sequence[tuple[Grade, Recipient]], number: str = "") -> bytes:
    column = f"{assignment} ({number})" if number else assignment
    most = max(grade.max_score for grade, _ in grades)
    rows = [{"Student": "    Points Possible", column: most}]
    rows += [
        {"Student": grade.roster_name or to.name, "ID": to.number, column: grade.total}
        for grade, to in grades
        if grade.total is not None
    ]
    return spreadsheet.table([*CANVAS_COLUMNS, column], rows)


LMS = {
    "moodle": Lms(
        "Moodle",
        _moodle_recipient,
        _moodle_table,
        "Set Moodle to English, as it reads the headings in your language, and open the assignment's submissions: "
        "upload the CSV with 'Upload grading worksheet' (at a later export, tick 'Allow updating records …'), then "
        "the zip with 'Upload multiple feedback files in a zip'.",
    ),
    "canvas": Lms(
        "Canvas",
        _canvas_recipient,
        _canvas_table,
        "In Canvas, import the CSV in Grades, then give the zip to the assignment's 'Re-Upload Submissions'.",
    ),
}
