"""Stars of a check: which there can be, and what a notebook's text and its author are told of them."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograder.assignment import OWN
from autograder.checks import CaseInput, Check, CheckFault, Written
from autograder.judge.process import demand
from autograder.release import missing, notebook
from autograder.release.blank import BlankError
from autograder.sandbox.bubblewrap import NoSandbox
from tests.autograder.gradebook.test_bonus_points import BONUS, CORE, form


def double(x):
    """Return twice x."""
    return 2 * x


def check(name: str, points: int, **more: Any) -> Check:
    cases = lambda rng: [CaseInput("a case", [np.ones((2, 3), np.float32)])]  # noqa: E731
    return Check(double, ("twice",), cases, {"a case": points}, also=(), name=name, **more)


KNOWN = [
    check("core", 10),
    check("other", 10),
    check("more", 12),
    check("a", 4, stars=1),
    check("b", 4, stars=1),
    check("c", 6, stars=2),
    check("last", 1, may_call=("core", "a", "c")),
]
TEXTS = {
    "core": "10, by the check",
    "core, other": "10 each, by the check",
    "core,more": "10 + 12, by the check",
    "a": "★ 4 bonus, by the check",
    "c": "★★ 6 bonus, by the check",
    "a, b": "★ 4 bonus each, by the check",
    "a, c": "★ 4 + ★★ 6 bonus, by the check",
    "why": "3, by your teacher",
}


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (notebook, missing):
        monkeypatch.setattr(module, "checks", lambda name: {each.function: each for each in KNOWN})
        monkeypatch.setattr(module, "questions", lambda name: {"why": Written(3, "because")})


@pytest.mark.parametrize(("items", "text"), TEXTS.items())
def test_the_text_tells_a_bonus_from_other_points(items: str, text: str) -> None:
    assert notebook._points("mine", items) == text


@pytest.mark.parametrize("items", ["core, a", "a, why", "core, why"])
def test_points_of_several_kinds_are_not_added(items: str) -> None:
    with pytest.raises(BlankError, match="names functions, starred ones or questions together: expected only one kind"):
        notebook._points("mine", items)


@pytest.mark.parametrize("stars", [-1, 3, True, 1.0, "★", None])
def test_a_task_has_one_star_or_two(stars: Any) -> None:
    with pytest.raises(CheckFault, match=r"a: stars is .*, expected 1 or 2 where the points are a bonus, else 0"):
        check("a", 4, stars=stars)


def test_a_core_task_that_may_call_a_starred_one_is_a_fault() -> None:
    faults = [fault for fault in missing.missing_parts("mine", []) if "star" in fault]
    assert faults == ["last is a core task and may call what has a star, and nobody has to write: a, c"]


def test_a_notebook_and_the_checks_agree_on_points_and_stars(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {"core": SimpleNamespace(stars=0, max_points=CORE), "stretch": SimpleNamespace(stars=1, max_points=BONUS)}
    monkeypatch.setattr("autograder.checks.checks", lambda name: ours)
    asked = {"why": Written(3, "Because.")}
    monkeypatch.setattr("autograder.checks.questions", lambda name: asked)
    demand(form())
    others = [form(stars=0), form(stars=2), form()]
    others[2].graded["check-stretch"].metadata[OWN]["bonus"] = BONUS - 1
    for other in others:
        with pytest.raises(NoSandbox, match=r"have changed since its notebook was released \(stretch\)"):
            demand(other)
    asked["why"] = Written(9, "Because.")
    with pytest.raises(NoSandbox, match=r"\(why\)"):
        demand(form())
