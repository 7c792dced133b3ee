"""Tests of the references: each paper can be reached from the page, by DOI, arXiv number or address."""

import re
import sys
from pathlib import Path

import pytest

from autograder.assignment import written
from book import build

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import dropped  # noqa: E402  (the book's extensions live beside the book)

TEXT = (ROOT / "book" / "references.bib").read_text(encoding="utf8")
ENTRIES = {  # {key: {field: value}}
    entry[1]: dict(re.findall(r"^  (\w+) = \{(.*)\},?$", entry[2], re.MULTILINE))
    for entry in re.finditer(r"^@\w+\{(\w+),\n(.*?)^\}", TEXT, re.MULTILINE | re.DOTALL)
}
LINKS = {  # field: its form, and what is before it in a link
    "doi": (r"10\.\d{4,9}/\S+", "https://doi.org/"),
    "eprint": (r"\d{4}\.\d{4,5}", "https://arxiv.org/abs/"),
    "url": (r"https://\S+", ""),
}
WITHOUT: set[str] = set()  # entries that cannot be reached: put the key here if a paper has none of the three


def fields(key: str) -> dict[str, str]:
    return {field: ENTRIES[key][field] for field in LINKS if field in ENTRIES[key]}


def test_every_line_of_every_entry_is_read():
    assert len(ENTRIES) == TEXT.count("\n@") + 1 > 40
    assert sum(map(len, ENTRIES.values())) == len(re.findall(r"^  \w", TEXT, re.MULTILINE))


@pytest.mark.parametrize("key", list(ENTRIES))
def test_an_entry_has_a_doi_an_arxiv_number_or_an_address(key):
    assert bool(fields(key)) != (key in WITHOUT), f"{key}: give {', '.join(LINKS)}, or list it in WITHOUT"
    for field, value in fields(key).items():
        assert re.fullmatch(LINKS[field][0], value), f"{key}: {field} = {value}, expected {LINKS[field][0]}"
    assert "arXiv" not in ENTRIES[key].get("note", ""), f"{key}: an arXiv number belongs into eprint"


def test_no_two_entries_lead_to_one_paper():
    values = [value.lower() for key in ENTRIES for value in fields(key).values()]
    assert len(set(values)) == len(values)


def cited(pages: list[str]) -> set[str]:
    """Return the keys of the papers that these pages cite."""
    text = "\n".join((ROOT / "book" / f"{page}.md").read_text(encoding="utf8") for page in pages)
    text = dropped.without_lines(text, set(written()) - set(pages))
    return {key for keys in re.findall(r"\{cite:\w+\}`([^`]+)`", text) for key in keys.split(",")}


@pytest.mark.parametrize("folder", ["_build", "_build_students"])
def test_the_page_links_every_paper(folder):
    page = ROOT / "build" / folder / "html" / "references.html"
    if not page.is_file():
        pytest.skip(f"build/{folder} is not there: make book, make book-students")
    if not build.has_these_contents("full" if folder == "_build" else "students"):
        pytest.skip(f"build/{folder} is of other chapters: make book, make book-students")
    text = page.read_text(encoding="utf8")
    missing = [
        f"{key}: {LINKS[field][1]}{value}"
        for key in cited(build.order("full" if folder == "_build" else "students"))
        for field, value in fields(key).items()
        if f'href="{LINKS[field][1]}{value}"' not in text
    ]
    assert not missing
