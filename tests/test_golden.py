"""What is frozen stays: the golden files of tests/golden."""

import difflib

import pytest

from autograder.assignment import dropped
from tests.golden import SECTIONS, SLOW, kept, path, text
from tests.support.sandboxed import demand_sandbox

PARAMETERS = [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in SECTIONS]


@pytest.mark.parametrize("section", PARAMETERS)
def test_nothing_frozen_has_changed(section: str, request: pytest.FixtureRequest) -> None:
    if section in ("notebooks", "example_class"):
        request.getfixturevalue("released")  # with the points of the course, whatever a class has
    if section == "example_class":
        demand_sandbox()
    if section == "example_class" and dropped():
        pytest.skip("the example class is one of all chapters, and course.toml or _toc.yml leaves some out")
    frozen = {name: each for name, each in kept(section).items() if name.partition(".")[0] not in dropped()}
    before, after = text(frozen).splitlines(), text(SECTIONS[section]()).splitlines()
    changes = list(difflib.unified_diff(before, after, path(section).name, "now", lineterm="", n=1))
    assert not changes, "\n".join([*changes[:60], "If this was meant: python -m tests.golden " + section])
