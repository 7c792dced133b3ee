"""Builds the students' files: notebooks, made by nbgrader from the solved ones, and the kit that they import."""

import ast
import io
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePath

import nbformat
from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from traitlets.config import Config

from autograder.assignment import OWN, demand
from autograder.checks import assignments, checks
from autograder.definition import definition
from autograder.gradebook.store.database import quiet
from autograder.kit.course import numbers
from autograder.kit.known.recordings import FOLDER
from autograder.kit.known.recordings import path as recording_path
from autograder.places import BUILD, HOME, PUBLIC, RECORDED, ROOT
from autograder.release.blank import BlankError, Module, blanked
from autograder.release.given import demand_givable, given_files
from autograder.release.manifest import KIT, MADE, ZIP, Manifest, write
from autograder.release.missing import missing_parts
from autograder.release.notebook import build_source
from autograder.release.recordings import recordings
from autograder.sandbox.mounts import importable, packages_of_modules

RECORDINGS = Path("autograder", "kit", FOLDER.name)
TEMPLATES = Path(__file__).parent / "templates"
PACKAGES = "packages.txt"  # in the kit: its packages; autograder/kit/course.py reads it
GRADER = "grader.txt"  # in the kit: the modules that student code may import in grading
OURS = (Path("autograder", "__init__.py"), Path("lab", "__init__.py"), Path("lab", "programs.py"))  # beside PUBLIC
NOT_IMPORTED = {"ipykernel", "ipython", "tensorboard"}  # that student code may import as well


def release(names: Sequence[str] = (), build: Path = BUILD, given: Sequence[str] = ()) -> list[Path]:
    """Make source notebook, student's notebook and recorded answers of the names (none: of all), and the kit.

    Return the paths of the students' notebooks. Files of other names stay as they are, unless somebody changed them.
    The kit holds the functions of the names in `given`, written out.
    """
    demand(names)
    demand_givable(given)
    manifest = Manifest(build)
    others = {name: _released(name, manifest) for name in assignments() if names and name not in names}
    chosen = [name for name in assignments() if others.get(name) is None]
    # Everything that can fail comes before the first file is written.
    built = {name: build_source(name) for name in chosen}
    for name, notebook in built.items():
        _demand_whole(name, notebook)
    sources = {name: nbformat.writes(notebook) + "\n" for name, notebook in built.items()}
    part_numbers = {name: numbers(nbformat.reads(text, as_version=4).cells) for name, text in sources.items()}
    files = {path: content for kept in others.values() for path, content in (kept or {}).items()}
    for name in chosen:
        files[PurePath("source", name, f"{name}.ipynb")] = sources[name].encode()
        files[PurePath("release", name, f"{name}.ipynb")] = for_students(name, sources[name]).encode()
    packed = [name for name in assignments() if name in chosen or PurePath("release", name, f"{name}.ipynb") in files]
    files |= {KIT / path: content for path, content in kit_files(chosen, part_numbers, given)}
    files[KIT / "order.txt"] = "\n".join(packed).encode()
    files[ZIP] = _zipped(files)
    manifest.replace(files, dropped=_is_stale)
    return [build / "release" / name / f"{name}.ipynb" for name in chosen]


def _demand_whole(name: str, notebook: NotebookNode) -> None:
    """Raise BlankError where an exercise lacks a part that `try` demands."""
    if missing := list(missing_parts(name, notebook.cells)):
        raise BlankError("; ".join(missing))


def _released(name: str, manifest: Manifest) -> dict[PurePath, bytes] | None:
    """Return {path: content} of the last release of a name, {} where there is none; None where a file has changed."""
    notebooks = {PurePath(folder, name, f"{name}.ipynb").as_posix() for folder in MADE}
    recordings = {(KIT / recording_path(f"{name}.{function}", RECORDINGS)).as_posix() for function in checks(name)}
    paths = [PurePath(path) for path in (notebooks | recordings) & set(manifest.digests)]
    of_unknown_origin = not paths and any((manifest.build / path).exists() for path in notebooks)
    if of_unknown_origin or not all(manifest.is_intact(path) for path in paths):
        return None
    return {path: (manifest.build / path).read_bytes() for path in paths}


def _is_stale(path: PurePath) -> bool:
    """Return whether a file not of this release has to go: it lies in the kit, or in the folder of an old name."""
    return KIT in path.parents or (len(path.parts) > 2 and path.parts[1] not in assignments())


@cache
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
    for cell in notebook.cells:
        if OWN in cell.metadata and cell.metadata[OWN].pop("rubric", None) and not cell.metadata[OWN]:
            del cell.metadata[OWN]
    _require_blank(name, notebook)
    return nbformat.writes(notebook) + "\n"


def _require_blank(name: str, notebook: NotebookNode) -> None:
    """Raise BlankError where a solution cell of the student's notebook is not blank."""
    for cell in notebook.cells:
        grader = cell.metadata.get("nbgrader", {})
        stub = "raise NotImplementedError()" if cell.cell_type == "code" else "YOUR ANSWER HERE"
        if grader.get("solution") and stub not in cell.source:
            raise BlankError(f"{name}: nbgrader left the solution in the cell '{grader['grade_id']}'")


def kit_files(
    names: Iterable[str], part_numbers: Mapping[str, Mapping[str, int | None]], given: Sequence[str] = ()
) -> Iterator[tuple[Path, bytes]]:
    """Yield path and content of each file of the kit; recorded answers of these names only.

    `part_numbers` are those of the parts of each notebook, by name and function; `given` as for `release`.
    """
    shared = dict(_shared_files()) | dict(given_files(given))
    yield from shared.items()
    graded = _requirements(shared)
    yield Path(GRADER), graded.encode()
    yield Path(PACKAGES), "\n".join(sorted({path.parts[0] for path in shared if len(path.parts) > 1})).encode()
    yield Path("warm.txt"), "\n".join(definition().warm).encode()
    yield Path("modules.txt"), "\n".join(importable(graded.splitlines())).encode()
    for name in ("requirements.txt", "start.py", "check.py", "check.yml"):
        yield Path(name), _for_this_course(name)
    for check_id, content in recordings(list(names), part_numbers, RECORDED).items():
        yield recording_path(check_id, RECORDINGS), content


def _shared_files() -> Iterator[tuple[Path, bytes]]:
    """Yield the files of every kit: the grader's, the course's, the solved modules blanked."""
    for path in (*OURS, *sorted(PUBLIC.rglob("*"))):
        if _is_source(HOME / path):
            yield (HOME / path).relative_to(HOME), (HOME / path).read_bytes()
    for path in _of_the_course():
        yield path.relative_to(ROOT), path.read_bytes()
    for path in sorted(ROOT.glob(definition().solved("*"))):
        yield path.relative_to(ROOT), blanked(Module(path, path.read_text("utf-8"))).encode()


def _of_the_course() -> list[Path]:
    """Return the files that students get as they are: those of each pattern, without those of `!` patterns."""
    chosen: set[Path] = set()
    for pattern in definition().kit:
        if pattern.startswith("!"):
            chosen -= set(ROOT.glob(pattern[1:]))
        else:
            chosen |= {path for path in ROOT.glob(pattern) if _is_source(path)}
    return sorted(chosen)


def _requirements(files: dict[Path, bytes]) -> str:
    """Return those lines of the course's requirements that name a package which the kit's files import."""
    trees = [ast.parse(content) for path, content in files.items() if path.suffix == ".py"]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    packages = packages_of_modules()  # sklearn is installed as scikit-learn
    modules = {name.partition(".")[0] for name in imported}
    needed = {package.lower() for module in modules for package in packages.get(module, [])} | NOT_IMPORTED
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if line.partition("==")[0] in needed)


def _is_source(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and FOLDER not in path.parents


def _for_this_course(name: str) -> bytes:
    """Return a file of the kit that names the course."""
    text = (TEMPLATES / name).read_text("utf-8")
    return text.replace("TITLE", definition().title.upper()).replace("SLUG", definition().slug).encode()


def _in_zip_folder() -> PurePath:
    """Return the one folder in which all of kit.zip lies, whatever unpacks it."""
    return PurePath(definition().slug)


def _zipped(files: Mapping[PurePath, bytes]) -> bytes:
    """Return the released files as one zip for students; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        packed = {_in_zip(path): content for path, content in files.items() if path.parts[0] == "release"}
        packed[_in_zip_folder() / "START HERE.txt"] = _for_this_course("start_here.txt")
        for path in sorted(packed):
            entry = zipfile.ZipInfo(path.as_posix())
            entry.external_attr = 0o644 << 16  # else `unzip` leaves files that only their owner reads
            archive.writestr(entry, packed[path])
    return buffer.getvalue()


def _in_zip(path: PurePath) -> PurePath:
    """Return a released file's path in kit.zip: the notebooks are inside the kit, so that nobody writes in them."""
    inside = path.relative_to("release")
    return _in_zip_folder() / (inside if KIT in path.parents else PurePath("kit", "notebooks", inside))
