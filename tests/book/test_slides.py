"""Tests of the slides: all that carries a chapter is on them, nothing runs over, nothing is asked of a network."""

import re
from pathlib import Path

import pytest
from bs4 import Tag

from book.contents import beside, chapters, page_file
from book.make import build, slides
from book.make.deck import Section, Slide, chosen
from book.make.html_tree import classes, find, html, parsed, tags, text
from book.make.sentences import end_of, first_of
from tests.book.test_book_pages import answers, models

ROOT = Path(__file__).parents[2]
SITES = {edition: ROOT / "build" / folder / "html" for edition, folder in build.FOLDERS.items()}
NAMES = chapters()
SHOWN = {"drawn": "figure", "formula": "div", "moved": "div", "weigh": "div", "heat": "div", "results": "table"}
LEAST = 19  # pixels of the smallest letters in a frame 720 high, but for tables of weights, which are read by colour
PAGE = """<article class="bd-article"><section><h1>1. One<a class="headerlink" href="#one">#</a></h1>
<div class="admonition"><p>In this chapter</p><p>You can</p><ul><li>count;</li></ul><p>An hour.</p></div>
<p>It begins.</p>
<section><h2>1.1. Counting</h2>
<p>A first paragraph that only says how things came to be, long ago.</p>
<p>This is where the sum comes from, as everybody will remember. So we <a href="two.html">add</a> the two numbers that
were given to us at the beginning, and nothing more than these:</p>
<div class="math"><div class="formula">s</div></div>
<p>The sum is <em>small</em>.</p>
<div class="highlight-default"><div class="highlight"><pre><span class="k">def</span> taught():
    <span class="sd">&quot;&quot;&quot;Return one.&quot;&quot;&quot;</span>
    return 1</pre></div></div>
<div class="highlight-default"><div class="highlight"><pre>def around():
    return 2</pre></div></div>
<section class="backup"><h3>1.1.1. More</h3><p>Aside.</p><ul><li>Less.</li></ul></section>
<section><h3>1.1.2. Results</h3><p>More words give more points, and this holds in each and every row of the table that
is shown below. Details are hard to see
in it.</p><div class="cell"><div class="cell_output"><div class="output text_html"><table class="results"><tr><td>1</td>
</tr></table></div></div></div></section></section>
<section id="questions"><h2>1.2. Questions</h2><p>1. Why?</p><details><summary><span class="sd-summary-text">Answer
</span></summary><div><p>Because.</p></div></details><p>2. How?</p><details><summary>Answer</summary>
<div><p>So.</p></div></details></section>
<section><h2>1.3. Appendix: more</h2><p>Not here.</p><div class="math"><div class="formula">t</div></div></section>
</section></article>"""
# What stands outside the frame, or is cut off within itself, of the slide that is shown; live figures scroll.
OUTSIDE = """() => {
  const frame = Reveal.getCurrentSlide().getBoundingClientRect()
  return [...Reveal.getCurrentSlide().querySelectorAll("h1, h2, .body *")].filter((each) => {
    if (each.closest(".katex-mathml, .katex svg, aside, .moved.beam table, .live > *, .live-hidden")) return false
    const box = each.getBoundingClientRect()
    const isOut = box.right > frame.right + 1 || box.bottom > frame.bottom + 1 || box.left < frame.left - 1
    const isCut = getComputedStyle(each).overflowX !== "visible" && each.scrollWidth > each.clientWidth + 2
    return (box.width && isOut) || (isCut && !each.matches("select, input, .katex *"))
  }).map((each) => each.outerHTML.slice(0, 150))
}"""
SMALL = """() => [...document.querySelectorAll(".slides section > section .body *")].filter((each) => {
  if (each.closest(".katex, svg, .heat, .moved.beam table")) return false
  if (![...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) return false
  let pixels = parseFloat(getComputedStyle(each).fontSize)
  for (let box = each; box; box = box.parentElement) pixels *= parseFloat(box.style.zoom) || 1
  return pixels < LEAST
}).map((each) => each.outerHTML.slice(0, 150))""".replace("LEAST", str(LEAST))


def site(edition: str) -> Path:
    stamp = SITES[edition].parent / "machinery"
    if not build.has_these_contents(edition) or not stamp.is_file() or stamp.read_text() != build.machinery():
        pytest.skip(f"build/{build.FOLDERS[edition]} is not built, or out of date: make book, make book-students")
    return SITES[edition]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The decks of the full edition, far from the book that they are made of."""
    made = tmp_path_factory.mktemp("slides") / "slides"
    slides.make(site("full"), made)
    return made


def sections() -> list[Section]:
    return chosen(PAGE, {"taught"}, "What?")


def slide(kind: str) -> Slide:
    return next(each for section in sections() for each in section.slides if each.kind == kind)


def code(element: Tag) -> str:
    return " ".join("".join(pre.get_text() for pre in find(element, "pre")).split())


# What is chosen


def test_each_thing_that_carries_a_section_is_a_slide_and_appendices_are_not():
    assert [section.title for section in sections()] == ["1. One", "1.1. Counting", "1.2. Questions", "Backup slides"]
    kinds = [[each.kind for each in section.slides] for section in sections()]
    assert kinds == [["title", "list", "prose"], ["formula", "code", "table"], ["question", "question"], ["list"]]


def test_a_formula_is_led_to_by_the_end_of_the_paragraph_before_it_and_a_result_by_the_beginning():
    assert slide("formula").lead.startswith("So we add the two numbers")
    assert slide("table").lead.endswith("shown below.")


def test_all_prose_is_in_the_speakers_notes():
    notes = " ".join(note for section in sections() for each in section.slides for note in each.notes)
    for said in ("An hour.", "It begins.", "long ago", "as everybody will remember", "<em>small</em>", "Details are"):
        assert said in notes


def test_of_the_code_only_what_is_taught_is_shown_and_its_docstring_is_the_text():
    shown = slide("code")
    assert code(parsed(shown.body)) == "def taught(): return 1"
    assert not [each for section in sections() for each in section.slides if "around" in each.body]
    assert shown.lead == "<code>taught</code> Return one."
    students = [each for section in chosen(PAGE, {"taught"}, "", students=True) for each in section.slides]
    assert "Return one." in next(each.body for each in students if each.kind == "code")


def test_an_answer_comes_with_the_next_key():
    asked = [tags(parsed(each.body)) for each in sections()[2].slides]
    assert [list(map(text, parts)) for parts in asked] == [["1. Why?", "Because."], ["2. How?", "So."]]
    assert all("fragment" in classes(answer) and "fragment" not in classes(question) for question, answer in asked)


@pytest.mark.parametrize(
    ("paragraph", "first", "last"),
    [
        ("One. Two.", "One. Two.", "One. Two."),
        (f"{'A' * 100}. {'B' * 100}:", f"{'A' * 100}.", f"{'B' * 100}:"),
        (f"<b>Here.</b> It is {'A' * 50}. {'B' * 300}.", f"Here. It is {'A' * 50}.", f"{'B' * 300}."),
        (f"{'A' * 60} Lin et al. [2017] A. {'B' * 100}.", f"{'A' * 60} Lin et al. [2017] A.", f"{'B' * 100}."),
        (f"Is it 2.5? “{'A' * 80}.” {'B' * 100}.", f"Is it 2.5? “{'A' * 80}.”", f"{'B' * 100}."),
    ],
)
def test_the_first_and_the_last_sentence(paragraph, first, last):
    [element] = tags(parsed(f"<p>{paragraph}</p>"))
    assert (text(*first_of(element)), text(*end_of(element))) == (first, last)


# The decks of the built book


@pytest.mark.parametrize("name", NAMES)
def test_a_deck_holds_all_that_its_page_shows(folder, name):
    texts = [(SITES["full"] / f"{each}.html").read_text("utf8") for each in (name, *beside(name))]
    page = parsed("".join(html(find(parsed(each), "article", "bd-article")[0]) for each in texts))
    for section in find(page, "section"):
        heading = next((text(each) for each in tags(section) if re.fullmatch("h[1-3]", each.name)), "")
        if re.search("Appendix|Notes and references", heading):
            section.clear()
    answers = [each for each in find(page, "details") if "Answer" in text(each)[:10]]
    deck = find(parsed((folder / f"{name}.html").read_text("utf8")), "div", "slides")[0]
    for kind, element in SHOWN.items():
        assert len(find(deck, element, kind)) == len(find(page, element, kind)), kind
    plots = [sorted(each["aria-label"] for each in find(of, kind="plot")) for of in (deck, page)]
    assert plots[0] == plots[1]  # backup slides come last, in the page they stand where they belong
    slides_of = find(deck, "section")
    kinds = [each.get("data-kind") for each in slides_of]
    assert (kinds.count("question"), kinds.count("discussion"), kinds.count("title")) == (len(answers), 2, 1)
    assert len(answers) >= 5
    assert text(find(slides_of[1], "p")[-1]).endswith("?")
    asked = [each for each in slides_of if each.get("data-kind") == "discussion"]
    assert all(text(find(each, "aside")[0]).startswith("Good: ") for each in asked)


@pytest.mark.parametrize("name", NAMES)
def test_the_students_deck_holds_no_answer(folder, name):
    around = models()
    lines = {line for owner, line in answers() if owner.startswith(f"{name}.") and line not in around}
    texts = [slides.deck(name, site("full")), slides.deck(name, site("students"), students=True)]
    full, students = (parsed(text) for text in texts)
    assert [line for line in lines if " ".join(line.split()) in code(full)]
    assert not [line for line in lines if " ".join(line.split()) in code(students)]
    assert "raise NotImplementedError" in code(students)
    assert "Good:" in text(full)
    assert "Good:" not in text(students)


# In a browser


def weeks_of(name: str) -> int:
    """Return how many classes TEACHING.md gives a chapter week by week."""
    weeks = (ROOT / "TEACHING.md").read_text("utf8").partition("## Week by week\n")[2].partition("\n## ")[0]
    return weeks.count(f"| `{name}` |")


@pytest.mark.browser
@pytest.mark.parametrize("name", NAMES)
def test_nothing_runs_over_a_slide_and_nothing_is_asked_of_a_network(browser, folder, name):
    tab = browser.new_page(viewport={"width": 1280, "height": 720})
    faults, asked = [], []
    tab.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((folder / f"{name}.html").as_uri())
    tab.wait_for_selector("html[data-ready]", state="attached")
    assert 15 <= tab.evaluate("Reveal.getTotalSlides()") / weeks_of(name) <= 25  # backup slides are not counted
    count = tab.locator(".slides section > section").count()
    assert not tab.evaluate(SMALL)
    places, shown = [], "Reveal.getCurrentSlide()"
    while len(places) < 2 * count and tab.evaluate("document.querySelector('.navigate-right').disabled !== true"):
        if tab.locator(".present > .present .live").count():
            tab.wait_for_selector(".present > .present .live-load:not([role])", state="attached")
        places.append(tab.evaluate(f"[...document.querySelectorAll('.slides section > section')].indexOf({shown})"))
        assert not tab.evaluate(OUTSIDE), f"slide {places[-1] + 1}"
        tab.keyboard.press("ArrowRight")
    assert sorted(set(places) | {count - 1}) == list(range(count)), "the right arrow key goes through all slides"
    assert not tab.evaluate(OUTSIDE)
    assert not tab.evaluate(SMALL), "live figures, when their models have come"
    assert tab.locator(".live-load").count() == tab.locator(".live-load:not([role])").count()
    has_model = "from book.live.export" in page_file(name).read_text("utf-8")
    assert (tab.locator(".live-load").count() > 0) == has_model
    assert not faults
    assert not [url for url in asked if not url.startswith(("data:", folder.as_uri()))]
    tab.close()


@pytest.mark.browser
def test_a_figure_moves_on_its_slide_and_keeps_its_keys(browser, folder):
    tab = browser.new_page(viewport={"width": 1280, "height": 720})
    tab.goto((folder / "encoder_decoder.html").as_uri())
    tab.wait_for_selector("html[data-ready]", state="attached")
    place = """() => { const { h, v } = Reveal.getIndices(document.querySelector(".moved.beam").closest("section"))
      Reveal.slide(h, v); return Reveal.getSlidePastCount() }"""
    here = tab.evaluate(place)
    slider = tab.get_by_label("width of the beam")
    slider.focus()
    tab.keyboard.press("ArrowRight")
    assert slider.input_value() == "3"
    assert "A beam of 3 keeps" in tab.locator(".moved.beam [role=status]").inner_text()
    assert tab.evaluate("Reveal.getSlidePastCount()") == here
    tab.keyboard.press("Escape")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("Reveal.getSlidePastCount()") == here + 1
    tab.keyboard.press("ArrowLeft")
    box = slider.bounding_box()
    tab.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    assert slider.input_value() == "4"
    tab.wait_for_function("document.activeElement === document.body")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("Reveal.getSlidePastCount()") == here + 1
    tab.close()
