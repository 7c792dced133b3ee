"""Make the slides of every chapter: `python book/make/slides.py` after `make book`.

A deck is written beside its chapter, book/NAME/slides.md; what stands in it: book/make/decks.py. build/slides holds
each as NAME.html, with all that the decks need: the folder can be handed on, and asks for nothing outside it. `--pdf`
prints them too. `--students` makes them without answers, and without what a good answer is, in build/slides_students;
its cells, too, are those that `make book` has run.
"""

import shutil
import sys
import warnings
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
EXTENSIONS = ROOT / "book" / "_ext"
for each in (EXTENSIONS, ROOT):
    sys.path[:0] = [str(each)] if str(each) not in sys.path else []  # run as a script
from book.contents import chapters  # noqa: E402
from book.make.build import site_of  # noqa: E402
from book.make.chromium import chromium  # noqa: E402

BOOK, OURS = ROOT / "book", ROOT / "book" / "make" / "_slides"
DECKS = {"full": "slides", "students": "slides_students"}
# The first serves the others.
NAMES = ("interactive", "positions", "beam", "window", "context", "state", "touch", "guess", "live")
FIGURES = tuple(f"{name}.js" for name in NAMES)
STYLES = (
    "katex/katex.min.css",
    "pygments.css",
    "type.css",
    "book.css",
    "plots.css",
    "figures.css",
    "head.css",
    "slides.css",
)
REVEAL = ("dist/reveal.js", "dist/reveal.css", "plugin/notes/notes.js", "LICENSE")
SETTINGS = {
    "extensions": ["myst_parser", "sphinx_revealjs", "book.make.decks", "maths", "drawing", "plots"],
    "project": "The Attention Workbook",
    "language": "en",
    "html_math_renderer": "katex",
    "pygments_style": "a11y-high-contrast-light",
    "myst_enable_extensions": ["attrs_block", "attrs_inline", "colon_fence", "dollarmath"],
    "revealjs_html_theme": "revealjs-simple",
    "revealjs_style_theme": "type.css",
    "revealjs_static_path": [str(BOOK / "_static"), str(OURS)],
    "revealjs_js_files": [(name, {}) for name in FIGURES],
    "revealjs_css_files": [name for name in STYLES if name != "type.css"],
    "revealjs_script_files": ["slides.js"],
    "revealjs_script_plugins": [{"name": "RevealNotes", "src": "revealjs/plugin/notes/notes.js"}],
    "revealjs_script_conf": {
        "width": 1280, "height": 720, "margin": 0, "center": False, "display": "flex", "slideNumber": "c/t",
        "controls": False, "transition": "none", "navigationMode": "linear",
        "pdfMaxPagesPerSlide": 1, "pdfSeparateFragments": False,
    },
}  # fmt: skip


def written(names: Sequence[str], folder: Path, edition: str) -> Path:
    """Build the decks of these chapters below `folder`; return where they are."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace

    made = folder / "made"
    chosen = {"include_patterns": [f"{name}/slides.md" for name in names], "root_doc": f"{names[0]}/slides"}
    # Any warning is an error, but that sphinx-revealjs uses what the next Sphinx will drop.
    with docutils_namespace(), warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        Sphinx(
            BOOK,
            None,
            made,
            folder / "doctrees",
            "revealjs",
            SETTINGS | chosen | {"edition": edition},
            status=None,
            freshenv=True,
            warningiserror=True,
        ).build()
    return made


def make(site: Path, folder: Path, edition: str, names: Sequence[str] = ()) -> list[Path]:
    """Write the decks of all chapters, or of these, and what they need, into `folder`; return the decks."""
    names = names or chapters()
    shutil.rmtree(folder, ignore_errors=True)
    work = folder.with_name(f"_{folder.name}")
    shutil.rmtree(work, ignore_errors=True)
    made, static = written(names, work, edition), folder / "_static"
    for file in (*(f"revealjs/{name}" for name in REVEAL), *STYLES, *FIGURES, "slides.js", "favicon.svg"):
        (static / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(made / "_static" / file, static / file)
    shutil.copytree(made / "_static" / "katex" / "fonts", static / "katex" / "fonts")
    shutil.copytree(made / "_static" / "fonts", static / "fonts")
    shutil.copytree(site / "_static" / "live", static / "live")
    decks = [folder / f"{name}.html" for name in names]
    for deck in decks:
        page = (made / deck.stem / "slides.html").read_text(encoding="utf8").replace("../_static/", "_static/")
        deck.write_text(page, encoding="utf8")
    shutil.rmtree(work)
    return decks


def printed(browser: "Browser", deck: Path) -> Path:
    """Print a deck into a PDF beside it, a page for each slide, by the print view of reveal.js; return the PDF."""
    tab = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="light")
    tab.goto(f"{deck.as_uri()}?print-pdf", wait_until="load")
    tab.wait_for_selector("html[data-ready]", state="attached")
    pdf = deck.with_suffix(".pdf")
    tab.pdf(path=str(pdf), prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
    tab.close()
    return pdf


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--students", action="store_true", help="without answers")
    parser.add_argument("--pdf", action="store_true", help="print each deck, too")
    parser.add_argument("chapters", nargs="*", help="of these chapters only")
    arguments = parser.parse_args()
    edition = "students" if arguments.students else "full"
    site = site_of("full", chapters())
    started = perf_counter()
    decks = make(site, ROOT / "build" / DECKS[edition], edition, arguments.chapters)
    if arguments.pdf:
        with chromium() as browser:
            for deck in decks:
                printed(browser, deck)
    print(f"The slides are at {decks[0].parent.relative_to(ROOT)}/NAME.html ({perf_counter() - started:.0f} s).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
