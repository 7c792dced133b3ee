"""Tests of the references: each paper can be reached from the page, by DOI, arXiv number or address."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))


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


@pytest.mark.parametrize("key", list(ENTRIES))
def test_an_entry_has_a_doi_an_arxiv_number_or_an_address(key):
    assert bool(fields(key)) != (key in WITHOUT), f"{key}: give {', '.join(LINKS)}, or list it in WITHOUT"
    for field, value in fields(key).items():
        assert re.fullmatch(LINKS[field][0], value), f"{key}: {field} = {value}, expected {LINKS[field][0]}"
    assert "arXiv" not in ENTRIES[key].get("note", ""), f"{key}: an arXiv number belongs into eprint"
