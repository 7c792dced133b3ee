"""The slides of a chapter, chosen from its built page by rules, so that nothing is written twice.

A slide is made for each thing that carries a section: a drawing, a formula, a table, a plot, a figure that can be
moved, what a cell puts out, a list, a remark, a taught function.

- Above it stands the end of the paragraph right before it: its last sentence, and those before while they are short.
  Before a table or a plot to which no colon leads, it is the first sentence, which says what was found.
- The whole of that paragraph, and the prose that follows up to the next one, are the speaker's notes.
- A section of prose alone is a slide of the first sentences of its paragraphs, or of all of it if it is short (a
  remark may be longer). One paragraph that only leads to subsections is a note.
- A cell's code stands above what it prints if it is short and shows a taught function, or PyTorch, at work. Of the
  course's files, only what students learn to write is shown (`taught`), without the docstring, whose first sentence
  is the slide's text. The model around it is not.
- Each question is a slide whose answer comes with the next key. Appendices and references are left out.
- What the chapter marks as `backup`, a section by {.backup} above its heading or a cell by its tag, comes behind the
  end, where a lecturer finds it when somebody asks: so a class has 15 to 25 slides.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

from bs4 import Tag

from book.make import pieces
from book.make.html_tree import Piece, classes, find, html, inner, tags, text
from book.make.pieces import is_worth_showing, outer, plain, questions, spoken, summary, titled, without_docstrings
from book.make.sentences import ENOUGH, MOST, end_of, first_of

LEFT_OUT = re.compile(r"Appendix|Notes and references")
MOST_PROSE, MOST_REMARK = 420, 1100  # characters, TeX counted, of prose and of a remark that a slide shows whole
BACKUP, MARKS = "Backup slides", {"backup", "tag_backup"}
DEFINED = re.compile(r"^(?:@.*\n)*(?:def|class) (\w+)", re.MULTILINE)
RESULTS = ("table", "plot", "heat")
TABLE, FIGURES = "pst-scrollable-table-container", ("moved", "weigh")


@dataclass
class Slide:
    """A slide: `lead` is prose, `body` what is shown, `notes` prose for the speaker; `kind` names what is shown."""

    heading: str
    kind: str
    body: str = ""
    lead: str = ""
    notes: list[str] = field(default_factory=list)


@dataclass
class Section:
    """A section of a chapter, a column of slides."""

    title: str
    slides: list[Slide] = field(default_factory=list)


def leading(paragraph: Tag, kind: str) -> list[Piece]:
    """Return what a slide says of the paragraph before what it shows."""
    is_claim = kind in RESULTS and not text(paragraph).endswith((":", ","))
    return first_of(paragraph, ENOUGH) if is_claim else end_of(paragraph)


class Chooser:
    """Goes through one chapter and collects its slides."""

    def __init__(self, taught: set[str], students: bool, goals: Tag | None = None) -> None:
        self.taught, self.students, self.goals = taught, students, goals
        self.sections: list[Section] = []
        self.backup = Section(BACKUP)
        self.is_backup = False
        self.heading = ""
        self.room = MOST_PROSE
        self.waiting: list[Tag] = []  # paragraphs that no slide has taken yet
        self.last: Slide | None = None  # the slide of this subsection that prose after it belongs to

    def section(self, title: Tag, content: list[Tag]) -> None:
        """Add the slides of a section; one without any is left out."""
        self.sections.append(Section(inner(plain(title))))
        self.subsection(title, content)
        if not self.sections[-1].slides:
            self.sections.pop()

    def subsection(self, title: Tag, content: list[Tag]) -> None:
        self.heading, self.last = inner(plain(title)), None
        for element in content:
            if element.name == "section":
                self.rest(leads_on=True)
            before, self.is_backup = self.is_backup, self.is_backup or bool(MARKS & classes(element))
            if element.name == "section":
                self.subsection(*titled(element))
            elif element.name == "p":
                self.waiting += [element] if "downloads" not in classes(element) and text(element) else []
            elif element is not self.goals:
                self.carried(element)
            self.is_backup = before
        self.rest()

    def rest(self, leads_on: bool = False) -> None:
        """Give the paragraphs that nothing follows to the last slide, or make one of their first sentences."""
        if self.last:
            self.last.notes += [spoken(each) for each in self.waiting]
        elif leads_on and len(self.waiting) == 1:
            return  # the next slide takes it
        elif self.waiting:
            whole = [plain(each) for each in self.waiting]
            points = [outer(first_of(each, 60 if len(whole) > 1 else MOST)).removesuffix(":") for each in whole]
            body = f"<ul>{''.join(f'<li>{each}</li>' for each in points)}</ul>"
            if len(whole) == 1:
                body = f"<p>{points[0]}</p>"
            if sum(len(text(each)) for each in whole) < self.room:
                body = "".join(map(html, whole))
            self.add(Slide(self.heading, "prose", body, "", [spoken(each) for each in self.waiting]))
        self.waiting = []

    def add(self, slide: Slide) -> None:
        (self.backup if self.is_backup else self.sections[-1]).slides.append(slide)
        self.last = slide

    def show(self, kind: str, body: str) -> None:
        """Add a slide with what is shown, led to by the paragraph before it."""
        before, self.waiting = self.waiting, []
        slide = Slide(self.heading, kind, body)
        if before:
            slide.lead = outer(leading(plain(before[-1]), kind))
            earlier = self.last or slide
            earlier.notes += [spoken(each) for each in before[:-1]]
            slide.notes.append(spoken(before[-1]))
        self.add(slide)

    def carried(self, element: Tag) -> None:
        """Add what an element that is no paragraph gives: often one slide, sometimes none."""
        names: dict[str, Callable[[Tag], None]] = {
            "cell": self.cell, "write": self.to_write, "compare": self.compared, "admonition": self.remark
        }  # fmt: skip
        kinds = {"drawn": "drawing", "math": "formula", TABLE: "table", **dict.fromkeys(FIGURES, "interactive")}
        for name, method in names.items():
            if name in classes(element):
                return method(element)
        for name, kind in kinds.items():
            if name in classes(element):
                return self.show(kind, html(plain(element)))
        if element.name in ("ul", "ol", "blockquote"):
            return self.show("list" if element.name != "blockquote" else "quote", html(plain(element)))
        if any(each.startswith("highlight-") for each in classes(element)):
            return self.function(element)
        return None

    def function(self, element: Tag) -> None:
        """Add a function of the course's files if it is one that students learn to write."""
        names = DEFINED.findall(find(element, "pre")[0].get_text())
        if not names or names[0] not in self.taught:
            return
        self.show("code", html(element) if self.students else without_docstrings(element))
        slide = (self.backup if self.is_backup else self.sections[-1]).slides[-1]
        about = slide.lead if self.students else escape(summary(element), quote=False) or slide.lead
        slide.lead = f"<code>{names[0]}</code> {about}"

    def to_write(self, element: Tag) -> None:
        """Add what students write, without its body; in the full edition the fold below it has the slide."""
        for code in find(element, kind="highlight-python") if self.students else []:
            self.function(code)

    def compared(self, element: Tag) -> None:
        """Add a function of the course from its fold."""
        for code in find(element, kind="highlight-python"):
            self.function(code)

    def remark(self, element: Tag) -> None:
        """Add a remark as slides of its own, under its own heading."""
        heading, last = self.heading, self.last
        if last:
            last.notes += [spoken(each) for each in self.waiting]
            self.waiting = []
        title, *content = tags(element)
        self.room = MOST_REMARK
        self.subsection(title, content)
        self.heading, self.last, self.room = heading, last, MOST_PROSE

    def cell(self, element: Tag) -> None:
        """Add what a cell puts out: what it prints with its code, or with the picture that comes with it."""
        outputs = find(element, kind="output")
        printed = "".join(html(plain(each)) for each in outputs if self.kind_of(each) == "output")
        pictures = [each for each in outputs if self.kind_of(each) != "output"]
        for each in pictures:
            self.show(self.kind_of(each), printed + html(plain(each)))
            printed = ""
        if printed:
            codes = [code for box in find(element, kind="cell_input") for code in find(box, kind="highlight")]
            shown = [html(code) for code in codes if is_worth_showing(code.get_text().strip(), self.taught)]
            self.show("output", "".join(shown) + printed)

    @staticmethod
    def kind_of(output: Tag) -> str:
        if "text_html" not in classes(output):
            return "output"
        kinds = {
            **dict.fromkeys(FIGURES, "interactive"),
            "heat": "heat",
            "results": "table",
        }  # moved: holds a table too
        kinds = [kind for name, kind in kinds.items() if find(output, kind=name)]
        return kinds[0] if kinds else "plot"

    def questions(self, title: Tag, content: list[Tag]) -> None:
        """Add a slide for each question; its answer is a fragment, which the next key shows."""
        self.sections.append(Section(inner(plain(title))))
        for asked, answer in questions(content):
            shown = "".join(html(plain(each)) for each in answer)
            body = f'<div class="asked">{html(plain(asked))}</div><div class="answer fragment">{shown}</div>'
            self.add(Slide(inner(plain(title)), "question", body))


def opening(chooser: Chooser, content: list[Tag], goals: Tag | None, question: str) -> None:
    """Add title, goals and what stands before the first section."""
    title, *content = content
    chooser.sections.append(Section(inner(plain(title))))
    chooser.sections[-1].slides.append(Slide(inner(plain(title)), "title", f"<p>{question}</p>" if question else ""))
    if goals:
        [heading, *paragraphs] = [each for each in tags(goals) if each.name == "p"]
        aims = "".join(html(plain(each)) for each in find(goals, "ul"))
        slide = Slide(inner(plain(heading)), "list", aims, notes=[spoken(each) for each in paragraphs[1:]])
        slide.lead = inner(plain(paragraphs[0])) if len(paragraphs) > 1 else ""
        chooser.sections[-1].slides.append(slide)
    chooser.subsection(title, content)


def chosen(
    page: str, taught: set[str], question: str = "", students: bool = False, tools: Sequence[str] = ()
) -> list[Section]:
    """Return the slides of a chapter's built page and of those on its tools, section by section."""
    whole = pieces.article(page)
    goals = next((each for each in find(whole, kind="admonition") if find(each, "ul")), None)
    chooser = Chooser(taught, students, goals)
    opening(chooser, [each for each in tags(whole) if each.name != "section"], goals, question)
    sections_of(chooser, whole)
    for tool in map(pieces.article, tools):
        chooser.waiting = [each for each in tags(tool) if each.name == "p"]  # notes of its first slide
        sections_of(chooser, tool)
    return [*chooser.sections, *([chooser.backup] if chooser.backup.slides else [])]


def sections_of(chooser: Chooser, page: Tag) -> None:
    """Add the sections of a page, but for those that no class looks at."""
    for section in (each for each in tags(page) if each.name == "section"):
        title, rest = titled(section)
        if LEFT_OUT.search(text(title)):
            continue
        chooser.is_backup = bool(MARKS & classes(section))
        is_asked = section.get("id") == "questions"
        (chooser.questions if is_asked else chooser.section)(title, rest)
