"""What a slide takes over of a page, freed of what belongs to a page alone: prose, headings, code."""

import ast
import re
from collections.abc import Iterator

from book.tree import Element, parsed

PART = re.compile(r"p[0-9a-f]{8}-")  # book/_ext/plots.py names the parts of a plot so
SHORT_CODE = 14  # lines of a cell that still leave room for what it prints
DOCSTRING = '<span class="sd">'  # a line of a docstring, as the highlighter marks it
COURSE = re.compile(r"^from (?:lab|book)\b", re.MULTILINE)  # its machinery, which no class looks at


def plain(element: Element) -> Element:
    """Return a copy without what belongs to a page alone: links, names of places, buttons."""

    def change(each: Element) -> list[Element | str]:
        if "headerlink" in each.classes or "cited" in each.classes or each.name == "button":
            return []
        is_referred_to = each.name == "marker" or PART.match(each.attributes.get("id", ""))
        each.attributes.pop("id", None) if not is_referred_to else None
        each.attributes.pop("style", None) if each.name == "img" else None  # as wide as a page
        return each.children if each.name == "a" else [each]

    [made] = element.mapped(change)
    return made if isinstance(made, Element) else Element("span", {}, [made])


def spoken(element: Element) -> str:
    """Return prose for the speaker's window, which has none of the slides' styles: formulas are MathML alone."""

    def change(each: Element) -> list[Element | str]:
        return [*each.find("math")[:1]] if "katex" in each.classes else [each]

    return "".join(child if isinstance(child, str) else child.html() for child in plain(element).mapped(change))


def outer(pieces: list[Element | str]) -> str:
    """Return pieces of a paragraph as HTML."""
    return Element("p", {}, pieces).inner().strip()


def titled(section: Element) -> tuple[Element, list[Element]]:
    """Return the heading of a section, and what follows it."""
    place = next(place for place, each in enumerate(section.elements) if re.fullmatch("h[1-6]", each.name))
    return section.elements[place], section.elements[place + 1 :]


def questions(content: list[Element]) -> Iterator[tuple[Element, list[Element]]]:
    """Yield each question of a section of questions, as its paragraph, and what its answer unfolds."""
    before: Element | None = None
    for element in content:
        if element.name == "details":
            unfolds, *answer = element.elements
            named = unfolds.find(kind="sd-summary-text")[0]
            # The question stands before what unfolds, or on it.
            yield before if before and named.text == "Answer" else Element("p", {}, named.children), answer
        before = element


def is_worth_showing(code: str, taught: set[str]) -> bool:
    """Return whether a cell's code is short and shows a taught function, or PyTorch, at work on numbers given there."""
    names = {each.id for each in ast.walk(ast.parse(code)) if isinstance(each, ast.Name)}
    return bool(names & (taught | {"torch", "nn"})) and not COURSE.search(code) and code.count("\n") < SHORT_CODE


def summary(code: Element) -> str:
    """Return the first sentence of the first docstring, which says what the function returns."""
    words = "\n".join(mark.inner_text.strip() for mark in code.find(kind="sd")).strip('"')
    first = re.split(r'\n\n|"""', words)[0]
    return re.split(r"(?<=\.)\s", re.sub(r"\s+", " ", first).strip())[0]


def without_docstrings(code: Element) -> Element:
    """Return code without its docstrings, which say what the slide's text says."""
    [pre] = code.find("pre")
    lines = pre.inner().split("\n")  # the highlighter ends every mark at the end of its line
    # With the blank line that the formatter puts between a docstring and the body.
    kept = [
        line
        for line, before in zip(lines, ["", *lines], strict=False)
        if DOCSTRING not in line and (line or DOCSTRING not in before)
    ]
    return Element("div", {"class": "highlight"}, parsed(f"<pre>{chr(10).join(kept)}</pre>").children)
