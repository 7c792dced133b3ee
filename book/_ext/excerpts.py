"""What the search finds, and what a link shows of its target, taken from the written pages into two scripts.

sections.js has each section's own text with the terms of the glossary that lead to it, and each entry of the glossary.
excerpts.js has what stands where a link within the book leads: an entry, a formula, a figure, the head of a section.
Both are scripts and no data, because a page that is read from the disk may load a script and may fetch nothing.
"""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from shutil import copyfile
from typing import Any

from indexed import GLOSSARY, entries
from lxml import html
from sphinx.application import Sphinx

from book.contents import name_of

LIBRARY = Path(__file__).parent / "minisearch" / "minisearch.js"
ASIDE = (  # what is no text of a section, or says a formula twice
    "script|style|svg|pre|noscript|button|summary[not(parent::details[contains(@class,'listed')])]|annotation"
    "|*[contains(@class,'headerlink')]|*[@aria-hidden='true']|*[contains(@class,'section-number')]"
    "|div[contains(@class,'math')]|div[contains(@class,'cell')]"
)
UNSHOWN = "script|style|noscript|button|*[contains(@class,'headerlink')]|*[contains(@class,'cited')]|annotation"
LINK = re.compile(r"([\w-]+)\.html#([\w.:-]+)")
LONGEST = 6_000  # bytes of an excerpt: a wide formula
HEADS = ("h1", "h2", "h3", "h4")
Section = tuple[str, str, str, str, str]  # address, page, title, text, terms


def without(element: Any, paths: str) -> Any:
    """Return a copy without the elements of these paths; the text behind them stays."""
    made = deepcopy(element)
    made.tail = None
    for path in paths.split("|"):
        for each in made.xpath(f".//{path}"):
            if each.getparent() is not None:
                each.drop_tree()
    return made


def words(element: Any) -> str:
    """Return the words of an element, without asides and with single blanks."""
    return re.sub(r"\s+", " ", without(element, ASIDE).text_content()).strip()


def articles(site: Path, names: set[str]) -> Iterator[tuple[str, Any]]:
    """Yield each page's name and its article."""
    for name in sorted(names):
        file = site / f"{name}.html"
        if file.is_file() and (articles := html.parse(str(file)).xpath("//article[contains(@class,'bd-article')]")):
            yield name, articles[0]


def sections(name: str, article: Any, terms: dict[tuple[str, str], list[str]]) -> Iterator[Section]:
    """Yield the sections of a page, each without those within it, and the entries of the glossary."""
    page = next((words(head) for head in article.iter("h1")), name)
    for section in article.iter("section"):
        heads = [each for each in section if each.tag in HEADS]
        if not heads:
            continue
        own = deepcopy(section)
        for inner in [
            *own.xpath(".//section"),
            *own.xpath("./h1|./h2|./h3|./h4"),
            *own.xpath(".//dl[contains(@class,'glossary')]"),
        ]:
            inner.drop_tree()
        anchors = [section.get("id", ""), *(each.get("id", "") for each in section.xpath("./span[@id]"))]
        keywords = dict.fromkeys(term for anchor in anchors for term in terms.get((name, anchor), []))
        address = f"{name}.html" if heads[0].tag == "h1" else f"{name}.html#{section.get('id')}"
        yield address, page, words(heads[0]), words(own), ", ".join(keywords)
    for term in article.xpath(".//dl[contains(@class,'glossary')]/dt[@id]"):
        yield f"{name}.html#{term.get('id')}", page, words(term), words(meaning(term)), ""


def meaning(term: Any) -> Any:
    """Return the definition of a term in the glossary; several terms may share one."""
    return next(each for each in term.itersiblings() if each.tag == "dd")


def excerpt(target: Any) -> str:
    """Return the excerpt for a link to this element: an entry, a formula, a figure, or the beginning of a section."""
    if target.tag == "dt":
        elements = [target, meaning(target)]
    elif target.tag == "section":
        paragraphs = [each for each in target if each.tag == "p"]
        elements = [*(each for each in target if each.tag in HEADS), *paragraphs[:1]]
    elif target.tag in ("figure", "table") or "math" in (target.get("class") or ""):
        elements = [target]
    else:
        return ""
    text = "".join(_plain(each) for each in elements)
    return text if len(text.encode()) <= LONGEST else ""


def _plain(element: Any) -> str:
    """Return an element as HTML without addresses, names and what only the eye of a page needs twice."""
    made = without(element, UNSHOWN + "|*[contains(@class,'katex-mathml')]")
    for each in made.iter():
        for name in ("id", "href", "tabindex", "name", "title"):
            each.attrib.pop(name, None)
    tag = {"dt": "b", "dd": "div"}.get(made.tag, "b" if made.tag in HEADS else made.tag)
    made.tag = tag
    return str(html.tostring(made, encoding="unicode")).strip()


def led_to(every: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the pages and places to which links of other pages lead."""
    hrefs = {link.get("href") for article in every.values() for link in article.iter("a") if link.get("href")}
    return {(match[1], match[2]) for href in hrefs if (match := LINK.fullmatch(href)) and match[1] in every}


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write both scripts and the library beside the pages."""
    if exception is not None or app.builder.name != "html":
        return
    site = Path(app.outdir)
    every = dict(articles(site, set(app.env.found_docs)))
    terms: dict[tuple[str, str], list[str]] = {}
    if GLOSSARY in every:
        source = Path(app.env.doc2path(GLOSSARY))
        for named, text in entries(source.read_text(encoding="utf8")):
            for page, slug in re.findall(r"\]\(([\w./-]+\.md)#([\w-]+)\)", text):
                terms.setdefault((name_of((source.parent / page).resolve()), slug), []).extend(named)
    parts = [list(each) for name, article in every.items() for each in sections(name, article, terms)]
    texts = {}
    for page, place in sorted(led_to(every)):
        targets = every[page].xpath(".//*[@id=$place]", place=place)
        target = next((each.getparent() if each.tag == "span" else each for each in targets), None)
        if target is not None and (text := excerpt(target)):
            texts[f"{page}.html#{place}"] = text
    for script, name, data in (("sections.js", "SECTIONS", parts), ("excerpts.js", "EXCERPTS", texts)):
        compact = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        (site / "_static" / script).write_text(f"window.{name}={compact}\n", encoding="utf8")
    copyfile(LIBRARY, site / "_static" / LIBRARY.name)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write, priority=950)  # after the pages have been mended
    return {"parallel_read_safe": True}
