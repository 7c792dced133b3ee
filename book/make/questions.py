"""Make a question bank of the built book: `python book/make/questions.py` after `make book`.

build/questions.xml has, in a category for each chapter, the questions at its end and on the pages of its tools, and
those for the class in each discussion.md, as essay questions in Moodle's XML; what the book unfolds as an answer is the
information for graders. Beside them are questions that grade themselves, of what the notebook asks for by hand
(self_grading.py). Formulas stand in TeX, as Moodle's filters read it.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import unescape

from bs4 import Tag

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []  # run as a script
from book.contents import beside, chapters  # noqa: E402
from book.make import self_grading  # noqa: E402
from book.make.build import site_of  # noqa: E402
from book.make.html_tree import find, html, parsed  # noqa: E402
from book.make.pieces import for_discussion, plain, questions, titled  # noqa: E402
from lab.files import atomic_write  # noqa: E402

COURSE = "$course$/top/The Attention Workbook"
TEXT = re.compile(r"<text>(.*?)</text>", re.DOTALL)
LINES = 12  # of the field in which an answer is written


@dataclass(frozen=True)
class Question:
    """A question and its answer, as HTML."""

    name: str
    asked: str
    answer: str


def of_chapter(page: str, first: int = 1) -> Iterator[Question]:
    """Yield the questions at the end of a chapter's built page, numbered from `first`."""
    section = next(each for each in find(parsed(page), "section") if each.get("id") == "questions")
    _, content = titled(section)
    for number, (prompt, answer) in enumerate(questions(content), first):
        yield Question(f"Question {number}", with_tex(prompt), "".join(with_tex(each) for each in answer))


def with_tex(element: Tag) -> str:
    """Return an element as HTML without what belongs to the page, its formulas as TeX."""
    made = plain(element)
    for formula in find(made, kind="katex"):
        tex, is_block = find(formula, "annotation")[0].get_text(), find(formula, "math")[0].get("display") == "block"
        formula.replace_with(rf"\[{tex}\]" if is_block else rf"\({tex}\)")
    for each in [made, *find(made)]:
        each.attrs.pop("class", None)  # no class of the book's means anything elsewhere
    return html(made)


def bank(site: Path) -> ElementTree.Element:
    """Return all questions of the book built at `site` as Moodle's XML."""
    quiz = ElementTree.Element("quiz")
    for chapter in chapters():
        category = ElementTree.SubElement(quiz, "question", type="category")
        add(ElementTree.SubElement(category, "category"), f"{COURSE}/{chapter}")
        every = []
        for page in (chapter, *beside(chapter)):
            every += of_chapter((site / f"{page}.html").read_text(encoding="utf8"), len(every) + 1)
        talks = enumerate(for_discussion(chapter), 1)
        every += [Question(f"For discussion {number}", f"<p>{prompt}</p>", good) for number, (prompt, good) in talks]
        for question in every:
            essay(quiz, f"{chapter}: {question.name}", question)
        for question in self_grading.of_chapter(chapter):
            graded(quiz, f"{chapter}: By hand, {question.name}", question)
    return quiz


def essay(quiz: ElementTree.Element, name: str, question: Question) -> None:
    """Add a question that a person marks."""
    settings = {"responseformat": "editor", "responsefieldlines": str(LINES)}
    made = begun(quiz, "essay", name, question.asked, settings)
    add(ElementTree.SubElement(made, "graderinfo", format="html"), question.answer)


def graded(quiz: ElementTree.Element, name: str, question: self_grading.Question) -> None:
    """Add a question that Moodle marks: a number is typed in, or one of some results chosen."""
    numerical = question.tolerance is not None
    settings = {} if numerical else {"single": "true", "shuffleanswers": "true", "answernumbering": "abc"}
    made = begun(quiz, "numerical" if numerical else "multichoice", name, question.text, settings)
    for answer in question.answers:
        form = "moodle_auto_format" if numerical else "html"
        choice = ElementTree.SubElement(made, "answer", fraction="0" if answer.hint else "100", format=form)
        add(choice, answer.text)
        add(ElementTree.SubElement(choice, "feedback", format="html"), escape(answer.hint))
        if numerical:
            ElementTree.SubElement(choice, "tolerance").text = f"{question.tolerance:.4f}"


def begun(quiz: ElementTree.Element, kind: str, name: str, text: str, settings: dict[str, str]) -> ElementTree.Element:
    """Add a question of a kind, without its answers."""
    made = ElementTree.SubElement(quiz, "question", type=kind)
    add(ElementTree.SubElement(made, "name"), name)
    add(ElementTree.SubElement(made, "questiontext", format="html"), text)
    for tag, value in ({"defaultgrade": "1"} | settings).items():
        ElementTree.SubElement(made, tag).text = value
    return made


def add(element: ElementTree.Element, text: str) -> None:
    ElementTree.SubElement(element, "text").text = text


def as_xml(quiz: ElementTree.Element) -> bytes:
    """Return a question bank as Moodle writes one: HTML stands in CDATA, so that people can read it."""
    ElementTree.indent(quiz)
    text = ElementTree.tostring(quiz, encoding="unicode", xml_declaration=False)
    return ('<?xml version="1.0" encoding="UTF-8"?>\n' + TEXT.sub(_in_cdata, text) + "\n").encode()


def _in_cdata(text: re.Match[str]) -> str:
    content = unescape(text[1])
    if "<" not in content and "&" not in content:
        return text[0]
    return f"<text><![CDATA[{content.replace(']]>', ']]]]><![CDATA[>')}]]></text>"


def main() -> int:
    path, made = ROOT / "build" / "questions.xml", bank(site_of("full", chapters()))
    atomic_write(path, as_xml(made))
    essays, every = len(made.findall("question[@type='essay']")), len(made) - len(chapters())
    print(
        f"{every} questions are in {path.relative_to(ROOT)}, of which Moodle grades {every - essays} by itself: "
        "in Moodle, Question bank, Import, Moodle XML format."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
