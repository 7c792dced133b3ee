"""`python -m autograder new NAME --chapter`: a chapter's files, and its lines in the lists that people read."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from autograder.contents import EVIDENCE

TEMPLATES = Path(__file__).parent / "templates" / "chapter"
PLACES = {
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
