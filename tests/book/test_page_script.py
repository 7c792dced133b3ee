"""What book.js does on every page: the list of pages shows where one is; what is wide scrolls by itself."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.figures import NARROW, STATIC, opened

pytestmark = pytest.mark.browser
ROWS = 60
LIST = """<style>.bd-sidebar-primary {{ height: 300px; overflow-y: auto }} li {{ height: 40px }}</style>
<div class="bd-sidebar-primary"><nav class="bd-docs-nav"><ul>{rows}</ul></nav></div>
<main style="height: 3000px">Text</main>
<script>document.querySelector(".bd-sidebar-primary").scrollTop = {kept}</script>"""
SEEN = """() => {
  const list = document.querySelector(".bd-sidebar-primary"), box = list.getBoundingClientRect()
  const own = list.querySelector(".active").getBoundingClientRect()
  return [own.top >= box.top && own.bottom <= box.bottom, list.scrollTop, scrollY]
}"""
WIDE = """<link rel="stylesheet" href="{sheet}"><div class="plot-box">
<svg class="plot" width="600" height="200" style="--w: 600"></svg></div>
<p class="below">A caption of so many words that one line of a phone has no room for all of them.</p>"""


@pytest.fixture
def tabs(browser, tmp_path: Path) -> Callable[[str], Iterator]:
    return lambda text: opened(browser, tmp_path, text)


def listed(active: int, kept: int) -> str:
    """Return a page with a list of pages, of which one is the page itself, scrolled to a place as the theme does it."""
    rows = "".join(f"<li{' class=active' if row == active else ''}>Page {row}</li>" for row in range(ROWS))
    return LIST.format(rows=rows, kept=kept)


@pytest.mark.parametrize(("active", "kept"), [(50, 0), (2, 1900), (30, 0), (ROWS - 1, 300)])
def test_the_list_of_pages_shows_the_page_that_is_open_which_stays_at_its_top(tabs, active: int, kept: int) -> None:
    for tab in tabs(listed(active, kept)):
        is_seen, _, scrolled = tab.evaluate(SEEN)
        assert (is_seen, scrolled) == (True, 0)


def test_the_list_keeps_its_place_where_the_page_is_in_sight(tabs) -> None:
    for tab in tabs(listed(30, 1100)):
        assert tab.evaluate(SEEN) == [True, 1100, 0]


def test_a_plot_that_is_wider_than_a_phone_scrolls_alone_and_its_caption_wraps(tabs) -> None:
    for tab in tabs(WIDE.format(sheet=(STATIC / "plots.css").as_uri())):
        tab.evaluate("look()")  # here scripts come before the body
        tab.locator(".plot-box.goes-on[tabindex='0']").wait_for()
        right, height = tab.locator(".below").evaluate(
            "each => [each.getBoundingClientRect().right, each.offsetHeight]"
        )
        assert right <= NARROW["width"]
        assert height > 30, "two lines"
        assert tab.locator(".goes-on .below").count() == 0, "it fades"
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
