"""Whom an LMS means by a name, whatever students call themselves: a path in its zip, or nobody."""

import pytest

from autograder.export.lms import LMS
from tests.support.lms import (
    FOLDER,
)


@pytest.mark.parametrize(
    "name",
    ["..", "..\\..\\etc", "C:evil", "~x", ".hidden", "caf\udce9", "a\nb", "\u202eada", "n" * 200, "\x00", "_", "?"],
)
@pytest.mark.parametrize("kind", LMS)
def test_a_path_in_the_zip_stays_in_it_and_is_a_name_everywhere(kind: str, name: str) -> None:
    lms_name = f"{name}_7_{FOLDER}" if kind == "moodle" else f"{name}_7_501_{name}.ipynb"
    to = LMS[kind].recipient(lms_name, "bahdanau")
    if to is None:
        assert (kind, "_" in name) == ("canvas", True)
        return
    assert to.number == "7"
    *folders, file = to.page.encode("utf-8").decode().split("/")
    assert len(folders) == (kind == "moodle")
    assert all(part[0] not in ".~ " and not set(part) & set('\\:*?"<>|\n\0') for part in [*folders, file])


@pytest.mark.parametrize("kind", LMS)
@pytest.mark.parametrize(
    "lms_name",
    ["", "ada", "bahdanau.ipynb", "ada_x_y_bahdanau.ipynb", "_7_501_a.ipynb", "a_7_", "a_7_assignsubmission_file (1)"],
)
def test_what_is_no_lms_s_name_is_nobodys(kind: str, lms_name: str) -> None:
    assert LMS[kind].recipient(lms_name, "bahdanau") is None
