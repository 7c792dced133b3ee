"""In Gradescope's container: grade what was handed in, as another user, and write results/results.json."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.assignment import assignments, is_manual, template
from autograder.files import atomic_write
from autograder.kit.verdict.bonus import all_points, with_stars
from autograder.score import BUSY
from autograder.submissions import parser_client
from autograder.submissions.notebook import Unreadable, read_bytes

SPARE_SECONDS = 120  # of Gradescope's time limit: a longer run has no results at all, and 0 points
MOST_OUTPUT = 20_000  # characters for one part
FAILED = "The grader failed. This is not your fault. Tell your teacher; your notebook is kept."


class NotGraded(Exception):
    """There is nothing to grade; the message tells the student what to do."""


def chosen(folder: Path, name: str) -> Path:
    """Return the submitted notebook: the only one, or the only one with the assignment's name."""
    notebooks = list(_notebooks(folder))
    named = [path for path in notebooks if path.name == f"{name}.ipynb"]
    for those in (notebooks, named):
        if len(those) == 1:
            return those[0]
    listed = ", ".join(str(path.relative_to(folder)) for path in notebooks[:20]) or "none"
    raise NotGraded(f"Hand in one notebook, {name}.ipynb, saved after your last change. Found: {listed}.")


def _notebooks(folder: Path) -> Iterator[Path]:
    """Yield the notebook files below a folder, without links, hidden files and those that macOS adds to a zip."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__MACOSX")))
        paths = [Path(place, name) for name in sorted(files) if name.endswith(".ipynb") and not name.startswith(".")]
        yield from (path for path in paths if path.is_file() and not path.is_symlink())


def demand_assignment(path: Path, name: str) -> None:
    """Raise NotGraded where a file is no notebook, or one of another assignment."""
    try:
        named = parser_client.assignment(read_bytes(path), assignments())
    except Unreadable as error:
        raise NotGraded(f"{path.name} cannot be read: {error}. Save it in Jupyter and hand it in again.") from None
    if named != name:
        what = f"the notebook '{named}'" if named else "not a notebook of this course"
        raise NotGraded(f"{path.name} is {what}: expected the notebook '{name}'. Nothing was graded.")


def results(line: dict[str, Any], name: str, visibility: str) -> dict[str, Any]:
    """Return Gradescope's results for one line of `python -m autograder score`."""
    if line["error"]:
        raise NotGraded(f"It could not be graded: {line['error']}.")
    form = template(name)
    tests = [_test(check, form.stars.get(check["id"].partition(".")[2], 0)) for check in line["checks"]]
    for question, cell in form.graded.items():
        if is_manual(about := cell.metadata.nbgrader):
            tests.append({"name": question, "output": f"{about.get('points', 0):g} points, given by your teacher."})
    bonus = sum(check["score"] for check in line["checks"] if check.get("bonus"))
    words = f"{line['score'] - bonus:g} of {line['max_score']:g} points" + (f", and {bonus:g} bonus" if bonus else "")
    if BUSY in line["flags"]:
        words += ". The machine was too busy to run all of it: hand in again."
    return _framed(line["score"], words, tests, visibility)


def _test(check: dict[str, Any], stars: int) -> dict[str, Any]:
    """Return a part's test: its points, and the text of the feedback page."""
    hint = with_stars(check["hint"] or all_points(check["max_score"]), stars)
    name = check["id"].partition(".")[2]
    about = {"name": f"{name} {'★' * stars}".strip(), "score": check["score"], "max_score": check["max_score"]}
    return about | {"output": hint[:MOST_OUTPUT]} | ({"tags": ["bonus"]} if stars else {})


def refused(reason: str) -> dict[str, Any]:
    """Return the results of work that cannot be graded: no points, and the reason, which is never hidden."""
    return _framed(0, reason, [{"name": "Not graded", "output": reason, "status": "failed"}], "visible")


def _framed(score: float, words: str, tests: list[dict[str, Any]], visibility: str) -> dict[str, Any]:
    about = {"score": score, "output": words, "visibility": visibility, "stdout_visibility": "hidden"}
    # As text: hints quote what a student wrote.
    return about | {"output_format": "text", "tests": [test | {"output_format": "text"} for test in tests]}


def run(folder: Path, name: str, visibility: str, minutes: float) -> dict[str, Any]:
    """Return the results of a submission, whatever happens; print the lines for the teacher alone."""
    seconds = 60 * minutes - SPARE_SECONDS
    try:
        notebook = chosen(folder, name)
        demand_assignment(notebook, name)
        command = [sys.executable, "-m", "autograder", "score", "--container", "--assignment", name, str(notebook)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        print(done.stdout, done.stderr)
        if done.returncode != 0:
            return refused(FAILED)
        return results(json.loads(done.stdout.splitlines()[-1]), name, visibility)
    except NotGraded as error:
        return refused(str(error))
    except subprocess.TimeoutExpired:
        return refused(f"Grading took over {seconds:g} seconds. Hand in again; if it happens again, tell your teacher.")
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
        return refused(FAILED)


def main() -> None:
    """Run as `python -m autograder.gradescope.results NAME`, in Gradescope's container or in one like it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--visibility", default="visible")
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    made = run(Path("/autograder/submission"), options.name, options.visibility, options.minutes)
    atomic_write(Path("/autograder/results/results.json"), json.dumps(made, indent=1, ensure_ascii=False).encode())


if __name__ == "__main__":
    main()
