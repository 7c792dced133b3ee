"""In the sandbox: what a student's code sees, touches and outlives; tests/attacks has what it tries besides."""

import re
from pathlib import Path

import pytest

from autograder.judge.session import Session
from autograder.places import ROOT
from autograder.sandbox.sandbox import Sandbox
from tests.support.sandboxed import says

PLACES = [str(ROOT), str(ROOT / "solutions"), str(ROOT / "build"), str(Path.home() / ".profile"), "/etc/passwd", "/sys"]
DESCRIPTORS = """
import os, stat
for n in range(256):
    try: print(n, oct(stat.S_IFMT(os.fstat(n).st_mode)))
    except OSError: pass
print(os.path.samestat(os.fstat(0), os.stat('/dev/null')))"""
REACHED = """
def reached(n):
    try: os.kill(n, 0)
    except ProcessLookupError: return False
    return True
print([n for n in range(1, 40_000) if reached(n)])"""
SEEN = {  # what a cell prints, as a pattern
    "its own descriptors": (DESCRIPTORS, "0 0o20000\n1 0o20000\n2 0o20000\n3 0o140000\nTrue"),
    "no environment of the teacher's": ("print('COURSE_TOKEN' in os.environ, os.environ['HOME'])", "False /tmp/home"),
    "no process but its own": (REACHED, r"\[1\]"),
    "a few words about the machine": ("print(*sorted(os.listdir('/proc')))", "cpuinfo meminfo stat version"),
    "no file of the course": (f"print([p for p in {PLACES!r} if os.path.exists(p)])", r"\[\]"),
    "no rights": ("print(os.getresuid())", r"\(1000, 1000, 1000\)"),
    "an empty home": ("print(os.listdir(os.path.expanduser('~')))", r"\[\]"),
    "no core": ("!sh -c 'kill -ABRT $$'; ls /tmp | grep -c core", "(.*\n)*0"),
    "no network": (
        "import socket\ntry: socket.create_connection(('1.1.1.1', 53), 2)\nexcept OSError as e: print(e)",
        ".*unreach.*",
    ),
    "the harmless devices": (
        "print(*sorted(os.listdir('/dev')))",
        "((core|fd|full|null|ptmx|pts|random|shm|stderr|stdin|stdout|tty|urandom|zero|console) ?)*",
    ),
    "no namespace and no mount": ("!unshare --user true; mount -t tmpfs none /tmp", "unshare.*failed.*(\n.*)*mount.*"),
}


@pytest.mark.parametrize("what", SEEN)
def test_what_is_seen(session: Session, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, pattern = SEEN[what]
    assert re.fullmatch(pattern, says(session, f"import os\n{source}").strip())


WRITTEN = (
    *(
        "/kit/autograder/kit/calls/call.py",
        "/sandbox/inside/worker.py",
        "/packages/new",
        "/packages/torch/new",
        "/usr/new",
    ),
    *("/new", "/dev/new", "/etc/new", "/proc/new", "/proc/cpuinfo"),
)
TOUCHED = (
    "open('/proc/sys/kernel/hostname', 'w').write('mine')",
    "open('/proc/sys/vm/overcommit_memory', 'w').write('1')",
    "open('/proc/self/oom_score_adj', 'wb', 0).write(b'-1000')",
    "open('/proc/sysrq-trigger', 'w').write('b')",
    "open('/dev/mem', 'rb').read(1)",
    "open('/dev/kmsg', 'rb').read(1)",
    "import os; os.mknod('/tmp/disk', 0o60600, os.makedev(8, 0))",
    "import os; os.setuid(0)",
    "import os; os.nice(-5)",
    "import os; os.kill(2, 9)",
    "import resource; resource.setrlimit(resource.RLIMIT_NPROC, (9999, 9999))",
    *(f"open({place!r}, 'a')" for place in WRITTEN),
)


@pytest.mark.parametrize("source", TOUCHED)
def test_nothing_of_the_machine_is_touched(session: Session, source: str) -> None:
    assert re.search("Error|denied|not permitted|Read-only file system", says(session, source))


@pytest.mark.parametrize(
    "name",
    [
        *("solutions", "autograder.checks", "autograder.judge.judge", "autograder.sandbox.sandbox"),
        *("nbgrader", "jupyter_book", "sqlalchemy", "pytest", "jupytext", "pip"),
    ],
)
def test_no_module_of_the_trusted_side_and_no_package_but_the_kits(session: Session, name: str) -> None:
    assert "ModuleNotFoundError" in says(session, f"import {name}")
    assert "[]" in says(session, f"import os\nprint([n for n in os.listdir('/packages') if n == {name!r}])")


def test_no_capabilities_and_first_to_go_where_memory_runs_out(session: Session) -> None:
    session.run("1")
    assert session._worker is not None
    process = Path("/proc", str(session._worker.job.process.pid))
    status = (process / "status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert {fields[f"Cap{kind}"].strip("0") for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")} == {""}
    assert fields["NoNewPrivs"] == "1"
    assert "0" not in fields["Uid"].split()
    assert (process / "oom_score_adj").read_text().strip() == "1000"


def test_the_zygote_has_a_clean_environment_too(built: Sandbox, monkeypatch) -> None:
    monkeypatch.setenv("COURSE_TOKEN", "of the teacher")
    built.start()
    assert built._zygote is not None
    environ = Path("/proc", str(built._zygote.pid), "environ").read_bytes()
    assert b"HOME=/tmp/home" in environ
    assert b"COURSE_TOKEN" not in environ
