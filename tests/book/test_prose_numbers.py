"""Numbers in prose that look like scores are quoted from result files by code, or stand in prose_numbers.json.

python -m tests.book.test_prose_numbers              the lines to add to the list, and where each number is
python -m tests.book.test_prose_numbers --write      add them without a source, drop what no page has any more, sort
"""

import json
import re
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from book.contents import name_of

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
LIST = Path(__file__).parent / "prose_numbers.json"
TYPED = "a run, typed"  # a source that is allowed only until a cell quotes the number

FENCE = re.compile(r"^\s*(`{3,}|:{3,}|~{3,})\s*(\{[\w:-]+\})?")
PROSE = {"{admonition}", "{dropdown}", "{note}", "{tip}", "{important}", "{warning}", "{drawing}", "{card}", "{notes}"}
REFERENCE = r"(?:[A-Z]\.)?\d[\d.]*(?<!\.)[a-z]?"
LEFT_OUT = [
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"\$\$.*?\$\$", re.DOTALL),
    re.compile(r"(?<!\\)\$(?:[^$\n]|\n(?!\s*\n))+?\$"),
    re.compile(r"(?:\{[\w:]+\})?(`+)(?!`)(?:.|\n(?!\s*\n))+?\1"),  # code, and roles: quoted numbers, citations
    re.compile(r"\]\([^)]*\)"),  # where a link leads to
    re.compile(r"https?://\S+"),
    re.compile(r"95\s?% (?:bootstrap |confidence )?intervals?"),
    re.compile(
        r"(?:\b(?:[Ss]ections?|[Aa]ppendix|[Cc]hapters?|[Tt]ables?|[Ff]igures?|[Ee]quations?|[Ff]ootnotes?"
        rf"|[Vv]ersions?|Python|PyTorch|arXiv)|§§?)[\s:]*{REFERENCE}(?:(?:,| and| to|,? or)\s+{REFERENCE})*"
    ),
]
SCORE = re.compile(r"(?<![\w.,:/·^])(?:\d*\.\d+|\d+(?=(?:\s|&nbsp;)?%))(?![\w]|\.\d|,\d)")


@dataclass(frozen=True)
class Number:
    """A number of a page: the page, its line, how it is written, and the words around it."""

    chapter: str
    line: int
    number: str
    context: str


def blank(match: re.Match[str]) -> str:
    """Return as many lines as the match has, without its words."""
    return " ¤ " + "\n" * match[0].count("\n")


def prose(text: str) -> str:
    """Return the text of a page without cells, code, formulas, tables and references; a line stays where it is."""
    lines, code = [], ""
    front = text.startswith("---\n")
    for line in text.split("\n"):
        fence = FENCE.match(line)
        if front:
            front = not (line == "---" and lines)
            lines.append("")
        elif code:
            code = "" if fence and fence[1].startswith(code) and not fence[2] else code
            lines.append("")
        elif fence:
            code = fence[1] if line.strip() != fence[1] and fence[2] not in PROSE else ""
            lines.append(line[fence.end() :] if not code else "")  # the title of an admonition
        else:
            lines.append("" if line.lstrip().startswith("|") else line)
    rest = "\n".join(lines)
    for pattern in LEFT_OUT:
        rest = pattern.sub(blank, rest)
    return rest


def numbers(chapter: str, text: str) -> Iterator[Number]:
    """Return the numbers of a page's prose that look like scores."""
    original = text.split("\n")
    for index, line in enumerate(prose(text).split("\n")):
        for match in SCORE.finditer(line):
            at = original[index].find(match[0])
            yield Number(chapter, index + 1, match[0], original[index][max(0, at - 60) : at + 60].strip())


def in_pages(book: Path = BOOK) -> list[Number]:
    """Return the numbers of all pages."""
    return [
        each
        for page in sorted(book.rglob("*.md"))
        if page.name != "discussion.md"
        for each in numbers(name_of(page), page.read_text("utf8"))
    ]


def listed() -> dict[tuple[str, str], str]:
    """Return the sources of the numbers in the list, by chapter and number."""
    return {(entry["chapter"], entry["number"]): entry["source"] for entry in json.loads(LIST.read_text("utf8"))}


def missing() -> list[Number]:
    """Return the numbers that have no source in the list: each number of a page once."""
    sources = listed()
    first = {(each.chapter, each.number): each for each in reversed(in_pages())}
    return [each for key, each in sorted(first.items()) if not sources.get(key)]


def written(entries: dict[tuple[str, str], str]) -> str:
    """Return the list as text: a line for each number."""
    lines = [
        json.dumps({"chapter": chapter, "number": number, "source": source}, ensure_ascii=False)
        for (chapter, number), source in sorted(entries.items())
    ]
    return "\n".join(["[", *([",\n".join(lines)] if lines else []), "]", ""])


def test_every_number_in_prose_has_a_source():
    faults = [
        f"book/{each.chapter}.md:{each.line}: {each.number} in “{each.context}”: quote it from its result file by a "
        "hidden cell (book/show/quoting.py), or give its source (a paper and its table, by hand, computed) in "
        "tests/book/prose_numbers.json: python -m tests.book.test_prose_numbers prints the line"
        for each in missing()
    ]
    assert not faults, "\n".join(faults)


def test_the_list_has_no_number_that_stands_nowhere():
    pages = {(each.chapter, each.number) for each in in_pages()}
    faults = [
        f"tests/book/prose_numbers.json: {number} stands no longer in the prose of book/{chapter}.md: drop its line "
        "(python -m tests.book.test_prose_numbers --write drops all such lines)"
        for chapter, number in sorted(listed().keys() - pages)
    ]
    assert not faults, "\n".join(faults)


def test_no_number_of_a_run_is_typed():
    typed = [f"book/{chapter}.md: {number}: {text}" for (chapter, number), text in listed().items() if TYPED in text]
    assert not typed, "quote them from their result files by a hidden cell:\n" + "\n".join(typed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It has 38.5 BLEU, an error rate of .256, 95.3 % and 91 %.", ["38.5", ".256", "95.3", "91"]),
        ("In the table:\n\n| a | 38.5 |\n|--|--|\n\nand $x = 0.5$ or\n$$\n0.7\n$$\nit is 3.14.", ["3.14"]),
        ("```{code-cell} python\nx = 0.5\n```\nThen `0.7`, {glue:text}`bleu`, {cite:t}`a2015`, 1,905 and 2.", []),
        ("Section 3.2.1, sections 3.2 and 4.1, appendix A.1.2, §2.1; table 1 has 28.45.", ["28.45"]),
        (":::{admonition} A title of 0.5\n:class: tip\nIts text of 1.5.\n:::", ["0.5", "1.5"]),
        ("---\nversion: 0.5\n---\nFrom 0.1\nto 2.5.", ["0.1", "2.5"]),
        ("````{dropdown} Why?\n```python\n0.5\n```\nBecause of 0.25.\n````\nAnd .75", ["0.25", ".75"]),
    ],
)
def test_what_counts_as_a_number_in_prose(text, expected):
    assert [each.number for each in numbers("chapter", text)] == expected


def main() -> None:
    parser = ArgumentParser(description="List the numbers in the pages that look like scores and have no source.")
    parser.add_argument("--write", action="store_true", help="put them into prose_numbers.json, to be filled in")
    arguments = parser.parse_args()
    new = missing()
    if arguments.write:
        pages = {(each.chapter, each.number) for each in in_pages()}
        kept = {key: source for key, source in listed().items() if key in pages}
        LIST.write_text(written({(each.chapter, each.number): "" for each in new} | kept), "utf8")
        return
    for each in new:
        entry = {"chapter": each.chapter, "number": each.number, "source": ""}
        print(f"{json.dumps(entry, ensure_ascii=False)},    line {each.line}: {each.context}")


if __name__ == "__main__":
    main()
