"""Tests of the kit: nothing secret in it, all that it needs in its requirements, nothing that a system lacks."""

import ast
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path, PurePosixPath

import nbformat
import pytest
from packaging.requirements import Requirement

from autograder.checks import assignments
from autograder.places import ROOT
from autograder.sandbox.mounts import packages_of_modules
from tests.support.forked import python
from tests.support.leaks import bodies, found_in
from tests.support.student import solved, unpacked, unzipped, without_all_points

SECRET = [
    *(ROOT / "solutions").glob("*/attention.py"),
    *(ROOT / "solutions").glob("*/fast*.py"),
    # Kits hold the adapters, with which they call a student's function.
    *(path for path in (ROOT / "autograder" / "checks").rglob("*.py") if not path.stem.endswith("adapters")),
]
TOP = "attention-workbook/"
COLAB = {"torch": "2.9.0", "numpy": "2.0.2", "matplotlib": "3.10.0", "tqdm": "4.67.1", "ipykernel": "6.17.1"}
ON_COLAB = {"google"}
ABSENT = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty", "winreg", "msvcrt", "winsound"}
FORKS = {"fork", "forkpty", "SIGALRM", "SIGKILL", "alarm", "setitimer", "geteuid", "getuid", "sched_getaffinity"}
RESERVED = {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))}  # on Windows


@pytest.fixture(scope="module")
def build(released) -> Path:
    return released.parent


@pytest.fixture(scope="module")
def kit(build) -> dict[str, bytes]:
    with zipfile.ZipFile(build / "release" / "kit.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return whole.getvalue()


def programs(kit: dict[str, bytes]) -> dict[str, ast.Module]:
    """Return all code of the kit: its modules, and its notebooks' code cells."""
    trees = {name: ast.parse(content) for name, content in kit.items() if name.endswith(".py")}
    for name in (name for name in kit if name.endswith(".ipynb")):
        cells = nbformat.reads(kit[name].decode("utf-8"), as_version=4).cells
        trees[name] = ast.parse("\n".join(cell.source for cell in cells if cell.cell_type == "code"))
    return trees


def imports(tree: ast.Module) -> set[str]:
    nodes = list(ast.walk(tree))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {name.partition(".")[0] for name in names}


def top_level(tree: ast.Module) -> ast.Module:
    """Return a module without the bodies of its functions."""
    kept = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return ast.Module(kept, [])


def modules_of(tree: ast.Module) -> set[str]:
    """Return the modules that code imports, with those that a `from package import module` may name."""
    nodes = list(ast.walk(tree))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return names | {n.module for n in froms} | {f"{n.module}.{alias.name}" for n in froms for alias in n.names}


def test_no_body_of_a_solution_a_mistake_or_a_check_is_in_the_kit(kit):
    shown = ("hunt.py: broken_", "hunt.py: through")
    secrets = [body for body in bodies(SECRET) if not body.place.startswith(shown)]
    assert len(secrets) > 100
    assert not found_in(packed(kit), secrets)


def test_no_model_answer_and_no_module_of_the_checks_is_in_the_kit(kit):
    text = b"\n".join(content for name, content in kit.items() if not name.endswith(".npz")).decode("utf-8")
    answers = [getattr(sys.modules[f"autograder.checks.{name}.checks"], "WRITTEN", {}) for name in assignments()]
    texts = [line for known in answers for answer in known.values() for line in answer.text.splitlines() if line]
    assert texts
    assert not [line for line in texts if line in text or json.dumps(line)[1:-1] in text]
    assert not [name for name in kit if "checks" in PurePosixPath(name).parts]


def test_a_smuggled_body_is_found_as_code_under_other_names_in_a_string_and_in_a_cell(kit):
    secrets = bodies(SECRET)
    solution = next(body for body in secrets if body.place == "attention.py: masked_softmax")
    renamed = "def f(scores, mask):\n" + re.sub(r"\blowest\b", "floor", solution.source)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"```python\n{renamed}\n```")])
    for name, text in {
        "plots.py": renamed,
        "more.py": f"CODE = {renamed!r}",
        "mine.ipynb": nbformat.writes(notebook),
        "START HERE.txt": solution.source.replace("    ", "\t"),
    }.items():
        assert any("masked_softmax" in place for place in found_in(packed({name: text.encode()}), secrets)), name


def required(kit: dict[str, bytes], name: str) -> list[Requirement]:
    lines = [line.partition("#")[0].strip() for line in kit[f"{TOP}kit/{name}.txt"].decode().splitlines()]
    return [Requirement(line) for line in lines if line]


def test_graders_packages_are_all_that_the_kit_imports(kit):
    own = {"autograder", "lab", "solutions", *sys.stdlib_module_names}
    asked = {requirement.name for requirement in required(kit, "grader")}
    known, listed = packages_of_modules(), kit[TOP + "kit/modules.txt"].decode().split()
    for name, tree in programs(kit).items():
        for module in imports(tree) - own - ON_COLAB:
            assert asked & set(known[module]), f"{name} imports {module}"
            assert module in listed
    assert not asked & {"nbgrader", "jupytext", "pytest", "beartype"}
    assert "pytest" not in listed


def test_students_requirements_admit_colab_and_the_course_and_hold_what_notebooks_load(kit):
    """What a chapter's commands import in a function, no notebook loads."""
    asked = {requirement.name: requirement.specifier for requirement in required(kit, "requirements")}
    assert all(version in asked[name] for name, version in COLAB.items())
    pins = {r.name: str(r.specifier).removeprefix("==") for r in required(kit, "grader")}
    assert all(pins[name] in asked[name] for name in set(asked) & set(pins))
    trees = {name.removeprefix(TOP + "kit/"): tree for name, tree in programs(kit).items()}
    whole = [name for name in trees if name.endswith(".ipynb") or name.startswith("autograder/kit/")]
    todo, loaded = [*whole], set()
    for name in todo:
        for module in modules_of(trees[name] if name in whole else top_level(trees[name])):
            loaded.add(module.partition(".")[0])
            place = module.replace(".", "/")
            todo += [path for path in (f"{place}.py", f"{place}/__init__.py") if path in trees and path not in todo]
    brought = wanted("\n".join(map(str, required(kit, "requirements"))))
    known = packages_of_modules()
    for module in loaded - {"autograder", "lab", "solutions", *sys.stdlib_module_names} - ON_COLAB:
        assert {package.lower() for package in known[module]} & brought, module


def test_text_files_are_opened_with_their_encoding(kit):
    """Windows reads and writes text in an encoding of its own unless it is told."""
    verbs = {"open", "read_text", "write_text", "NamedTemporaryFile", "fdopen"}
    for name, tree in programs(kit).items():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if getattr(call.func, "attr", getattr(call.func, "id", "")) in verbs:
                modes = [part.value for part in call.args if isinstance(part, ast.Constant)]
                binary = any(isinstance(mode, str) and "b" in mode and len(mode) < 4 for mode in modes)
                encoded = "utf-8" in modes or any(word.arg == "encoding" for word in call.keywords)
                assert binary or encoded or ast.unparse(call.func) == "tarfile.open", f"{name}: {ast.unparse(call)}"


def test_nothing_in_the_kit_is_missing_on_windows_or_macos(kit):
    for name, tree in programs(kit).items():
        assert not imports(tree) & (ABSENT | {"multiprocessing"}), name
        for node in ast.walk(tree):
            word = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "name", None)
            assert word not in FORKS, f"{name}: {word}"
            if isinstance(node, ast.keyword):
                assert node.arg not in ("num_workers", "preexec_fn"), f"{name}: {node.arg}"
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.match(r"/(tmp|dev|proc|usr|home|etc)\b|[A-Za-z]:\\", node.value), f"{name}: {node.value}"


def test_every_system_can_hold_the_files_of_the_kit(kit):
    assert len({name.lower() for name in kit}) == len(kit)
    for name in kit:
        assert re.fullmatch(r"[A-Za-z0-9_./ -]{1,140}", name)
        for part in PurePosixPath(name).parts:
            assert part.partition(".")[0].lower() not in RESERVED
            assert not part.endswith(".")


def test_the_zip_is_one_folder_that_says_where_to_start(kit):
    assert all(name.startswith(TOP) for name in kit)
    assert {name.removeprefix(TOP) for name in kit if name.count("/") == 1} == {"START HERE.txt"}
    notebooks = {name for name in kit if name.endswith(".ipynb")}
    assert notebooks == {f"{TOP}kit/notebooks/{name}/{name}.ipynb" for name in assignments()}
    text = kit[TOP + "START HERE.txt"].decode("utf-8")
    assert len(text.splitlines()) <= 65
    assert max(map(len, text.splitlines())) <= 120
    for words in ("py -3.13", "uv venv", "WINDOWS", "COLAB", "KAGGLE", "Intel", "kit/check.py", "Not tried", "Ctrl-C"):
        assert words in text
    assert "Activate" not in text  # which PowerShell refuses


# What a student does


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
from autograder.kit import dry_run
dry_run.WORKER = WITHOUT + dry_run.WORKER
space["check_all"]()
"""


CLEAN = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}


def in_kit(folder: Path, *words: str) -> str:
    run = python(*words, cwd=folder, env=CLEAN)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout


@pytest.fixture(scope="module")
def home(build, tmp_path_factory) -> Path:
    """A student's folder, with notebooks to work in."""
    folder = unzipped(build, tmp_path_factory.mktemp("student"))
    in_kit(folder, "kit/start.py")
    return folder


def test_the_notebooks_are_numbered_in_the_courses_order(home):
    assert [path.name for path in sorted((home / "work").iterdir())] == [
        f"{number}-{name}" for number, name in enumerate(assignments(), 1)
    ]


def test_a_kit_without_what_only_linux_has_checks_hints_and_runs_a_file(build, tmp_path):
    """As on Windows and macOS: no fork, no signals, no /proc, none of these modules; libraries keep what is theirs."""
    folder = unzipped(build, tmp_path)
    (tmp_path / "student.py").write_text(f"WITHOUT = {WITHOUT!r}\n{WITHOUT}{AS_A_STUDENT}")
    printed = in_kit(folder, str(tmp_path / "student.py"))
    assert "The mask has no effect" in printed
    assert "bahdanau: " in printed
    assert "part 1 ½" in printed
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
    runs = home / "kit" / "autograder" / "kit" / "dry_run.py"
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
    report = in_kit(home, "kit/check.py", str(written(home, build / "source/bahdanau/bahdanau.ipynb", changes)))
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


def test_what_is_no_notebook_of_the_course_is_refused(home, tmp_path):
    for text in ("", "{}", '{"cells": []}', '{"cells": [3]}'):
        (tmp_path / "mine.ipynb").write_text(text)
        words = [sys.executable, "kit/check.py", str(tmp_path / "mine.ipynb")]
        done = subprocess.run(words, cwd=home, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith("python kit/check.py: ")
        assert len(done.stderr.splitlines()) == 1


# In an environment of its own


def wanted(requirements: str) -> set[str]:
    """Return the names of the distributions that these requirements bring, and of what those bring in turn."""
    stated = (line.partition("#")[0].strip() for line in requirements.splitlines())
    open_ones = [Requirement(line) for line in stated if line]
    imported: set[str] = set()
    while open_ones:
        needed = open_ones.pop()
        extras = needed.extras or {""}
        if needed.name.lower() in imported or not any(
            not needed.marker or needed.marker.evaluate({"extra": e}) for e in extras
        ):
            continue
        imported.add(needed.name.lower())
        open_ones += map(Requirement, metadata.requires(needed.name) or [])
    return imported


def environment(folder: Path, requirements: str) -> Path:
    """Make an environment that holds what the requirements bring and nothing else; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next((folder / "lib").glob("python*/site-packages"))
    for name in wanted(requirements):
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system or Python: its marker says so
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
def test_a_solved_notebook_checks_and_trains_with_the_requirements_alone(build, kit, tmp_path, name):
    """As a student has it: the zip unpacked, an environment by its requirements, a kernel, the whole notebook."""
    unpacked(build, tmp_path)
    python = environment(tmp_path / ".venv", kit[TOP + "kit/requirements.txt"].decode())
    kernel = tmp_path / "jupyter" / "kernels" / "kit" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    start = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": start, "display_name": "kit", "language": "python"}))
    place = tmp_path / name / f"{name}.ipynb"
    nbformat.write(solved(build, tmp_path, name), place)
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    clean |= {"JUPYTER_PATH": str(tmp_path / "jupyter"), "OMP_NUM_THREADS": "1"}
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
