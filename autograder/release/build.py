"""What students get: notebooks that nbgrader made from the solved ones, and the kit that they import."""

import ast
import io
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path, PurePath

import nbformat
from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from traitlets.config import Config

from autograder.assignment import demand, parts
from autograder.checks import assignments, checks
from autograder.gradebook.database import quiet
from autograder.kit import recorded
from autograder.places import BUILD, ROOT
from autograder.release.blank import BlankError, Module, blanked
from autograder.release.manifest import KIT, MADE, ZIP, Manifest, write
from autograder.release.notebook import weave
from autograder.release.recordings import recordings

RECORDINGS = Path("autograder", "kit", recorded.FOLDER.name)
README = Path(__file__).parent / "templates" / "kit.md"
START = Path(__file__).parent / "templates" / "start.py"
UNSEEN = {"ipykernel", "ipython", "tensorboard"}  # what kit and notebooks need and no import in the kit shows


def release(names: Sequence[str] = (), build: Path = BUILD) -> list[Path]:
    """Make source notebook, student's notebook and recorded answers of the names (none: of all), and the kit.

    Files are written whole or not at all; what belongs to other names stays as it is, unless somebody changed it.
    """
    demand(names)
    manifest = Manifest(build)
    others = {name: _released(name, manifest) for name in assignments() if names and name not in names}
    chosen = [name for name in assignments() if others.get(name) is None]
    # Everything that can fail comes before the first file is written.
    sources = {name: nbformat.writes(weave(name)) + "\n" for name in chosen}
    numbers = {name: parts(nbformat.reads(text, as_version=4).cells) for name, text in sources.items()}
    files = {path: content for kept in others.values() for path, content in (kept or {}).items()}
    for name in chosen:
        files[PurePath("source", name, f"{name}.ipynb")] = sources[name].encode()
        files[PurePath("release", name, f"{name}.ipynb")] = for_students(name, sources[name]).encode()
    files |= {KIT / path: content for path, content in kit_files(chosen, numbers)}
    files[ZIP] = _packed(files)
    manifest.replace(files, dropped=_is_dropped)
    return [build / "release" / name / f"{name}.ipynb" for name in chosen]


def _released(name: str, manifest: Manifest) -> dict[PurePath, bytes] | None:
    """Return what an earlier release made of a name, none where it made nothing; None where that is gone or changed."""
    notebooks = {PurePath(folder, name, f"{name}.ipynb").as_posix() for folder in MADE}
    recordings = {(KIT / recorded.path(f"{name}.{function}", RECORDINGS)).as_posix() for function in checks(name)}
    paths = [PurePath(path) for path in (notebooks | recordings) & set(manifest.digests)]
    of_unknown_origin = not paths and any((manifest.build / path).exists() for path in notebooks)
    if of_unknown_origin or not all(manifest.intact(path) for path in paths):
        return None
    return {path: (manifest.build / path).read_bytes() for path in paths}


def _is_dropped(path: PurePath) -> bool:
    """Return whether a file that was not released lies where none else may: in the kit, or under an old name."""
    return KIT in path.parents or (len(path.parts) > 2 and path.parts[1] not in assignments())


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
    yield Path("start.py"), START.read_bytes()
    for check_id, content in recordings(list(names), numbers, BUILD / "recordings").items():
        yield recorded.path(check_id, RECORDINGS), content


def _shared_files() -> Iterator[tuple[Path, bytes]]:
    """Yield what is in the kit whichever names are released: lab, the public grader, the blanked solutions."""
    yield Path("autograder", "__init__.py"), (ROOT / "autograder" / "__init__.py").read_bytes()
    yield from _files(ROOT / "autograder" / "kit")
    yield from _files(ROOT / "lab")
    yield Path("solutions", "__init__.py"), (ROOT / "solutions" / "__init__.py").read_bytes()
    for package in sorted(path.parent for path in (ROOT / "solutions").glob("*/attention.py")):
        for path in sorted(path for path in package.glob("*.py") if not _is_left_out(path.name)):
            own = blanked(Module.of(package.name)).encode() if path.name == "attention.py" else path.read_bytes()
            yield path.relative_to(ROOT), own


def _is_left_out(file: str) -> bool:
    """Return whether a chapter's file holds answers in another form (fast.py), or is a command that needs them."""
    return file.startswith("fast") or file == "__main__.py"


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


def _packed(files: Mapping[PurePath, bytes]) -> bytes:
    """Return the released files as one zip for students; the same files give the same bytes."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in files if path.parts[0] == "release"):
            archive.writestr(zipfile.ZipInfo(path.relative_to("release").as_posix()), files[path])
    return whole.getvalue()
