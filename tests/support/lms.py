"""A teacher whose class came out of an LMS, and what Moodle's and Canvas's importers do with what is exported."""

import csv
import io
import re
import zipfile
from pathlib import Path

import nbformat
import pytest

from autograder import __main__ as command
from autograder.places import released_notebook
from tests.autograder.commands.test_spreadsheet import cells, computed
from tests.autograder.submissions.test_zip_files import zipped
from tests.support.classes import opened_book
from tests.support.points import by_checks, core, written

ALL, MOST = by_checks("bahdanau"), core("bahdanau") + written("bahdanau")


FOLDER = "assignsubmission_file_"


class Teacher:
    """Types commands for a class that came out of an LMS."""

    def __init__(self, folder: Path, capsys) -> None:
        self.folder, self.out, self.capsys = folder, folder / "out", capsys

    def types(self, *words: str) -> tuple[int, str]:
        status = command.main([*words, "--out", str(self.out)])
        shown = self.capsys.readouterr()
        return status, shown.out + shown.err

    def grades(self, *names: str, **more: bytes) -> str:
        """Grade a zip with a notebook under each of these names."""
        content = released_notebook("bahdanau").read_bytes()
        path = self.folder / "submissions.zip"
        path.write_bytes(zipped(dict.fromkeys(names, content) | more))
        status, shown = self.types("grade", str(path))
        assert status == 0, shown
        return shown

    def exports(self, to: str, *words: str) -> str:
        status, shown = self.types("export", "--to", to, *words)
        assert status == 0, shown
        return shown

    def table(self, name: str) -> list[list[str]]:
        return list(csv.reader(io.StringIO((self.out / "export" / name).read_text("utf-8"), newline="")))

    def rows(self, name: str) -> list[dict[str, str]]:
        head, *rows = self.table(name)
        return [dict(zip(head, row, strict=True)) for row in rows]

    def pages(self, name: str) -> dict[str, bytes]:
        with zipfile.ZipFile(self.out / "export" / name) as opened:
            return {entry: opened.read(entry) for entry in opened.namelist()}

    def gives(self, student: str, points: float) -> None:
        """Give points by hand for one written answer, and none for the others."""
        with opened_book(self.out) as gradebook:
            grades = gradebook.find_submission_notebook("bahdanau", "bahdanau", student).grades
            for grade in grades:
                if grade.needs_manual_grade:
                    grade.manual_score, grade.needs_manual_grade = 0.0, False
            next(grade for grade in grades if grade.name == "reading_a_matrix").manual_score = points


@pytest.fixture
def lms(teacher, tmp_path: Path, capsys) -> Teacher:
    return Teacher(tmp_path, capsys)


def answered() -> bytes:
    """Return the released notebook with an answer to each written question, which a person has to read."""
    notebook = nbformat.read(released_notebook("bahdanau"), as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = "The row of `</s>` leans on the verb."
    return nbformat.writes(notebook).encode("utf-8")


def moodle(number: str, name: str) -> str:
    return f"{name}_{number}_{FOLDER}/bahdanau.ipynb"


def moodle_reads(table: list[list[str]]) -> dict[str, float]:
    """Return the grades by number: columns go by their heading, and the number is what follows a fixed text."""
    head, *rows = table
    assert {"Identifier", "Grade", "Last modified (grade)"} <= set(head)
    numbers = [row[head.index("Identifier")][len("Participant ") :] for row in rows]
    assert len(numbers) == len(set(numbers))
    return dict(zip(numbers, (float(row[head.index("Grade")]) for row in rows), strict=True))


def moodle_takes(pages: dict[str, bytes]) -> dict[str, bytes]:
    """Return the feedback files by number: the first part of a path with four words between "_" says whose it is."""
    taken = {}
    for path, content in pages.items():
        for part in path.split("/"):
            words = part.split("_", 4)
            if len(words) >= 4 and words[1].isdecimal() and words[2:4] == ["assignsubmission", "file"]:
                assert words[1] not in taken
                taken[words[1]] = content
                break
    return taken


def canvas_reads(table: list[list[str]], title: str) -> dict[str, float]:
    """Return the grades by student number, after asking for the head that Canvas asks for."""
    head, points, *rows = table
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]
    assert "Points Possible" in points[0]
    assert float(points[5]) == MOST
    assert all(row[5] for row in rows), "an empty cell would delete a grade"
    return {row[1]: float(row[5]) for row in rows}


def canvas_takes(pages: dict[str, bytes]) -> dict[tuple[str, ...], bytes]:
    """Return the files by the numbers of student and upload: the first two numbers between "_"."""
    numbers = {path: re.findall(r"(?:^|_)(\d+)(?=_)", path.rpartition("/")[2])[:2] for path in pages}
    return {tuple(numbers[path]): content for path, content in pages.items()}


def nothing_is_computed(lms: Teacher) -> None:
    """Whatever people are called, no spreadsheet takes it for a formula."""
    for path in (lms.out / "export").glob("*.csv"):
        assert [cell for cell in cells(path.read_bytes()) if computed(cell)] == []
