"""Twelve hand-ins as a class brings them, graded from Moodle's zip and from Canvas's.

Each student is a line of TWELVE, with the points by hand. `python -m examples.class_of_twelve` makes both zips and
Moodle's grading worksheet, grades with a late rule, gives points by hand, exports, and prints what was expected beside
what came; its exit status is 1 where they differ.
"""

import argparse
import contextlib
import csv
import json
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from autograder.__main__ import main as autograder
from autograder.assignment import grade_id
from autograder.files import atomic_write
from autograder.gradebook.gradebook import ClassGradebook, quiet
from autograder.places import ROOT, released_notebook, source_notebook
from examples.make_class import Student

NAME = "bahdanau"
DUE = "2026-11-20 12:00"
Files = dict[str, tuple[bytes, int]]  # by name: content, and the day of November on which it was handed in
HALF = "def links_of(weights, threshold):\n    return {(t, int(row.argmax())) for t, row in enumerate(weights)}"
LOOP = "step loss 0.12345\n" * 900_000


@dataclass(frozen=True)
class Submission:
    """One student: what they did, the points of the checks by hand, those that a teacher adds, and their files.

    `points` None: it cannot be graded. `penalty` is the share of all points that being late costs.
    """

    first: str
    last: str
    made: str
    points: float | None
    by_hand: tuple[int, ...]
    files: Callable[["Submission"], Files]
    penalty: float = 0.0

    def total(self, with_hand: bool) -> float | None:
        """Return the total by hand, without or with the points that the teacher gives."""
        if self.points is None:
            return None
        return (1 - self.penalty) * (self.points + (sum(self.by_hand) if with_hand else 0))


def solved(of: Submission, **cells: str) -> dict[str, Any]:
    """Return the solved notebook as JSON, with other sources by name; who gets no points by hand did not answer."""
    answers = {} if of.by_hand else dict(_sources(released_notebook(NAME), "markdown"))
    student = Student(of.first, cells, "", {"START": "solved", "ANSWERS": answers})
    return json.loads(student.submission(NAME))


def _sources(path: Path, kind: str) -> Iterator[tuple[str, str]]:
    cells = nbformat.read(path, as_version=4).cells
    return ((grade_id(cell), cell.source) for cell in cells if grade_id(cell) and cell.cell_type == kind)


def one(notebook: dict[str, Any] | bytes, name: str = f"{NAME}.ipynb", day: int = 19) -> Files:
    return {name: (notebook if isinstance(notebook, bytes) else json.dumps(notebook, indent=1).encode(), day)}


def without_tanh(of: Submission) -> Files:
    source = dict(_sources(source_notebook(NAME), "code"))["additive_attention"]
    assert "torch.tanh(" in source
    return one(solved(of, additive_attention=source.replace("torch.tanh(", "(")))


def with_more_cells(of: Submission) -> Files:
    notebook = solved(of)
    for number, source in enumerate(["x = 1", "raise ValueError('not here')", "print(x)"]):
        cell = {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        notebook["cells"].insert(6 * number, cell | {"id": f"mine-{number}"})
    return one(notebook)


def with_deleted_cells(of: Submission) -> Files:
    notebook = solved(of)
    named = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell for cell in notebook["cells"]}
    notebook["cells"] = [c for c in notebook["cells"] if c not in (named["links_of"], named["check-masked_softmax"])]
    return one(notebook)


def of_an_old_release(of: Submission) -> Files:
    """Return a notebook as it was before points and a text were changed."""
    notebook = solved(of)
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("points"):
            cell["metadata"]["nbgrader"]["points"] += 2
    notebook["cells"][0]["source"] = ["# As it was last year\n", "with other words."]
    return one(notebook)


def of_windows(of: Submission) -> Files:
    text = json.dumps(solved(of), indent=1).replace("\\n", "\\r\\n").replace("\n", "\r\n")
    return one(text.encode())


def with_much_output(of: Submission) -> Files:
    notebook = solved(of)
    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": LOOP.splitlines(keepends=True)}]
    return one(notebook)


def twice(of: Submission) -> Files:
    stub = dict(_sources(released_notebook(NAME), "code"))["alignment_error_rate"]
    newer = solved(of, alignment_error_rate=stub)
    return one(released_notebook(NAME).read_bytes(), day=18) | one(newer, f"{NAME}_v2.ipynb")


# All checks: 61 of the core and 18 of starred tasks are 79. Two written questions give 3 and 2 by hand.
TWELVE = [
    Submission("Ada", "Lovelace", "solved", 79, (3, 2), lambda of: one(solved(of))),
    # 10 of 11 are lost: nothing but the repeated call is right; later parts are judged with the right function.
    Submission("Bob", "Stone", "no tanh", 79 - 10, (2,), without_tanh),
    # 34 hours late is two days begun, one of them is free: a tenth.
    Submission("Chen", "Li", "solved, 34 hours late", 79, (3, 2), lambda of: one(solved(of), day=21), penalty=0.1),
    Submission("Dora", "Grün", "as released", 0, (), lambda of: one(released_notebook(NAME).read_bytes())),
    # a threshold 2, thresholds at the edge 1
    Submission(
        "Émile",
        "Zola",
        "renamed, half of links_of",
        79 - 3,
        (),
        lambda of: one(solved(of, links_of=HALF), "a (2).ipynb"),
    ),
    Submission("Fay", "Wray", "three cells more, one fails", 79, (), with_more_cells),
    Submission("Gil", "Blas", "links_of and a check's cell deleted", 79 - 8, (2,), with_deleted_cells),
    Submission("Hana", "Kim", "an older release", 79, (), of_an_old_release),
    Submission("Ivan", "Ilyin", "line ends of Windows", 79, (), of_windows),
    Submission("Jo", "Huge", "17 MB of output", 79, (), with_much_output),
    Submission("Kai", "Notjson", "no notebook", None, (), lambda of: one(b"I could not save it")),
    Submission("Lena", "Ode", "a stub, then all but alignment_error_rate", 79 - 7, (), twice),
]
RULE = """from math import ceil

from nbgrader.plugins import BasePlugin


class TenthADay(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return score * min(1, 0.1 * max(0, ceil(total_seconds_late / 86400) - 1))
"""
ABSENT = ("Mona", "Lisa")  # is on the roster, and has not handed in


def write_zips(folder: Path) -> None:
    """Write moodle.zip, canvas.zip and worksheet.csv, with names and columns as the LMSs make them."""
    submissions = [(number, each, each.files(each)) for number, each in enumerate(TWELVE, 101)]
    for lms in ("moodle", "canvas"):
        with zipfile.ZipFile(folder / f"{lms}.zip", "w", zipfile.ZIP_DEFLATED) as opened:
            for number, of, files in submissions:
                for upload, (name, (content, day)) in enumerate(files.items()):
                    path = f"{of.first} {of.last}_{number}_assignsubmission_file_/{name}"
                    if lms == "canvas":
                        late = "LATE_" if of.penalty else ""
                        path = f"{of.last}{of.first}_{late}{number}_{9 * number + upload}_{name}".lower().replace(
                            "late_", "LATE_"
                        )
                    opened.writestr(zipfile.ZipInfo(path, (2026, 11, day, 10, 0, 0)), content, zipfile.ZIP_DEFLATED)
    rows = [["Identifier", "Full name", "Status", "Grade", "Maximum Grade", "Last modified (submission)"]]
    for number, of, _ in submissions:
        when = "Saturday, 21 November 2026, 10:00 PM" if of.penalty else "Thursday, 19 November 2026, 10:00 AM"
        rows.append([f"Participant {number}", f"{of.first} {of.last}", "Submitted for grading", "", "84", when])
    rows.append(["Participant 113", " ".join(ABSENT), "No submission - 6 days overdue", "", "84", "-"])
    with (folder / "worksheet.csv").open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows(rows)


def graded(folder: Path, lms: str) -> Path:
    """Grade one of the zips; return the class's folder."""
    out = folder / lms
    words = (
        ["--roster", str(folder / "worksheet.csv")]
        if lms == "moodle"
        else ["--handed-in", f"{NAME}/lichen=2026-11-21 22:00"]
    )
    with quiet():
        ClassGradebook(out)  # writes the settings
    atomic_write(out / "late.py", RULE.encode())
    settings = (out / "nbgrader_config.py").read_text()
    atomic_write(
        out / "nbgrader_config.py",
        f'{settings}\nc = get_config()\nc.AssignLatePenalties.plugin_class = "late.TenthADay"\n'.encode(),
    )
    status = autograder(["grade", str(folder / f"{lms}.zip"), "--out", str(out), "--due", f"{NAME}={DUE}", *words])
    if status:
        raise SystemExit(status)
    return out


def student(of: Submission, lms: str) -> str:
    return f"{of.first} {of.last}" if lms == "moodle" else f"{of.last}{of.first}".lower()


def give_by_hand(out: Path, lms: str) -> None:
    """Give the points by hand that TWELVE names, as formgrader does."""
    book = ClassGradebook(out)
    with quiet():
        for of in TWELVE:
            for question, points in zip(("reading_a_matrix", "a_bias_of_the_keys"), of.by_hand, strict=False):
                grade: Any = book.gradebook.find_grade(question, NAME, NAME, student(of, lms))
                grade.manual_score, grade.needs_manual_grade = points, False
        book.gradebook.db.commit()
    book.close()


def totals(out: Path, lms: str) -> dict[str, float | None]:
    """Return what the LMS's own table says, by the number that is in it."""
    autograder(["export", "--to", lms, "--out", str(out)])
    with (out / "export" / f"{lms}-{NAME}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    who, grade = ("Identifier", "Grade") if lms == "moodle" else ("ID", NAME)
    columns = rows[0].index(who), rows[0].index(grade)
    read = {row[columns[0]].removeprefix("Participant "): row[columns[1]] for row in rows[1:]}
    return {number: float(points) if points else None for number, points in read.items()}


def main(words: list[str] | None = None) -> int:
    """Make the class, grade it twice, and print the points by hand beside those that came."""
    parser = argparse.ArgumentParser(prog="python -m examples.class_of_twelve", description=main.__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "twelve", help="default: %(default)s")
    folder = parser.parse_args(words).folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_zips(folder)
    came: dict[tuple[str, bool], dict[str, float | None]] = {}
    with (folder / "log.txt").open("w") as log, contextlib.redirect_stdout(log):
        for lms in ("moodle", "canvas"):
            out = graded(folder, lms)
            came[lms, False] = totals(out, lms)
            give_by_hand(out, lms)
            came[lms, True] = totals(out, lms)
    differ = False
    heads = ("checks", "Moodle", "Canvas")
    print(f"{'student':8} {'made':42} {' '.join(f'{head:>7}' for head in (*heads, 'by hand', *heads[1:]))}")
    for number, of in enumerate(TWELVE, 101):
        shown = []
        for with_hand in (False, True):
            expected = of.total(with_hand)
            points = [came[lms, with_hand].get(str(number)) for lms in ("moodle", "canvas")]
            differ |= any(each != (None if expected is None else round(expected, 2)) for each in points)
            shown += [f"{'-' if each is None else f'{each:g}':>7}" for each in (expected, *points)]
        print(f"{of.first:8} {of.made:42} {' '.join(shown)}")
    print(f"{folder}: zips, worksheet.csv, log.txt, and a class each from Moodle's and from Canvas's zip")
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
