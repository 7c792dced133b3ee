"""Print the built book as one PDF, for paper: `python book/make/pdf.py` after `make book`.

Behind a title page and the contents come the pages for readers, in their order; lists for reference and pages for
teachers are left to the screen. A lesson begins a sheet, and so does a part without lessons; what belongs to them goes
on where they end. Answers that a page folds away are printed open; code that it folds away, which draws
figures, is left out. Formulas, tables and drawings that are wider than the paper are made smaller, and long lines of
code are broken, so that nothing is cut.

Chromium puts no page numbers into a text. So the book is printed until its references have the numbers of the pages
where their targets were printed: twice, as a rule.
"""

import re
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import date
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from pypdf import PdfReader

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []  # run as a script
from book.contents import all_chapters, chapter_of, files  # noqa: E402
from book.make.build import TEACHERS, site_of, table_of_contents  # noqa: E402
from book.make.chromium import chromium  # noqa: E402
from lab.files import atomic_write  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WHOLE = "whole-book.html"  # written beside the pages, whose styles and images it uses, and deleted again
LISTS = ("results", "functions")  # to look things up: results, and functions with their signatures
MOST_PRINTS = 4
TEXT_ON_PAPER = {"width": 665, "height": 940}  # in CSS pixels: A4 without its margins
ARTICLE = re.compile(r'<article class="bd-article">(.*?)</article>', re.DOTALL)
STYLES = re.compile(r'<link[^>]*rel="stylesheet"[^>]*>(?!</noscript>)|<style>.*?</style>', re.DOTALL)
SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
NAMES = re.compile(r'(\s(?:id|for|aria-labelledby|aria-describedby|aria-controls)=")([^"]+)(")')
WITHIN = re.compile(r'((?:xlink:)?href="|url\()#([^")]+)')
BETWEEN = re.compile(r'<a\b([^>]*?)href="([\w-]+)\.html(?:#([^"]*))?"')
FILES = re.compile(r'<a\b([^>]*?)href="(?:_downloads|genindex)[^"]*"')
HEADING = re.compile(r'<section[^>]*?\sid="([^"]+)"[^>]*>\s*(?:<span[^>]*></span>\s*)*<h([12])>(.*?)</h\2>', re.DOTALL)
LINK_MARK = re.compile(r'<a class="headerlink".*?</a>')
BREAKABLE = re.compile(r" (?![^<]*>)")
FIRST = re.compile(r"</h1>\s*(?:<div[^>]*>\s*)?<p>(.*?)</p>", re.DOTALL)
LICENCE = "Text and figures: CC BY 4.0. Code: MIT."
COVER = re.compile(r'<svg class="cover".*?</svg>', re.DOTALL)
PAPER, FIT, NUMBER = (  # the style of the whole book, what makes it fit, and what writes the numbers of pages
    (ROOT / "book" / "make" / "_paper" / name).read_text(encoding="utf8")
    for name in ("paper.css", "fit.js", "number.js")
)


def readers(edition: str) -> list[tuple[str, list[str]]]:
    """Return the parts of the printed book: what each is called, and its pages."""
    toc = table_of_contents(edition)
    parts = [("", [toc["root"]])]
    parts += [(part["caption"], files([part])) for part in toc["parts"] if part["caption"] != TEACHERS]
    return [(caption, [name for name in names if name not in LISTS]) for caption, names in parts]


def sheets(parts: list[tuple[str, list[str]]]) -> Iterator[tuple[str, str, str]]:
    """Yield each page, the page that begins its sheets, and what stands above them; nothing stands for its title."""
    for caption, names in parts:
        for name in names:
            own = chapter_of(name)
            of_chapter = own in all_chapters()
            yield name, own if of_chapter else names[0], "" if of_chapter or names == [name] else caption


def chapter(name: str, page: str, names: list[str], first: str = "") -> str:
    """Return the text of a page as a part of the whole book: its names begin with the page's, its links lead there.

    It goes on where the page before ends, on the sheets of `first`, or begins its own.
    """
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
    text = re.sub(r"<h[1-4]>.*?</h[1-4]>", lambda m: with_spaces(m[0]), text, flags=re.DOTALL)
    begins = first in ("", name)
    return (
        f'<section class="chapter{"" if begins else " goes-on-below"}" id="{name}" style="page: {first or name}">'
        f"{text}</section>"
    )


def with_spaces(heading: str) -> str:
    """Return a heading whose spaces stay: where it breaks into lines, a bookmark would have none."""
    return BREAKABLE.sub("&nbsp;<wbr>", LINK_MARK.sub("", heading))


def headings(page: str) -> list[tuple[str, int, str]]:
    """Return the name, the level and the text of the title of a page and of its sections."""
    return [(name, int(level), LINK_MARK.sub("", text)) for name, level, text in HEADING.findall(page)]


def subtitle(index: str) -> str:
    """Return the book's subtitle: the first sentence of the cover, without "This is" and its full stop."""
    match = FIRST.search(index)
    text = re.sub("<[^>]*>", "", match[1]).split(". ")[0].strip().rstrip(".").removeprefix("This is ") if match else ""
    return text[:1].upper() + text[1:]


def dated() -> str:
    """Return the day of the last commit, in words; where there is none, today."""
    log = subprocess.run(["git", "log", "-1", "--format=%cs"], cwd=ROOT, capture_output=True, text=True, check=False)
    day = date.fromisoformat(log.stdout.strip()) if log.stdout.strip() else date.today()
    return f"{day.day} {day:%B %Y}"


def front(pages: dict[str, str], parts: list[tuple[str, list[str]]], edition: str = "full") -> str:
    """Return the title page and the contents, whose page numbers come when the book has been printed once."""
    cover = COVER.search(next(iter(pages.values())))
    whose = "Students' edition" if edition == "students" else "Full edition"
    lines = []
    for caption, names in parts:
        lines += [f'<p class="part">{caption}</p>'] if caption else []
        for name in names:
            for place, level, text in headings(pages[name])[: 1 if name.endswith("_evidence") else None]:
                aim, kind = (name, "whole") if level == 1 else (f"{name}--{place}", "section")
                lines.append(f'<p class="{kind}"><a href="#{aim}">{text}</a><a href="#{aim}"></a></p>')
    return (
        '<section class="chapter title-page"><p class="title">The Attention Workbook</p>'
        f"<p>{subtitle(next(iter(pages.values())))}</p>{cover[0] if cover else ''}"
        f'<p>{whose}, {dated()}</p><p class="licence">{LICENCE}</p></section>'
        f'<section class="chapter contents"><h1>Contents</h1>{"".join(lines)}</section>'
    )


def running_heads(pages: dict[str, str], parts: list[tuple[str, list[str]]]) -> str:
    """Return the style that puts the title of a chapter, or of a part without chapters, above each of its sheets."""
    rules = ""
    for name, first, caption in sheets(parts):
        if name != first:
            continue
        title = re.sub("<[^>]*>", "", caption or headings(pages[name])[0][2]).replace('"', '\\"')
        font = "font: italic 8.5pt 'Source Serif 4', serif"
        # The first has this title.
        left = f'@top-left {{ content: "The Attention Workbook"; {font}; }}' if rules else ""
        rules += f'@page {name} {{ @top-right {{ content: "{unescape(title)}"; {font}; }} {left} }}\n'
    return rules


def whole(site: Path, parts: list[tuple[str, list[str]]], edition: str = "full") -> str:
    """Return one page that holds these pages of a built book, light and without scripts."""
    names = [name for _, part in parts for name in part]
    pages = {name: (site / f"{name}.html").read_text(encoding="utf8") for name in names}
    styles = dict.fromkeys(
        style for page in pages.values() for style in STYLES.findall(page) if "dark.css" not in style
    )
    texts = "".join(chapter(name, pages[name], names, first) for name, first, _ in sheets(parts))
    return (
        '<!DOCTYPE html><html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">'
        f"<title>The Attention Workbook</title>{''.join(styles)}"
        f"<style>{PAPER}{running_heads(pages, parts)}</style></head>"
        '<body><div class="bd-content"><div class="bd-article-container"><article class="bd-article">'
        f"{front(pages, parts, edition)}{texts}"
        "</article></div></div></body></html>"
    )


def laid_out(browser: "Browser", site: Path, parts: list[tuple[str, list[str]]], edition: str = "full") -> "Page":
    """Open the whole book in a browser, as wide as the paper's text, with everything made to fit."""
    paper = site / WHOLE
    try:
        paper.write_text(whole(site, parts, edition), encoding="utf8")
        tab = browser.new_page(viewport=TEXT_ON_PAPER, color_scheme="light")
        tab.emulate_media(media="print", color_scheme="light")
        tab.goto(paper.as_uri(), wait_until="load", timeout=0)  # 300 pages, on any machine
        tab.evaluate("() => document.fonts.ready.then(() => true)")  # widths are those of the right letters
        tab.evaluate(FIT)
        return tab
    finally:
        paper.unlink(missing_ok=True)


def printed_on(pdf: bytes) -> dict[str, int]:
    """Return the number of the page of each place that a link leads to."""
    reader = PdfReader(BytesIO(pdf))
    number = {page.indirect_reference: number for number, page in enumerate(reader.pages, 1)}
    return {name.removeprefix("/"): number[place.raw_get("/Page")] for name, place in reader.named_destinations.items()}


def write(site: Path, parts: list[tuple[str, list[str]]], pdf: Path, edition: str = "full") -> None:
    """Print the book at `site` into `pdf`, by Chromium; raise `RuntimeError` if its page numbers do not settle."""
    with chromium() as browser:
        tab = laid_out(browser, site, parts, edition)
        pages: dict[str, int] = {}
        for _ in range(MOST_PRINTS):
            tab.evaluate(NUMBER, pages)
            printed = tab.pdf(prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
            before, pages = pages, printed_on(printed)
            if pages == before:
                return atomic_write(Path(pdf), printed)
    moved = [name for name, number in pages.items() if before.get(name) != number]
    raise RuntimeError(f"after {MOST_PRINTS} prints, page numbers still move: {', '.join(moved[:5])}; expected none")


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--students", action="store_true", help="the edition whose graded bodies are blanked")
    edition = "students" if parser.parse_args().students else "full"
    parts = readers(edition)
    site = site_of(edition, [name for _, names in parts for name in names])
    pdf = site.parent / "attention-workbook.pdf"
    write(site, parts, pdf, edition)
    print(f"The book for paper is at {pdf.relative_to(ROOT)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
