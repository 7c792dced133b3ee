"""What the question bank takes of a page, freed of what belongs to a page alone; a chapter's questions and slides."""

import re
from collections.abc import Iterator
from copy import copy
from itertools import pairwise

import mistune
from bs4 import Tag

from autograder.places import ROOT
from book.make.html_tree import classes, find, tags

PART = re.compile(r"p[0-9a-f]{8}-")  # book/_ext/plots.py names the parts of a plot so
ASKED = re.compile(r"^\*\*(?P<asked>.+?)\*\*\n\*Good:\* (?P<good>.+?)$", re.MULTILINE)
SLIDE, NOTES = re.compile(r"^##? (.+)$", re.MULTILINE), re.compile(r"^:::+\{notes\} (\d+)\b", re.MULTILINE)
CODE = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)


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


def titled(section: Tag) -> tuple[Tag, list[Tag]]:
    """Return the heading of a section, and what follows it."""
    within = tags(section)
    place = next(place for place, each in enumerate(within) if re.fullmatch("h[1-6]", each.name))
    return within[place], within[place + 1 :]


def questions(content: list[Tag]) -> Iterator[tuple[Tag, list[Tag]]]:
    """Yield each question of a section of questions, as its paragraph, and what its answer unfolds."""
    for question, element in pairwise(content):
        if element.name == "details":
            yield question, tags(element)[1:]


def deck(name: str) -> tuple[list[str], list[int]]:
    """Return the titles of a chapter's slides, and the minutes that their notes give them."""
    here = (ROOT / "book" / name / "slides.md").read_text(encoding="utf8")
    return SLIDE.findall(CODE.sub("", here)), [int(minutes) for minutes in NOTES.findall(here)]


def for_discussion(name: str) -> list[tuple[str, str]]:
    """Return a chapter's questions for the class, each with what a good answer names, as HTML."""
    here = (ROOT / "book" / name / "discussion.md").read_text(encoding="utf8")
    return [(inline(match["asked"]), inline(match["good"])) for match in ASKED.finditer(here)]


def inline(markdown: str) -> str:
    """Return a paragraph of Markdown as HTML, without its <p>."""
    return str(mistune.html(markdown)).strip().removeprefix("<p>").removesuffix("</p>")
