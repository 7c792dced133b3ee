"""Tests of the built pages: they ask for nothing, all can read them, the students' edition keeps the answers."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.assignment import assignments
from autograder.release.blank import Module
from book.contents import chapter_of, chapters
from book.contents import files as files_of
from book.make import build
from tests.support.sites import served, shown

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
FULL, STUDENTS = ROOT / "build" / "_build" / "html", ROOT / "build" / "_build_students" / "html"
RELEASED = ROOT / "build" / "release"  # what the book was built beside
FORMULA = re.compile(r'<span class="katex-mathml">.*?</math></span>|<span class="katex-html".*', re.DOTALL)
PAGES = sorted(build.order())
CHAPTERS = chapters()
FIGURE = re.compile(  # a drawing, a plot, weights as a table or in a text, and what can be moved
    r'<div class="drawing">|<svg class="plot"|<div class="heat">|<div class="(?:weigh|moved)[ "]'
)
LARGEST = 1_600_000  # bytes of a page
FIGURES = 10  # of a chapter, at least
SCREENS = 25  # of a lesson, at most: 1440 × 900
SOON = 800  # pixels from the top of a lesson to what can be touched: the first screen of a phone of 380 × 800
PARTS = {part["caption"]: set(files_of(part)) for part in build.table_of_contents("full")["parts"]}
TEACHERS = PARTS[build.TEACHERS]  # what students do not have


def pages(folder: Path) -> list[Path]:
    files = [folder / f"{name}.html" for name in PAGES if folder == FULL or name not in TEACHERS]
    edition = "full" if folder == FULL else "students"
    if not all(page.is_file() for page in files) or not build.has_these_contents(edition):
        pytest.skip(f"{folder.relative_to(ROOT)} is not built, or of other chapters: make book, make book-students")
    return files


@pytest.mark.parametrize("folder", [FULL, STUDENTS], ids=["full", "students"])
def test_no_page_names_a_foreign_script_style_font_or_image(folder):
    for page in pages(folder):
        text = page.read_text(encoding="utf8")
        assert not re.findall(r'<(?:script|img|iframe|source)[^>]+src="(?:https?:)?//[^"]*"', text), page.name
        assert not re.findall(r'<link[^>]+rel="(?:stylesheet|preload)"[^>]+href="(?:https?:)?//[^"]*"', text), page.name
        assert not re.findall(r"@import|url\((?:https?:)?//", text), page.name


@pytest.mark.parametrize("folder", [FULL, STUDENTS], ids=["full", "students"])
def test_every_image_says_what_it_shows(folder):
    for page in pages(folder):
        for image in re.findall(r"<img\b[^>]*>", page.read_text(encoding="utf8")):
            text = re.search(r'alt="([^"]*)"', image)
            assert text, f"{page.name}: {image[:80]}"
            assert len(text[1]) > 15, f"{page.name}: {text[0]}"
            assert "_images/" not in text[1], f"{page.name}: {text[0]}"


@pytest.mark.parametrize("name", [name for name in CHAPTERS if (ROOT / "solutions" / name / "results").is_dir()])
def test_every_chapter_with_results_carries_its_argument_by_figures(name):
    pages(FULL)
    both = [FULL / f"{page}.html" for page in PAGES if chapter_of(page) == name]
    figures = FIGURE.findall("".join(page.read_text(encoding="utf8") for page in both))
    assert len(figures) >= FIGURES, f"{name}: {len(figures)} figures, expected {FIGURES} or more"


@pytest.mark.parametrize("folder", [FULL, STUDENTS], ids=["full", "students"])
def test_every_table_header_says_something(folder):
    """In words: what reads pages aloud, or checks them, may skip formulas."""
    for page in pages(folder):
        text = page.read_text(encoding="utf8")
        for header in re.findall(r"<th\b[^>]*>(.*?)</th>", text, flags=re.DOTALL):
            assert re.search(r"[^\s\u200b]", shown(FORMULA.sub("", header))), f"{page.name}: {header[:200]}"


def test_every_table_header_in_the_texts_says_something():
    """As above, where no book is built."""
    for path in sorted(path for path in (ROOT / "book").rglob("*.md") if path.name != "slides.md"):
        for line in re.findall(r"^\|(.+)\|\n\|[-:| ]+\|$", path.read_text(encoding="utf8"), flags=re.MULTILINE):
            for header in re.sub(r"\$[^$]*\$", "∎", line).split("|"):
                assert not header.strip() or re.search(r"[^\W∎]", header), f"{path}: {line}"


@pytest.mark.parametrize("folder", [FULL, STUDENTS], ids=["full", "students"])
def test_the_head_of_a_fold_has_a_name_and_holds_nothing_else_to_press(folder):
    """It is a button itself, and a screen reader reads what is in it as the button's name."""
    for page in pages(folder):
        heads = re.findall(r"<summary\b.*?</summary>", page.read_text(encoding="utf8"), re.DOTALL)
        assert not [head for head in heads if re.search(r"<(?:a|button|input|select)\b", head)], page.name
        assert all("aria-label=" in head or shown(head).strip() for head in heads), f"{page.name}: one has no name"


def bodies() -> list[tuple[str, Module, ast.FunctionDef]]:
    """Return all functions and methods of the attention.py files: name, module, node."""
    return [
        (f"{file.parent.name}.{node.name}", module, node)
        for file in sorted(ROOT.glob("solutions/*/attention.py"))
        for module in [Module(file, file.read_text(encoding="utf8"))]
        for node in ast.walk(ast.parse(module.text))
        if isinstance(node, ast.FunctionDef)
    ]


def models() -> str:
    """Return the code around the attention, which both editions may show."""
    return "\n".join(file.read_text(encoding="utf8") for file in ROOT.glob("solutions/*/model.py"))


def answers() -> list[tuple[str, str]]:
    """Return the lines of all bodies that are long enough to be nobody else's."""
    lines = [(name, line.strip()) for name, module, node in bodies() for line in module.cut(node)[1]]
    return [(name, line) for name, line in lines if len(line) > 24]


def test_the_full_edition_shows_the_answers():
    text = "\n".join(shown(page.read_text(encoding="utf8")) for page in pages(FULL))
    shown_here = [(name, line) for name, line in answers() if name.partition(".")[0] in CHAPTERS]
    assert not [line for _, line in shown_here if line not in text]


def test_the_students_edition_has_no_answer_in_any_file():
    """What can be downloaded is the release, which has a law of its own: its bug hunts hold single lines of answers."""
    pages(STUDENTS)
    around = models()
    own = [(name, line) for name, line in answers() if line not in around]
    texts = [
        file
        for file in STUDENTS.rglob("*")
        if file.suffix in {".html", ".js", ".txt", ".md", ".py", ".ipynb", ".json"}
        and "_downloads" not in file.relative_to(STUDENTS).parts
    ]
    assert len(texts) > len(PAGES) - len(TEACHERS)
    for file in texts:
        raw = file.read_text(encoding="utf8", errors="replace")
        text = shown(raw) if file.suffix == ".html" else raw
        leaked = [f"{name}: {line}" for name, line in own if line in text]
        assert not leaked, f"{file.relative_to(STUDENTS)}: {leaked}"
    for kind in ("*.py", "*.md", "*.myst"):
        assert not list(STUDENTS.rglob(kind)), "sources beside the pages"


def test_the_students_edition_has_no_page_for_teachers():
    pages(STUDENTS)
    assert {"teaching", "jupyterhub"} <= TEACHERS
    assert all((FULL / f"{name}.html").is_file() for name in TEACHERS)
    assert not [name for name in TEACHERS if (STUDENTS / f"{name}.html").exists()]
    index = (STUDENTS / "searchindex.js").read_text(encoding="utf8")
    searched = set(json.loads(re.search(r'"docnames": ?(\[.*?\])', index)[1]))  # type: ignore[index]
    assert searched == set(PAGES) - TEACHERS


@pytest.mark.parametrize("folder", [FULL, STUDENTS], ids=["full", "students"])
def test_what_can_be_downloaded_is_what_was_released(folder):
    """That no answer is in it is a law of the release (tests/autograder/kit/test_student_kit.py)."""
    pages(folder)
    files = [file for file in folder.rglob("*") if file.suffix in {".ipynb", ".zip"}]
    if not files:
        pytest.skip("the book was built before anything was released: make release book book-students")
    assert {file.stem for file in files} == {*assignments(), "kit"}
    for file in files:
        assert file.parent.parent == folder / "_downloads"
        lies = RELEASED / ("kit.zip" if file.suffix == ".zip" else f"{file.stem}/{file.name}")
        assert file.read_bytes() == lies.read_bytes(), f"{file.name} is not the released one: make release book"


WORD = r"[a-z_]{5,}"


def test_the_search_index_of_the_students_edition_holds_no_word_of_the_answers_alone():
    pages(STUDENTS)
    shown_whole = [*BOOK.rglob("*.md"), *ROOT.glob("examples/whole_*.py")]
    elsewhere = "\n".join(page.read_text(encoding="utf8") for page in shown_whole)
    elsewhere += models() + "\n".join("\n".join(module.cut(node)[0]) for _, module, node in bodies())  # signatures
    known = set(re.findall(r"\w+", elsewhere.lower())) | set(re.findall(WORD, elsewhere.lower()))
    words = {word for _, line in answers() for word in re.findall(WORD, line.lower())} - known
    assert words, "the answers have no word of their own: the test would see nothing"
    index = (STUDENTS / "searchindex.js").read_text(encoding="utf8").lower()
    assert not {word for word in words if re.search(rf"\b{word}\b", index)}


@pytest.mark.slow
def test_a_build_without_changes_runs_no_cells():
    def build() -> str:
        command = [sys.executable, "book/make/build.py"]
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout

    build()
    assert "cells will run" not in build()


# In a browser


def opened(browser, page: Path, width: int = 1280, mode: str = "light", scripts: bool = True):
    """Open a page; return it, with the foreign addresses that it asked for and the errors that it met."""
    about = {"viewport": {"width": width, "height": 900}, "color_scheme": mode, "java_script_enabled": scripts}
    tab = browser.new_context(**about).new_page()
    foreign, errors = [], []
    tab.on(
        "request", lambda request: foreign.append(request.url) if not request.url.startswith(("file:", "data:")) else 0
    )
    tab.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else 0)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(page.as_uri(), wait_until="load")
    tab.wait_for_timeout(300)
    return tab, foreign, errors


@pytest.mark.browser
@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_nothing_and_meets_no_error(browser, name, mode):
    page = dict(zip(PAGES, pages(FULL), strict=True))[name]
    tab, foreign, errors = opened(browser, page, mode=mode)
    assert not foreign
    assert not errors
    assert tab.locator("html").get_attribute("data-theme") == mode
    tab.context.close()


# Labels of drawings that are lower than 10 pixels or stick out of their drawing, and plots whose letters are.
UNREADABLE = """() => [...document.querySelectorAll(".drawing svg text")].filter((label) => label.checkVisibility())
  .filter((label) => {
    const { a, b } = label.getScreenCTM(), svg = label.closest("svg").getBoundingClientRect()
    const sizes = [label, ...label.querySelectorAll("tspan")].map((each) => parseFloat(getComputedStyle(each).fontSize))
    const box = label.getBoundingClientRect()
    return Math.min(...sizes) * Math.hypot(a, b) < 9.99 || box.left < svg.left - 2 || box.right > svg.right + 2
  }).map((label) => label.textContent)
  .concat([...document.querySelectorAll("svg.plot")]
    .filter((plot) => plot.clientWidth && plot.getBoundingClientRect().width < 0.8 * plot.getAttribute("width"))
    .map((plot) => plot.ariaLabel))"""


@pytest.mark.browser
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone_and_a_tablet(browser, name):
    page = dict(zip(PAGES, pages(FULL), strict=True))[name]
    assert page.stat().st_size <= LARGEST
    tab, _, _ = opened(browser, page, width=360)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    assert not tab.evaluate(UNREADABLE)
    tab.set_viewport_size({"width": 820, "height": 900})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 820
    tab.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("name", CHAPTERS)
def test_a_lesson_has_at_most_so_many_screens_and_the_first_can_be_touched(browser, name):
    pages(FULL)
    tab, _, _ = opened(browser, FULL / f"{name}.html", width=1440)
    assert tab.evaluate("document.documentElement.scrollHeight") <= SCREENS * 900
    if (ROOT / "solutions" / name / "results").is_dir():  # a chapter that trains: its first screen can be touched
        touched = tab.locator("article :is(.choices button, .live input, .moved input, .weigh input)").first
        box = touched.bounding_box()
        assert box
        assert box["y"] + box["height"] <= 900
        tab.set_viewport_size({"width": 380, "height": 800})
        box = touched.bounding_box()
        assert box
        assert box["y"] <= SOON
    tab.context.close()


@pytest.mark.browser
def test_all_models_of_the_race_stand_in_the_first_screen_of_the_cover(browser):
    pages(FULL)
    tab, _, _ = opened(browser, FULL / "index.html", width=1440)
    tab.set_viewport_size({"width": 1440, "height": 900})
    bottoms = tab.locator(".live-lane").evaluate_all("all => all.map((lane) => lane.getBoundingClientRect().bottom)")
    assert len(bottoms) == 4
    assert max(bottoms) <= 900
    tab.context.close()


@pytest.mark.browser
@pytest.mark.parametrize("name", [*CHAPTERS, "decoding", "notation"])
def test_no_drawing_is_larger_than_it_was_drawn_and_no_letter_too_small_or_too_large(browser, name):
    pages(FULL)
    tab, _, _ = opened(browser, FULL / f"{name}.html", width=1440)
    drawn = tab.locator(".drawing:not(.picture) svg, svg.plot").evaluate_all(
        """all => all.filter((svg) => svg.clientWidth).map((svg) => {
          const scale = svg.clientWidth / svg.viewBox.baseVal.width
          const letters = [...svg.querySelectorAll("text, tspan")].filter((each) => !each.querySelector("tspan"))
          const sizes = letters.map((each) => scale * parseFloat(getComputedStyle(each).fontSize))
          return [svg.matches(".plot") ? 1 : scale, Math.min(...sizes, 14), Math.max(...sizes, 14), svg.textContent]
        })"""
    )
    assert not [each for each in drawn if each[0] > 1.01 or each[1] < 10.9 or each[2] > 18.5]
    tab.context.close()


@pytest.mark.browser
def test_what_scrolls_on_a_phone_is_reached_with_the_keyboard(browser):
    pages(FULL)
    tab, _, _ = opened(browser, FULL / "bahdanau.html", width=390)
    wide = tab.evaluate(
        """async () => {  // what is far from the screen has not been laid out
          const wide = []
          for (const formula of document.querySelectorAll(".formula")) {
            formula.scrollIntoView()
            for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame)
            if (formula.scrollWidth > formula.clientWidth + 4) wide.push(formula.tabIndex)
          }
          return wide
        }"""
    )
    assert wide, "no formula is wider than a phone: the test would see nothing"
    assert set(wide) == {0}
    tab.context.close()


@pytest.mark.browser
def test_a_served_book_has_every_file_that_its_pages_ask_for(browser):
    pages(FULL)
    with served(FULL) as site:
        tab = browser.new_page()
        failed = []
        tab.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
        for name in PAGES:
            tab.goto(f"{site}/{name}.html", wait_until="load")
        tab.wait_for_timeout(300)
        tab.close()
    assert not failed
