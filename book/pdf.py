"""Print the built book as one PDF, for paper or for a reader without a browser: `python book/pdf.py` after `make book`.

All pages stand one after the other, in the order of the contents. Answers that a page folds away are printed open; code
that it folds away, which draws figures, is left out. Formulas, tables and drawings that are wider than the paper are
made smaller, and long lines of code are broken, so that nothing is cut.
"""

import re
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []  # run as a script
from book.build import FOLDERS, order  # noqa: E402
from book.chromium import CHROMIUM, chromium  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WHOLE = "whole-book.html"  # written beside the pages, whose styles and images it uses, and deleted again
TEXT_ON_PAPER = {"width": 665, "height": 940}  # in CSS pixels: A4 without its margins
ARTICLE = re.compile(r'<article class="bd-article">(.*?)</article>', re.DOTALL)
STYLES = re.compile(r'<link[^>]*rel="stylesheet"[^>]*>(?!</noscript>)|<style>.*?</style>', re.DOTALL)
SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
NAMES = re.compile(r'(\s(?:id|for|aria-labelledby|aria-describedby|aria-controls)=")([^"]+)(")')
WITHIN = re.compile(r'((?:xlink:)?href="|url\()#([^")]+)')
BETWEEN = re.compile(r'<a\b([^>]*?)href="([\w-]+)\.html(?:#([^"]*))?"')
FILES = re.compile(r'<a\b([^>]*?)href="(?:_downloads|genindex)[^"]*"')
PAPER = """
@page { size: A4; margin: 18mm 17mm 20mm; }
html { font-size: 10.5pt; } body { background: white; }
.bd-content, html .bd-content .bd-article-container, html .bd-article { display: block; max-width: none; padding: 0; }
.chapter { break-before: page; } .chapter:first-child { break-before: auto; }
h1, h2, h3, h4 { white-space: pre-wrap; } /* else a bookmark has no space where its heading breaks into lines */
h1, h2, h3, h4, dt, summary { break-after: avoid; } p { orphans: 2; widows: 2; }
figure, .admonition, tr, .math, img, .cell_input, div.highlight, .output { break-inside: avoid; }
.headerlink, button, .toggle-button, .sd-summary-state-marker, .weigh, .heat [aria-live], details.hide {
  display: none !important; }
html .bd-content div.highlight pre, html .bd-content pre {
  white-space: pre-wrap; overflow-wrap: anywhere; overflow: visible; font-size: 0.75rem; }
html .bd-content :is(.formula, .output, .drawing, div.math, .pst-scrollable-table-container) {
  overflow: visible !important; }
details.sd-dropdown { break-inside: auto; } img { max-width: 100%; height: auto; }
"""
# What is still wider than the paper is drawn smaller; a formula keeps its number beside it.
FIT = """() => document.querySelectorAll(".formula, table, .output").forEach(box => {
  const room = box.parentElement.closest("div, section, article").clientWidth
  const needed = Math.max(box.scrollWidth, box.offsetWidth)
  if (needed > room + 1) box.style.zoom = Math.max(0.3, room / needed * 0.98)
})"""


def chapter(name: str, page: str, names: list[str]) -> str:
    """Return the text of a page as a part of the whole book: its names begin with the page's, its links lead there."""
    article = ARTICLE.search(page)
    if not article:
        raise ValueError(f'{name}.html: expected <article class="bd-article">, as `make book` writes it; build it anew')

    def to_chapter(link: re.Match[str]) -> str:
        _, target, place = link.groups()
        if target not in names:
            return f"<a{link[1]}"
        return f'<a{link[1]}href="#{target}{"--" + place if place else ""}"'

    text = SCRIPT.sub("", article[1])
    text = NAMES.sub(lambda m: m[1] + " ".join(f"{name}--{one}" for one in m[2].split()) + m[3], text)
    text = WITHIN.sub(rf"\1#{name}--\2", text)
    text = FILES.sub(r"<a\1", BETWEEN.sub(to_chapter, text))
    text = re.sub(r"<details\b(?![^>]*\bhide\b)", "<details open", text)
    return f'<section class="chapter" id="{name}">{text}</section>'


def whole(site: Path, names: list[str]) -> str:
    """Return one page that holds all pages of a built book, light and without scripts."""
    pages = {name: (site / f"{name}.html").read_text(encoding="utf8") for name in names}
    styles = dict.fromkeys(
        style for page in pages.values() for style in STYLES.findall(page) if "dark.css" not in style
    )
    chapters = "".join(chapter(name, page, names) for name, page in pages.items())
    return (
        '<!DOCTYPE html><html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">'
        f"<title>The Attention Workbook</title>{''.join(styles)}<style>{PAPER}</style></head>"
        f'<body><div class="bd-content"><div class="bd-article-container"><article class="bd-article">{chapters}'
        "</article></div></div></body></html>"
    )


def laid_out(browser: "Browser", site: Path, names: list[str]) -> "Page":
    """Open the whole book in a browser, as wide as the paper's text, with everything made to fit."""
    paper = site / WHOLE
    try:
        paper.write_text(whole(site, names), encoding="utf8")
        tab = browser.new_page(viewport=TEXT_ON_PAPER, color_scheme="light")
        tab.emulate_media(media="print", color_scheme="light")
        tab.goto(paper.as_uri(), wait_until="load")
        tab.evaluate("() => document.fonts.ready.then(() => true)")  # widths are those of the right letters
        tab.evaluate(FIT)
        return tab
    finally:
        paper.unlink(missing_ok=True)


def write(site: Path, names: list[str], pdf: Path) -> None:
    """Print the book at `site` into `pdf`, by Chromium."""
    number = '<div style="width: 100%; text-align: center; font-size: 8pt"><span class="pageNumber"></span></div>'
    about = {"display_header_footer": True, "header_template": "<span></span>", "footer_template": number}
    about |= {"prefer_css_page_size": True, "print_background": True, "outline": True, "tagged": True}
    with chromium() as browser:
        laid_out(browser, site, names).pdf(path=str(pdf), **about)


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--students", action="store_true", help="the edition whose graded bodies are blanked")
    edition = "students" if parser.parse_args().students else "full"
    site = ROOT / "build" / FOLDERS[edition] / "html"
    names = order(edition)
    missing = [name for name in names if not (site / f"{name}.html").is_file()]
    if missing:
        verb = "book-students" if edition == "students" else "book"
        print(f"{site.relative_to(ROOT)} has no {missing[0]}.html: make {verb} first", file=sys.stderr)
        return 2
    if not CHROMIUM.is_file():
        print(f"the PDF is printed by {CHROMIUM}, which is not there: install what apt.txt lists", file=sys.stderr)
        return 2
    pdf = site.parent / "attention-workbook.pdf"
    write(site, names, pdf)
    print(f"The book for paper is at {pdf.relative_to(ROOT)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
