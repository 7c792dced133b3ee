"""Feedback pages: nbgrader's, with every text cleaned of what could act in a reader's browser."""

from functools import lru_cache
from typing import Any

import bleach
from jinja2 import pass_context
from nbconvert.exporters import HTMLExporter

TAGS = frozenset(
    [
        "a",
        "abbr",
        "b",
        "blockquote",
        "br",
        "code",
        "dd",
        "del",
        "details",
        "div",
        "dl",
        "dt",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "img",
        "ins",
        "kbd",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "tt",
        "u",
        "ul",
    ]
)
ATTRIBUTES = {"*": ["class", "id", "title"], "a": ["href"], "img": ["alt", "src"], "td": ["align"], "th": ["align"]}
_CLEANER = bleach.Cleaner(tags=TAGS, attributes=ATTRIBUTES, protocols=frozenset({"http", "https", "mailto"}))


class Page(HTMLExporter):
    """An exporter whose markdown can be read and does nothing else."""

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        return self._page(source or "")

    @lru_cache(maxsize=500)  # noqa: B019 - one exporter for a class: the released text is the same on every page
    def _page(self, source: str) -> str:
        return _CLEANER.clean(super().markdown2html({}, source))
