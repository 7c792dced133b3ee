"""Make the slides of every chapter from the built book: `python book/make/slides.py` after `make book`.

build/slides holds one deck for each chapter, NAME.html, and all that the decks need: the folder can be handed on, and
asks for nothing outside it. `--pdf` prints them too. What is on a slide, and why: book/make/deck.py. `--students`
makes them of the students' edition, into build/slides_students: no graded body, and no notes on what a good answer is.
"""

import ast
import re
import shutil
import sys
from argparse import ArgumentParser
from html import escape
from pathlib import Path
from time import perf_counter

import mistune

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []  # run as a script
from book.contents import beside, chapters  # noqa: E402
from book.make.build import site_of  # noqa: E402
from book.make.chromium import chromium  # noqa: E402
from book.make.deck import BACKUP, Section, Slide, chosen  # noqa: E402
from book.make.html_tree import find, html, parsed, text  # noqa: E402

DECKS = {"full": "slides", "students": "slides_students"}
# The first serves the others.
FIGURES = ("interactive.js", "positions.js", "beam.js", "window.js", "state.js", "touch.js", "guess.js", "live.js")
STYLES = ("katex/katex.min.css", "pygments.css", "book.css", "plots.css", "head.css")
OURS = ("reveal.css", "reveal.js", "notes.js", "slides.css", "slides.js", "LICENSE-reveal.js")
QUESTION = re.compile(r"^\*\*(?P<asked>.+?)\*\*\n\*Good:\* (?P<good>.+?)$", re.MULTILINE)
UNCOUNTED = ' data-visibility="uncounted"'  # by reveal.js
PAGE = (ROOT / "book" / "make" / "_slides" / "page.html").read_text(encoding="utf8")


def taught(name: str) -> set[str]:
    """Return the functions and classes of a chapter's attention.py: what the exercises are about."""
    module = ast.parse((ROOT / "solutions" / name / "attention.py").read_text(encoding="utf8"))
    return {node.name for node in module.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def question(site: Path, name: str) -> str:
    """Return what a chapter asks, as the road on the book's first page has it; "" if it is not there."""
    index = parsed((site / "index.html").read_text(encoding="utf8"))
    stops = [html(stop) for road in find(index, kind="road") for stop in find(road, "li")]
    stop = next((each for each in stops if name in re.findall(r'href="([\w-]+)\.html', each)), "")
    return stop.partition("</a> – ")[2].partition("<br")[0]


def for_discussion(name: str) -> list[tuple[str, str]]:
    """Return a chapter's questions for the class, each with what a good answer names, as HTML."""
    here = (ROOT / "book" / name / "discussion.md").read_text(encoding="utf8")
    return [(inline(match["asked"]), inline(match["good"])) for match in QUESTION.finditer(here)]


def discussion(name: str, students: bool) -> Section:
    """Return the questions for the class; the speaker's notes say what to listen for."""
    section = Section("For discussion")
    for asked, good in for_discussion(name):
        notes = [] if students else [f"<em>Good:</em> {good}"]
        section.slides.append(Slide(section.title, "discussion", f"<p>{asked}</p>", "", notes))
    return section


def inline(markdown: str) -> str:
    """Return a paragraph of Markdown as HTML, without its <p>."""
    return str(mistune.html(markdown)).strip().removeprefix("<p>").removesuffix("</p>")


def contents(sections: list[Section]) -> Slide:
    """Return a slide that leads to each section but the first."""
    entries = [f'<li><a href="#/{place}">{section.title}</a></li>' for place, section in enumerate(sections) if place]
    return Slide("Contents", "contents", f'<ul class="contents">{"".join(entries)}</ul>')


def written(slide: Slide, part: str, is_counted: bool = True) -> str:
    """Return a slide as HTML."""
    notes = "".join(f"<p>{note}</p>" for note in slide.notes)
    aside = f'<aside class="notes">{notes}</aside>' if notes else ""
    if slide.kind == "title":
        head = f'<p class="course">The Attention Workbook</p><h1>{slide.heading}</h1>'
    else:
        head = f"<h2>{slide.heading}</h2>"
    lead = f'<p class="lead">{slide.lead}</p>' if slide.lead else ""
    kind = f'<div class="code">{slide.body}</div>' if slide.kind == "code" else slide.body
    counted = "" if is_counted else UNCOUNTED
    return (
        f'<section data-kind="{slide.kind}" data-part="{escape(part)}"{counted}><div class="sheet">{head}'
        f'<div class="body">{lead}{kind}</div></div>{aside}</section>'
    )


def deck(name: str, site: Path, students: bool = False) -> str:
    """Return the slides of a chapter of the book built at `site`, as one page."""
    page = (site / f"{name}.html").read_text(encoding="utf8")
    more = [(site / f"{tool}.html").read_text(encoding="utf8") for tool in beside(name)]
    sections = chosen(page, taught(name), question(site, name), students, more)
    sections.insert(len(sections) - (sections[-1].title == BACKUP), discussion(name, students))
    sections = [section for section in sections if section.slides]
    is_goals = [slide.kind == "list" for slide in sections[0].slides[1:2]]
    sections[0].slides.insert(1 + sum(is_goals), contents(sections))
    columns = [
        "<section>\n"
        + "\n".join(written(each, f"{place} {each.heading}", section.title != BACKUP) for each in section.slides)
        + "\n</section>"
        for place, section in enumerate(sections)
    ]
    sheets = ["reveal.css", *STYLES, "slides.css"]
    scripts = ["reveal.js", "notes.js", *FIGURES, "slides.js"]
    return PAGE.format(
        title=text(parsed(sections[0].title)),
        styles="\n".join(f'<link rel="stylesheet" href="_static/{sheet}">' for sheet in sheets),
        scripts="\n".join(f'<script src="_static/{script}"></script>' for script in scripts),
        slides="\n".join(columns),
    )


def make(site: Path, folder: Path, students: bool = False) -> list[Path]:
    """Write the decks of all chapters, and what they need, into `folder`; return the decks."""
    shutil.rmtree(folder, ignore_errors=True)
    static = folder / "_static"
    static.mkdir(parents=True)
    for file in OURS:
        shutil.copy(ROOT / "book" / "make" / "_slides" / file, static)
    for file in (*STYLES, *FIGURES, "favicon.svg"):
        (static / file).parent.mkdir(exist_ok=True)
        shutil.copy(site / "_static" / file, static / file)
    for part in ("katex/fonts", "live"):
        shutil.copytree(site / "_static" / part, static / part)
    decks = [folder / f"{name}.html" for name in chapters()]
    for each in decks:
        each.write_text(deck(each.stem, site, students), encoding="utf8")
    return decks


def print_decks(decks: list[Path]) -> None:
    """Print each deck into a PDF beside it, a page for each slide, by Chromium and the print view of reveal.js."""
    with chromium() as browser:
        for each in decks:
            tab = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="light")
            tab.goto(f"{each.as_uri()}?print-pdf", wait_until="load")
            tab.wait_for_selector("html[data-ready]", state="attached")
            pdf = str(each.with_suffix(".pdf"))
            tab.pdf(path=pdf, prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
            tab.close()


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--students", action="store_true", help="of the edition whose graded bodies are blanked")
    parser.add_argument("--pdf", action="store_true", help="print each deck, too")
    arguments = parser.parse_args()
    edition = "students" if arguments.students else "full"
    site = site_of(edition, ("index", *chapters()))
    started = perf_counter()
    decks = make(site, ROOT / "build" / DECKS[edition], arguments.students)
    if arguments.pdf:
        print_decks(decks)
    print(f"The slides are at {decks[0].parent.relative_to(ROOT)}/NAME.html ({perf_counter() - started:.0f} s).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
