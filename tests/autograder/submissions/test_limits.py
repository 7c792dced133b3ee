"""Hand-ins that would keep the grader busy or fill its disk: each gets a row, and the honest one keeps every point."""

import csv
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import template
from autograder.checks import checks
from autograder.judge.judge import Judge
from autograder.places import ROOT
from autograder.score import Scorer
from autograder.submissions import parser_client
from autograder.submissions.parse_untrusted import MOST_TEXT, Unreadable
from autograder.submissions.parser_process import MOST_MEMORY
from tests.attacks.cases import NAME, written
from tests.support.points import by_checks
from tests.support.sandboxed import demand_sandbox

ALL = by_checks("bahdanau")
REPAIR = checks("bahdanau")["repaired_attention"].max_points

SOLVED = written([], "solved")
TREE: dict[str, Any] = json.loads(SOLVED)
MOST_SECONDS = 270  # for both: 90 seconds are promised for one, and the machine may be loaded
MILLIONS_OF_CELLS = b'{"cells": [' + b"[]," * (9 << 20) + b"0]}"  # some seconds to read
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def with_cells(*cells: dict[str, Any]) -> bytes:
    return json.dumps(TREE | {"cells": [*TREE["cells"], *cells]}, ensure_ascii=False).encode()


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    about = {"cell_type": "code", "metadata": {}, "execution_count": None}
    return about | {"source": source, "outputs": list(outputs)}


def text(source: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source, **more}


def outputs() -> bytes:
    shown = {"output_type": "display_data", "data": {"image/png": PNG * 10_000}, "metadata": {}}
    return with_cells(*(code("1", shown) for _ in range(45)))


LOUD = f"""import base64
from IPython.display import display
picture = base64.b64encode(base64.b64decode({PNG!r}) + bytes(1 << 20)).decode()
for _ in range(8):
    display({{"image/png": picture}}, raw=True)
    print("<&'>" * 100_000)
    print("\\n" * 400_000)
    print("\\x1b[31mx\\x1b[32my" * 30_000)"""

FULL: dict[str, Callable[[], bytes]] = {
    "45 MB of saved outputs": outputs,
    "pictures, tags, blank lines and colours printed": lambda: with_cells(*(code(f"{LOUD}  # {n}") for n in range(8))),
    "one long line of markdown": lambda: with_cells(text("<&\"'" * 180_000)),
}


@pytest.fixture(scope="module")
def scorer(course_judge: Judge) -> Scorer:
    return Scorer(course_judge)


def size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*"))


# Runs a command, and prints the most memory that one of its processes had: those of tests before do not count.
PEAK = """import resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)
sys.exit(status)"""


def graded(folder: Path, out: Path, *options: str) -> tuple[dict[str, dict[str, str]], float, int]:
    """Grade by the command; return the rows by student, the seconds, and the most bytes of one process."""
    secret = folder.parent / "secret"
    secret.write_text("the secret of this test's course")
    secret.chmod(0o600)
    began = time.monotonic()
    grade = [sys.executable, "-m", "autograder", "grade", folder, "--out", out, "--secret", secret, *options]
    done = subprocess.run([sys.executable, "-c", PEAK, *grade], cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    with (out / "summary.csv").open(newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}, time.monotonic() - began, int(done.stdout)


def beside_an_honest_one(folder: Path, content: bytes) -> tuple[dict[str, str], float, int, int]:
    """Return the row of who hands this in, the seconds, the bytes written and the most bytes of one process.

    The honest one keeps every point.
    """
    for student, each in {"honest": SOLVED, "mallory": content}.items():
        place = folder / "in" / student / NAME / f"{NAME}.ipynb"
        place.parent.mkdir(parents=True)
        place.write_bytes(each)
    rows, seconds, most = graded(folder / "in", folder / "out", "--jobs", "1")
    assert (rows["honest"]["score"], rows["honest"]["error"]) == (str(ALL), "")
    ours = [path for path in (folder / "out").rglob("honest/**/*") if path.is_file()]
    return rows["mallory"], seconds, size(folder / "out") - sum(path.stat().st_size for path in ours), most


def deserved(row: dict[str, str]) -> str:
    """Return all points, but those of the repair where the code could not be looked through, which is flagged."""
    return f"{ALL - (REPAIR if parser_client.NOT_ANALYSED in row['flags'] else 0):g}"


@pytest.mark.slow
@pytest.mark.parametrize("name", FULL)
def test_whatever_fills_a_page_or_a_disk_stays_below_20_mb(released: Path, tmp_path: Path, name: str) -> None:
    demand_sandbox()
    row, seconds, bytes_written, most = beside_an_honest_one(tmp_path, FULL[name]())
    assert (row["score"], row["error"]) == (deserved(row), "")
    assert bytes_written <= 20 << 20
    assert seconds < MOST_SECONDS
    assert most <= 1536 << 20


def test_code_that_takes_too_long_to_read_is_refused_and_the_next_is_read(released, monkeypatch) -> None:
    """With one second, the shortest limit that there is, in place of ten."""
    monkeypatch.setattr(parser_client, "MOST_SECONDS", 0)
    monkeypatch.setattr(parser_client, "CLOCK_FACTOR", 30)
    form = template(NAME)
    with pytest.raises(Unreadable, match="take too long or too much memory to read"):
        parser_client.submission(MILLIONS_OF_CELLS, form, [NAME])
    assert parser_client.submission(SOLVED, form, [NAME]).content == SOLVED


def test_code_that_takes_too_long_to_look_through_is_run_and_flagged(
    released, scorer: Scorer, monkeypatch, tmp_path
) -> None:
    real = parser_client.ParserClient.ask

    def ask(self, operation: str, seconds: int, **given: Any) -> Any:
        if operation == "analysis":
            raise parser_client.LimitExceeded
        return real(self, operation, seconds, **given)

    monkeypatch.setattr(parser_client.ParserClient, "ask", ask)
    (tmp_path / "my.ipynb").write_bytes(SOLVED)
    line = scorer.line(str(tmp_path / "my.ipynb"))
    unseen = checks("bahdanau")["repaired_attention"].max_points  # whether it repairs one statement, nobody could look
    assert (line["score"], line["flags"]) == (ALL - unseen, [parser_client.NOT_ANALYSED])


def test_a_process_that_parses_dies_alone_and_is_there_again(released) -> None:
    client = parser_client.client()
    assert parser_client.assignment(SOLVED, [NAME]) == NAME
    assert client._process
    assert resource.prlimit(client._process.pid, resource.RLIMIT_AS) == (MOST_MEMORY, MOST_MEMORY)
    assert resource.prlimit(client._process.pid, resource.RLIMIT_CPU)[0] < 3600
    os.kill(client._process.pid, 9)
    assert parser_client.assignment(SOLVED, [NAME]) == NAME
    first = client._process.pid
    os.kill(first, 19)  # it stands still: nobody waits for ever
    with pytest.raises(parser_client.LimitExceeded):
        client.ask("assignment", 1, content=SOLVED, known=[NAME])
    assert parser_client.assignment(SOLVED, [NAME]) == NAME
    assert client._process.pid != first


def test_a_notebook_of_large_outputs_is_kept_without_them_and_judged_the_same(released) -> None:
    form = template(NAME)
    large = parser_client.submission(outputs(), form, [NAME])
    assert len(large.content) < MOST_TEXT
    again = parser_client.submission(large.content, form, [NAME])
    assert again.content == large.content
    assert again.notebook == large.notebook
