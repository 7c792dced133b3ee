"""The grader's README: its table of modules names files that are there."""

import re

import pytest

from autograder.places import HOME

ROWS = re.findall(r"^\| [^|]+ \| (`.*`.*) \|$", (HOME / "autograder" / "README.md").read_text("utf-8"), re.MULTILINE)
MODULES = [row for row in ROWS if ".py" in row]


@pytest.mark.parametrize("row", MODULES)
def test_a_module_that_is_named_is_there_beside_the_one_before_it(row: str) -> None:
    folder = HOME / "autograder"
    for name in re.findall(r"`([\w/]+\.py|[\w/]+/)`", row):
        path = HOME / "autograder" / name if "/" in name else folder / name
        assert path.exists(), name
        folder = path.parent if path.suffix else folder


def test_there_are_such_rows() -> None:
    assert len(MODULES) > 5
