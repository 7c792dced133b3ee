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
LEGEND = re.compile(r'<g id="[^"]*-legend_\d+">(.*)', re.DOTALL)
PIECE = re.compile(r'(?=<g id="[^"]*-[A-Za-z]+\w*_\d+")')
OF_LEGEND = re.compile(r'<g id="([^"]*-(LineCollection|line2d|patch|PathCollection|text)_\d+)"')
AT = re.compile(r'x="([\d.]+)" y="([\d.]+)"|translate\(([\d.]+) ([\d.]+)\)')
LONGEST = 110  # letters of a caption
HEAD = 24  # points from the top in which a title stands
BESIDE = 3  # points: what differs by less in height stands in one line, as titles of panels do
COLOURS = {  # what plots are drawn with: what the page has for it
    "#000000": "currentColor",
    "#ffffff": "none",
    "#dddddd": "var(--pst-color-border, #ddd)",
    "#222832": "currentColor",
    "#00427a": "var(--state, #00427a)",  # roles, as book/_static/book.css has them
    "#9e5885": "var(--context, #9e5885)",
    "#ad3f0e": "var(--query, #ad3f0e)",
    "#bd7a00": "var(--weights, #bd7a00)",
}
INDEX = "font-size: 7px", "font-size: 9px"  # of an exponent: Matplotlib's, and one that can be read on a phone
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
    own = COLOUR.sub(lambda match: f"{match[1]}: {COLOURS[match[2]]}", own).replace(*INDEX)
    width = f"{float(width) * 4 / 3:.0f}"  # CSS pixels
    own, box, title = below(own, box, alt)
    size = f'viewBox="{box}" width="{width}" style="--w: {width}"'
    plot = f'<svg class="plot" role="img" aria-label="{escape(alt)}" {size}>{own.rstrip()}'
    return f'<div class="plot-box">{plot}</div>{key(own)}<p class="below">{escape(title)}</p>'


def key(plot: str) -> str:
    """Return a plot's legend once more, in HTML, for phones: there the plot scrolls, and its legend out of sight."""
    match, handles, entries = LEGEND.search(plot), [], []
    for piece in PIECE.split(match[1])[1:] if match else ():
        if not (name := OF_LEGEND.match(piece)):
            break
        if name[2] != "text":
            handles.append(f'<use href="#{name[1]}"/>')
        elif at := AT.search(piece):
            x, y = (float(number) for number in (at[1] or at[3], at[2] or at[4]))
            box = f'viewBox="{x - 30:.1f} {y - 9:.1f} 24 11" width="27" height="12"'
            words = re.sub(r"<[^>]*>|(?<=>)\s+", "", piece).strip()
            entries.append(f"<span><svg {box}>{''.join(handles)}</svg> {words}</span>")
            handles = []
    return f'<p class="plot-key" aria-hidden="true">{"".join(entries)}</p>' if entries else ""


def below(plot: str, box: str, alt: str) -> tuple[str, str, str]:
    """Return a plot without its title, its smaller box, and its caption: what its text begins with, or the title.

    A plot whose text does not begin with the one title at its top, such as one of several panels, keeps its titles.
    """
    left, top, wide, high = map(float, box.split())
    heads = [match for match in TITLE.finditer(plot) if float(match["y"]) <= top + HEAD]
    titles = [match for match in heads if (words := unescape(match["words"]).strip()) and alt.startswith(words)]
    first = re.split(r"(?<=[.:;])\s", alt)[0].rstrip(".:;")
    first = first if len(first) <= LONGEST else ""
    if len(titles) != 1 or sum(abs(float(each["y"]) - float(titles[0]["y"])) < BESIDE for each in heads) > 1:
        return plot, box, first
    cut, title = float(titles[0]["y"]) + 4, unescape(titles[0]["words"]).strip()
    smaller = f"{left:g} {cut:g} {wide:g} {high - (cut - top):g}"
    return plot[: titles[0].start()] + plot[titles[0].end() :], smaller, max(first, title, key=len)


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
