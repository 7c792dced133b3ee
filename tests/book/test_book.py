"""Tests of the book's sources: its parts fit together, nothing is missing, nothing is in doubt."""

import re
from pathlib import Path

import pytest

from book.contents import EVIDENCE, PROGRAM, chapter_of, chapters, further, page_file, pages, tools
from book.make.models import pins
from book.make.reading import CELL, HEAD, MOST_WORDS, SHORTER
from lab.evaluation.pins import Pin

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
PARTS = {
    "package": "solutions/{}/attention.py",
    "chapter": "book/{}/lesson.md",
    "evidence": "book/{}/evidence.md",
    "exercise": "exercises/{}/notebook.md",
    "checks": "exercises/{}/checks.py",
}

TEXT = (BOOK / "references.bib").read_text(encoding="utf8")
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


def missing_parts(root: Path) -> list[str]:
    """Return a sentence for each part of a name that is not there."""
    names = set(chapters(root)) | {path.parent.name for path in root.glob("solutions/*/attention.py")}
    names |= {path.parent.name for path in root.glob("exercises/*/notebook.md")}
    alone = {path.parent.name for path in root.glob("exercises/*/notebook.md")} - set(
        chapters(root)
    )  # may stand without a chapter
    return [
        f"{name} has no {kind}: write {part.format(name)}."
        for name in sorted(names)
        for kind, part in PARTS.items()
        if not (root / part.format(name)).is_file() and not (kind in ("chapter", "evidence") and name in alone)
    ]


def test_every_name_has_all_its_parts():
    assert not missing_parts(ROOT), "\n".join(missing_parts(ROOT))


@pytest.mark.parametrize("name", chapters())
def test_a_chapter_is_a_lesson_and_its_evidence_which_follows_it_and_is_linked(name):
    lesson = page_file(name).read_text(encoding="utf8")
    words = len(lesson.split())
    most = SHORTER.get(name, MOST_WORDS)
    assert words <= most, f"book/{name}/lesson.md has {words} words, expected {most} or less: move some"
    after = pages()[pages().index(name) + 1 :]
    own = [*further(name), *filter(after.__contains__, [name + PROGRAM]), name + EVIDENCE]
    assert after[: len(own)] == own, "its program and its evidence follow it"
    assert "(evidence.md" in lesson, f"book/{name}/lesson.md: link its evidence, [the evidence](evidence.md)"
    assert page_file(name + EVIDENCE).read_text(encoding="utf8").count("} What these runs cannot say\n") == 1


MACHINERY = re.compile(r"\b(?:SOLUTION|recipes?|pinned|collate|model_cache)\b")
DENIALS = re.compile(r"\b(?:not|no|nothing|never|cannot|hardly)\b", re.IGNORECASE)
MOST_DENIALS, MOST_LINKS, MOST_FURTHER = 12, 4, 3000
PHRASEBOOKS = "phrasebook", "roles", "two_facts"  # corpora in the French of the eighteen words
READS_FRENCH = {pin.solution.name for pin in pins() if isinstance(pin, Pin) and pin.corpus in PHRASEBOOKS}


@pytest.mark.parametrize("name", chapters())
def test_a_lesson_that_tells_one_story_asks_first_and_shows_no_machinery(name):
    lesson = HEAD.sub("", page_file(name).read_text(encoding="utf8"))
    prose = re.sub(r"^\|.*$", "", CELL.sub("", lesson), flags=re.MULTILINE)
    shown = [code for options, code in CELL.findall(lesson) if "remove" not in options]
    assert not MACHINERY.findall("\n".join([prose, *shown])), "a word of the course's machinery: explain it, or hide it"
    assert len(DENIALS.findall(prose)) <= MOST_DENIALS
    assert lesson.count("(evidence.md") <= MOST_LINKS
    asked, answered = (re.search(rf'^{call}\("(\w+)"', lesson, re.MULTILINE) for call in ("guess", "paid"))
    assert asked, "the first screen asks for a guess"
    assert answered, "a chart answers it"
    assert asked[1] == answered[1]
    assert asked.start() < lesson.index("\n## ") < answered.start(), "before the first section, and below a later one"
    strip = f"\nso_far({name}=" in lesson
    assert strip == (name in READS_FRENCH), "the strip of the eighteen words, where a pinned model reads them"
    assert "literalinclude" not in lesson, "a taught function stands as {write}"


@pytest.mark.parametrize("page", [page for name in chapters() for page in further(name)])
def test_a_further_page_of_a_chapter_is_short_and_is_linked_both_ways(page):
    text, name = page_file(page).read_text(encoding="utf8"), chapter_of(page)
    assert len(text.split()) <= MOST_FURTHER, f"{page} has {len(text.split())} words, expected {MOST_FURTHER} or less"
    assert "(lesson.md" in text
    assert f"({page}.md" in page_file(name).read_text(encoding="utf8")


@pytest.mark.parametrize("name", [name for name in chapters() if tools(name)])
def test_the_tools_of_a_chapter_are_pages_that_it_links_and_that_lead_back(name):
    lesson = page_file(name).read_text(encoding="utf8")
    for tool in tools(name):
        assert tool in pages(), f"book/_toc.yml lacks {tool}"
        text = page_file(tool).read_text(encoding="utf8")
        assert f"(../tools/{tool}.md" in lesson or any(
            f"({tool}.md" in page_file(other).read_text(encoding="utf8") for other in tools(name)
        ), f"no link leads to {tool}"
        assert f"(../{name}/" in text
        prose = CELL.sub("", HEAD.sub("", text))
        assert 300 <= len(prose.split()) <= 900, f"{tool} has {len(prose.split())} words"


def test_every_citation_has_its_entry_and_every_entry_is_cited():
    text = "\n".join(page.read_text(encoding="utf8") for page in BOOK.rglob("*.md"))
    cited = {key for keys in re.findall(r"\{cite:\w+\}`([^`]+)`", text) for key in keys.split(",")}
    assert cited == set(ENTRIES), (
        f"book/references.bib lacks {sorted(cited - set(ENTRIES))}, and no page cites {sorted(set(ENTRIES) - cited)}"
    )


def fields(key: str) -> dict[str, str]:
    return {field: ENTRIES[key][field] for field in LINKS if field in ENTRIES[key]}


@pytest.mark.parametrize("key", list(ENTRIES))
def test_an_entry_has_a_doi_an_arxiv_number_or_an_address(key):
    assert bool(fields(key)) != (key in WITHOUT), f"{key}: give {', '.join(LINKS)}, or list it in WITHOUT"
    for field, value in fields(key).items():
        assert re.fullmatch(LINKS[field][0], value), f"{key}: {field} = {value}, expected {LINKS[field][0]}"
    assert "arXiv" not in ENTRIES[key].get("note", ""), f"{key}: an arXiv number belongs into eprint"


@pytest.mark.parametrize("drawing", sorted(BOOK.glob("*/drawings/*.svg")), ids=lambda path: path.stem)
def test_a_drawing_says_what_it_shows_and_takes_the_colours_of_the_page(drawing):
    text = drawing.read_text(encoding="utf8")
    assert re.search(r'role="img"[^>]*>\s*<title[^>]*>[^<]{10,}</title>\s*<desc[^>]*>[^<]{40,}</desc>', text)
    assert not re.search(r"[\s<]style\b", text), "a page can change an attribute, but no style"
    pages = [page.read_text(encoding="utf8") for page in BOOK.rglob("*.md")]
    shown = f"{{drawing}} {drawing.stem}\n", f"{{card}}`{drawing.stem.removesuffix('_card')}`"
    assert any(each in page for page in pages for each in shown), "no page shows it"
