"""Tests of the question bank: every question of a page with its answer, as any LMS shows it, and nothing else."""

from xml.etree import ElementTree

import pytest

from book.contents import beside, chapters
from book.make import questions, self_grading
from book.make.build import FOLDERS
from tests.book.test_book_pages import pages

FORMULA = (
    '<span class="katex"><span class="katex-mathml"><math{}><semantics><mrow><mi>x</mi></mrow>'
    '<annotation encoding="application/x-tex">x &lt; \\frac12</annotation></semantics></math></span>'
    '<span class="katex-html" aria-hidden="true">drawn</span></span>'
)
PAGE = f"""<article><section id="one"><h1>1. One</h1></section><section id="questions"><h2>1.2. Questions<a
class="headerlink" href="#questions">#</a></h2><p>Think first.</p>
<p><strong>1. Compute.</strong> What is {FORMULA.format("")} of <a href="#one">the sum</a>?</p>
<details class="sd"><summary><span class="sd-summary-text">Answer</span></summary>
<div class="sd-body"><p class="sd-text">One half.</p>{FORMULA.format(' display="block"')}</div></details>
<p>2. Why?</p>
<details><summary><span class="sd-summary-text">Answer</span></summary><div><p>Because.</p></div></details>
</section></article>"""
SITE = questions.ROOT / "build" / FOLDERS["full"] / "html"


def test_a_question_has_its_text_its_answer_and_formulas_in_tex() -> None:
    first, second = questions.of_chapter(PAGE)
    assert first.asked == "<p><strong>1. Compute.</strong> What is \\(x &lt; \\frac12\\) of the sum?</p>"
    assert first.answer == "<div><p>One half.</p>\\[x &lt; \\frac12\\]</div>"
    assert (second.asked, second.answer) == ("<p>2. Why?</p>", "<div><p>Because.</p></div>")


def test_the_bank_has_all_questions_of_all_chapters_and_is_xml() -> None:
    pages(SITE)
    quiz = ElementTree.fromstring(ElementTree.tostring(questions.bank(SITE), encoding="utf-8"))
    categories = [each.findtext("category/text") for each in quiz.findall("question[@type='category']")]
    assert categories == [f"{questions.COURSE}/{name}" for name in chapters()]
    every = quiz.findall("question[@type='essay']")
    texts = [each.findtext(f"{part}/text") or "" for each in every for part in ("name", "questiontext", "graderinfo")]
    assert all(texts)
    assert not [text for text in texts if "class=" in text or "katex" in text or "<a " in text]
    for name in chapters():
        of_page = [each for each in every if (each.findtext("name/text") or "").startswith(f"{name}: Question")]
        numbers = [int((each.findtext("name/text") or "").rpartition(" ")[2]) for each in of_page]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= 5 + len(beside(name))


def of_kind(quiz: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return quiz.findall(f"question[@type='{kind}']")


@pytest.fixture(scope="module")
def by_hand() -> ElementTree.Element:
    """The questions that grade themselves, written and read again."""
    quiz = ElementTree.Element("quiz")
    for chapter in chapters():
        for question in self_grading.of_chapter(chapter):
            questions.graded(quiz, f"{chapter}: {question.name}", question)
    return ElementTree.fromstring(questions.as_xml(quiz))


def test_numbers_and_choices_have_the_form_that_moodle_imports(by_hand: ElementTree.Element) -> None:
    numbers, choices = of_kind(by_hand, "numerical"), of_kind(by_hand, "multichoice")
    assert len(numbers) + len(choices) == len(by_hand)
    assert {(name or "").partition(":")[0] for each in choices if (name := each.findtext("name/text"))} == {
        name for name in chapters() if any(self_grading.of_chapter(name))
    }
    for question in by_hand:
        text, answers = question.find("questiontext"), question.findall("answer")
        assert text is not None
        assert (text.get("format"), "Wanted: " in (text.findtext("text") or "")) == ("html", True)
        assert float(question.findtext("defaultgrade") or 0) == 1
        assert [answer.get("fraction") for answer in answers] == ["100", *["0"] * (len(answers) - 1)]
        assert all((answer.findtext("feedback/text") or "").endswith(".") for answer in answers[1:])
        texts = [answer.findtext("text") for answer in answers]
        assert len(set(texts)) == len(texts) >= 3
    for question in choices:
        assert [question.findtext(tag) for tag in ("single", "shuffleanswers")] == ["true", "true"]
    for question in numbers:
        right, *wrong = [float(answer.findtext("text") or "") for answer in question.findall("answer")]
        near = [float(answer.findtext("tolerance") or "") for answer in question.findall("answer")]
        assert all(0 < each < 0.1 for each in near)
        assert all(abs(other - right) > 2 * near[0] for other in wrong)


def test_html_stands_in_cdata_whatever_is_in_it() -> None:
    quiz = ElementTree.Element("quiz")
    answers = (self_grading.Answer("1"), self_grading.Answer("2", "a < b & c]]> d"))
    questions.graded(quiz, "x", self_grading.Question("x", "<p>]]> &amp;</p>", answers, 0.01))
    written = questions.as_xml(quiz)
    assert written.startswith(b'<?xml version="1.0" encoding="UTF-8"?>')
    assert b"<text><![CDATA[<p>" in written
    read = ElementTree.fromstring(written)
    assert read.findtext("question/questiontext/text") == "<p>]]> &amp;</p>"
    assert [each.text for each in read.findall("question/answer/feedback/text")] == [None, "a &lt; b &amp; c]]&gt; d"]
