"""The zip of an autograder for Gradescope: the grader, one secret, and three scripts."""

import io
import secrets
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from autograder.assignment import assignments, demand, template
from autograder.definition import FILE as DEFINITION
from autograder.definition import definition
from autograder.files import atomic_write
from autograder.places import BUILD, HOME, KIT, ROOT, released_notebook
from autograder.sandbox.sandbox import require_current_kit
from autograder.settings import FILE as SETTINGS

FILES = Path(__file__).parent / "files"
SCRIPTS = ("setup.sh", "run_autograder", "places.sh")
LEFT_OUT = {"__pycache__", "katex", "results"}
# Of requirements.txt: grading's imports beside the kit's packages. A test compares them with the loaded modules.
GRADING = {"nbformat", "jsonschema", "ipython", "jaxtyping", "matplotlib-inline", "packaging", "pillow", "pyyaml"}
GRADING |= {"mistune", "python-dateutil", "traitlets"}
SHORTEST, LONGEST = 5, 40  # minutes: Gradescope gives at most 40, and a notebook may take four


def pack(name: str, visibility: str, minutes: int, out: Path | None) -> Iterator[str]:
    """Write the zip of one assignment; yield lines about it for the teacher.

    A zip made again keeps its secret, so that a regrade draws the same inputs.
    """
    demand([name])
    if not SHORTEST <= minutes <= LONGEST:
        raise ValueError(f"--minutes {minutes}: expected {SHORTEST} to {LONGEST}")
    require_current_kit(KIT)
    out = out or BUILD / "gradescope" / f"{name}.zip"
    words = {"@NAME@": name, "@VISIBILITY@": visibility, "@MINUTES@": str(minutes)}
    atomic_write(out, _zipped(dict(_files(words)) | {"course/build/course-secret": _secret(out)}))
    form = template(name)
    bonus = f" (and {form.bonus_points:g} bonus points, which come on top)" if form.bonus_points else ""
    yield f"{out}: upload it under Configure Autograder. It holds the solutions and a secret: show it to nobody."
    yield f"Autograder points: {form.core_points - form.manual_points:g}{bonus}"
    if form.manual_points:
        yield f"Points by hand, as manually graded questions: {form.manual_points:g}"
    yield f"Container: 1 CPU and 1.5 GB or more; time limit {minutes} minutes"


def _secret(out: Path) -> bytes:
    try:
        with zipfile.ZipFile(out) as before:
            return before.read("course/build/course-secret")
    except (OSError, KeyError, zipfile.BadZipFile):
        return secrets.token_hex(32).encode()


def _files(words: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    for script in SCRIPTS:
        text = (FILES / script).read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(word, value)
        yield script, text.encode()
    yield "requirements.txt", _requirements().encode()
    notebooks = [released_notebook(name) for name in assignments()]  # of all: somebody may hand in another one
    course = definition()
    trees = [HOME / "autograder", HOME / "lab", *(ROOT / tree for tree in course.trees)]
    files = [path for tree in trees for path in tree.rglob("*") if not _is_left_out(path)]
    files += [*KIT.rglob("*"), *notebooks, *(ROOT / name for name in (DEFINITION, course.order, course.flags) if name)]
    files += [ROOT / SETTINGS]
    for path in sorted(files):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"course/{_place(path)}", path.read_bytes()


def _is_left_out(path: Path) -> bool:
    return bool(LEFT_OUT.intersection(_place(path).parts))


def _place(path: Path) -> PurePosixPath:
    """Return a file's path below the course, wherever `build` is."""
    if path.is_relative_to(BUILD):
        return PurePosixPath("build", path.relative_to(BUILD))
    return PurePosixPath(path.relative_to(ROOT if path.is_relative_to(ROOT) else HOME))


def _requirements() -> str:
    """Return the lines of the kit's packages, and the lines of requirements.txt that grading needs as well."""
    lines = (KIT / "grader.txt").read_text(encoding="utf-8").splitlines()
    lines += (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = {line.partition("==")[0]: line.partition("#")[0].strip() for line in reversed(lines) if "==" in line}
    of_kit = {line.partition("==")[0] for line in (KIT / "grader.txt").read_text(encoding="utf-8").splitlines()}
    return "".join(f"{pins[name]}\n" for name in sorted((of_kit | GRADING) & set(pins)))


def _zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o755 if name in SCRIPTS else 0o600) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()
