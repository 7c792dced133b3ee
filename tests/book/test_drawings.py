"""Tests of the drawings' colours, in both themes and without styles, and of the drawings that can be touched."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pydata_sphinx_theme
import pytest
import sphinx_book_theme
import torch

from autograder.places import ROOT
from book._ext.drawing import with_states
from solutions.self_attention.attention import simple_self_attention
from tests.support.figures import SMALL, is_narrow, opened, status

CSS = (ROOT / "book" / "_static" / "book.css").read_text(encoding="utf-8")
TOUCHED = sorted(ROOT.glob("book/*/drawings/*.json"))
# Labels that are lower than 10 pixels, stick out of their drawing, have less than a pixel beside them in their box, or
# lie on another label.
CROWDED = """all => all.filter((label) => {
  const common = (one, other) => [
    Math.min(one.right, other.right) - Math.max(one.left, other.left),
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
  ]
  const own = label.getBoundingClientRect(), middle = [(own.left + own.right) / 2, (own.top + own.bottom) / 2]
  const svg = label.closest("svg"), whole = svg.getBoundingClientRect()
  const [box] = [...svg.querySelectorAll("rect:not(.ground)")].map((each) => each.getBoundingClientRect())
    .filter((box) => box.left < middle[0] && middle[0] < box.right && box.top < middle[1] && middle[1] < box.bottom)
    .sort((one, other) => one.width - other.width)
  const scale = label.getScreenCTM().a * parseFloat(getComputedStyle(label).fontSize)
  return scale < 9.99 || own.left < whole.left || own.right > whole.right || own.bottom > whole.bottom + 3
    || (box && (own.left < box.left + 1 || own.right > box.right - 1))
    || all.some((other) => other.textContent !== label.textContent
      && common(own, other.getBoundingClientRect()).every((shared) => shared > 1))
}).map((label) => label.textContent)"""
DRAWINGS = sorted(ROOT.glob("book/*/drawings/*.svg"))
ROLES = ("query", "key", "value", "state", "context", "weights")
THEMES = {"light": "html", "dark": 'html[data-theme="dark"]'}
MODULES = (pydata_sphinx_theme, sphinx_book_theme)  # the second changes what the first says
GROUND, TEXT, MUTED, SURFACE = (f"--pst-color-{name}" for name in ("background", "text-base", "text-muted", "surface"))
each_theme = pytest.mark.parametrize("theme", THEMES)
each_drawing = pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda path: path.stem)


def colours(block: str) -> dict[str, str]:
    """Return the custom properties of a block of CSS that are colours, each as #rrggbb."""
    properties = re.findall(r"(--[\w-]+):\s*#([0-9a-f]{6}|[0-9a-f]{3})\b", block)
    return {name: "#" + "".join(letter * (6 // len(value)) for letter in value) for name, value in properties}


def roles(theme: str) -> dict[str, str]:
    """Return the colours that book.css gives the roles in a theme."""
    blocks = re.findall(rf"^{re.escape(THEMES[theme])} \{{(.*?)\}}", CSS, re.DOTALL | re.MULTILINE)
    return {name: value for block in blocks for name, value in colours(block).items()}


@cache
def page(theme: str) -> dict[str, str]:
    """Return the colours of a page in a theme, as the installed theme has them."""
    sheets = [sheet for module in MODULES for sheet in sorted(Path(module.__file__).parent.glob("theme/**/*.css"))]
    text = "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    own = re.findall(rf"""html\[data-theme=["']?{theme}["']?\]\s*\{{([^}}]*)\}}""", text)
    return {name: value for block in own for name, value in colours(block).items()}


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours by WCAG 2.2, from 1 to 21."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def shapes(drawing: Path) -> list[ElementTree.Element]:
    return [each for each in ElementTree.parse(drawing).iter() if not each.tag.endswith(("svg", "title", "desc"))]


def kinds(shape: ElementTree.Element) -> set[str]:
    return set(shape.get("class", "").split())


@each_theme
@pytest.mark.parametrize("role", ROLES)
def test_a_role_stands_out_from_the_page_and_its_label_from_it(role: str, theme: str) -> None:
    own, around = roles(theme), page(theme)
    assert contrast(own[f"--{role}"], around[GROUND]) >= 3
    assert min(contrast(own[f"--{role}-fill"], around[text]) for text in (TEXT, MUTED)) >= 4.5


@each_theme
def test_no_two_roles_share_a_colour(theme: str) -> None:
    own = roles(theme)
    assert set(own) == {f"--{role}{part}" for role in ROLES for part in ("", "-fill")} | {"--wrong"}
    assert len(set(own.values())) == len(own)


@each_drawing
def test_a_class_of_a_drawing_has_its_rule(drawing: Path) -> None:
    ruled = set(re.findall(r"^\.drawing (?:text)?(?:\.\w+)*\.([\w-]+)", CSS, re.MULTILINE))
    used = {kind for shape in shapes(drawing) for kind in kinds(shape)}
    assert used <= ruled, f"without a rule in book.css: {used - ruled}"


@each_drawing
def test_without_styles_a_drawing_has_its_light_colours(drawing: Path) -> None:
    """Nothing is left to SVG's defaults, a black fill and no line, and what stands in for book.css says the same."""
    light = roles("light") | page("light")
    root = ElementTree.parse(drawing).getroot()
    assert root.get("fill") == light[TEXT]
    assert {"font-family", "font-size", "text-anchor"} <= set(root.keys())
    for shape in shapes(drawing):
        kind, tag = kinds(shape), shape.tag.rpartition("}")[2]
        role = next((f"--{role}" for role in ROLES if role in kind), None)
        line, fill = (light[role], light[f"{role}-fill"]) if role else (light[TEXT], light[SURFACE])
        expected = {
            "box": {"fill": fill, "stroke": line},
            "ink": {"fill": "none", "stroke": line},
            "beam": {"fill": "none", "stroke": line},
            "tip": {"fill": line},
            "ground": {"fill": "#fff"},
        }
        letters = {
            "soft": {"fill": light[MUTED]},
            "small": {"font-size": "12"},
            "start": {"text-anchor": "start"},
            "end": {"text-anchor": "end"},
            "math-letter": {"font-style": "italic"},
        }
        if tag in ("text", "tspan"):
            wanted = {name: value for each in kind for name, value in letters[each].items()}
        else:
            (form,) = kind & set(expected)  # each shape has one of these forms
            wanted = expected[form]
        if tag == "line" or wanted.get("fill") == root.get("fill"):
            wanted = {name: value for name, value in wanted.items() if name != "fill"}  # has none, or has the root's
        assert wanted.items() <= shape.attrib.items(), ElementTree.tostring(shape, encoding="unicode")


AT = re.compile(r"^(\d+)(?:-(\d+))?$")
each_touched = pytest.mark.parametrize("about", TOUCHED, ids=lambda path: path.stem)


def states(about: Path) -> list[dict]:
    return json.loads(about.read_text(encoding="utf-8"))["states"]


@each_touched
def test_each_state_of_a_drawing_shows_something_and_says_what(about: Path) -> None:
    marked = [shape.attrib for shape in shapes(about.with_suffix(".svg"))]
    count = len(states(about))
    shown = [range(int(at[1]), int(at[2] or at[1]) + 1) for each in marked if (at := AT.match(each.get("data-at", "")))]
    picks = {int(each["data-pick"]) for each in marked if "data-pick" in each}
    assert all(len(each["data-each"].split("|")) == count for each in marked if "data-each" in each)
    assert max(max(each) for each in shown) <= count
    for number, state in enumerate(states(about), start=1):
        assert any(number in each for each in shown), state
        assert len(state["says"]) > 10
    assert picks <= set(range(1, count + 1))
    assert picks, "nothing in the drawing itself can be touched"


def test_five_words_take_what_the_taught_function_gives_them() -> None:
    X = torch.tensor([[[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 2.0]]])
    context, weights = simple_self_attention(X)
    drawing = ROOT / "book" / "self_attention" / "drawings" / "everyone_asks.svg"
    texts = [shape.get("data-each", "") for shape in shapes(drawing) if shape.get("data-each")]
    assert texts == ["|".join(f"{weight:.2f}" for weight in column) for column in weights[0].T.tolist()]
    for state, vector in zip(states(drawing.with_suffix(".json")), context[0].tolist(), strict=True):
        assert f"({', '.join(f'{number:.2f}'.removeprefix('0') for number in vector)})" in state["says"]


def touched(browser, folder: Path, name: str, scripts: bool = True) -> Iterator:
    """Yield a tab with a drawing as the directive puts it on a page."""
    drawing = next(ROOT.glob(f"book/*/drawings/{name}.svg"))
    yield from opened(browser, folder, with_states(drawing), scripts=scripts)


def drawn(tab) -> str:
    """Return the drawing as the page has it: lines drawn again differ by a shade from those of before."""
    return re.sub(r' (?:class|style)=""', "", tab.locator("svg").evaluate("drawing => drawing.outerHTML"))


@pytest.mark.browser
@each_touched
def test_a_drawing_is_touched_with_keys_and_fingers(browser, tmp_path: Path, about: Path) -> None:
    given = states(about)
    for tab in touched(browser, tmp_path, about.stem):
        buttons = tab.get_by_role("group").get_by_role("button")
        buttons.first.focus()  # where every state lies in the drawing, a mouse sees no buttons
        as_drawn = drawn(tab)
        assert "← and →" in status(tab)
        assert buttons.all_inner_texts() == [state["name"] for state in given]
        assert buttons.evaluate_all(SMALL) == 0
        assert tab.locator(".choices [tabindex='0']").count() == 1
        for number, state in enumerate(given, start=1):
            tab.keyboard.press("ArrowRight")  # the first one chooses what has the focus
            assert status(tab) == re.sub(r"[*_]", "", state["says"])
            assert buttons.nth(number - 1).get_attribute("aria-pressed") == "true"
            assert tab.locator("svg .lit").count()
        assert tab.evaluate("location.hash") == f"#live=picture&at={len(given)}"
        assert drawn(tab) != as_drawn
        tab.keyboard.press("Enter")
        assert tab.evaluate("location.hash") == ""
        assert drawn(tab) == as_drawn
        texts = [shape.text for shape in shapes(about.with_suffix(".svg")) if shape.get("data-each")]
        assert tab.locator("[data-each]").all_text_contents() == texts
        tab.locator("[data-pick='2']").last.click()
        assert buttons.nth(1).get_attribute("aria-pressed") == "true"
        tab.keyboard.press("ArrowLeft")  # the keys go on from what was pressed
        assert buttons.first.get_attribute("aria-pressed") == "true"
        assert is_narrow(tab)


@pytest.mark.browser
def test_a_press_brings_the_drawing_into_view(browser, tmp_path: Path) -> None:
    drawing = with_states(ROOT / "book" / "encoder_decoder" / "drawings" / "bottleneck.svg")
    above, below = (f'<div style="height: {height}px"></div>' for height in (560, 900))
    for tab in opened(browser, tmp_path, above + drawing + below):
        tab.set_viewport_size({"width": 380, "height": 800})
        under = "document.querySelector('svg').getBoundingClientRect().bottom - innerHeight"
        assert tab.evaluate(under) > 0
        tab.get_by_role("button", name="me").press("Enter")  # a mouse sees no buttons here
        assert tab.evaluate(under) <= 1


@pytest.mark.browser
@each_drawing
def test_on_a_phone_a_label_is_large_enough_and_has_room(browser, tmp_path: Path, drawing: Path) -> None:
    as_on_a_page = "width: 312px; --pst-font-family-base: serif"  # of the book
    for tab in opened(browser, tmp_path, f'<div style="{as_on_a_page}">{with_states(drawing)}</div>'):
        assert tab.locator("svg text").evaluate_all(CROWDED) == []
