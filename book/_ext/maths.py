"""Formulas become HTML and MathML while the book builds, by KaTeX: no page needs a script or a network for them."""

import re
from functools import cache
from pathlib import Path

import ebook
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.fileutil import copy_asset
from sphinx.util.math import get_node_equation_number

from autograder import katex

TAG = re.compile(r"\\tag\{([^{}]*)\}\s*")
MACROS = {
    r"\of": r"\,\underbrace{#1}_{\htmlClass{shape}{\text{#2}}}\,",  # a symbol with its shape under it
    r"\R": r"\mathbb{R}",
    r"\softmax": r"\operatorname{softmax}",
    r"\fwd": r"\overrightarrow{#1}",
    r"\bwd": r"\overleftarrow{#1}",
}
# A named operator is two elements, and KaTeX leaves them so under a brace, where MathML has room for one.
OPERATOR = re.compile("(<munder>)(<mi[^>]*>[^<]*</mi><mo>\u2061</mo>)(?=<mo )")

BREAK = re.compile(r"\\q?quad(?![a-zA-Z])")  # between two formulas that stand in one line
SUM = re.compile(r"(?=[=+])")
REMARK = re.compile(r"&&(?=\s*\\text)")  # in a line of several formulas, what is said of it
TOKEN = re.compile(r"\\(?:[a-zA-Z]+|.)|[{}()]|[^\\{}()]", re.DOTALL)
OPENS, CLOSES = {"{", "(", r"\begin", r"\left"}, {"}", ")", r"\end", r"\right"}
PUNCTUATION = re.compile(r"[.,;:?!)’]+")  # what no line may begin with
SHORT = 30  # letters of LaTeX: a longer formula may have to break itself
LONG = 60  # letters of LaTeX: an e-reader on a phone shows no more in a line

logger = logging.getLogger(__name__)


@cache
def render(formula: str, display: bool, output: str = "htmlAndMathml") -> str:
    """Return the formula as HTML for the eye with MathML for the screen reader, or as "mathml" alone."""
    options = {
        "output": output,
        "displayMode": display,
        "throwOnError": True,
        "strict": "ignore",
        "trust": True,
        "macros": MACROS,
    }
    return OPERATOR.sub(r"\1<mrow>\2</mrow>", katex.render(formula, options))


def rendered(self, node: nodes.Element, formula: str, display: bool) -> str:
    """Return the formula rendered; one that KaTeX cannot read is a warning with its place, hence a failed build."""
    output = "mathml" if self.builder.name == ebook.BUILDER else "htmlAndMathml"  # e-readers lack what the HTML needs
    try:
        return render(formula, display, output)
    except katex.FormulaError as fault:
        reason = str(fault).splitlines()[0].split("ParseError: ")[-1]
        logger.warning("%s in the formula %r", reason, formula, location=node)
        return nodes.make_id(reason)


def pieces(formula: str, at: re.Pattern[str]) -> list[str]:
    """Return a formula cut where it may be: outside of braces, brackets and environments."""
    parts, depth = [""], 0
    for token in TOKEN.findall(formula):
        depth += (token in OPENS) - (token in CLOSES)
        cut = at.match(token) if depth == 0 else None
        if cut:
            parts.append("" if cut[0] else f"{{}} {token}")  # {}: so that KaTeX knows the sign as one between two sides
        else:
            parts[-1] += token
    return [part for part in parts if part.strip()]


class Together(SphinxPostTransform):
    """Keep a short formula and the comma or full stop after it in one line: browsers break between them."""

    default_priority = 900

    def run(self, **kwargs: object) -> None:
        for node in list(self.document.findall(nodes.math)):
            after = node.next_node(descend=False, siblings=True)
            if not isinstance(after, nodes.Text) or len(node.astext()) > SHORT:
                continue
            if mark := PUNCTUATION.match(after):
                after.parent.replace(after, nodes.Text(after[mark.end() :]))
                node.replace_self(nodes.inline("", "", node.deepcopy(), nodes.Text(mark[0]), classes=["together"]))


def visit_inline(self, node: nodes.math) -> None:
    """Write a formula within a sentence; for e-readers, which break no MathML, a long one in pieces."""
    formula = node.astext()
    is_cut = self.builder.name == ebook.BUILDER and len(formula) > LONG
    parts = pieces(formula, SUM) if is_cut else [formula]
    self.body.append(" ".join(rendered(self, node, part, display=False) for part in parts))
    raise nodes.SkipNode


def visit_block(self, node: nodes.math_block) -> None:
    """Write a display formula; `\\tag{…}` (the paper's number) and the book's own stand beside it, or under it."""
    formula = node.astext()
    tags = TAG.findall(formula)
    number = [f"({get_node_equation_number(self, node)})"] if node.get("number") else []
    self.body.append(self.starttag(node, "div", CLASS="math"))
    formula = TAG.sub("", formula)
    is_narrow = self.builder.name == ebook.BUILDER
    for part in pieces(REMARK.sub(r"\\\\ & \\quad", formula), BREAK) if is_narrow else [formula]:
        self.body.append(f'<div class="formula">{rendered(self, node, part, display=True)}</div>')
    self.body += [f'<span class="eqno">{self.encode(text)}</span>' for text in [*tags, *number]]
    self.body.append("</div>\n")
    raise nodes.SkipNode


def copy_fonts(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.name != ebook.BUILDER:
        target = Path(app.outdir) / "_static" / "katex"
        target.mkdir(parents=True, exist_ok=True)
        copy_asset(katex.FOLDER / "katex.min.css", target)
        copy_asset(katex.FOLDER / "fonts", target / "fonts")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_block, None))
    app.add_post_transform(Together)
    app.add_css_file("katex/katex.min.css")
    app.connect("build-finished", copy_fonts)
    return {"parallel_read_safe": True}
