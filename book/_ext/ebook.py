"""The book for e-readers: pages are XML, as EPUB asks, without scripts; formulas are MathML, answers stand open.

EPUBCheck asks for more than Sphinx gives: the package says which pages hold formulas and drawings, and what a page asks
for is in the file.
"""

import html
import re
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import _epub_base
from sphinx.builders.epub3 import Epub3Builder

BUILDER = "epub"
NAMESPACE = "http://www.w3.org/2000/svg"
SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
VOID = re.compile(r"<(area|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b([^<>]*?)\s*/?>")
ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]\w*;")  # XML knows these five by name, and no other
SVG = re.compile(r"<svg\b(?![^>]*\bxmlns=)")  # HTML knows it without its namespace, XML does not
PROPERTIES = {"mathml": "<math ", "svg": "<svg "}  # of a page in the package: what it holds
ITEM = re.compile(r'(<item id="[^"]*" href="([^"]*\.xhtml)" media-type="[^"]*")( />)')
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
RULE = re.compile(r"([^{};]+)(\{[^{}]*\})")
STYLE = re.compile(r"<style\b[^>]*>(.*?)</style>", re.DOTALL)
STYLES = "styles"  # of a page's tree: those that its cells write
EMPTY = re.compile(r"--[\w-]+:\s*;")  # a variable without a value
ONE_OF = re.compile(r":is\(([^()]*)\)")
TABLE = re.compile(r'<table class="[^"]*\b(?:results|docutils)\b.*?</table>', re.DOTALL)  # no matrices
WIDE, LETTERS = 4, 40  # columns, and letters of their longest cells: such a table does not fit on a narrow e-reader


def as_xml(markup: str) -> str:
    """Return HTML that a cell or a page wrote as XML: elements without an end are ended, entities are letters."""
    ended = VOID.sub(r"<\1\2/>", SVG.sub(f'<svg xmlns="{NAMESPACE}"', SCRIPT.sub("", markup)))
    return ENTITY.sub(lambda entity: html.unescape(entity[0]), ended)


def without_is(selector: str) -> list[str]:
    """Return the selectors that say the same as one with `:is(…)`."""
    choice = ONE_OF.search(selector)
    if choice is None:
        return [selector]
    begin, end = selector[: choice.start()], selector[choice.end() :]
    return [each for part in choice[1].split(",") for each in without_is(begin + part.strip() + end)]


def plain_rule(rule: re.Match[str]) -> str:
    if ":has(" in rule[1]:
        return ""
    selectors = re.split(r",(?![^()]*\))", rule[1])
    return ",".join(each for selector in selectors for each in without_is(selector)) + rule[2]


def plain_style(sheet: str) -> str:
    """Return a style sheet for readers that know neither `:is`, which is written out, nor `:has`, whose rules go."""
    return RULE.sub(plain_rule, EMPTY.sub("", COMMENT.sub("", sheet)))


def with_columns(table: re.Match[str]) -> str:
    """Return a table; if it is wide, with the name of its column in each cell, for the style sheet to write."""
    tree = BeautifulSoup(table[0], "html.parser")
    head = tree.thead.find_all("tr")[-1] if tree.thead and tree.tbody else None
    names = [_words(cell) for cell in head.find_all(["th", "td"])] if head else []
    rows = [row.find_all(["th", "td"], recursive=False) for row in tree.select("tbody tr")]
    rows = [row for row in rows if len(row) == len(names)]
    longest = [max(len(_words(cell)) for cell in column) for column in zip(*rows, strict=True)]
    if len(names) < WIDE or sum(longest) <= LETTERS:
        return table[0]
    for row in rows:
        for cell, name in zip(row[1:], names[1:], strict=True):
            cell["data-column"] = name
    return str(tree).replace('class="', 'class="wide ', 1)


def _words(cell: Tag) -> str:
    """Return a cell's text; of a formula what is seen, not its source."""
    return " ".join("".join(text for text in cell.strings if not text.find_parent("annotation")).split())


def declared(package: str, folder: Path) -> str:
    """Return the package file with what each page holds beside text."""

    def with_properties(item: re.Match[str]) -> str:
        page = (folder / item[2]).read_text(encoding="utf8")
        held = " ".join(name for name, tag in PROPERTIES.items() if tag in page)
        return f'{item[1]} properties="{held}"{item[3]}' if held else item[0]

    return ITEM.sub(with_properties, package)


class EBook(Epub3Builder):
    """Sphinx's builder, and what EPUBCheck asks for beyond it."""

    def build_content(self) -> None:
        folder = Path(self.outdir)
        if "myst_nb" in self.app.extensions:
            # It brings its style sheet when the build is over, and the file for e-readers is packed already.
            from myst_nb.sphinx_ext import add_global_html_resources

            add_global_html_resources(self.app, None)
        for sheet in folder.glob("_static/*.css"):
            sheet.write_text(plain_style(sheet.read_text(encoding="utf8")), encoding="utf8")
        super().build_content()
        package = folder / "content.opf"
        package.write_text(declared(package.read_text(encoding="utf8"), folder), encoding="utf8")


def mend_head(app: Sphinx, name: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Drop KaTeX's style sheet, which is for formulas as HTML; add the styles that cells write, which belong here."""
    if app.builder.name == BUILDER:
        sheets = context.get("css_files", [])
        context["css_files"] = [sheet for sheet in sheets if "katex" not in str(getattr(sheet, "filename", sheet))]
        context["body"] = TABLE.sub(with_columns, context.get("body", ""))
        styles = doctree.get(STYLES, {}) if doctree is not None else {}
        context["metatags"] = context.get("metatags", "") + "".join(
            f"<style>{html.escape(plain_style(style), quote=False)}</style>" for style in styles
        )


def make_readable(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    if app.builder.name != BUILDER:
        return
    doctree[STYLES] = {}
    for node in list(doctree.findall(nodes.raw)):
        if "html" in node.get("format", ""):
            markup = node.astext()
            doctree[STYLES] |= dict.fromkeys(STYLE.findall(markup))
            node.children = [nodes.Text(as_xml(STYLE.sub("", markup)))]
    for node in doctree.findall(lambda node: isinstance(node, nodes.Element) and "opened" in node.attributes):
        node["opened"] = True  # a dropdown, of sphinx-design: not every reader can open it


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_builder(EBook, override=True)
    app.connect("html-page-context", mend_head)
    app.connect("doctree-resolved", make_readable, priority=900)  # after those that add scripts
    _epub_base.MEDIA_TYPES |= {".woff2": "font/woff2", ".txt": "text/plain"}  # the text's fonts and their licence
    return {"parallel_read_safe": True}
