"""What a link leads to is shown beside it, by pointer and keyboard, from the disk, and not on a phone."""

import json
import re

import pytest
import terms
from docutils import nodes

from book.contents import page_file
from tests.book.test_book_pages import FULL, opened, pages

GLOSSARY = page_file("glossary")
BOX = ".preview"


def test_a_term_that_the_page_itself_treats_leads_nowhere() -> None:
    assert "greedy decoding" in terms.abroad("pooling", GLOSSARY)
    assert "context" not in terms.abroad("bahdanau", GLOSSARY)
    assert "context" in terms.abroad("luong", GLOSSARY)
    assert not terms.PLAIN & set(terms.abroad("luong", GLOSSARY))


def test_names_links_and_what_is_emphasised_are_passed_by() -> None:
    linked = nodes.paragraph("", "", nodes.reference("", "a beam"), nodes.emphasis("", "a beam"), nodes.Text(" a beam"))
    assert [text.astext() for text in terms.running(linked)] == [" a beam"]


def excerpts() -> dict[str, str]:
    pages(FULL)
    text = (FULL / "_static" / "excerpts.js").read_text(encoding="utf8")
    return json.loads(text.partition("=")[2])


def test_excerpts_are_short_and_name_no_place() -> None:
    shown = excerpts()
    assert len([key for key in shown if key.startswith("glossary.html#term-")]) > 50
    assert not [key for key, text in shown.items() if re.search(r'<[^>]* (?:id|href|name)="|<script', text)]
    assert (FULL / "_static" / "excerpts.js").stat().st_size < 600_000


@pytest.mark.browser
def test_a_term_is_explained_by_pointer_and_by_keyboard_until_escape(browser) -> None:
    pages(FULL)
    tab, foreign, errors = opened(browser, FULL / "luong.html", width=1280)
    term = tab.locator("a.term").first
    term.scroll_into_view_if_needed()
    term.hover()
    tab.locator(BOX).wait_for()
    assert term.get_attribute("aria-describedby") == tab.locator(BOX).get_attribute("id")
    assert term.inner_text().lower()[:5] in tab.locator(BOX).inner_text().lower()
    tab.locator(BOX).hover()
    tab.wait_for_timeout(400)
    assert tab.locator(BOX).count() == 1, "one can go into it"
    tab.keyboard.press("Escape")
    assert tab.locator(BOX).count() == 0
    tab.mouse.move(0, 0)
    tab.evaluate("document.querySelector('a.term').previousSibling.parentElement.setAttribute('tabindex', -1)")
    tab.evaluate("document.querySelector('a.term').parentElement.focus()")
    tab.keyboard.press("Tab")
    tab.locator(BOX).wait_for()
    assert not foreign
    assert not errors
    tab.context.close()


@pytest.mark.browser
def test_a_phone_has_none(browser) -> None:
    pages(FULL)
    context = browser.new_context(viewport={"width": 380, "height": 800}, has_touch=True, is_mobile=True)
    tab = context.new_page()
    tab.goto((FULL / "luong.html").as_uri())
    tab.locator("a.term").first.scroll_into_view_if_needed()
    tab.locator("a.term").first.focus()
    tab.wait_for_timeout(600)
    assert tab.locator(BOX).count() == 0
    context.close()
