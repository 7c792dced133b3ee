"""Tests of the glossary and of the index that is made of it."""

import re
from itertools import pairwise
from pathlib import Path

import indexed
import pytest

from book.contents import name_of, page_file
from tests.support.sites import built

BOOK = Path(__file__).parents[2] / "book"
GLOSSARY = page_file(indexed.GLOSSARY).read_text(encoding="utf8")
ENTRIES = indexed.entries(GLOSSARY)
HEADING = re.compile(r"^#{1,3} +(.+?) *$", re.MULTILINE)


def anchor_of(heading: str) -> str:
    """Return the anchor that MyST gives to a heading: that of GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def sections(page: Path) -> dict[str, str]:
    """Return the text of each section of a page, by the anchor of its heading; what is below it is a part of it."""
    text = re.sub(r"^```\{code-cell\}.*?^```", "", page.read_text(encoding="utf8"), flags=re.MULTILINE | re.DOTALL)
    headings = list(HEADING.finditer(text))
    depths = [len(heading[0]) - len(heading[0].lstrip("#")) for heading in headings]
    ends = [
        next((headings[later].start() for later in range(one + 1, len(headings)) if depths[later] <= depths[one]), None)
        for one in range(len(headings))
    ]
    return {anchor_of(heading[1]): text[heading.start() : end] for heading, end in zip(headings, ends, strict=True)}


PAGES = {name_of(page): sections(page) for page in BOOK.rglob("*.md")}


COMMON = {"attention", "score", "network", "state", "vector", "the", "of"}  # say nothing of which section it is


def plain(text: str) -> str:
    return re.sub(r"[*`–-]", " ", text).lower()


def stems(terms: list[str]) -> set[str]:
    """Return how the words of the terms begin, without the common ones unless there are no others."""
    words = {word for term in terms for word in plain(term).split()}
    return {word[:5] for word in words - COMMON or words}


def test_the_whole_glossary_is_read():
    """Each line at the left is a term of an entry: none is lost to the pattern that the index is made with."""
    block = indexed.BLOCK.findall(GLOSSARY)[0]
    terms = [line for line in block.splitlines() if re.match(r"[^\s:]", line)]
    assert [term for entry, _ in ENTRIES for term in entry] == terms
    assert len(set(terms)) == len(terms) > 50


def test_the_entries_stand_in_order():
    firsts = [plain(terms[0]) for terms, _ in ENTRIES]
    assert all(first <= second for first, second in pairwise(firsts)), sorted(firsts)


@pytest.mark.parametrize(("terms", "definition"), ENTRIES, ids=[terms[0] for terms, _ in ENTRIES])
def test_an_entry_leads_to_sections_that_treat_its_term(terms, definition):
    targets = indexed.SECTION.findall(definition)
    assert targets, f"{terms[0]}: link the section that treats it, [](page.md#heading)"
    for page, anchor in ((name_of(Path(page)), anchor) for page, anchor in targets):
        assert anchor in PAGES.get(page, {}), f"{terms[0]}: {page}.md has no section #{anchor}"
        text = plain(PAGES[page][anchor])
        assert any(re.search(rf"\b{stem}", text) for stem in stems(terms)), f"{page}.md#{anchor} names none of {terms}"


def test_a_section_stands_in_the_index_under_the_terms_that_lead_to_it(tmp_path):
    glossary = "KV cache\nkey–value cache\n  What is kept. See [](page.md#a-section)."
    pages = {
        "index": "# Book\n\n```{toctree}\nglossary\npage\n```\n",
        "page": "# Page\n\n## A section\n\nText.\n\n## Another\n\nText.\n",
        "glossary": f"# Glossary\n\n```{{glossary}}\n{glossary}\n```\n",
    }
    assert not built(tmp_path, pages, extensions=["myst_parser", "indexed"], myst_heading_anchors=3)
    index = (tmp_path / "html" / "genindex.html").read_text(encoding="utf8")
    assert len(re.findall(r'href="page\.html#a-section"[^>]*><strong>A section', index)) == 2
    assert "page.html#another" not in index
    assert '"kv cache"' in (tmp_path / "html" / "searchindex.js").read_text(encoding="utf8")


def test_the_glossary_is_cut_where_a_letter_begins_and_its_terms_keep_their_places(tmp_path):
    glossary = "alpha\n  The first.\n\nAxis\naxes\n  The second.\n\nbeta\n  The third, see {term}`axes`."
    pages = {
        "index": "# Book\n\n```{toctree}\nglossary\n```\n",
        "glossary": f"# Glossary\n\n```{{glossary}}\n:sorted:\n\n{glossary}\n```\n",
    }
    assert not built(tmp_path, pages, extensions=["myst_parser", "indexed"], myst_heading_anchors=3)
    page = (tmp_path / "html" / "glossary.html").read_text(encoding="utf8")
    assert re.findall(r'href="#letter-(\w)">(\w)<', page) == [("a", "A"), ("b", "B")]
    cut = [re.findall(r'<dt id="term-(\w+)"', part) for part in page.split('<p class="letter"')]
    assert cut == [[], ["alpha", "Axis", "axes"], ["beta"]]
    assert 'href="#term-axes"' in page
