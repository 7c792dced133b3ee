"""The whole hostile class at once, through the command: all in the summary with the right points, neighbours full."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.checks import find
from autograder.places import ROOT
from tests.attacks.cases import FUNCTIONS, NAME, Case, every, written
from tests.attacks.room import CANARY, HONEST
from tests.attacks.test_attacks import fits
from tests.support.sandboxed import demand_sandbox

HONEST_NAMES = ["anna", "Bo Li", "ünï çødé", "[a-z]*", "-rf", "=1+1", "a'b\"c", "$(touch x)", "%s{0}", "CON", "..x"]
IN_SUMMARY = {"-rf": "'-rf", "=1+1": "'=1+1", "..x": "%2E.x"}  # a table takes no formula, nbgrader no such folder
MOST = {function: find(f"{NAME}.{function}").max_points for function in FUNCTIONS}


def submit(folder: Path) -> dict[str, Case]:
    """Write the class into a folder; return the cases by student."""
    places = {"COURSE": "/", "HOME": "/", "ROOT": str(ROOT), "CANARY": CANARY, "PLANTED": "planted-by-a-student"}
    places |= {"LONG": "# long " * 20_000, "NUMBERS": "1", "TAB": "\t", "HALF": CANARY[:8], "REST": "0"}
    written_by = {}
    for number, case in enumerate(every()):
        place = folder / f"m{number:03}" / NAME
        place.mkdir(parents=True)
        path = case.make(place, places)
        if path.parent == place and os.path.lexists(path):
            written_by[place.parent.name] = case
    content = written([("python", "setup", HONEST)], "solved")
    for name in HONEST_NAMES:
        (folder / name / NAME).mkdir(parents=True)
        (folder / name / NAME / f"{NAME}.ipynb").write_bytes(content)
    (folder / "linked").symlink_to(folder / "anna")
    (folder / "linked2").mkdir()
    (folder / "linked2" / NAME).symlink_to(folder / "anna" / NAME)
    return written_by


@pytest.mark.slow
def test_the_whole_class_at_once(released: Path, tmp_path: Path) -> None:
    demand_sandbox()
    folder, out, secret = tmp_path / "submitted", tmp_path / "out", tmp_path / "secret"
    folder.mkdir()
    handed = submit(folder)
    secret.write_text(CANARY * 3)
    secret.chmod(0o600)
    command = [sys.executable, "-m", "autograder", "grade", folder, "--out", out, "--secret", secret]
    command += ["--check-seconds", "3", "--notebook-seconds", "40"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr[-3000:]
    with (out / "summary.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    missing = [name for name in handed if name not in rows]
    assert missing == []
    total = sum(MOST.values())
    wrong = [
        f"{case.family}: {case.name}: {rows[name]}" for name, case in handed.items() if not right(case, rows[name])
    ]
    assert wrong == []
    honest = [IN_SUMMARY.get(name, name) for name in HONEST_NAMES]
    assert {name: rows.get(name, {}).get("score") for name in honest} == dict.fromkeys(honest, str(total))
    assert not any(rows.get(name, {}).get("score") not in (None, "", "0") for name in ("linked", "linked2"))
    assert CANARY not in (out / "summary.csv").read_text("utf-8")
    assert CANARY not in done.stdout + done.stderr


def right(case: Case, row: dict[str, str]) -> bool:
    """Tell whether a row's points can be the sum of what is right for each function."""
    if case.before or not row["score"]:  # what goes before is left out here; a stray says why it has no grade
        return bool(case.before or row["error"])
    if case.right == "refused":
        return row["score"] == "0" and row["error"] != ""
    low = high = 0
    for function, most in MOST.items():
        fitting = [points for points in range(most + 1) if fits(case.expected[function], points, most)]
        low, high = low + min(fitting), high + max(fitting)
    return low <= float(row["score"]) <= high and row["error"] == ""
