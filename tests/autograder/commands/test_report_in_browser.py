"""The teacher's page with everything on it: it fits, folds and can be read, and its edition without names has none."""

import html
from datetime import timedelta
from pathlib import Path

import pytest

from autograder.report.page import report
from tests.autograder.commands.test_similarity import ANSWER, submit
from tests.support.report_pages import HOSTILE, Reader, demand_sound, enter, keep, line


def test_the_edition_without_names_has_none(crowded: Path) -> None:
    out = crowded.parent
    text = report(out, anonymous=True).read_text("utf-8")
    demand_sound(text, Reader(text))
    assert not [name for name in [*HOSTILE, "anna", "bob"] if html.escape(name, quote=False) in text]
    assert "mask_after_softmax" in text
    assert "Share of points" in text
    assert (out / "report-anonymous.html").stat().st_mode & 0o777 == 0o600


@pytest.fixture(scope="module")
def crowded(tmp_path_factory) -> Path:
    """Return a page with everything on it: hostile names, mistakes, flags, errors, late ones, code that is alike."""
    out = tmp_path_factory.mktemp("crowded")
    names = [*HOSTILE, "anna", "bob"]
    mistakes = {"bahdanau.masked_softmax": ("some", ["mask_after_softmax"])}
    lines = [line(name, "bahdanau", mistakes, flags=["torch's own attention: MultiheadAttention"]) for name in names]
    lines[0]["error"] = "this is no notebook"
    lines[1]["checks"][0]["failures"] = ["timeout"]
    keep(out, lines)
    about = {name: {"late": timedelta(minutes=90), "penalty": 1.0} for name in names if name.isprintable()}
    enter(out, "bahdanau", about)
    for name in ("anna", "bob"):
        submit(out, name, {"additive_attention": ANSWER})
    return report(out)


def visit(browser, page: Path, width: int = 1280, mode: str = "light"):
    tab = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=mode).new_page()
    met: list[str] = []
    tab.on("request", lambda request: met.append(request.url) if request.url != page.as_uri() else None)
    tab.on("console", lambda message: met.append(message.text))
    tab.on("pageerror", lambda error: met.append(str(error)))
    tab.on("dialog", lambda dialog: met.append("a dialog"))
    tab.goto(page.as_uri(), wait_until="load")
    return tab, met


CONTRAST = r"""() => {
  const shine = c => { const [r, g, b] = c.match(/[\d.]+/g).slice(0, 3).map(v => v / 255)
    .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126*r + .7152*g + .0722*b }
  const solid = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor
    if (!/, 0\)$|transparent/.test(c)) return c }
    return 'rgb(255, 255, 255)' }
  const texts = 'p, td, th, caption, summary, li, a, code, h1, h2, h3, svg text, figcaption, .quiet'
  return [...document.querySelectorAll(texts)]
    .map(e => { const s = getComputedStyle(e), svg = e instanceof SVGElement
      const ground = shine(solid(svg ? e.closest('figure') : e)), ink = shine(svg ? s.fill : s.color)
      return (Math.max(ink, ground) + .05) / (Math.min(ink, ground) + .05) }) }"""


@pytest.mark.browser
@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_fits_asks_for_nothing_and_stands_out_from_its_ground(browser, crowded, width, mode):
    tab, met = visit(browser, crowded, width, mode)
    for summary_ in tab.locator("summary").all():
        summary_.evaluate("e => e.parentElement.open = true")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert min(tab.evaluate(CONTRAST)) >= 4.5
    assert not met
    dark = tab.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (mode == "dark")
    tab.context.close()
