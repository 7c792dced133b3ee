"""Tests of the kit: nothing secret in it, all that it needs in its requirements, nothing that a system lacks."""

import ast
import io
import json
import re
import sys
import zipfile
from pathlib import Path, PurePosixPath

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder.checks import assignments, questions
from autograder.places import ROOT
from autograder.sandbox.mounts import closure, packages_of_modules
from tests.support.leaks import bodies, found_in

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


@pytest.fixture(scope="module")
def programs(kit) -> dict[str, ast.Module]:
    """Return all code of the kit: its modules, and its notebooks' code cells."""
    trees = {name: ast.parse(content) for name, content in kit.items() if name.endswith(".py")}
    for name in (name for name in kit if name.endswith(".ipynb")):
        cells = nbformat.reads(kit[name].decode("utf-8"), as_version=4).cells
        trees[name] = ast.parse("\n".join(cell.source for cell in cells if cell.cell_type == "code"))
    return trees


def imports(tree: ast.Module) -> set[str]:
    return {name.partition(".")[0] for name in modules_of(tree)}


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
    answers = [questions(name) for name in assignments()]
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


def stated(text: str) -> list[str]:
    """Return the requirements in a file's text that are for this system."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    asked = [Requirement(line) for line in lines if line]
    return [str(each) for each in asked if not each.marker or each.marker.evaluate()]


def required(kit: dict[str, bytes], name: str) -> list[Requirement]:
    return list(map(Requirement, stated(kit[f"{TOP}kit/{name}.txt"].decode())))


def test_graders_packages_are_all_that_the_kit_imports(kit, programs):
    own = {"autograder", "lab", "solutions", *sys.stdlib_module_names}
    asked = {requirement.name for requirement in required(kit, "grader")}
    known, listed = packages_of_modules(), kit[TOP + "kit/modules.txt"].decode().split()
    for name, tree in programs.items():
        for module in imports(tree) - own - ON_COLAB:
            assert asked & set(known[module]), f"{name} imports {module}"
            assert module in listed
    assert not asked & {"nbgrader", "jupytext", "pytest", "beartype"}
    assert "pytest" not in listed


def test_students_requirements_admit_colab_and_the_course_and_hold_what_notebooks_load(kit, programs):
    """What a chapter's commands import in a function, no notebook loads."""
    asked = {requirement.name: requirement.specifier for requirement in required(kit, "requirements")}
    assert all(version in asked[name] for name, version in COLAB.items())
    pins = {r.name: str(r.specifier).removeprefix("==") for r in required(kit, "grader")}
    assert all(pins[name] in asked[name] for name in set(asked) & set(pins))
    trees = {name.removeprefix(TOP + "kit/"): tree for name, tree in programs.items()}
    whole = [name for name in trees if name.endswith(".ipynb") or name.startswith("autograder/kit/")]
    todo, loaded = [*whole], set()
    for name in todo:
        for module in modules_of(trees[name] if name in whole else top_level(trees[name])):
            loaded.add(module.partition(".")[0])
            place = module.replace(".", "/")
            todo += [path for path in (f"{place}.py", f"{place}/__init__.py") if path in trees and path not in todo]
    brought = closure(map(str, required(kit, "requirements")))
    known = packages_of_modules()
    for module in loaded - {"autograder", "lab", "solutions", *sys.stdlib_module_names} - ON_COLAB:
        assert set(map(canonicalize_name, known[module])) & brought, module


def test_text_files_are_opened_with_their_encoding(programs):
    """Windows reads and writes text in an encoding of its own unless it is told."""
    verbs = {"open", "read_text", "write_text", "NamedTemporaryFile", "fdopen"}
    for name, tree in programs.items():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if getattr(call.func, "attr", getattr(call.func, "id", "")) in verbs:
                modes = [part.value for part in call.args if isinstance(part, ast.Constant)]
                binary = any(isinstance(mode, str) and "b" in mode and len(mode) < 4 for mode in modes)
                encoded = "utf-8" in modes or any(word.arg == "encoding" for word in call.keywords)
                assert binary or encoded or ast.unparse(call.func) == "tarfile.open", f"{name}: {ast.unparse(call)}"


def test_nothing_in_the_kit_is_missing_on_windows_or_macos(programs):
    for name, tree in programs.items():
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
    for words in ("py -3.14", "uv venv", "WINDOWS", "COLAB", "KAGGLE", "Intel", "kit/check.py", "Not tried", "Ctrl-C"):
        assert words in text
    assert "Activate" not in text  # which PowerShell refuses
