"""Figures and tables of a chapter are numbered in the order in which the page has them, each in its caption.

Sphinx numbers the drawings, which are figures, and knows nothing of what cells put out: plots, small drawings, matrices
and tables. So they are numbered here, all in one row. Those of the evidence have an E, those of the chapter's further
pages an A, B and so on: "Figure E2.3". On a page of no chapter none has a number: Sphinx would count through the book.
"""

import re
from collections import Counter
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from book.contents import EVIDENCE, PROGRAM, chapter_of, chapters, further

CAPTION = re.compile(
    r'(?P<drawn><span class="caption-number">)[^<]*(?=</span>)'
    r'|(?P<below><p class="below">)'
    r'|(?P<heat><div class="heat[^>]*>(?:<style>[^<]*</style>)?<table[^>]*><caption>)'
    r'|(?P<table><table class="results[^>]*>\s*<caption>)'
)
COUNTED = re.compile(r'<span class="caption-number">[^<]*</span>')


def prefix(name: str) -> str:
    """Return the prefix of the number of a figure on a page: "2.", "E2."; "" where none is numbered."""
    chapter, order = chapter_of(name), chapters()
    if chapter not in order or name == chapter + PROGRAM:
        return ""
    letter = "E" if name == chapter + EVIDENCE else "" if name == chapter else "ABCD"[further(chapter).index(name)]
    return f"{letter}{order.index(chapter) + 1}."


def numbered(body: str, before: str) -> str:
    """Return a page with the number of each figure and each table in its caption."""
    counts: Counter[str] = Counter()

    def with_number(match: re.Match[str]) -> str:
        kind = "Table" if match["table"] else "Figure"
        counts[kind] += 1
        number = f"{kind} {before}{counts[kind]}"
        if match["drawn"]:
            return f"{match['drawn']}{number}. "
        return f'{match[0]}<span class="caption-number">{number}. </span>'

    return CAPTION.sub(with_number, body)


def on_page(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    if app.builder.name == "html" and doctree is not None:
        before, body = prefix(name), context["body"]
        context["body"] = numbered(body, before) if before else COUNTED.sub("", body)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", on_page, priority=400)
    return {"parallel_read_safe": True}
