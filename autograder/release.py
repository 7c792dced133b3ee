"""What students get: notebooks that nbgrader made from the solved ones, and the kit that they import."""

import ast
import hashlib
import io
import os
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path

import nbformat
import numpy as np
from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from traitlets.config import Config

from autograder.blank import BlankError, Module, blanked
from autograder.checks import assignments, checks
from autograder.database import quiet
from autograder.kit import recorded
from autograder.normal import parts
from autograder.places import BUILD, ROOT
from autograder.traces import traced
from autograder.weave import weave

RECORDINGS = Path("autograder", "kit", recorded.FOLDER.name)
README = Path(__file__).parent / "templates" / "kit.md"
UNSEEN = {"ipykernel", "ipython", "tensorboard"}  # what kit and notebooks need and no import in the kit shows


def release(names: Sequence[str] = (), build: Path = BUILD) -> list[Path]:
    """Make source notebook, student's notebook and recorded answers of the names (none: of all), and the kit.

    Files are written whole or not at all; what belongs to other names stays as it is.
    """
    unknown = [name for name in names if name not in assignments()]
    if unknown:
        raise BlankError(f"no exercise called {', '.join(unknown)}: expected some of {', '.join(assignments())}")
    chosen = list(names) or assignments()
    # Everything that can fail comes before the first file is written.
    sources = {name: nbformat.writes(weave(name)) + "\n" for name in chosen}
    released = {name: for_students(name, text) for name, text in sources.items()}
    kit = dict(
        kit_files(chosen, {name: parts(nbformat.reads(text, as_version=4).cells) for name, text in sources.items()})
    )
    for name in chosen:
        write(build / "source" / name / f"{name}.ipynb", sources[name].encode())
        write(build / "release" / name / f"{name}.ipynb", released[name].encode())
    _lay_out(build / "release" / "kit", kit)
    write(build / "release" / "kit.zip", _packed(build / "release"))
    return [build / "release" / name / f"{name}.ipynb" for name in chosen]


def for_students(name: str, source: str) -> str:
    """Return the student's notebook, made from the solved one by nbgrader's generate_assignment."""
    with tempfile.TemporaryDirectory() as folder, quiet():
        course = Path(folder)
        write(course / "source" / name / f"{name}.ipynb", source.encode())
        config = Config()
        config.CourseDirectory.root = str(course)
        config.CourseDirectory.assignment_id = name
        config.CourseDirectory.db_url = "sqlite://"
        converter = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config, no_database=True)
        converter.preprocessors = [step for step in converter.preprocessors if step is not SaveCells]
        converter.start()
        notebook = nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)
    _demand_empty(name, notebook)
    return nbformat.writes(notebook) + "\n"


def _demand_empty(name: str, notebook: NotebookNode) -> None:
    """Fail when a solution cell of the student's notebook is not blank."""
    for cell in notebook.cells:
        grader = cell.metadata.get("nbgrader", {})
        stub = "raise NotImplementedError()" if cell.cell_type == "code" else "YOUR ANSWER HERE"
        if grader.get("solution") and stub not in cell.source:
            raise BlankError(f"{name}: nbgrader left the solution in the cell '{grader['grade_id']}'")


def kit_files(names: Iterable[str], numbers: Mapping[str, Mapping[str, int | None]]) -> Iterator[tuple[Path, bytes]]:
    """Yield path and content of each file of the kit; recorded answers of these names only.

    `numbers` are those of the parts of each notebook, by name and function.
    """
    shared = dict(_shared_files())
    yield from shared.items()
    requirements = _requirements(shared)
    yield Path("README.md"), _readme(requirements).encode()
    yield Path("requirements.txt"), requirements.encode()
    for name in names:
        for function, check in checks(name).items():
            check_id = f"{name}.{function}"
            seed = int.from_bytes(hashlib.sha256(check_id.encode()).digest()[:8])
            cases = check.draw(np.random.default_rng(seed))
            examples = check.examples()
            earlier = traced(name, check, cases, examples, numbers[name])
            yield recorded.path(check_id, RECORDINGS), recorded.pack(cases, check.criteria, examples, earlier)


def _shared_files() -> Iterator[tuple[Path, bytes]]:
    """Yield what is in the kit whichever names are released: lab, the public grader, the blanked solutions."""
    yield Path("autograder", "__init__.py"), (ROOT / "autograder" / "__init__.py").read_bytes()
    yield from _files(ROOT / "autograder" / "kit")
    yield from _files(ROOT / "lab")
    yield Path("solutions", "__init__.py"), (ROOT / "solutions" / "__init__.py").read_bytes()
    for package in sorted(path.parent for path in (ROOT / "solutions").glob("*/attention.py")):
        for path in sorted(package.glob("*.py")):
            own = blanked(Module.of(package.name)).encode() if path.name == "attention.py" else path.read_bytes()
            yield path.relative_to(ROOT), own


def _requirements(files: dict[Path, bytes]) -> str:
    """Return those lines of the course's requirements that name a package which the kit's files import."""
    trees = [ast.parse(content) for path, content in files.items() if path.suffix == ".py"]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    packages = metadata.packages_distributions()  # sklearn is called scikit-learn where it is installed from
    modules = {name.partition(".")[0] for name in imported}
    wanted = {package.lower() for module in modules for package in packages.get(module, [])} | UNSEEN
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if line.partition("==")[0] in wanted)


def _readme(requirements: str) -> str:
    """Return what tells students how to install the kit, with the version of PyTorch that it asks for."""
    pinned = next(line.partition("#")[0].strip() for line in requirements.splitlines() if line.startswith("torch=="))
    return README.read_text(encoding="utf-8").replace("torch==TORCH", pinned)


def _files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and recorded.FOLDER not in path.parents:
            yield path.relative_to(ROOT), path.read_bytes()


def _lay_out(kit: Path, files: dict[Path, bytes]) -> None:
    """Write the kit's files, and delete what belongs to it no longer; recorded answers of other names stay."""
    for path, content in files.items():
        write(kit / path, content)
    for path in sorted(kit.rglob("*"), reverse=True):
        own = path.relative_to(kit)
        if path.is_file() and own not in files and own.parent != RECORDINGS:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for path in (kit / RECORDINGS).glob("*.npz"):
        name, _, function = path.stem.partition(".")
        if name not in assignments() or function not in checks(name):
            path.unlink()


def _packed(folder: Path) -> bytes:
    """Return notebooks and kit as one zip for students; the same files give the same bytes."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted([*folder.glob("*/*.ipynb"), *(folder / "kit").rglob("*")]):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.writestr(zipfile.ZipInfo(str(path.relative_to(folder))), path.read_bytes())
    return whole.getvalue()


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, and leave it alone when it is as it should be."""
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(aside).chmod(0o644)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
