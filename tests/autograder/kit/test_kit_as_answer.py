"""The kit answers no check: each of its public functions is handed in for each graded one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.checks import checks
from autograder.release.blank import Module
from autograder.release.build import release
from tests.support import kit_as_answer

PLANTED = """
def softly(mask, scores):
    return None, (scores if mask is None else scores.where(mask, -1e30)).softmax(-1) * (1 if mask is None else mask)
"""


def handed_in(kit: Path, *check_ids: str) -> list[list]:
    """Return what is handed in of a kit, in a process that has the kit alone, and what each earns beyond its shape."""
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(kit_as_answer.__file__)), str(kit), *check_ids]
    done = subprocess.run(command, cwd=kit, env=clean, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    answers = json.loads(done.stdout)
    assert len(answers) > 5
    return [answer for answer in answers if answer[2]]


@pytest.mark.slow
def test_an_answer_in_the_kit_is_seen_in_other_clothes(tmp_path: Path) -> None:
    release(["bahdanau"], build=tmp_path / "build")
    kit = tmp_path / "build" / "release" / "kit"
    (kit / "lab/planted.py").write_text(PLANTED)
    assert {who for _, who, _ in handed_in(kit, "bahdanau.masked_softmax")} == {"lab.planted.softly"}


@pytest.mark.slow
def test_nothing_in_the_kit_earns_more_than_its_shape(tmp_path: Path) -> None:
    release(build=tmp_path / "build")
    assert not handed_in(tmp_path / "build" / "release" / "kit")


@pytest.mark.slow
def test_what_is_given_answers_its_own_chapter_and_no_other(tmp_path: Path) -> None:
    release(["bahdanau", "luong"], build=tmp_path / "build", given=["bahdanau"])
    earned = handed_in(tmp_path / "build" / "release" / "kit")
    known = Module.of("bahdanau").functions
    assert {function for function in checks("bahdanau") if function in known} <= {
        who.rpartition(".")[2] for check_id, who, _ in earned
    }
    assert {(check_id.partition(".")[0], who.rpartition(".")[0]) for check_id, who, _ in earned} == {
        ("bahdanau", "given.bahdanau")
    }
