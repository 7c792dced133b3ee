"""Laws of the question bank: every question of a page with its answer, as any LMS shows it, and nothing of the page."""

from xml.etree import ElementTree

import pytest

from book import questions, slides
from book.build import FOLDERS
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
<details><summary><span class="sd-summary-text">2. Why?</span></summary><div><p>Because.</p></div></details>
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
    assert categories == [f"{questions.COURSE}/{name}" for name in slides.chapters()]
    every = quiz.findall("question[@type='essay']")
    texts = [each.findtext(f"{part}/text") or "" for each in every for part in ("name", "questiontext", "graderinfo")]
    assert all(texts)
    assert not [text for text in texts if "class=" in text or "katex" in text or "<a " in text]
    for name in slides.chapters():
        of_page = [each for each in every if (each.findtext("name/text") or "").startswith(f"{name}: Question")]
        assert len(of_page) == 5


def test_without_a_book_it_says_what_to_make_first(tmp_path, monkeypatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr(questions, "ROOT", tmp_path)
    assert questions.main() == 2
    assert "make book first" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
