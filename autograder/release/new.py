"""`python -m autograder new NAME`: the files of a graded exercise, or of a chapter and its lines in the lists."""

import keyword
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from autograder.contents import EVIDENCE
from autograder.files import atomic_write, folder
from autograder.places import ROOT

TEMPLATES = Path(__file__).parent / "templates"
LISTS = ("book/_toc.yml", "book/index.md", "TEACHING.md")  # in which a chapter has lines
WORD = re.compile(rf"\b(NAME|FUNCTION|TITLE)(?=\b|{EVIDENCE})")


def new(name: str, function: str = "", root: Path = ROOT, chapter: bool = False) -> list[Path]:
    """Write the files of an exercise called `name` in which students write `function`; return their paths.

    A chapter has more files, and lines in others. Raise ValueError, with nothing written, if one of the two is no
    Python name or if something is called so already.
    """
    function = function or name
    for what, word in (("NAME", name), ("FUNCTION", function)):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", word) or keyword.iskeyword(word):
            raise ValueError(f"{what} '{word}' cannot be taken: expected a word of lower-case letters, digits and _")
    kind = TEMPLATES / ("chapter" if chapter else "exercise")
    templates = sorted(kind.rglob("*.txt"))  # where each belongs, below the course, its own path says
    paths = [root / str(path.relative_to(kind)).removesuffix(".txt").replace("NAME", name) for path in templates]
    taken = [path.parent if path.parent.name == name else path for path in paths]
    taken += [root / f"book/{name}.md", root / f"autograder/checks/{name}.py"]
    there = next((path for path in taken if path.exists()), None)
    if there:
        raise ValueError(f"{there.relative_to(root)} is there already: choose another name, or delete it first")
    words = {"NAME": name, "FUNCTION": function, "TITLE": name.replace("_", " ").capitalize()}

    def fill(text: str) -> str:
        return WORD.sub(lambda word: words[word[1]], text)

    texts = {path: fill(template.read_text("utf-8")) for path, template in zip(paths, templates, strict=True)}
    before = {root / file: (root / file).read_text("utf-8") for file in LISTS if chapter}
    edited = _edited(before, fill) if chapter else {}
    _write(texts | edited, before)
    return [*texts, *edited]


def _write(texts: dict[Path, str], before: dict[Path, str]) -> None:
    """Write all files, or, where one cannot be written, leave everything as it was."""
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


def _edited(lists: dict[Path, str], fill: Callable[[str], str]) -> dict[Path, str]:
    """Return the texts of LISTS with the chapter's lines in them, by path; `fill` writes the names into a template."""
    lines = {path.stem: fill(path.read_text("utf-8")) for path in (TEMPLATES / "lists").glob("*.txt")}
    contents, road, teaching = lists.values()
    teaching = _with_row(_with_row(teaching, "What needs what", lines["needs"]), "Week by week", lines["weeks"])
    teaching = _before(teaching, "\n## Slides\n", "\n" + lines["questions"])
    edited = _in_contents(contents, lines["contents"]), _in_road(road, lines["road"]), teaching
    return dict(zip(lists, edited, strict=True))


def _in_contents(text: str, lines: str) -> str:
    """Return the list of contents with these lines behind the last chapter of the last numbered part."""
    start = text.rindex("numbered: true")
    end = re.compile(r"(?:      - file: .*\n(?:        .*\n)*)+").search(text, start)
    if end is None:
        raise ValueError("book/_toc.yml has no numbered part with chapters: expected `- file: NAME` lines in it")
    return text[: end.end()] + lines + text[end.end() :]


def _in_road(text: str, item: str) -> str:
    start = text.index(":::{div} road")
    return text[:start] + _before(text[start:], "\n:::\n", "\n" + item.rstrip("\n"))


def _with_row(text: str, heading: str, row: str) -> str:
    """Return a text with one more row in the first table below a heading."""
    start = text.index(f"\n## {heading}\n")
    table = re.compile(r"(?:^\|.*\n)+", re.MULTILINE).search(text, start)
    if table is None:
        raise ValueError(f"TEACHING.md has no table below “{heading}”, in which the chapter's row would stand")
    return text[: table.end()] + row + text[table.end() :]


def _before(text: str, mark: str, added: str) -> str:
    place = text.index(mark)
    return text[:place] + added + text[place:]
