"""Feedback pages: nbgrader's, cleaned of what could act in a reader's browser or call for anything from elsewhere."""

import html
import re
from functools import cache, lru_cache
from typing import Any

import bleach
from jinja2 import BaseLoader, DictLoader, pass_context
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from py_mini_racer import JSEvalException, MiniRacer
from traitlets import default

from autograder.places import ROOT

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

CODE = re.compile(r"(<pre\b.*?</pre>|<code\b.*?</code>)", re.DOTALL)
FORMULA = re.compile(r"\$\$(?P<display>[^$<]{1,1000})\$\$|\$(?P<inline>[^$<]{1,1000})\$")
# MathML needs neither style sheet nor font, and `trust` off keeps links and styles out: students write formulas too.
KATEX = {"output": "mathml", "throwOnError": True, "strict": "ignore", "trust": False, "maxExpand": 200, "maxSize": 20}
SECONDS = 2.0

STYLE = """\
<style>
pre { white-space: pre-wrap !important; overflow-wrap: anywhere; }
math[display="block"] { overflow-x: auto; margin: 0.7em 0; }
</style>
"""
# nbconvert's own template of this name fetches MathJax from the network.
TEMPLATES = {"mathjax.html.j2": "{% macro mathjax() %}" + STYLE + "{% endmacro %}"}
ICONS = re.compile(r"@font-face\s*\{[^{}]*\}")  # Bootstrap's, in files that do not come with the page
ENTRY = re.compile(r'<a href="#((?:check-)?([\w-]+))">(?:Test cell|Written response)</a>')


@cache
def engine() -> MiniRacer:
    """Return V8 with KaTeX in it, started once."""
    racer = MiniRacer()
    racer.eval((ROOT / "book" / "katex" / "katex.min.js").read_text(encoding="utf8"))
    return racer


def render(found: re.Match) -> str:
    """Return the formula as MathML, or as it was written if KaTeX cannot read it."""
    display = found["display"] is not None
    formula = html.unescape(found["display"] or found["inline"])
    options = KATEX | {"displayMode": display}
    try:
        return str(engine().call("katex.renderToString", formula, options, timeout_sec=SECONDS))
    except JSEvalException:
        return found[0]


def with_formulas(page: str) -> str:
    """Return clean HTML with its formulas rendered; code stays as it is."""
    return "".join(part if i % 2 else FORMULA.sub(render, part) for i, part in enumerate(CODE.split(page)))


class Page(HTMLExporter):
    """An exporter whose markdown can be read and does nothing else, and whose pages need nothing but themselves."""

    @default("extra_loaders")
    def _own_templates(self) -> list[BaseLoader]:
        return [DictLoader(TEMPLATES)]

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kwargs: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the page; its table of contents calls the exercises by their names."""
        page, told = super().from_notebook_node(nb, resources, **kwargs)
        return ENTRY.sub(r'<a href="#\1">\2</a>', ICONS.sub("", page)), told

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        return self._page(source or "")

    @lru_cache(maxsize=500)  # noqa: B019 - one exporter for a class: the released text is the same on every page
    def _page(self, source: str) -> str:
        return with_formulas(_CLEANER.clean(super().markdown2html({}, source)))
