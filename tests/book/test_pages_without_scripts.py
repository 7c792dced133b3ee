"""Tests of the built pages as readers without scripts see them."""

import pytest

from tests.book.test_book_pages import FULL, PAGES, opened, pages

# Figures that scripts make have nothing to be compared with: they are left out on both sides.
LOOKS = """selectors => selectors.map(selector => [...document.querySelectorAll(selector)]
.filter(element => !element.closest("div.weigh, div.moved, .chooser")).map(element => {
  const style = getComputedStyle(element)
  return [style.color, style.backgroundColor, style.fill, style.stroke].join(" ") }))"""
LOOKED_AT = ["body", ".drawing .box", ".drawing .hot", ".drawing .ink", ".drawing .tip", ".drawing text"]
LOOKED_AT += [".bd-article p", ".bd-article a", ".highlight", ".highlight .k", "table td", ".heat td", ".heat th"]


@pytest.mark.browser
@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_reader_without_scripts_sees_the_same_colours(browser, name, mode):
    page = dict(zip(PAGES, pages(FULL), strict=True))[name]
    seen = []
    for scripts in (True, False):
        tab, _, _ = opened(browser, page, mode=mode, scripts=scripts)
        seen.append(dict(zip(LOOKED_AT, tab.evaluate(LOOKS, LOOKED_AT), strict=True)))
        tab.context.close()
    assert seen[0] == seen[1]
    assert seen[0]["body"]
    if 'class="drawing"' in page.read_text(encoding="utf8"):
        ground, box = (seen[1][one][0] for one in ("body", ".drawing .box"))
        assert box != ground


@pytest.mark.browser
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_page_has_its_colours_before_the_scripts_that_wait_for_it(browser, mode):
    context = browser.new_context(color_scheme=mode)
    context.route("**/*.js*", lambda route: route.abort())
    tab = context.new_page()
    tab.goto(dict(zip(PAGES, pages(FULL), strict=True))["index"].as_uri())
    assert tab.evaluate("document.documentElement.dataset.theme") == mode
    context.close()
