"""`python -m autograder new NAME`: the files of a graded exercise, or of a whole chapter of the course."""

import keyword
import re
from contextlib import suppress
from pathlib import Path

from autograder.definition import NAME, Definition, definition
from autograder.files import atomic_write, folder
from autograder.places import ROOT

EXERCISE, FILES = (
    Path(__file__).parent / "templates" / "exercise",
    ("notebook.md.txt", "checks.py.txt", "taught.py.txt"),
)
WORD = re.compile(r"\b(NAME|FUNCTION|TITLE|SOLVED)\b")


def new(name: str, function: str = "", root: Path = ROOT, chapter: bool = False) -> list[Path]:
    """Write the files of an exercise called `name` in which students write `function`; return their paths.

    A chapter has all files of the course's own templates, and its table in the course's list. Raise ValueError, with
    nothing written, if one of the two is no Python name or if something is called so already.
    """
    function = function or name
    for what, word in (("NAME", name), ("FUNCTION", function)):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", word) or keyword.iskeyword(word):
            raise ValueError(f"{what} '{word}' cannot be taken: expected a word of lower-case letters, digits and _")
    course = definition()
    words = {NAME: name, "FUNCTION": function, "TITLE": name.replace("_", " ").capitalize()}
    words["SOLVED"] = course.package(course.solved(name))
    texts = {
        root / path.replace(NAME, name): _filled(template.read_text("utf-8"), words)
        for path, template in _templates(course, chapter).items()
    }
    taken = [path.parent if path.parent.name == name else path for path in texts]
    taken += [root / course.folder(name), root / course.solved(name)]
    if existing := next((path for path in taken if path.exists()), None):
        raise ValueError(f"{existing.relative_to(root)} is there already: choose another name, or delete it first")
    before = {root / course.order: (root / course.order).read_text("utf-8")} if chapter else {}
    edited = {path: f"{text}\n{_filled(_row(course), words)}" for path, text in before.items()}
    _write(texts | edited, before)
    return [*texts, *edited]


def _templates(course: Definition, chapter: bool) -> dict[str, Path]:
    """Return the files to write: {path from the course's root: template}, the name in both still NAME."""
    own = ROOT / course.templates
    if not course.templates or not (chapter or (own / "exercise").is_dir()):
        if chapter:
            raise ValueError("pyproject.toml, [tool.autograder], names no `templates`: only an exercise can be written")
        paths = {
            course.notebook(NAME): "notebook.md",
            course.checks(NAME): "checks.py",
            course.solved(NAME): "taught.py",
        }
        return {path: EXERCISE / f"{template}.txt" for path, template in paths.items()}
    kind = own / ("chapter" if chapter else "exercise")
    return {str(path.relative_to(kind)).removesuffix(".txt"): path for path in sorted(kind.rglob("*.txt"))}


def _row(course: Definition) -> str:
    """Return the rows for one more name in the course's list."""
    return (ROOT / course.templates / f"{Path(course.order).name}.txt").read_text("utf-8")


def _filled(text: str, words: dict[str, str]) -> str:
    return WORD.sub(lambda word: words[word[1]], text)


def _write(texts: dict[Path, str], before: dict[Path, str]) -> None:
    """Write all files, or leave everything as it was if one cannot be written."""
    try:
        for path, text in texts.items():
            folder(path.parent, 0o755)
            atomic_write(path, text.encode(), 0o644)
    except BaseException:
        for path in texts.keys() - before.keys():
            with suppress(OSError):
                path.unlink(missing_ok=True)
                path.parent.rmdir()  # if it is empty
        for path, text in before.items():
            atomic_write(path, text.encode(), 0o644)
        raise
