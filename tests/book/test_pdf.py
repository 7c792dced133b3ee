"""Tests of the book on paper: its links lead somewhere in it, and nothing is wider than the paper."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader
from pypdf.generic import Destination

from book.make import build, pdf

ROOT = Path(__file__).parents[2]
ANSWER = '<details class="sd-dropdown"><summary>Answer</summary><p>Seven.</p></details>'
FOLDED = '<details class="hide above-input"><summary>Code</summary><pre>import plots</pre></details>'
LONG = "A heading that is so long " * 8 + "that it takes several lines of the paper"
ONE = (
    f'<section id="one"><h1>{LONG}</h1>'
    '<p><a class="x" href="two.html#end"><span class="std-ref">to the end</span></a> <a href="#one">up</a>'
    '<a href="two.html">two</a> <a href="genindex.html">index</a> <a href="_downloads/1/kit.zip">kit</a>'
    f'<a href="https://arxiv.org">out</a></p><script>const x = 1</script>{ANSWER}{FOLDED}'
    '<svg><marker id="tip"></marker><path marker-end="url(#tip)"/></svg></section>'
)
WIDE = (
    '<section id="two"><h1>Two</h1><div class="math"><div class="formula">'
    '<span style="display: inline-block; width: 1500px">x</span></div></div><div class="highlight"><pre>'
    + "word_"
    * 80
    + "</pre></div>"
    "<table><tr>"
    + "<td>"
    + "</td><td>".join(["aheading" * 3] * 12)
    + '</td></tr></table><p id="end">The end.</p></section>'
)
PARTS = [("", ["one"]), ("The last part", ["two"])]
WIDER = """() => [...document.querySelectorAll(".chapter *")].filter(element =>
  !element.closest(".katex-mathml, .katex svg") && element.getBoundingClientRect().right > innerWidth + 2)
  .map(element => element.outerHTML.slice(0, 120))"""


@pytest.fixture
def site(tmp_path) -> Path:
    for name, article in (("one", ONE), ("two", WIDE)):
        (tmp_path / f"{name}.html").write_text(
            f'<html><head></head><body><nav>sidebar</nav><article class="bd-article">{article}</article></body></html>'
        )
    return tmp_path


def dead_links(whole: str) -> set[str]:
    return set(re.findall(r'href="#([^"]*)"', whole)) - set(re.findall(r'\sid="([^"]*)"', whole))


def test_all_pages_are_one_whose_links_stay_within_it(site):
    whole = pdf.whole(site, PARTS)
    assert not dead_links(whole)
    names = re.findall(r'\sid="([^"]*)"', whole)
    assert len(set(names)) == len(names)
    assert 'href="#two--end"' in whole
    assert 'marker-end="url(#one--tip)"' in whole
    assert 'href="https://arxiv.org"' in whole
    assert '<details open class="sd-dropdown">' in whole
    assert '<details class="hide above-input">' in whole
    for left_out in ("<script", "sidebar", "genindex", "kit.zip"):
        assert left_out not in whole


def test_the_pages_for_readers_come_in_the_order_of_the_contents():
    printed = [name for _, names in pdf.readers("full") for name in names]
    assert printed[:2] == ["index", "start"]
    assert printed == [name for name in build.order("students") if name not in pdf.LISTS]
    assert set(pdf.LISTS) < set(build.order("students"))


def test_the_contents_list_each_section_and_a_running_head_names_the_chapter(site):
    whole = pdf.whole(site, PARTS)
    assert '<p class="part">The last part</p><p class="whole"><a href="#two">Two</a><a href="#two"></a></p>' in whole
    assert '@page two { @top-right { content: "Two";' in whole
    assert 'id="two" style="page: two"' in whole


@pytest.mark.browser
def test_what_is_wider_than_the_paper_is_made_to_fit(browser, site):
    tab = pdf.laid_out(browser, site, PARTS)
    assert not tab.evaluate(WIDER)
    for number in (7, 19):  # that of the print before is replaced
        tab.evaluate(pdf.NUMBER, {"two": number, "two--end": number})
    assert tab.locator(".contents p:last-child").inner_text().split() == ["Two", "19"]
    assert tab.locator('.chapter a[href="#two--end"]').inner_text() == "to the end\u00a0p.\u00a019"
    assert not (site / pdf.WHOLE).exists()
    tab.close()


@pytest.mark.browser
def test_what_a_model_has_said_stands_on_paper_and_what_changes_it_does_not(browser, site):
    live = '<div class="moved live"><div class="live-words"><button>he</button></div><button>another sentence</button>'
    page = site / "one.html"
    page.write_text(page.read_text().replace("</article>", f'{live}</div><div class="moved paid">16</div></article>'))
    tab = pdf.laid_out(browser, site, PARTS)
    assert [button.inner_text() for button in tab.locator("button").all() if button.is_visible()] == ["he"]
    said = "place => getComputedStyle(place, '::after').content"
    assert "trained model" in tab.locator(".live").evaluate(said)
    assert tab.locator(".paid").evaluate(said) == "none", "an answer is no figure"
    tab.close()


@pytest.mark.browser
def test_each_page_of_the_book_begins_a_sheet(browser, site, tmp_path):
    """In a separate process: a second Playwright does not run beside the fixture's."""
    code = "import sys; from pathlib import Path; from book.make import pdf; site, printed = map(Path, sys.argv[1:])\n"
    printed = tmp_path / "book.make.pdf"
    subprocess.run(
        [sys.executable, "-c", f"{code}pdf.write(site, {PARTS}, printed)", site, printed], cwd=ROOT, check=True
    )
    reader = PdfReader(printed)
    assert len(reader.pages) == 4  # title, contents, two chapters
    assert {"one": 3, "two": 4, "two--end": 4}.items() <= pdf.printed_on(printed.read_bytes()).items()
    assert LONG.replace(" ", "\u00a0") in [each.title for each in reader.outline if isinstance(each, Destination)]
