"""The gradebook on a PostgreSQL server, by its URL: the same rows as in a file."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.assignment import Template, template
from autograder.gradebook.store.gradebook import ClassGradebook, NoGradebook
from tests.support.outcomes import PEOPLE, TABLES, outcome, rows

LATE = b"2026-11-21 12:00:00 UTC"


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Run Debian's PostgreSQL in a folder with a short name, with a socket and no port; give a database's URL."""
    on_path = shutil.which("initdb")
    programs = [on_path] if on_path else sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        pytest.skip("no PostgreSQL here: apt-get install postgresql")
    folder, who = tempfile.mkdtemp(prefix="pg", dir="/tmp"), {}
    if os.geteuid() == 0:  # it does not run as root
        account = pwd.getpwnam("postgres" if any(each.pw_name == "postgres" for each in pwd.getpwall()) else "nobody")
        os.chown(folder, account.pw_uid, account.pw_gid)
        who = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def run(program: str, *words: str) -> None:
        command = [str(Path(programs[-1]).with_name(program)), "-D", f"{folder}/data", *words]
        null = subprocess.DEVNULL  # no pipe: the server would keep it open
        subprocess.run(
            command, cwd=folder, env={"LC_ALL": "C"}, stdout=null, stderr=null, check=True, timeout=60, **who
        )

    try:
        run("initdb", "-U", "grader", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")
        run("pg_ctl", "-w", "-o", f"-c listen_addresses='' -c fsync=off -c shared_buffers=16MB -k {folder}", "start")
        yield f"postgresql://grader@/postgres?host={folder}"
    finally:
        with contextlib.suppress(subprocess.CalledProcessError):
            run("pg_ctl", "-w", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def forms(released: Path) -> list[Template]:
    return [template(name) for name in ("bahdanau", "encoder_decoder")]


def recorded(book: ClassGradebook, forms: list[Template]) -> dict:
    """Record a class, a part of it handed in again; return the rows of the database."""
    for form in forms:
        book.register(form)
        for turn in range(2):
            for student, (share, answered) in list(PEOPLE.items())[turn:]:
                book.record(student, form, outcome(form, share / (turn + 1), answered), LATE)
    book.register(forms[0])
    book.close()
    return rows(book.db_url)


def test_the_same_class_gives_the_same_rows(forms: list[Template], tmp_path: Path) -> None:
    with server() as url:
        held, served = (
            recorded(ClassGradebook(tmp_path / place, db), forms) for place, db in [("a", None), ("b", url)]
        )
    for table in TABLES:
        assert held[table] == served[table], table
    pages = [
        {path.relative_to(tmp_path / place): path.read_text() for path in (tmp_path / place).rglob("*.html")}
        for place in ("a", "b")
    ]
    assert pages[0] == pages[1]


def test_a_password_is_in_no_message_and_no_ones_to_read(forms: list[Template], tmp_path: Path) -> None:
    url = "postgresql://grader:hush@127.0.0.1:9/none"
    with pytest.raises(NoGradebook, match=r"postgresql://grader:\*\*\*@127.0.0.1:9/none does not answer") as error:
        ClassGradebook(tmp_path, url).register(forms[0])
    assert "hush" not in str(error.value)
    assert (tmp_path / "nbgrader_config.py").stat().st_mode & 0o077 == 0
