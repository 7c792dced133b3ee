"""The zip for Gradescope: what is in it, the form of its results, and what keeps students' code apart there."""

import json
import os
import re
import stat
import zipfile
from pathlib import Path

import pytest

from autograder.assignment import assignments
from autograder.gradescope import results
from autograder.gradescope.pack import pack
from autograder.places import ROOT, released_notebook, source_notebook
from autograder.sandbox import bubblewrap, container
from autograder.sandbox.mounts import closure, packages_of_modules
from tests.support.container import PACKAGES, Container, demand_container
from tests.support.forked import python
from tests.support.points import by_checks, core, written

NAME = "bahdanau"
VISIBILITIES = {"visible", "hidden", "after_due_date", "after_published"}


@pytest.fixture(scope="module")
def archive(released, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("zip") / "autograder.zip"
    said = list(pack(NAME, "after_due_date", 20, path))
    assert f"Autograder points: {core(NAME):g} (and {by_checks(NAME) - core(NAME):g} bonus points" in said[1]
    assert said[2] == f"Points by hand, as manually graded questions: {written(NAME):g}"
    return path


def content(archive: Path, name: str) -> bytes:
    with zipfile.ZipFile(archive) as opened:
        return opened.read(name)


def test_the_zip_has_what_gradescope_asks_for_at_its_top_and_no_solved_notebook(archive: Path) -> None:
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    with zipfile.ZipFile(archive) as opened:
        names = set(opened.namelist())
        modes = {info.filename: info.external_attr >> 16 for info in opened.infolist()}
    assert {"setup.sh", "run_autograder", "requirements.txt"} <= names
    assert all(modes[name] & 0o111 for name in ("setup.sh", "run_autograder"))
    assert f"course/build/release/{NAME}/{NAME}.ipynb" in names
    assert not [name for name in names if "/source/" in name or "/results/" in name or "__pycache__" in name]
    assert b"results bahdanau --visibility after_due_date --minutes 20" in content(archive, "run_autograder")
    assert not any(b"@" in content(archive, name) for name in ("setup.sh", "run_autograder", "places.sh"))


def test_a_zip_made_again_keeps_its_secret_and_another_has_another(archive: Path, tmp_path: Path) -> None:
    secret = content(archive, "course/build/course-secret")
    assert re.fullmatch(rb"[0-9a-f]{64}", secret)
    list(pack(NAME, "visible", 10, archive.parent / "again.zip"))
    assert content(archive.parent / "again.zip", "course/build/course-secret") != secret
    copy = tmp_path / "zip"
    copy.write_bytes(archive.read_bytes())
    list(pack(NAME, "visible", 10, copy))
    assert content(copy, "course/build/course-secret") == secret


@pytest.mark.parametrize("wrong", [{"name": "nothing"}, {"minutes": 4}, {"minutes": 41}])
def test_what_cannot_be_packed_is_said_and_writes_nothing(released, tmp_path: Path, wrong: dict) -> None:
    words = {"name": NAME, "visibility": "visible", "minutes": 10, "out": tmp_path / "zip"} | wrong
    with pytest.raises(ValueError, match=r"no exercise called|expected 5 to 40"):
        list(pack(**words))
    assert not (tmp_path / "zip").exists()


LOADED = """
import sys
import autograder.gradescope.results, autograder.judge.judge, autograder.submissions.parser_process
from autograder import checks
from autograder.assignment import assignments
for name in assignments(): checks.checks(name)
print(*{name.partition(".")[0] for name in sys.modules})
"""


def test_the_requirements_hold_all_that_grading_loads_pinned_as_here(archive: Path) -> None:
    lines = content(archive, "requirements.txt").decode().split()
    pinned = {line.partition("#")[0].strip() for line in (ROOT / "requirements.txt").read_text().splitlines()}
    assert set(lines) <= pinned
    held = closure(line.partition("==")[0] for line in lines)
    modules = python("-c", LOADED, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}).stdout.split()
    needed = {name.lower().replace("_", "-") for module in modules for name in packages_of_modules().get(module, [])}
    assert needed - held - {"setuptools"} == set()


CHECKS = [
    {"id": f"{NAME}.masked_softmax", "score": 4, "max_score": 10, "hint": "masked_softmax: 4 of 10 points.\n…"},
    {"id": f"{NAME}.coverage_penalty", "score": 8, "max_score": 8, "hint": None, "bonus": True},
]
LINE = {"assignment": NAME, "score": 12, "max_score": 61, "checks": CHECKS, "flags": [], "error": None}


def test_a_score_becomes_results_as_gradescope_reads_them(released) -> None:
    got = results.results(LINE, NAME, "after_published")
    assert json.loads(json.dumps(got)) == got
    assert (got["score"], got["output"]) == (12, "4 of 61 points, and 8 bonus")
    assert got["visibility"] == "after_published"
    assert got["stdout_visibility"] == "hidden"
    first, star, *by_hand = got["tests"]
    expected = {"name": "masked_softmax", "score": 4, "max_score": 10, "output": CHECKS[0]["hint"]}
    assert first == expected | {"output_format": "text"}
    assert (star["name"], star["tags"]) == ("coverage_penalty ★", ["bonus"])
    assert star["output"].startswith("All 8 points.\n★ A bonus")  # as on the feedback page
    assert [test["name"] for test in by_hand] == ["reading_a_matrix", "a_bias_of_the_keys"]
    assert not any("score" in test for test in by_hand)
    assert {test.get("visibility", "visible") for test in got["tests"]} <= VISIBILITIES


def test_a_busy_machine_is_said_and_a_long_hint_is_cut(released) -> None:
    long = LINE | {"flags": [results.BUSY], "checks": [CHECKS[0] | {"hint": "x" * 100_000}]}
    got = results.results(long, NAME, "visible")
    assert "hand in again" in got["output"]
    assert len(got["tests"][0]["output"]) == results.MOST_OUTPUT


def handed_in(folder: Path, files: dict[str, bytes]) -> dict:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return results.run(folder, NAME, "hidden", 10)


OTHER_NAME = next(name for name in reversed(assignments()) if name != NAME)
OTHER = released_notebook(OTHER_NAME)
EMPTY = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
REFUSED = {
    "nothing": ({}, r"Hand in one notebook, bahdanau.ipynb.* Found: none\."),
    "no notebook": ({"bahdanau.py": b""}, r"Found: none"),
    "two": ({"a.ipynb": b"{}", "b.ipynb": b"{}"}, r"Found: a.ipynb, b.ipynb"),
    "broken": ({"bahdanau.ipynb": b'{"cells": ['}, r"cannot be read: .*JSON is broken"),
    "empty": ({"bahdanau.ipynb": b""}, r"cannot be read"),
    "another": ({"bahdanau.ipynb": b"other"}, rf"is the notebook '{OTHER_NAME}': expected the notebook 'bahdanau'"),
    "another course's": ({"bahdanau.ipynb": EMPTY}, r"is not a notebook of this course"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_file_has_0_points_and_a_reason_that_is_never_hidden(released, tmp_path: Path, case: str) -> None:
    files, reason = REFUSED[case]
    files = {name: OTHER.read_bytes() if content == b"other" else content for name, content in files.items()}
    got = handed_in(tmp_path, files)
    assert got["score"] == 0
    assert re.search(reason, got["output"]), got["output"]
    assert got["visibility"] == "visible"
    assert (got["tests"][0]["name"], got["tests"][0]["status"]) == ("Not graded", "failed")


def test_of_many_files_the_notebook_of_the_assignments_name_counts_and_no_link(tmp_path: Path) -> None:
    for name in ("bahdanau.ipynb", "luong.ipynb", ".ipynb_checkpoints/bahdanau.ipynb", "__MACOSX/._bahdanau.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    assert results.chosen(tmp_path, NAME) == tmp_path / "bahdanau.ipynb"
    (tmp_path / "bahdanau.ipynb").unlink()
    (tmp_path / "luong.ipynb").unlink()
    (tmp_path / "bahdanau.ipynb").symlink_to("/etc/passwd")
    with pytest.raises(results.NotGraded):
        results.chosen(tmp_path, NAME)


def test_a_grader_that_fails_costs_nobody_points_without_a_word(released, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(results.sys, "executable", "/bin/false")
    got = handed_in(tmp_path, {"bahdanau.ipynb": released_notebook(NAME).read_bytes()})
    assert got["output"] == results.FAILED


class TestContainer:
    def test_it_needs_root(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(container.os, "geteuid", lambda: 1000)
        with pytest.raises(bubblewrap.NoSandbox, match="needs root"):
            container.require()

    def test_a_course_that_others_may_enter_is_refused(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(container.os, "geteuid", lambda: 0)
        monkeypatch.setattr(container, "PRIVATE", (tmp_path,))
        monkeypatch.setattr(container, "may_others_enter", lambda _: True)
        with pytest.raises(bubblewrap.NoSandbox, match=f"chmod 700 {tmp_path}"):
            container.require()

    def test_whether_others_may_enter_is_told_by_all_folders_above(self, tmp_path: Path) -> None:
        below = tmp_path / "a" / "b"
        below.mkdir(parents=True)
        for place in (tmp_path, *list(tmp_path.parents)[:-2]):
            place.chmod(0o755)
        assert container.may_others_enter(below)
        (tmp_path / "a").chmod(0o700)
        assert not container.may_others_enter(below)


@pytest.fixture(scope="module")
def gradescope(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Container:
    demand_container()
    made = Container(tmp_path_factory.mktemp("gradescope"), archive)
    assert made.run("bash", "/autograder/source/places.sh").returncode == 0
    return made


def test_graded_as_another_user_a_solved_notebook_has_all_points(gradescope: Container) -> None:
    gradescope.hand_in({"bahdanau.ipynb": source_notebook(NAME).read_bytes()})
    ran = gradescope.run("bash", "/autograder/source/run_autograder")
    assert ran.returncode == 0, ran.stderr
    got = json.loads((gradescope.folder / "autograder/results/results.json").read_text("utf-8"))
    assert got["score"] == by_checks(NAME), ran.stdout
    assert got["visibility"] == "after_due_date"


LEAVES = """
import os, subprocess, sys
from pathlib import Path
from autograder.judge.session import Limits, Session
from autograder.places import KIT
from autograder.sandbox.sandbox import Sandbox

CELL = '''
import os, socket
done = []
for top, folders, files in os.walk("/"):
    if top.startswith(("/proc", "/sys")): folders[:] = []; continue
    try: os.mkdir(top + "/left"); open(top + "/left/file", "w").close(); done.append(top)
    except OSError: pass
for place in ("/autograder/source", "/autograder/results", "/autograder/submission", "/proc/1/root", "/proc/1/environ"):
    for look in (os.listdir, lambda place: open(place).read()):
        try: print("entered", place, look(place))
        except OSError: pass
for family in (socket.AF_INET, socket.AF_INET6):
    try: socket.socket(family); print("a socket")
    except OSError: pass
for user in {0, 40001, 40002, 40003} - {os.getuid()}:
    try: os.setuid(user); print("became", user)
    except OSError: pass
for pid in filter(str.isdigit, os.listdir("/proc")):
    try: int(pid) in (os.getpid(), os.getppid()) or os.kill(int(pid), 0) or print("may end", pid)
    except OSError: pass
if not os.fork():
    os.setsid()
    if not os.fork():
        import time
        while True: time.sleep(1)
    os._exit(0)
print(os.getuid(), done)
'''
with Sandbox(KIT, container=True) as sandbox:
    for number in range(2):
        with Session(sandbox, Limits()) as session:
            for each in session.run(CELL): print(each.get("text") or each)
        theirs = [int(p) for p in os.listdir("/proc") if p.isdigit() and os.stat("/proc/" + p).st_uid >= 40001]
        found = subprocess.run(["find", "/", "-xdev", "-uid", "+40000"], capture_output=True, text=True).stdout
        found += subprocess.run(["find", "/dev/shm", "/tmp", "-uid", "+40000"], capture_output=True, text=True).stdout
        print("processes", theirs, "files", found.split())
"""


def test_of_an_earlier_process_nothing_is_left_and_nothing_private_is_open_to_it(
    gradescope: Container,
) -> None:
    (gradescope.source / "leaves.py").write_text(LEAVES)
    settings = {"PYTHONPATH": "/autograder/source/course"}
    ran = gradescope.run(f"{PACKAGES}/bin/python", "/autograder/source/leaves.py", **settings)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("processes [] files []") == 2, ran.stdout
    users = re.findall(r"^(\d+) \[(.*)\]$", ran.stdout, re.MULTILINE)
    assert len({user for user, _ in users} - {"0"}) == 2, ran.stdout
    assert all("'/tmp'" in places for _, places in users), ran.stdout
    assert not re.search(r"entered|a socket|became|may end", ran.stdout), ran.stdout
