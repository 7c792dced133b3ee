"""What is exported though it may still change is named, and held back where that is asked for."""

import json

import pytest

from autograder.gradebook.by_hand import regrade
from tests.support.classes import opened_book
from tests.support.lms import Teacher, answered, lms, moodle

__all__ = ["lms"]

REASONS = {
    "Poe Bo": "an answer waits for points by hand",
    "Moe, Cy": "a regrade request waits for its answer",
    "Loe Di": "the machine was too busy: grade again",
}


@pytest.fixture
def mixed(lms: Teacher) -> Teacher:
    """Return a class of four: one grade is final, the others lack something, each another thing."""
    names = {moodle(str(number), name): name for number, name in enumerate(["Roe Ann", *REASONS], 7)}
    waits = {path: answered() for path, name in names.items() if name == "Poe Bo"}
    lms.grades(*(path for path in names if path not in waits), **waits)
    record = next(path for path in (lms.out / "records").glob("*/*.json") if path.parent.name == "Loe Di")
    content = json.loads(record.read_text())
    record.write_text(json.dumps(content | {"line": content["line"] | {"starved": True}}))
    with opened_book(lms.out) as gradebook:
        note = {"assignment": "bahdanau", "part": "reading_a_matrix", "note": "why?"}
        regrade.enter(gradebook.db(), "Moe, Cy", "bahdanau", [note])
    return lms


@pytest.mark.parametrize("to", ["moodle", "csv"])
def test_each_grade_that_may_change_is_named_with_its_reason(mixed: Teacher, to: str) -> None:
    shown = mixed.exports(to)
    for name, reason in REASONS.items():
        assert f"1 not final, {reason}: {name}." in shown
    assert "4 grades" in shown


def test_final_only_holds_back_what_may_change_and_says_so(mixed: Teacher) -> None:
    shown = mixed.exports("moodle", "--final-only")
    for name, reason in REASONS.items():
        assert f"bahdanau: held back: 1 not final, {reason}: {name}." in shown
    assert [row["Full name"] for row in mixed.rows("moodle-bahdanau.csv")] == ["Roe Ann"]
    assert len(mixed.pages("moodle-bahdanau-feedback.zip")) == 1


def test_where_a_request_is_answered_the_grade_is_final(mixed: Teacher) -> None:
    with opened_book(mixed.out) as gradebook:
        [request] = regrade.requests(gradebook.db())
        regrade.answer(gradebook.db(), "bahdanau", "Moe, Cy", request.id, "Because.")
    mixed.exports("moodle", "--final-only")
    assert {row["Full name"] for row in mixed.rows("moodle-bahdanau.csv")} == {"Roe Ann", "Moe, Cy"}


def test_where_no_grade_is_final_nothing_is_written(lms: Teacher) -> None:
    lms.grades(**{moodle("7", "Roe Ann"): answered()})
    status, shown = lms.types("export", "--to", "csv", "--final-only")
    assert status == 2
    assert "--final-only: no grade is final yet, so none is handed on." in shown
    assert not (lms.out / "export").exists()


def test_names_with_commas_are_told_apart(lms: Teacher) -> None:
    lms.grades(**{moodle(number, name): answered() for number, name in (("7", "Roe, Ann"), ("8", "Poe, Bo"))})
    assert "points by hand: Poe, Bo; Roe, Ann." in lms.exports("csv")
