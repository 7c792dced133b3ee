"""Tests of the search in the built book: a term leads to the section that treats it, quoted without LaTeX."""

import re
from pathlib import Path

import pytest

from tests.support.sites import served

SITE = Path(__file__).parents[2] / "build" / "_build" / "html"
TAUGHT = {
    "KV cache": "serving.html#the-cache-and-its-bytes",
    "teacher forcing": "batch_and_loss.html#training-teacher-forcing",
    "cross-attention": "transformer.html#the-idea-in-one-picture",
}
pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def built() -> None:
    if not (SITE / "glossary.html").is_file():
        pytest.skip("build/_build is not there, or older than the glossary: make book")


def searched(browser, site: str, words: str):
    """Return the page of results, and the errors that it met."""
    tab, errors = browser.new_page(), []
    tab.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else 0)
    tab.goto(f"{site}/search.html?q={words.replace(' ', '+')}")
    tab.locator(".search-summary").get_by_text("found").wait_for(timeout=10000)
    return tab, errors


@pytest.mark.parametrize("words", TAUGHT)
def test_the_first_result_is_the_section_that_treats_the_term_without_a_server(browser, words):
    tab, errors = searched(browser, SITE.as_uri(), words)
    links = tab.locator("#search-results li > a")
    addresses = [link.get_attribute("href") for link in links.all()]
    assert addresses[0] == TAUGHT[words]
    assert len(set(addresses)) == len(addresses), "a place twice"
    page, _, section = links.first.inner_text().partition(" > ")
    assert page
    assert section.strip() in (SITE / TAUGHT[words].partition("#")[0]).read_text(encoding="utf8")
    assert not errors
    tab.close()


@pytest.mark.parametrize("words", [*TAUGHT, "softmax", "gradient"])
def test_results_are_quoted_without_latex_and_without_a_server(browser, words):
    tab, errors = searched(browser, SITE.as_uri(), words)
    texts = tab.locator("#search-results p.context").all_inner_texts()
    tab.close()
    assert len(texts) > 3
    assert not [text for text in texts if re.search(r"\\[A-Za-z]{2,}|\\[{}]|[_^]\{", text)]
    assert not errors


@pytest.mark.parametrize(
    ("typed", "page", "said"),
    [
        ("attenion", "", "attention"),
        ("bema serch", "", "beam search"),
        ("self attention vs cross attention", "transformer.html", "the transformer"),
        ("positoinal encoding", "", "position"),
    ],
)
def test_results_come_while_one_types_also_with_a_wrong_letter(browser, typed, page, said):
    tab, errors = searched(browser, SITE.as_uri(), "softmax")
    field = tab.locator("article input[name=q], .bd-search-container input[name=q]").first
    field.fill("")
    field.press_sequentially(typed)
    first = tab.locator("#search-results li").first
    holds = "word => document.querySelector('#search-results li')?.textContent.toLowerCase().includes(word)"
    tab.wait_for_function(holds, arg=said, timeout=10000)
    assert first.locator("a").get_attribute("href").startswith(page)
    assert not errors
    tab.close()


def test_a_search_without_a_result_offers_near_words_and_lists(browser):
    tab, errors = searched(browser, SITE.as_uri(), "softmax")
    field = tab.locator(".bd-search-container input[name=q]")
    field.fill("attenshun")
    tab.locator("#search-results .offered button").first.wait_for(timeout=10000)
    assert tab.locator("#search-results a").first.get_attribute("href") == "glossary.html"
    tab.get_by_role("button", name="attention", exact=True).click()
    tab.locator("#search-results .context").first.wait_for(timeout=10000)
    field.fill("zzzzqqqq")
    tab.locator(".search-summary").get_by_text("No place").wait_for(timeout=10000)
    assert tab.locator("#search-results a").count() >= 2
    assert not errors
    tab.close()


def test_the_arrow_keys_lead_from_the_field_of_any_page_to_a_result(browser):
    with served(SITE) as site:
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        tab.goto(f"{site}/index.html")
        tab.keyboard.press("Control+k")
        tab.keyboard.type("additive attention")
        tab.locator(".search-found li a").first.wait_for(timeout=10000)
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("Enter")
        tab.wait_for_url(re.compile("bahdanau"))
        tab.close()
