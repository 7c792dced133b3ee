"""What a student does with the kit: checks, hints, a file run as grading does, and a whole notebook by itself."""

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import nbformat
import pytest

from autograder.checks import assignments
from autograder.sandbox.mounts import closure
from tests.autograder.kit.test_student_kit import ABSENT, FORKS, stated
from tests.support import tiny_gguf
from tests.support.forked import python
from tests.support.student import solved, unpacked, unzipped, without_all_points


@pytest.fixture(scope="module")
def build(released) -> Path:
    return released.parent


WORK = "work/2-bahdanau/bahdanau.ipynb"
WITHOUT = f"""
import os, signal, subprocess, sys, tempfile, threading
import IPython.core.interactiveshell, IPython.display, jaxtyping, matplotlib.pyplot, numpy, psutil, torch, tqdm
def refuse(event, arguments):
    if event == "open" and str(arguments[0]).startswith("/proc"): raise OSError("there is no /proc")
sys.addaudithook(refuse)
for name in {sorted(ABSENT)}: sys.modules[name] = None
for name in {sorted(FORKS - {"SIGKILL"})}:  # which subprocess sends on Linux
    for module in (os, signal): module.__dict__.pop(name, None)
"""
AS_A_STUDENT = """
import runpy
sys.argv = ["kit/start.py"]
try: runpy.run_path("kit/start.py", run_name="__main__")
except SystemExit as end: assert not end.code
os.chdir("work/2-bahdanau")
import json
cells = json.load(open("bahdanau.ipynb", encoding="utf-8"))["cells"]
space = {}
exec("".join(next(cell for cell in cells if cell["cell_type"] == "code")["source"]), space)
exec("def masked_softmax(scores, mask=None): return scores.softmax(-1)", space)
print(space["check"]("bahdanau.masked_softmax", space))
space["hint"]()
from autograder.kit.whole_file import dry_run
dry_run.WORKER = WITHOUT + dry_run.WORKER
space["check_all"]()
"""


CLEAN = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}


def in_kit(folder: Path, *words: str, status: int = 0, **more: str) -> str:
    run = python(*words, cwd=folder, env=CLEAN | more)
    assert run.returncode == status, run.stderr[-2000:]
    return run.stdout


@pytest.fixture(scope="module")
def home(build, tmp_path_factory) -> Path:
    """A student's folder, with notebooks to work in."""
    folder = unzipped(build, tmp_path_factory.mktemp("student"))
    in_kit(folder, "kit/start.py")
    return folder


def test_the_notebooks_are_numbered_in_the_courses_order(home):
    expected = {f"{number}-{name}" for number, name in enumerate(assignments(), 1)}
    assert {path.name for path in (home / "work").iterdir()} == expected


def test_a_kit_without_what_only_linux_has_checks_hints_and_runs_a_file(build, tmp_path):
    """As on Windows and macOS: no fork, no signals, no /proc, none of these modules; libraries keep what is theirs."""
    folder = unzipped(build, tmp_path)
    (tmp_path / "student.py").write_text(f"WITHOUT = {WITHOUT!r}\n{WITHOUT}{AS_A_STUDENT}")
    printed = in_kit(folder, str(tmp_path / "student.py"))
    assert "The mask has no effect" in printed
    assert "bahdanau: " in printed
    assert "part\N{NO-BREAK SPACE}1\N{NO-BREAK SPACE}½" in printed
    assert "masked_softmax, hint 1 of 3: **Hint 1: an idea**" in printed
    assert "0 of 61 points; up to 5 by your teacher." in printed  # the file has nothing yet


def written(home: Path, source: Path, changes: dict[str, str]) -> Path:
    """Write a copy of a notebook with these cells, others as in `source`, beside the student's."""
    right = {cell.id: cell.source for cell in nbformat.read(source, as_version=4).cells}
    notebook = nbformat.read(home / WORK, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = changes.get(cell.id, right[cell.id])
    place = home / "work" / "2-bahdanau" / f"{len(changes)} changes.ipynb"
    nbformat.write(notebook, place)
    return place


def test_a_right_file_run_as_grading_does_has_nothing_open_though_its_cells_lost_their_names(build, home):
    place = written(home, build / "source/bahdanau/bahdanau.ipynb", {})
    notebook = nbformat.read(place, as_version=4)
    for cell in notebook.cells:
        cell.metadata = {}
    nbformat.write(notebook, place)
    report = in_kit(home, "kit/check.py", str(place))
    assert "59 of 61 points, ★ 18; 2 more if ○ is right; up to 5 by your teacher." in report
    assert "Nothing is open: hand this file in." in report
    assert "–" not in report


def test_a_file_that_loses_points_only_in_grading_says_so_before(build, home):
    """A package that is here and not there, an endless loop, a cell that ends its process, a function further down."""
    (home / "kit" / "einops.py").write_text("def einsum(*all): return all")  # importable here
    runs = home / "kit" / "autograder" / "kit" / "whole_file" / "dry_run.py"
    runs.write_text(runs.read_text("utf-8").replace("= 10.0, 60.0, 5.0", "= 3.0, 60.0, 5.0"), "utf-8")
    right = {c.id: c.source for c in nbformat.read(build / "source/bahdanau/bahdanau.ipynb", as_version=4).cells}
    changes = {
        "masked_softmax": "pass",
        "additive_attention": "from einops import einsum\n" + right["additive_attention"],
        "rnnsearch_step": right["rnnsearch_step"] + "\nimport os\nos._exit(3)",
        "links_of": right["links_of"] + "\nwhile True: pass",
        "alignment_error_rate": right["alignment_error_rate"] + "\nopen('mine.txt')",
        "failing_input": right["masked_softmax"] + "\n" + right["failing_input"],
        "coverage_penalty": right["coverage_penalty"].replace("def ", "def other_"),
        "reading_a_matrix": "YOUR ANSWER HERE",
    }
    place = str(written(home, build / "source/bahdanau/bahdanau.ipynb", changes))
    report = in_kit(home, "kit/check.py", place, status=1)
    report = re.sub(r"\n {4,}", " ", report)  # long lines are broken
    rows = {line.split()[3]: line for line in report.splitlines() if " of " in line and line.startswith("  ")}
    assert "No module named 'einops'" in rows["additive_attention"]
    assert "ended the process that runs it" in rows["rnnsearch_step"]
    assert "too long: it may compute for 3 seconds" in report
    assert "8 of 8" in rows["links_of"]  # its function is defined before the loop
    assert "No such file or directory: 'mine.txt'" in report
    assert "masked_softmax is defined in cell" in report
    assert "10 of 10" in rows["masked_softmax"]
    assert re.search(r"– part 6 +reading_a_matrix +no answer yet", report)
    assert "Open: additive_attention, rnnsearch_step, " in report
    (home / "kit" / "einops.py").unlink()


def test_a_program_reads_json_an_exit_status_and_a_table(build, home, tmp_path):
    """The points are those of the report; the status is 0 only where every core point of a check is there."""
    source, summary = build / "source/bahdanau/bahdanau.ipynb", tmp_path / "summary.md"
    summary.write_text("# Before\n")
    wrong = {"masked_softmax": "def masked_softmax(scores, mask=None):\n    raise ValueError('<b>|</b>')"}
    about = {}
    for changes, status in (({"reading_a_matrix": ""}, 0), (wrong | {"coverage_penalty": ""}, 1)):
        place = written(home, source, changes)
        line = in_kit(home, "kit/check.py", str(place), "--json", status=status, GITHUB_STEP_SUMMARY=str(summary))
        about[status] = json.loads(line)
    assert [about[0][sum_] for sum_ in ("score", "bonus", "max_score", "manual_max_score")] == [77, 18, 61, 5]
    assert [each["id"] for each in about[0]["checks"] if each.get("only_grading_knows")] == ["bahdanau.diagnosis"]
    assert about[0]["open"] == ["reading_a_matrix"]
    by_name = {each["id"].partition(".")[2]: each for each in about[1]["checks"]}
    assert by_name["masked_softmax"]["score"] == 0
    assert "ValueError" in by_name["masked_softmax"]["hint"]
    assert by_name["links_of"] == {"id": "bahdanau.links_of", "part": 4, "score": 8, "max_score": 8, "hint": None}
    assert about[1]["assignment"] == "bahdanau"
    page = summary.read_text("utf-8")
    head = ["# Before", "### 1 changes.ipynb", "", "| | part | name | points |", "|---|---|---|---|", "| ✓ | part 0 |"]
    assert page.startswith("\n".join(head))
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}
    assert "<b>" not in page
    assert "Open: masked_softmax" in page


def test_what_is_no_notebook_of_the_course_is_refused(home, tmp_path):
    for text in ("", "{}", '{"cells": []}', '{"cells": [3]}'):
        (tmp_path / "mine.ipynb").write_text(text)
        words = [sys.executable, "kit/check.py", str(tmp_path / "mine.ipynb")]
        done = subprocess.run(words, cwd=home, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith("python kit/check.py: ")
        assert len(done.stderr.splitlines()) == 1
    about = json.loads(in_kit(home, "kit/check.py", str(tmp_path / "mine.ipynb"), "--json", status=2))
    assert "none of this kit's notebooks" in about["error"] or "no notebook" in about["error"]


def environment(folder: Path, requirements: Path) -> Path:
    """Make an environment that holds what the requirements bring and nothing else; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next((folder / "lib").glob("python*/site-packages"))
    for name in closure(stated(requirements.read_text("utf-8"))):
        distribution = metadata.distribution(name)
        for top in {Path(str(file)).parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
            there = Path(str(distribution.locate_file(top)))
            if there.exists() and not (packages / top).exists():
                (packages / top).symlink_to(there)
    return folder / "bin" / "python"


RUN = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
about = {"kernel_name": "kit", "resources": {"metadata": {"path": sys.argv[2]}}}
NotebookClient(notebook, timeout=900, skip_cells_with_tag="", **about).execute()  # the cells that train too
nbformat.write(notebook, sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["encoder_decoder", "bahdanau"])
def test_a_solved_notebook_checks_and_trains_with_the_requirements_alone(build, tmp_path, name):
    """As a student has it: the zip unpacked, an environment by its requirements, a kernel, the whole notebook."""
    unpacked(build, tmp_path)
    python = environment(tmp_path / ".venv", build / "release" / "kit" / "requirements.txt")
    kernel = tmp_path / "jupyter" / "kernels" / "kit" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    start = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": start, "display_name": "kit", "language": "python"}))
    place = tmp_path / name / f"{name}.ipynb"
    nbformat.write(solved(build, tmp_path, name), place)
    clean = CLEAN | {"JUPYTER_PATH": str(tmp_path / "jupyter"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(place), str(place.parent)],
        env=clean,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    outputs = [output for cell in nbformat.read(place, as_version=4).cells for output in cell.get("outputs", [])]
    assert [output for output in outputs if output["output_type"] == "error"] == []  # where one may stop nothing, too
    printed = "".join(output.get("text", "") for output in outputs)
    assert without_all_points(name, printed) == []
    drawn = any("image/png" in output.get("data", {}) or "text/html" in output.get("data", {}) for output in outputs)
    assert drawn if name == "bahdanau" else "| beam 5: " in printed  # the last cells: a heat map, translations


def finale(folder: Path, **more: str) -> subprocess.CompletedProcess:
    """Run what a student wrote in notebook 8, and then its last part, in the unpacked kit."""
    notebook = nbformat.read(folder / "language_model" / "language_model.ipynb", as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    last = next(at for at, cell in enumerate(cells) if "solutions.language_model.published" in cell.source)
    written = [cell for cell in cells[:last] if "train" not in cell.metadata.get("tags", ())]
    own = [cell.source for cell in written if not cell.source.startswith("check(")]
    program = "\n".join([*own, *(cell.source for cell in cells[last:])])
    words = [sys.executable, "-c", program]
    where = folder / "language_model"
    return subprocess.run(words, cwd=where, env=CLEAN | more, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_end_of_notebook_8_runs_a_published_model_by_the_students_functions(build, tmp_path):
    folder = unpacked(build, tmp_path)
    notebook = solved(build, folder, "language_model")
    nbformat.write(notebook, folder / "language_model" / "language_model.ipynb")
    model = tiny_gguf.written(tmp_path / "tiny.gguf")
    right = finale(folder, ATTENTION_MODEL=str(model))
    assert right.returncode == 0, right.stderr[-2000:]
    [loss] = re.findall(r"([\d.]+) nats a piece", right.stdout)
    for cell in notebook.cells:
        if cell.source.startswith("def rope("):
            cell.source += "\n\ntaught = rope\ndef rope(x, positions, base=10000.0): return x"
    nbformat.write(notebook, folder / "language_model" / "language_model.ipynb")
    wrong = finale(folder, ATTENTION_MODEL=str(model))
    assert re.findall(r"([\d.]+) nats a piece", wrong.stdout) not in ([], [loss])
    missing = finale(folder, ATTENTION_MODEL=str(tmp_path / "none"))
    assert "NoModel: ATTENTION_MODEL names" in missing.stderr
