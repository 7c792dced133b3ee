"""Tests of the slides: laws of every deck, and that nothing runs over a slide or is asked of a network."""

import re
from functools import cache
from pathlib import Path

import pytest
from bs4 import Tag

from book.contents import chapters
from book.make import build, slides
from book.make.decks import SKIPPED
from book.make.html_tree import classes, find, parsed, text
from tests.book.test_book_pages import answers, models

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / build.FOLDERS["full"] / "html"
NAMES = chapters()
MOST_CODE = 5  # lines
LEAST = 24  # pixels of the smallest letters in a frame 720 high, but in drawings and in figures that can be moved
# What stands outside the frame, or is cut off within itself, of the slide that is shown; live figures scroll.
OUTSIDE = """() => {
  const slide = Reveal.getCurrentSlide(), frame = slide.getBoundingClientRect()
  return [...slide.querySelectorAll("*:not(aside)")].filter((each) => {
    if (each.closest(".katex-mathml, .katex svg, aside, .live > *, .live-hidden, .steps, defs")) return false
    if (each.closest(".in-drawing")) return false
    const box = each.getBoundingClientRect()
    const isOut = box.right > frame.right + 1 || box.bottom > frame.bottom - 8 || box.left < frame.left - 1
    const isClipped = !each.closest("svg") && getComputedStyle(each).overflowX !== "visible"
    const isCut = isClipped && each.scrollWidth > each.clientWidth + 2
    return (box.width && isOut) || (isCut && !each.matches("select, input, .katex *"))
  }).map((each) => each.outerHTML.slice(0, 150))
}"""
# Two things of a slide that lie over each other.
OVER = """() => {
  const parts = [...Reveal.getCurrentSlide().children].filter((each) => !each.matches("aside, .steps"))
  const boxes = parts.map((each) => each.getBoundingClientRect()).filter((box) => box.height)
  boxes.sort((a, b) => a.top - b.top)
  return boxes.filter((box, i) => i && box.top < boxes[i - 1].bottom - 2).length
}"""
# What the clip of a slide's picture, which builds it up, cuts through.
CUT = """() => {
  const picture = Reveal.getCurrentSlide().querySelector(":is(.drawn, .shown) svg[style*=clip]")
  if (!picture) return []
  const [, right, bottom] = picture.style.clipPath.match(/[\\d.]+/g).map(Number), box = picture.getBoundingClientRect()
  const [x, y] = [box.right - box.width * right / 100, box.bottom - box.height * bottom / 100]
  return [...picture.querySelectorAll("text, rect")].filter((each) => {
    const part = each.getBoundingClientRect()
    return (right && part.left < x && x < part.right) || (bottom && part.top < y && y < part.bottom)
  }).map((each) => each.outerHTML.slice(0, 150))
}"""
SMALL = """() => [...Reveal.getCurrentSlide().querySelectorAll("*")].filter((each) => {
  if (each.closest(".katex, svg, .moved, .weigh, .dense, .heat.large td, aside, .steps")) return false
  if (![...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) return false
  return parseFloat(getComputedStyle(each).fontSize) < LEAST - 0.1 && !each.closest(":not(pre) > code, sub, sup")
}).map((each) => each.outerHTML.slice(0, 150))""".replace("LEAST", str(LEAST))


def site() -> Path:
    stamp = SITE.parent / "machinery"
    if not build.has_these_contents("full") or not stamp.is_file() or stamp.read_text() != build.machinery():
        pytest.skip(f"{SITE} is not built, or out of date: make book")
    return SITE


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The decks of the full edition, far from the book that they are made of."""
    made = tmp_path_factory.mktemp("slides") / "slides"
    slides.make(site(), made, "full")
    return made


@pytest.fixture(scope="module")
def students(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("slides") / "slides_students"
    slides.make(site(), made, "students")
    return made


@cache
def deck(folder: Path, name: str) -> list[Tag]:
    """Return the slides of a deck: sections within sections."""
    page = parsed((folder / f"{name}.html").read_text("utf8"))
    return [each for each in find(page, "section") if not find(each, "section")]


def heading(slide: Tag) -> str:
    return text(*(find(slide, "h1") + find(slide, "h2"))).removesuffix("#").strip()


@pytest.mark.parametrize("name", NAMES)
def test_a_deck_has_16_to_20_slides_whose_titles_claim_something(folder, name):
    titles = [heading(slide) for slide in deck(folder, name)]
    assert 16 <= len(titles) <= 20
    assert len(set(titles)) == len(titles)
    for title in titles:
        assert len(title.split()) >= 4, title
        assert not re.search(r"[:;,.]$", title), title
        assert len(title) <= 66, title  # two lines


@pytest.mark.parametrize("name", NAMES)
def test_each_slide_has_notes_of_some_sentences_with_minutes_that_fill_a_class(folder, name):
    minutes, skipped = [], []
    for slide in deck(folder, name):
        notes = text(*find(slide, "aside", "notes"))
        begun = re.match(r"(\d+) min\. ", notes)
        assert begun, heading(slide)
        minutes.append(int(begun[1]))
        skipped.append(minutes[-1] if notes[begun.end() :].startswith(f"{SKIPPED} ") else 0)
        if "vote again" in notes:
            assert minutes[-1] >= 3, f"{heading(slide)}: two votes and a talk"
        said = notes[begun.end() :].removeprefix(SKIPPED).partition("Good, 1:")[0]
        assert 2 <= len(re.findall(r"[.!?](?= |$)", said)) <= 8, heading(slide)
        assert slide["data-timing"] == str(60 * minutes[-1])
    assert 50 <= sum(minutes) <= 60
    assert 40 <= sum(minutes) - sum(skipped) <= 45, "the short way, without the slides that are marked"


@pytest.mark.parametrize("name", NAMES)
def test_what_a_class_is_asked_for_first_comes_by_keys(folder, name):
    for slide in deck(folder, name):
        notes = text(*find(slide, "aside", "notes"))
        if heading(slide).startswith("By hand") or re.search(r"before you show", notes):
            kinds = (find(slide, kind=kind) for kind in ("answers", "build", "fragment", "steps"))
            assert any(kinds), f"{heading(slide)}: the answer is there at once"


@pytest.mark.parametrize("name", NAMES)
def test_a_deck_asks_builds_computes_runs_pays_and_says_what_is_left_open(folder, name):
    every = deck(folder, name)
    whole = every[0].find_parent("div")
    assert whole is not None
    bets, polls = find(whole, kind="guess"), find(whole, "ol", "poll")
    assert len(bets) == 1
    assert polls
    for slide in every:
        if find(slide, "ol", "poll") or find(slide, kind="guess"):
            assert "Listen for" in text(*find(slide, "aside")), heading(slide)
    assert find(whole, kind="shape"), "a formula with shapes"
    assert find(whole, kind="steps"), "a picture in builds"
    assert [slide for slide in every if heading(slide).startswith("By hand")]
    assert [each for each in find(whole, "div", "moved") if not {"guess", "paid"} & classes(each)], "a figure to move"
    assert [each for each in every if find(each, "div", "paid") and len(find(each, "div", "shown")) == 2], "the chart"
    assert [slide for slide in every if re.search(r"What .* (?:shows?$|not show)", heading(slide))]
    assert find(whole, "ol", "parts")
    assert len(find(find(whole, "ol", "discussion")[0], "li")) == 2
    assert "Good, 1: " in text(*find(every[-1], "aside"))


@pytest.mark.parametrize("name", NAMES)
def test_no_slide_has_more_than_five_lines_of_code(folder, name):
    for slide in deck(folder, name):
        code = [pre.get_text().strip("\n") for pre in find(slide, "pre")]
        assert sum(each.count("\n") + 1 for each in code) <= MOST_CODE, heading(slide)


@pytest.mark.parametrize("name", NAMES)
def test_the_students_deck_holds_no_answer(folder, students, name):
    around = models()
    lines = {line for owner, line in answers() if owner.startswith(f"{name}.") and line not in around}
    full, blanked = ((at / f"{name}.html").read_text("utf8") for at in (folder, students))
    shown = " ".join(text(pre) for slide in deck(students, name) for pre in find(slide, "pre"))
    assert not [line for line in lines if " ".join(line.split()) in shown]
    for answer in ("Listen for", "Good, 1:", "right answer is"):
        assert (answer in full, answer in blanked) == (True, False), answer
    assert len(deck(students, name)) == len(deck(folder, name))


def test_only_the_chapters_of_the_class_have_a_deck(tmp_path, monkeypatch):
    monkeypatch.setattr(slides, "chapters", lambda: NAMES[1::2])
    made = slides.make(site(), tmp_path / "slides", "full")
    assert [each.stem for each in made] == NAMES[1::2]
    assert sorted(each.stem for each in (tmp_path / "slides").glob("*.html")) == sorted(NAMES[1::2])
    assert sorted(each.name for each in tmp_path.iterdir()) == ["slides"], "nothing is left beside it"


def test_numbers_and_figures_are_those_of_the_lesson_and_an_unknown_one_is_an_error():
    from sphinx.errors import ExtensionError

    from book.make.decks import put_out, quoted

    page = (site() / "transformer.html").read_text("utf8")
    assert f">{quoted('transformer', 'half')}</span> % of their weight" in page
    assert 'class="moved live"' in put_out("transformer", "figure")
    assert put_out("transformer", ".positions").startswith('<div class="moved positions"')
    for fails in (lambda: quoted("transformer", "no_such"), lambda: put_out("transformer", "no_such")):
        with pytest.raises(ExtensionError, match="no_such"):
            fails()


# In a browser


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
    count, seen = len(deck(folder, name)), []
    for _ in range(5 * count):
        place = tab.evaluate("Reveal.getIndices().h")
        if tab.locator(".present .live").count():
            tab.wait_for_selector(".present .live.live-runs", state="attached")
        assert not tab.evaluate(OUTSIDE), f"slide {place + 1}"
        assert not tab.evaluate(OVER), f"slide {place + 1}"
        assert not tab.evaluate(SMALL), f"slide {place + 1}"
        assert not tab.evaluate(CUT), f"slide {place + 1}"
        seen.append(place)
        if tab.evaluate("Reveal.isLastSlide()"):
            break
        tab.keyboard.press("ArrowRight")
    assert sorted(set(seen)) == list(range(count)), "the right arrow key goes through all slides"
    assert len(seen) >= count + 2, "some are built up by keys"
    assert not faults
    assert not [url for url in asked if not url.startswith(("data:", folder.as_uri()))]
    tab.close()


@pytest.mark.browser
def test_a_printed_deck_has_a_page_for_each_slide(browser, folder):
    from pypdf import PdfReader

    pages = PdfReader(slides.printed(browser, folder / "pooling.html")).pages
    assert len(pages) == len(deck(folder, "pooling"))
    printed = " ".join(" ".join(page.extract_text().split()) for page in pages)
    assert "Attention has not earned its place" in printed
    assert ".293" in printed, "an answer that a key brings"
