"""What slides.md of a chapter is made of, as an extension of Sphinx: the lesson's own figures and numbers, and notes.

A deck runs no cell. `{shown} FUNCTION` shows what the lesson's cell that calls FUNCTION has put out, and {said}`NAME`
the number that the lesson quotes by that name, from the cells that `make book` has run: so they are the lesson's.
"""

import ast
import re
from functools import cache
from html import escape
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from jupyter_cache import get_cache
from jupyter_cache.readers import get_reader
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.typing import OptionSpec
from sphinx.writers.html5 import HTML5Translator
from sphinx_revealjs._ext.notes import revealjs_notes
from sphinx_revealjs.nodes import revealjs_section
from sphinx_revealjs.writers import RevealjsSlideTranslator

from autograder.places import ROOT
from autograder.release.blank import Module
from book.contents import all_chapters, page_file
from book.make.pieces import for_discussion, inline
from book.notebook_parts import notebook

READ = {"name": "myst_nb_md", "type": "plugin"}  # as the book reads a page
GLUED = "application/papermill.record/text/plain"
RAW = re.compile(r"^```\{raw\} html\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PART = re.compile(r"^\| *(\d+) · ([^|]+?) *\| *(\d+) *\| *([^|]*?) *\|", re.MULTILINE)
KINDS = {"build": "build", "later": "fragment", "bare": "bare"}  # by the option of `{shown}`
ANSWERS = "Listen for"  # begins a paragraph of notes that the students' edition leaves out
SKIPPED = "In a class of 45 minutes, skip this slide."
MOST_CODE = 5  # lines on a slide


@cache
def executed(page: str) -> list:
    """Return the cells of a page of the book with what they have put out; raise ExtensionError where none is kept."""
    try:
        cached = get_cache(ROOT / "build" / "executed")
        return cached.merge_match_into_notebook(get_reader(READ)(str(page_file(page))))[1].cells
    except (KeyError, OSError) as fault:
        raise ExtensionError(f"the cells of {page} have not run as they stand: make book first") from fault


def quoted(page: str, name: str) -> str:
    """Return the number that a page quotes by a name."""
    for cell in executed(page):
        for output in cell.get("outputs", ()):
            if output.get("metadata", {}).get("scrapbook", {}).get("name") == name:
                return str(ast.literal_eval(output["data"][GLUED]))
    raise ExtensionError(f"no cell of {page} quotes a number {name!r}")


def put_out(page: str, name: str) -> str:
    """Return, as HTML, what the first cell of a page that calls a function puts out, or a raw block of a class."""
    if name.startswith("."):
        blocks = RAW.findall(page_file(page).read_text(encoding="utf8"))
        matching = [block for block in blocks if name[1:] in re.split(r'[\s"]', block.partition(">")[0])]
    else:
        cells = [cell for cell in executed(page) if re.search(rf"\b{name}\(", cell["source"])]
        outputs = [[each["data"] for each in cell.get("outputs", ()) if "data" in each] for cell in cells]
        html = ["".join(data.get("text/html", "") for data in each) for each in outputs]
        matching = [each for each in html if each]
    if not matching:
        raise ExtensionError(f"no cell of {page} that calls {name!r} shows anything")
    return matching[0]


class OfChapter(SphinxDirective):
    """A directive that knows whose deck it stands in, and which page of the book it takes things from."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[OptionSpec | None] = {
        "page": directives.unchanged,
        "build": directives.flag,
        "later": directives.flag,
        "bare": directives.flag,
    }

    @property
    def chapter(self) -> str:
        return self.env.docname.partition("/")[0]

    def html(self, text: str) -> list[nodes.Node]:
        return [nodes.raw("", text, format="html")]


class Shown(OfChapter):
    """`{shown} NAME`: what the lesson (`:page:` names another page) shows there; with `:build:`, panel by panel.

    With `:later:` a key brings it, after the answers of the slide; with `:bare:` it has no caption.
    """

    required_arguments, optional_arguments = 1, 0

    def run(self) -> list[nodes.Node]:
        text = put_out(self.options.get("page", self.chapter), self.arguments[0])
        kinds = ["shown", *(kind for option, kind in KINDS.items() if option in self.options)]
        return self.html(f'<div class="{" ".join(kinds)}">{text}</div>')


class Said(SphinxRole):
    """{said}`NAME`: a number as the lesson quotes it; {said}`PAGE NAME` as another page does."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        page, _, name = self.text.rpartition(" ")
        return [nodes.Text(quoted(page or self.env.docname.partition("/")[0], name))], []


class Steps(OfChapter):
    """`{steps} 1 2 3`: the next keys choose these states of the slide's drawing.

    With `:clip: left` (or top) they show so many per cent of it, from there, beginning with the first. With `:told:`
    each of them brings the next paragraph of the column beside the drawing.
    """

    required_arguments, optional_arguments = 1, 0
    option_spec: ClassVar[OptionSpec | None] = {"clip": directives.unchanged, "told": directives.flag}

    def run(self) -> list[nodes.Node]:
        places, clip = self.arguments[0].split(), self.options.get("clip", "")
        first, rest = (places[0], places[1:]) if clip else ("0", places)
        steps = "".join(f'<i class="fragment" data-to="{place}"></i>' for place in rest)
        kind = "steps told" if "told" in self.options else "steps"
        return self.html(f'<div class="{kind}" data-clip="{escape(clip)}" data-first="{first}">{steps}</div>')


class Answers(OfChapter):
    """`{answers} columns 3 4` (or rows): the class finds these of the slide's table, and a key brings each.

    `{answers} items 1 2`: of the slide's list.
    """

    required_arguments, optional_arguments = 1, 0

    def run(self) -> list[nodes.Node]:
        kind, *places = self.arguments[0].split()
        if kind not in ("columns", "rows", "items") or not places or not all(map(str.isdigit, places)):
            expected = "columns, rows or items and their numbers, as in `columns 3 4`"
            raise self.error(f"expected {expected}, got `{self.arguments[0]}`")
        return self.html(f'<div class="answers" data-kind="{kind}" data-places="{" ".join(places)}"></div>')


class Opening(OfChapter):
    """`{opening}`: the chapter's title, papers and question, below the claim that begins its deck."""

    def run(self) -> list[nodes.Node]:
        about = all_chapters()[self.chapter]
        lines = {"course": "The Attention Workbook", "chapter": about["title"], "papers": about["paper"]}
        text = "".join(f'<p class="{kind}">{escape(line)}</p>' for kind, line in lines.items())
        return self.html(f'{text}<p class="question">{escape(about["question"])}</p>')


class Code(OfChapter):
    """`{code} FUNCTION`: the body of a taught function; in the students' edition, that it is theirs to write."""

    required_arguments, optional_arguments = 1, 0

    def run(self) -> list[nodes.Node]:
        file = ROOT / "solutions" / self.chapter / "attention.py"
        _, lines = Module(file, file.read_text(encoding="utf8")).head_and_body(self.arguments[0])
        body = "\n".join(line.removeprefix("    ") for line in lines).strip("\n")
        if body.count("\n") >= MOST_CODE:
            raise self.error(f"the body of {self.arguments[0]} has more than {MOST_CODE} lines")
        if self.config.edition == "students":
            body = f"# Yours to write: {self.chapter}.ipynb"
        return [nodes.literal_block(body, body, language="python")]


class Parts(OfChapter):
    """`{parts}`: what students write in the chapter's notebook, from the tables at its head."""

    def run(self) -> list[nodes.Node]:
        rows = PART.findall(notebook(self.chapter).read_text(encoding="utf8"))
        items = [
            f"<li><span>{number}</span><b>{inline(title)} {'★' * difficulty.count('★')}</b><em>{minutes} min</em></li>"
            for number, title, minutes, difficulty in rows
        ]
        plain = sum(int(minutes) for _, _, minutes, difficulty in rows if "★" not in difficulty)
        total = f'<p class="soft">Without the stars {plain} minutes together.</p>'
        return self.html(f'<ol class="parts{" many" if len(items) > 8 else ""}">{"".join(items)}</ol>{total}')


class Notes(OfChapter):
    """`{notes} MINUTES`: what the speaker says, in the speaker's window; answers are for teachers only.

    `{notes} MINUTES skip`: a class of 45 minutes goes without this slide.
    """

    required_arguments, optional_arguments, has_content = 1, 0, True

    def run(self) -> list[nodes.Node]:
        minutes, _, mark = self.arguments[0].partition(" ")
        if not minutes.isdigit() or mark not in ("", "skip"):
            raise self.error(f"expected minutes, or minutes and `skip`, got `{self.arguments[0]}`")
        aside = revealjs_notes("", nodes.paragraph("", f"{minutes} min.{f' {SKIPPED}' if mark else ''}"))
        self.state.nested_parse(self.content, self.content_offset, aside)
        for paragraph in list(aside.findall(nodes.paragraph)):
            if self.config.edition == "students" and paragraph.astext().startswith(ANSWERS):
                paragraph.parent.remove(paragraph)
        return [revealjs_section("", **{"data-timing": f"{60 * int(minutes)}"}), aside]


class Discussion(OfChapter):
    """`{discussion}`: the chapter's questions for the class; what a good answer names is in the notes."""

    def run(self) -> list[nodes.Node]:
        prompts, good = zip(*for_discussion(self.chapter), strict=True)
        items = "".join(f"<li>{each}</li>" for each in prompts)
        answers = "".join(f"<p>Good, {number}: {each}</p>" for number, each in enumerate(good, 1))
        notes = "" if self.config.edition == "students" else f'<aside class="notes">{answers}</aside>'
        return self.html(f'<ol class="discussion">{items}</ol>{notes}')


class Translator(RevealjsSlideTranslator):
    """Code is coloured while the deck is built, as the book's is: no script does it in the page."""

    visit_literal_block = HTML5Translator.visit_literal_block
    depart_literal_block = HTML5Translator.depart_literal_block


def alone(app: Sphinx, doctree: nodes.document) -> None:
    """Keep Sphinx from asking for a list of contents: a deck is a page by itself."""
    app.env.metadata[app.env.docname]["orphan"] = True


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("edition", "full", "env", types=[str])
    app.set_translator("revealjs", Translator)
    app.connect("doctree-read", alone)
    app.add_role("said", Said())
    for directive in (Shown, Steps, Answers, Opening, Code, Parts, Notes, Discussion):
        app.add_directive(directive.__name__.lower(), directive, override=True)
    return {"parallel_read_safe": True}
