"""Whatever is handed in: the score is right, the next one is graded as ever, and nothing outside is read or changed."""

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from autograder.judge.assess import Outcome
from tests.attacks import cases
from tests.attacks.cases import NAME, Case
from tests.attacks.room import CANARY, Room, room
from tests.support.points import by_checks, core

__all__ = ["room"]

ALL = by_checks(NAME)


def fits(expected: str, got: float, most: float) -> bool:
    """Tell whether a check's points are those expected: a word of tests/attacks/cases.py, or a number."""
    kinds = {"all": got == most, "some": 0 < got < most, "nothing": got == 0, "less": got < most, "anything": True}
    return kinds["nothing" if expected == "refused" else expected] if not expected.isdigit() else got == int(expected)


def assert_right(case: Case, outcome: Outcome) -> None:
    line = outcome.line
    hints = "\n".join(str(check["hint"]) for check in line["checks"])
    for check in line["checks"]:
        right = case.expected[check["id"].partition(".")[2]]
        assert fits(right, check["score"], check["max_score"]), f"{check['score']:g} points, right is {right}: {hints}"
    assert (line["error"] is not None) == (case.right == "refused"), line["error"]
    assert 0 <= line["score"] <= ALL
    assert line["max_score"] == core(NAME)
    shown = [cell.get("outputs") for cell in json.loads(outcome.notebook)["cells"]]
    outputs = json.dumps(shown, ensure_ascii=False)
    assert set(case.kinds) <= {kind for check in line["checks"] for kind in check["failures"]}, hints
    assert [text for text in case.says if text not in f"{hints}\n{line['error']}"] == [], (hints, line["error"])
    assert [text for text in case.shows if text not in outputs] == [], outputs[-3000:]
    assert [text for text in (*case.hides, CANARY) if text in outputs] == [], outputs[-3000:]
    assert [flag for flag in case.flags if not any(flag in raised for raised in line["flags"])] == [], line["flags"]


def assert_nothing_happened(room: Room) -> None:
    assert room.processes_left() <= 0
    assert room.look() == room.tree
    assert len(list(Path("/proc/self/fd").iterdir())) <= room.descriptors
    after = room.honest()
    assert after.line == room.honest_outcome.line
    assert json.loads(after.notebook)["cells"] == json.loads(room.honest_outcome.notebook)["cells"]


def parameters() -> list:
    """Return every case; the first of a family is for every day, the others are slow in their number."""
    return [
        pytest.param(case, id=f"{family}-{case.name}", marks=[pytest.mark.slow] if number else [])
        for family in (*cases.TEXTS, *cases.TABLES)
        for number, case in enumerate(cases.of_family(family))
    ]


IMPORTED = re.compile(r"^ *(?:import (autograder[\w.]*)|from (autograder[\w.]*) import (\w+))", re.MULTILINE)


@pytest.mark.parametrize("family", cases.TEXTS)
def test_what_an_attack_changes_of_the_grader_is_still_there(family: str) -> None:
    """Such an import is tried by the attack alone: one that fails would make an attack that does nothing."""
    for module, package, name in IMPORTED.findall((cases.HERE / f"{family}.md").read_text("utf-8")):
        found = import_module(module or package)
        assert not name or hasattr(found, name) or import_module(f"{package}.{name}")


def test_the_honest_one_gets_all_points(room: Room) -> None:
    line = room.honest_outcome.line
    assert (line["score"], line["max_score"], line["flags"], line["error"]) == (ALL, core(NAME), [], None)


@pytest.mark.parametrize("case", parameters())
def test_the_score_is_right_and_nobody_else_is_touched(room: Room, case: Case) -> None:
    assert_right(case, room.submit(case))
    assert_nothing_happened(room)
