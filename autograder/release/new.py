"""`python -m autograder new NAME`: the files of a graded exercise, or of a chapter and its lines in the lists."""

import keyword
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from autograder.contents import EVIDENCE
from autograder.files import atomic_write, folder
from autograder.places import ROOT

TEMPLATES = Path(__file__).parent / "templates"
PLACES = {
    "attention.txt": "solutions/{}/attention.py",
    "checks.txt": "autograder/checks/{}/checks.py",
    "exercise.txt": "exercises/{}.md",
}
CHAPTER_PLACES = {
    "attention.txt": "solutions/{}/attention.py",
    "checks.txt": "autograder/checks/{}/checks.py",
    "exercise.txt": "exercises/{}.md",
    "chapter.txt": "book/{}.md",
    "evidence.txt": f"book/{{}}{EVIDENCE}.md",
    "answers.txt": "tests/answers/{}/__init__.py",
    "right.txt": "tests/answers/{}/right.py",
    "wrong.txt": "tests/answers/{}/wrong.py",
    "equivalent.txt": "tests/answers/{}/equivalent.py",
    "test.txt": "tests/solutions/test_{}.py",
}
Edit = Callable[[str], str]
QUESTIONS = """### `NAME`

**Ask the class something about TITLE?**
*Good:* what to listen for.

**Ask it something else?**
*Good:* what to listen for.

"""
ROAD = """1. [](NAME.md) – What could the last chapter not do?\\
   *You write* `FUNCTION`.\\
   *Minutes:* 5 of reading, 15 in the notebook.
"""
CONTENTS = f"""      - file: NAME
        sections:
          - file: NAME{EVIDENCE}
"""
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
    kind, places = ("chapter", CHAPTER_PLACES) if chapter else ("exercise", PLACES)
    paths = {template: root / place.format(name) for template, place in places.items()}
    taken = [path.parent if path.parent.name == name else path for path in paths.values()]
    taken += [root / f"book/{name}.md", root / f"autograder/checks/{name}.py"]
    there = next((path for path in taken if path.exists()), None)
    if there:
        raise ValueError(f"{there.relative_to(root)} is there already: choose another name, or delete it first")
    words = {"NAME": name, "FUNCTION": function, "TITLE": name.replace("_", " ").capitalize()}

    def fill(text: str) -> str:
        return WORD.sub(lambda word: words[word[1]], text)

    texts = {path: fill((TEMPLATES / kind / template).read_text("utf-8")) for template, path in paths.items()}
    if not chapter:
        _write(texts, {})
        return list(texts)
    before = {root / file: (root / file).read_text("utf-8") for file in edits(fill)}
    edited = {root / file: edit(before[root / file]) for file, edit in edits(fill).items()}
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


def edits(fill: Edit) -> dict[str, Edit]:
    """Return {file: what puts the chapter's lines into its text}; `fill` writes the names into a template."""
    rows = {
        "What needs what": "| `NAME` | – | – | 5 | 15 |",
        "Week by week": "| 15 | `NAME` | 5 | 1 · 15 | | say the goal of the class |",
    }

    def teaching(text: str) -> str:
        for heading, row in rows.items():
            text = _with_row(text, heading, fill(row))
        return _before(text, "\n## Slides\n", "\n" + fill(QUESTIONS).rstrip("\n") + "\n")

    return {
        "book/_toc.yml": partial(_in_contents, lines=fill(CONTENTS)),
        "book/index.md": partial(_in_road, item=fill(ROAD)),
        "TEACHING.md": teaching,
    }


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
    return text[: table.end()] + row + "\n" + text[table.end() :]


def _before(text: str, mark: str, added: str) -> str:
    place = text.index(mark)
    return text[:place] + added + text[place:]
