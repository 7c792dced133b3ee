"""A student's place: the zip unpacked in a bare folder, solved notebooks, a kernel that knows nothing of the course."""

import os
import re
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

from autograder.checks import checks
from lab.dependencies import STORE

OURS = ("PYTHONPATH", "VIRTUAL_ENV")  # what says here where the course lies


def unzipped(build: Path, folder: Path) -> Path:
    """Unpack the zip for students into the folder; return the one folder that comes out."""
    with zipfile.ZipFile(build / "release" / "kit.zip") as archive:
        archive.extractall(folder)
    return folder / "attention-workbook"


def unpacked(build: Path, folder: Path) -> Path:
    """Unpack the zip into the folder, and put kit and notebooks, each in a folder of its name, into it."""
    shutil.copytree(unzipped(build, folder), folder, dirs_exist_ok=True)
    shutil.copytree(folder / "kit" / "notebooks", folder, dirs_exist_ok=True)
    return folder


def solved(build: Path, folder: Path, name: str) -> NotebookNode:
    """Return the notebook that was unpacked there, its solution cells filled in."""
    notebook = nbformat.read(folder / name / f"{name}.ipynb", as_version=4)
    answers = {cell.id: cell.source for cell in nbformat.read(build / "source" / name / f"{name}.ipynb", 4).cells}
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = answers[cell.id]
    return notebook


def without_all_points(name: str, output: str) -> list[str]:
    """Return the functions whose checks did not say that they have all their points, or that a line is handed in."""
    patterns = {  # whether a diagnosis is right, only grading says
        function: rf"^○ {function}: " if check.is_secret else rf"^✓ {function}: .*\b{check.max_points}\b"
        for function, check in checks(name).items()
    }
    return [function for function, pattern in patterns.items() if not re.search(pattern, output, re.MULTILINE)]


@contextmanager
def kernel(place: Path, **changes: str) -> Iterator[KernelManager]:
    """Start a kernel that knows nothing of the course, with these changes of the environment."""
    corpora = {"ATTENTION_STORE": str(STORE)}  # made once for all notebooks
    environment = {key: value for key, value in os.environ.items() if key not in OURS} | corpora | changes
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(env=environment, cwd=str(place))
    try:
        yield manager
    finally:
        manager.shutdown_kernel(now=True)


def run_whole(notebook: NotebookNode, place: Path, manager: KernelManager) -> NotebookNode:
    """Run every cell there, whatever its tags say, and go on behind one that fails; names of before are forgotten."""
    notebook.cells.insert(0, nbformat.v4.new_code_cell(f"%reset -f\n%cd -q {place}"))
    client = NotebookClient(notebook, km=manager, timeout=900, skip_cells_with_tag="", allow_errors=True)
    try:
        return client.execute()
    finally:
        client.kc.stop_channels()


def failures(notebook: NotebookNode) -> list[str]:
    """Return what ended in an error, and the code cells that did not run."""
    failures_seen = [
        f"{cell.source.splitlines()[-1]}: {output.ename}: {output.evalue}"
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    ]
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    return failures_seen + [f"not run: {cell.source}" for cell in code if not cell.execution_count]


def printed(notebook: NotebookNode, stream: str = "stdout") -> str:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return "".join(output.text for output in outputs if output.get("name") == stream)


def shown(notebook: NotebookNode) -> str:
    """Return all the HTML that the cells show."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return "\n".join(output.get("data", {}).get("text/html", "") for output in outputs)
