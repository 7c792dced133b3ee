"""A course with the functions of the first chapter given out, and without; students of the second who lack one."""

import ast
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.assignment import dropped
from autograder.release.blank import Module
from autograder.release.build import release
from tests.support.student import solved

NAME = "luong"
CALL = 'masked_softmax = own_or_given("bahdanau.masked_softmax", globals())'
RIGHT = "def masked_softmax(scores, mask=None):\n" + "\n".join(Module.of("bahdanau").head_and_body("masked_softmax")[1])
WRONG = "def masked_softmax(scores, mask=None):\n    return scores.softmax(dim=-1)"


def demand_chapter() -> None:
    if NAME in dropped():
        pytest.skip(f"{NAME} is dropped, and these students write it")


def released(folder: Path, *given: str) -> Path:
    demand_chapter()
    folder.mkdir(exist_ok=True)
    release([NAME], build=folder / "build", given=given)
    for place in (folder, *folder.parents[:2]):
        place.chmod(0o755)  # pytest's own folders are for their owner only
    return folder / "build"


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(tmp_path_factory.mktemp("without"))


@pytest.fixture(scope="module")
def with_given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(tmp_path_factory.mktemp("with"), "bahdanau")


def files(build: Path) -> dict[str, bytes]:
    return {str(path.relative_to(build)): path.read_bytes() for path in build.rglob("*") if path.is_file()}


def kit_of(build: Path) -> set[str]:
    return {path.removeprefix("release/kit/given/") for path in files(build) if path.startswith("release/kit/given/")}


def cut(source: str, function: str) -> str:
    """Return the source of a cell without a function."""
    lines = source.splitlines()
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines)


def need_it(build: Path) -> set[str]:
    """Return the functions whose solved cells bring masked_softmax along."""
    solved_cells = nbformat.read(build / "source" / NAME / f"{NAME}.ipynb", as_version=4).cells
    functions = {cell.id for cell in solved_cells if "def masked_softmax(" in cell.source}
    assert {"attentional_state", "local_p_weights", "input_feeding"} <= functions
    return functions


def homework(build: Path, own: str = "") -> NotebookNode:
    """Return the solved notebook of a student without masked_softmax, or with this one in the cell for it."""
    notebook = solved(build, build / "release", NAME)
    for cell in notebook.cells:
        if cell.cell_type == "code" and "def masked_softmax(" in cell.source:
            cell.source = cut(cell.source, "masked_softmax")
        if own and CALL in cell.source:
            cell.source = cell.source.replace(CALL, f"{own}\n\n\n{CALL}")
    notebook.cells = [c for c in notebook.cells if "train" not in c.metadata.get("tags", [])]
    assert {cell.id for cell in notebook.cells if "masked_softmax(" in cell.source} >= need_it(build)
    return notebook
