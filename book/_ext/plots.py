"""Plots stand in the page as SVG, so that they take its colours in light and dark; each says what it shows."""

import base64
import hashlib
import re
from html import escape, unescape

from docutils import nodes
from sphinx.application import Sphinx

IMAGE = re.compile(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]*)"[^>]*>')
ROOT = re.compile(r'<svg\b[^>]*?\bwidth="([\d.]+)pt"[^>]*?\bviewBox="([^"]+)"[^>]*>')
WITHOUT = re.compile(  # letters are the page's, and a turn by nothing is none
    r"\A.*?(?=<svg\b)|<metadata>.*?</metadata>|<style\b.*?</style>|<!--.*?-->|font-family: [^;\"]*;? ?"
    r'| transform="rotate\(-0 [^"]*"',
    re.DOTALL,
)
ID = re.compile(r'(\bid="|\bhref="#|url\(#)')
TITLE = re.compile(r'<text [^>]*?\by="(?P<y>[\d.]+)"[^>]*>(?P<words>[^<]*)</text>')
LONGEST = 110  # letters of a caption
HEAD = 24  # points from the top in which a title stands
COLOURS = {  # what lab.show.plots draws with: what the page has for it
    "#000000": "currentColor",
    "#ffffff": "none",
    "#dddddd": "var(--pst-color-border, #ddd)",
}
COLOUR = re.compile(rf"\b(fill|stroke): ({'|'.join(COLOURS)})\b")


def themed(svg: str, alt: str) -> str:
    """Return a plot of Matplotlib's as an element of a page, in the page's colours."""
    plot = WITHOUT.sub("", svg)
    head = ROOT.match(plot)
    if head is None:
        raise ValueError(f"expected an SVG with a width in pt and a viewBox, got {plot[:80]!r}")
    width, box = head.groups()
    # The names in a plot are the same from plot to plot, and a page has many.
    own = ID.sub(rf"\g<1>p{hashlib.sha256(svg.encode()).hexdigest()[:8]}-", plot[head.end() :])
    own = COLOUR.sub(lambda match: f"{match[1]}: {COLOURS[match[2]]}", own)
    width = f"{float(width) * 4 / 3:.0f}"  # CSS pixels
    own, box, title = below(own, box, alt)
    size = f'viewBox="{box}" width="{width}" style="--w: {width}"'
    return f'<svg class="plot" role="img" aria-label="{escape(alt)}" {size}>{own}<p class="below">{escape(title)}</p>'


def below(plot: str, box: str, alt: str) -> tuple[str, str, str]:
    """Return a plot without its title, which becomes the caption below it, its smaller box, and that title.

    A plot whose text does not begin with the title at its top, such as one of several panels, stays as it is, and its
    caption is what the text begins with, if that is short.
    """
    title = alt.partition(":")[0]
    lines = [found for found in TITLE.finditer(plot) if unescape(found["words"]).strip() == title]
    left, top, wide, high = map(float, box.split())
    if len(lines) != 1 or float(lines[0]["y"]) > top + HEAD:
        first = re.split(r"(?<=[.:;])\s", alt)[0].rstrip(".:;")
        return plot, box, first if len(first) <= LONGEST else ""
    cut = float(lines[0]["y"]) + 4
    smaller = f"{left:g} {cut:g} {wide:g} {high - (cut - top):g}"
    return plot[: lines[0].start()] + plot[lines[0].end() :], smaller, title


def inlined(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the plots that cells have drawn into the page."""
    for node in list(doctree.findall(nodes.raw)):
        if "html" in node.get("format", "") and IMAGE.search(text := node.astext()):
            node.children = [nodes.Text(IMAGE.sub(in_page, text))]


def in_page(image: re.Match) -> str:
    return themed(base64.b64decode(image[1]).decode(), unescape(image[2]))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-resolved", inlined)
    return {"parallel_read_safe": True}
