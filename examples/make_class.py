"""The example class: `python -m examples.make_class FOLDER` writes FOLDER/STUDENT/NAME/NAME.ipynb.

Each file in examples/class is one student. Its functions replace the solution cells of the released notebook; names in
capitals are its settings: START ("solved": from the solved notebook), CELLS (sources by grade_id), ANSWERS (to written
questions), FIRST (a cell at the top), TEXT (a text cell at the end), STRIPPED, BROKEN, ASSIGNMENTS (by default: those
in EXPECTED) and EXPECTED, the verdicts: {check id: ("all" | "some" | "none", [mistakes])}.
"""

import argparse
import ast
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.assignment import CHECK, assignments, grade_id
from autograder.places import ROOT, released_notebook, source_notebook
from lab.files import atomic_write

STUDENTS = ROOT / "examples" / "class"
SUBMITTED = ROOT / "build" / "example" / "submitted"


@dataclass(frozen=True)
class Student:
    """One student: the functions they wrote, and the file's settings, the names in capitals."""

    name: str
    functions: dict[str, str]
    imports: str
    settings: dict[str, Any]

    @property
    def expected(self) -> dict[str, tuple[str, list[str]]]:
        return self.settings["EXPECTED"]

    @property
    def assignments(self) -> list[str]:
        return self.settings.get("ASSIGNMENTS") or sorted({check.partition(".")[0] for check in self.expected})

    def submission(self, assignment: str) -> bytes:
        """Return the file that the student hands in."""
        path = source_notebook(assignment) if self.settings.get("START") == "solved" else released_notebook(assignment)
        notebook = nbformat.read(path, as_version=4)
        written = self.functions | self.settings.get("CELLS", {}) | self.settings.get("ANSWERS", {})
        for cell in notebook.cells:
            cell.source = written.get(grade_id(cell), cell.source)
        sources = [self.settings[key] for key in ("FIRST",) if key in self.settings] + [self.imports] * bool(
            self.imports
        )
        notebook.cells[:0] = [nbformat.v4.new_code_cell(source) for source in sources]
        if "TEXT" in self.settings:
            notebook.cells.append(nbformat.v4.new_markdown_cell(self.settings["TEXT"]))
        if self.settings.get("STRIPPED"):
            _strip(notebook)
        for number, cell in enumerate(notebook.cells):  # ids of new cells are random: the file must not be
            cell["id"] = f"cell-{number}"
        content = nbformat.writes(notebook).encode()
        return content[: len(content) // 2] if self.settings.get("BROKEN") else content


def _strip(notebook: NotebookNode) -> None:
    """Remove all metadata, and the check cells."""
    notebook.cells = [cell for cell in notebook.cells if not grade_id(cell).startswith(CHECK)]
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})


def read(path: Path) -> Student:
    """Return the student that a file describes; the file is parsed, not run."""
    text = path.read_text("utf-8")
    functions, imports, settings = {}, [], {}
    for node in ast.parse(text).body:
        source = ast.get_source_segment(text, node) or ""
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = source
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(source)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            settings[node.targets[0].id] = ast.literal_eval(node.value)
    return Student(path.stem, functions, "\n".join(imports), settings)


def students() -> list[Student]:
    """Return the class, by name."""
    return [read(path) for path in sorted(STUDENTS.glob("*.py"))]


def write(folder: Path) -> int:
    """Write what the class hands in; files with the right content stay. Return the number of submissions."""
    taught = assignments()  # a chapter may have been dropped
    submissions = [(student, name) for student in students() for name in student.assignments if name in taught]
    for student, name in submissions:
        path = folder / student.name / name / f"{name}.ipynb"
        content = student.submission(name)
        if not path.exists() or path.read_bytes() != content:
            atomic_write(path, content)
    return len(submissions)


def main() -> int:
    """Write what the example class hands in into a folder."""
    parser = argparse.ArgumentParser(prog="python -m examples.make_class", description=main.__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=SUBMITTED, help="default: %(default)s")
    folder = parser.parse_args().folder
    try:
        count = write(folder)
    except FileNotFoundError as error:
        print(f"No {error.filename}: the notebooks are not made yet. Run `make release` first.", file=sys.stderr)
        return 2
    print(f"{count} submissions of the example class in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
