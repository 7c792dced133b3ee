"""Formulas become HTML and MathML while the book builds, by KaTeX: no page needs a script or a network for them."""

import re
from functools import cache
from pathlib import Path

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

PUNCTUATION = re.compile(r"[.,;:?!)’]+")  # what no line may begin with
SHORT = 30  # letters of LaTeX: a longer formula may have to break itself

logger = logging.getLogger(__name__)


@cache
def render(formula: str, display: bool) -> str:
    """Return the formula as HTML for the eye with MathML for the screen reader."""
    options = {
        "output": "htmlAndMathml",
        "displayMode": display,
        "throwOnError": True,
        "strict": "ignore",
        "trust": True,
        "macros": MACROS,
    }
    return OPERATOR.sub(r"\1<mrow>\2</mrow>", katex.render(formula, options))


def rendered(self, node: nodes.Element, formula: str, display: bool) -> str:
    """Return the formula rendered; one that KaTeX cannot read is a warning with its place, hence a failed build."""
    try:
        return render(formula, display)
    except katex.FormulaError as fault:
        reason = str(fault).splitlines()[0].split("ParseError: ")[-1]
        logger.warning("%s in the formula %r", reason, formula, location=node)
        return nodes.make_id(reason)


class Together(SphinxPostTransform):
    """Keep a short formula and the comma or full stop after it in one line: browsers break between them."""

    default_priority = 900

    def run(self, **kwargs: object) -> None:
        for node in list(self.document.findall(nodes.math)):
            after = node.next_node(descend=False, siblings=True)
            if not isinstance(after, nodes.Text) or len(node.astext()) > SHORT:
                continue
            if mark := PUNCTUATION.match(after):
                beside = after.parent.children  # found as itself: an equal text may stand before it
                place = next(at for at, each in enumerate(beside) if each is after)
                after.parent[place] = nodes.Text(after[mark.end() :])
                node.replace_self(nodes.inline("", "", node.deepcopy(), nodes.Text(mark[0]), classes=["together"]))


def visit_inline(self, node: nodes.math) -> None:
    """Write a formula within a sentence."""
    self.body.append(rendered(self, node, node.astext(), display=False))
    raise nodes.SkipNode


def visit_block(self, node: nodes.math_block) -> None:
    """Write a display formula; `\\tag{…}` (the paper's number) and the book's own stand beside it, or under it."""
    formula = node.astext()
    tags = TAG.findall(formula)
    number = [f"({get_node_equation_number(self, node)})"] if node.get("number") else []
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(f'<div class="formula">{rendered(self, node, TAG.sub("", formula), display=True)}</div>')
    self.body += [f'<span class="eqno">{self.encode(text)}</span>' for text in [*tags, *number]]
    self.body.append("</div>\n")
    raise nodes.SkipNode


def copy_fonts(app: Sphinx, exception: Exception | None) -> None:
    if exception is None:
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
