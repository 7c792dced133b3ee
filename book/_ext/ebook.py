"""The book for e-readers: pages are XML, as EPUB asks, without scripts; formulas are MathML, answers stand open."""

import html
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import _epub_base

BUILDER = "epub"
SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
VOID = re.compile(r"<(area|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b([^<>]*?)\s*/?>")
ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]\w*;")  # XML knows these five by name, and no other


def as_xml(markup: str) -> str:
    """Return HTML that a cell or a page wrote as XML: elements without an end are ended, entities are letters."""
    ended = VOID.sub(r"<\1\2/>", SCRIPT.sub("", markup))
    return ENTITY.sub(lambda entity: html.unescape(entity[0]), ended)


def make_readable(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if app.builder.name != BUILDER:
        return
    for node in list(doctree.findall(nodes.raw)):
        if "html" in node.get("format", ""):
            node.children = [nodes.Text(as_xml(node.astext()))]
    for node in doctree.findall(lambda node: isinstance(node, nodes.Element) and "opened" in node.attributes):
        node["opened"] = True  # a dropdown, of sphinx-design: not every reader can open it


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-resolved", make_readable, priority=900)  # after those that add scripts
    _epub_base.MEDIA_TYPES |= {".woff2": "font/woff2", ".txt": "text/plain"}  # the text's fonts and their licence
    return {"parallel_read_safe": True}
