"""The laws of the kit: nothing secret in it, all that it needs in its requirements, nothing that a system lacks."""

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
import numpy as np
import pytest
from packaging.requirements import Requirement

from autograder.checks import assignments
from autograder.places import ROOT
from autograder.release.build import README, release
from tests.support.leaks import bodies, found_in
from tests.support.student import solved, unpacked, without_all_points

SECRET = [
    *(ROOT / "solutions").glob("*/attention.py"),
    *(ROOT / "solutions").glob("*/fast*.py"),
    *(ROOT / "autograder" / "checks").rglob("*.py"),
]
ABSENT = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty", "winreg", "msvcrt", "winsound"}
FORKS = {"fork", "forkpty", "SIGALRM", "SIGKILL", "alarm", "setitimer", "geteuid", "getuid", "sched_getaffinity"}
RESERVED = {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))}  # on Windows


@pytest.fixture(scope="module")
def build(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    release(build=folder)
    return folder


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


def with_text(kit: dict[str, bytes], path: str, text: str) -> bytes:
    """Return a zip of one of the kit's files with a text in it: at its end, in a cell, in a recording's JSON."""
    content = kit[path]
    if path.endswith(".ipynb"):
        notebook = nbformat.reads(content.decode("utf-8"), as_version=4)
        notebook.cells[1].source += f"\n{text}\n"
        content = nbformat.writes(notebook).encode()
    elif path.endswith(".npz"):
        buffer = io.BytesIO()
        with np.load(io.BytesIO(content)) as arrays:
            entries = [*json.loads(arrays["json"].tobytes()), {"hint": text}]
            changed = {**arrays, "json": np.frombuffer(json.dumps(entries).encode(), dtype=np.uint8)}
            np.savez_compressed(buffer, allow_pickle=False, **changed)
        content = buffer.getvalue()
    else:
        content += f"\n{text}\n".encode()
    return packed({path: content})


def test_a_smuggled_body_is_found_wherever_it_is_and_however_it_is_dressed(kit):
    """The same search on kits that hold a solution: as code under other names, in a string, in a fence, as text."""
    secrets = bodies(SECRET)
    solution = next(body for body in secrets if body.place == "attention.py: masked_softmax")
    recording = "kit/autograder/kit/recordings/bahdanau.masked_softmax.npz"
    renamed = "def f(scores, mask):\n" + solution.source
    for name, other in (("scores", "e"), ("mask", "may"), ("lowest", "floor")):
        renamed = re.sub(rf"\b{name}\b", other, renamed)
    for path, text in [
        ("kit/lab/plots.py", renamed),
        ("kit/lab/plots.py", f"if True:\n    x = 1\n{solution.source}\n    x = 2"),
        ("kit/lab/plots.py", f"CODE = {renamed!r}"),
        ("bahdanau/bahdanau.ipynb", renamed),
        ("bahdanau/bahdanau.ipynb", f"```python\n{renamed}\n```"),
        ("bahdanau/bahdanau.ipynb", f"The answer is\n{solution.source}"),
        ("kit/README.md", solution.source.replace("    ", "\t")),
        (recording, renamed),
    ]:
        places = found_in(with_text(kit, path, text), secrets)
        assert any("masked_softmax" in place for place in places), f"{path}: {text}"
    for body in secrets[:: len(secrets) // 20]:
        assert found_in(with_text(kit, "kit/README.md", f"```\ndef g():\n{body.source}\n```"), secrets), body.place


def test_the_requirements_name_every_package_that_the_kit_imports(kit):
    own = {"autograder", "lab", "solutions", *sys.stdlib_module_names}
    asked = {Requirement(line.partition("#")[0]).name for line in kit["kit/requirements.txt"].decode().splitlines()}
    known = metadata.packages_distributions()
    for name, tree in programs(kit).items():
        for module in imports(tree) - own:
            assert asked & set(known[module]), f"{name} imports {module}"


def calls(tree: ast.AST, name: str):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name in (getattr(node.func, "attr", ""), getattr(node.func, "id", "")):
            yield node


def test_text_files_are_opened_with_their_encoding(kit):
    """Windows reads and writes text in an encoding of its own unless it is told."""
    for name, tree in programs(kit).items():
        for verb in ("open", "read_text", "write_text", "NamedTemporaryFile", "fdopen"):
            for call in calls(tree, verb):
                modes = [part.value for part in call.args if isinstance(part, ast.Constant)]
                binary = any(isinstance(mode, str) and "b" in mode and len(mode) < 4 for mode in modes)
                binary |= ast.unparse(call.func) == "tarfile.open"
                encoded = "utf-8" in modes or any(word.arg == "encoding" for word in call.keywords)
                assert binary or encoded, f"{name}, line {call.lineno}: {ast.unparse(call)}"


def test_nothing_in_the_kit_is_missing_on_windows_or_macos(kit):
    for name, tree in programs(kit).items():
        assert not imports(tree) & (ABSENT | {"multiprocessing"}), name
        for node in ast.walk(tree):
            word = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "name", None)
            assert word not in FORKS, f"{name}: {word}"
            if isinstance(node, ast.keyword):
                guarded = name == "kit/lab/prefetch.py"  # it starts a process only where os.fork is: test_prefetch
                assert guarded or node.arg not in ("num_workers", "preexec_fn"), f"{name}: {node.arg}"
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.match(r"/(tmp|dev|proc|usr|home|etc)\b|[A-Za-z]:\\", node.value), f"{name}: {node.value}"


def test_every_system_can_hold_the_files_of_the_kit(kit):
    assert len({name.lower() for name in kit}) == len(kit)
    for name in kit:
        assert re.fullmatch(r"[A-Za-z0-9_./-]{1,120}", name)
        for part in PurePosixPath(name).parts:
            assert part.partition(".")[0].lower() not in RESERVED
            assert not part.endswith(".")


def test_the_readme_is_short_and_says_what_was_not_tried(kit):
    text = kit["kit/README.md"].decode("utf-8")
    assert len(text.splitlines()) <= 45
    torch = next(
        line for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines() if line.startswith("torch")
    )
    for words in (torch.split()[0] + " --index-url", "kit/requirements.txt", "Windows", "Not tried", "Ctrl-C"):
        assert words in text
    assert "TORCH" in README.read_text("utf-8")
    assert "TORCH" not in text


# In an environment of its own


def wanted(requirements: str) -> set[str]:
    """Return the names of the distributions that these requirements bring, and of what those bring in turn."""
    open_ones = [Requirement(line.partition("#")[0]) for line in requirements.splitlines()]
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
    python = environment(tmp_path / ".venv", kit["kit/requirements.txt"].decode())
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
