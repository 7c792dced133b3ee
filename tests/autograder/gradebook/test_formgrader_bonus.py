"""A bonus in formgrader, in a real browser: a teacher gives all of it, a part or more, and takes it away."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.gradebook.gradebook import ClassGradebook
from tests.autograder.gradebook.test_bonus_points import BONUS, CORE, STARRED, record, register, submitted
from tests.autograder.gradebook.test_formgrader import Desk, desk_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def graded(tmp_path: Path) -> ClassGradebook:
    book = register(tmp_path / "class")
    record(book, "ada", 1.0, 0.5)
    return book


@pytest.fixture
def desk(graded: ClassGradebook, browser) -> Iterator[Desk]:
    with desk_of(browser, graded.out, f"submissions/{submitted(graded).id}/") as made:
        yield made


def put(desk: Desk, act) -> None:
    """Do something that formgrader saves."""
    with desk.tab.expect_response(lambda answer: "/api/grade/" in answer.url and answer.request.method == "PUT"):
        act()


def test_points_by_hand_may_be_as_many_as_the_bonus(desk: Desk, graded: ClassGradebook) -> None:
    score = desk.tab.locator(f"#{STARRED}")
    cell = desk.tab.locator(".nbgrader_cell").filter(has=score)
    assert score.get_attribute("placeholder") == "3"
    assert f"/ {BONUS:.1f}" in cell.inner_text()
    put(desk, cell.locator(".full-credit").click)
    assert submitted(graded).score == CORE + BONUS
    for given, kept in [("4", 4), ("99", BONUS), ("2", 2)]:  # also after the server has answered
        score.fill(given)
        put(desk, lambda: score.press("Tab"))
        assert submitted(graded).score == CORE + kept, given
    extra = desk.tab.locator(f"#{STARRED}_extra_credit")
    extra.fill("1")
    put(desk, lambda: extra.press("Tab"))
    assert submitted(graded).score == CORE + 3
    record(graded, "ada", 1.0, 1.0)
    assert submitted(graded).score == CORE + 3  # a regrade leaves what a person gave
    put(desk, cell.locator(".no-credit").click)
    assert submitted(graded).score == CORE
    core = desk.tab.locator("#check-core")
    core.fill("99")
    put(desk, lambda: core.press("Tab"))
    assert submitted(graded).score == CORE
    assert not desk.errors
