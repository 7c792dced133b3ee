"""What a slide takes over of a page, freed of what belongs to a page alone: prose, headings, code."""

import ast
import re
from collections.abc import Iterator
from copy import copy
from itertools import pairwise

from bs4 import Tag

from book.make.html_tree import Piece, classes, find, html, inner, parsed, tags

PART = re.compile(r"p[0-9a-f]{8}-")  # book/_ext/plots.py names the parts of a plot so
SHORT_CODE = 14  # lines of a cell that still leave room for what it prints
DOCSTRING = '<span class="sd">'  # a line of a docstring, as the highlighter marks it
COURSE = re.compile(r"^from (?:lab|book)\b", re.MULTILINE)  # its machinery, which no class looks at


def plain(element: Tag) -> Tag:
    """Return a copy without what belongs to a page alone: links, names of places, buttons."""
    made = copy(element)
    for each in [made, *find(made)]:
        if each.decomposed:
            continue
        if {"headerlink", "cited"} & classes(each) or each.name == "button":
            each.decompose()
            continue
        if each.name != "marker" and not PART.match(str(each.get("id", ""))):
            each.attrs.pop("id", None)
        if each.name == "img":
            each.attrs.pop("style", None)  # as wide as a page
        if each.name == "a":
            each.unwrap()
    return made


def spoken(element: Tag) -> str:
    """Return prose for the speaker's window, which has none of the slides' styles: formulas are MathML alone."""
    made = plain(element)
    for formula in find(made, kind="katex"):
        formula.replace_with(*find(formula, "math")[:1])
    return inner(made)


def outer(pieces: list[Piece]) -> str:
    """Return pieces of a paragraph as HTML."""
    return "".join(map(html, pieces)).strip()


def titled(section: Tag) -> tuple[Tag, list[Tag]]:
    """Return the heading of a section, and what follows it."""
    within = tags(section)
    place = next(place for place, each in enumerate(within) if re.fullmatch("h[1-6]", each.name))
    return within[place], within[place + 1 :]


def article(page: str) -> Tag:
    """Return what stands in a built page."""
    articles = find(parsed(page), "article", "bd-article")
    if not articles:
        raise ValueError('expected <article class="bd-article">, as `make book` writes it; build the book anew')
    return find(articles[0], "section")[0]


def questions(content: list[Tag]) -> Iterator[tuple[Tag, list[Tag]]]:
    """Yield each question of a section of questions, as its paragraph, and what its answer unfolds."""
    for asked, element in pairwise(content):
        if element.name == "details":
            yield asked, tags(element)[1:]


def is_worth_showing(code: str, taught: set[str]) -> bool:
    """Return whether a cell's code is short and shows a taught function, or PyTorch, at work on numbers given there."""
    names = {each.id for each in ast.walk(ast.parse(code)) if isinstance(each, ast.Name)}
    return bool(names & (taught | {"torch", "nn"})) and not COURSE.search(code) and code.count("\n") < SHORT_CODE


def summary(code: Tag) -> str:
    """Return the first sentence of the first docstring, which says what the function returns."""
    words = "\n".join(mark.get_text().strip() for mark in find(code, kind="sd")).strip('"')
    first = re.split(r'\n\n|"""', words)[0]
    return re.split(r"(?<=\.)\s", re.sub(r"\s+", " ", first).strip())[0]


def without_docstrings(code: Tag) -> str:
    """Return code as HTML without its docstrings, which say what the slide's text says."""
    [pre] = find(code, "pre")
    lines = inner(pre).split("\n")  # the highlighter ends every mark at the end of its line
    # With the blank line that the formatter puts between a docstring and the body.
    kept = [
        line
        for line, before in zip(lines, ["", *lines], strict=False)
        if DOCSTRING not in line and (line or DOCSTRING not in before)
    ]
    return f'<div class="highlight"><pre>{chr(10).join(kept)}</pre></div>'
