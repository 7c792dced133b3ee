"""Feedback pages of hostile submissions in a browser: nothing runs, nothing is called for, the score can be read."""

from collections.abc import Iterator

import pytest

from autograder.gradebook.store.gradebook import ClassGradebook
from tests.attacks.cases import NAME, Case, of_family
from tests.attacks.room import Room, room
from tests.support.points import core, written

__all__ = ["room"]
pytestmark = pytest.mark.browser

# Is the score where a reader looks, in its size and on top of everything else?
READABLE = """heading => {
    heading.scrollIntoView({block: "center"});
    const box = heading.getBoundingClientRect(), style = getComputedStyle(heading);
    const over = document.elementFromPoint(box.left + 5, box.top + box.height / 2);
    return box.width > 100 && box.height > 10 && style.visibility === "visible" && Number(style.opacity) > 0.9
        && (over === heading || heading.contains(over));
}"""
ACTIVE = """() => [...document.querySelectorAll("*")].flatMap(element => [...element.attributes]
    .filter(a => a.name.startsWith("on") || /^\\s*(javascript|vbscript|data:text|data:image.svg|file)/i.test(a.value))
    .map(a => `${element.tagName} ${a.name}=${a.value}`))
    .concat([...document.querySelectorAll(
        "script, iframe, object, embed, form, input, meta[http-equiv=refresh], base, link, svg, video, audio")]
    .map(element => element.outerHTML.slice(0, 80)))"""


@pytest.fixture(scope="module")
def book(room: Room) -> Iterator[ClassGradebook]:
    book = ClassGradebook(room.folder / "class")
    book.register(room.form)
    yield book
    book.close()


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in of_family("pages")])
def test_nothing_runs_nothing_is_called_for_and_the_score_is_readable(
    room: Room, book: ClassGradebook, browser, case: Case
) -> None:
    outcome = room.submit(case)
    book.record("mallory", room.form, outcome)
    path = room.folder / "class" / "feedback" / "mallory" / NAME / f"{NAME}.html"
    context = browser.new_context()
    asked, ran = [], []
    context.route("**/*", lambda route: (asked.append(route.request.url), route.continue_()))
    page = context.new_page()
    page.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: ran.append(str(error)))
    page.goto(path.as_uri(), wait_until="load")
    page.evaluate('document.querySelectorAll("details summary").forEach(each => each.click())')
    page.mouse.move(200, 200)
    page.wait_for_timeout(300)
    assert [url for url in asked if url != path.as_uri() and not url.startswith("data:image/png")] == []
    assert ran == []
    assert page.url == path.as_uri()
    assert page.title().startswith(f"{NAME}: ")
    assert page.evaluate(ACTIVE) == []
    heading = page.locator("p.total").first
    assert f"{outcome.line['score']:g} of {core(NAME) + written(NAME):g} points" in heading.inner_text()
    assert heading.evaluate(READABLE)
    context.close()
