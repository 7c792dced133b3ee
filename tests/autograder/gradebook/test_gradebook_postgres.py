"""The gradebook on a PostgreSQL server: the same rows as in a file, readers meanwhile, a server that goes away."""

import csv
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.assignment import Template, template
from autograder.gradebook.gradebook import ClassGradebook, NoGradebook, NotRecorded, quiet
from autograder.places import ROOT
from tests.support.classes import graded_now
from tests.support.nbgrader_course import submission
from tests.support.outcomes import PEOPLE, TABLES, outcome, rows
from tests.support.points import by_checks
from tests.support.postgres import Server, running
from tests.support.sandboxed import demand_sandbox

ALL = by_checks("bahdanau")

with quiet():
    from nbgrader.api import Gradebook

LATE = b"2026-11-21 12:00:00 UTC"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as started:
        yield started


@pytest.fixture(scope="module")
def forms(released: Path) -> list[Template]:
    return [template(name) for name in ("bahdanau", "encoder_decoder")]


def test_the_same_class_gives_the_same_rows(server: Server, forms: list[Template], tmp_path: Path) -> None:
    urls = {"file": None, "server": server.database("same")}
    for place, url in urls.items():
        book = ClassGradebook(tmp_path / place, url)
        for form in forms:
            book.register(form)
            for turn in range(2):  # graded, and a part of it handed in again
                for student, (share, answered) in list(PEOPLE.items())[turn:]:
                    book.record(student, form, outcome(form, share / (turn + 1), answered), LATE)
        book.register(forms[0])
        urls[place] = book.db_url
        book.close()
    held, served = rows(str(urls["file"])), rows(str(urls["server"]))
    for table in TABLES:
        assert held[table] == served[table], table
    pages = [
        {path.relative_to(tmp_path / place): path.read_text() for path in (tmp_path / place).rglob("*.html")}
        for place in urls
    ]
    assert pages[0] == pages[1]


def test_readers_see_whole_submissions_while_a_class_is_graded(
    server: Server, forms: list[Template], tmp_path: Path
) -> None:
    """Formgrader's own queries, one after the other, meanwhile: a notebook's scores are there all or not at all."""
    url, form = server.database("readers"), forms[0]
    book = ClassGradebook(tmp_path, url)
    book.register(form)
    seen: list[float] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            with Gradebook(url, "") as gradebook:
                seen.extend(each["score"] for each in gradebook.submission_dicts(form.assignment))

    with quiet():
        reader = threading.Thread(target=read)
        reader.start()
        try:
            for number in range(30):
                book.record(f"student {number}", form, outcome(form, 1))
        finally:
            done.set()
            reader.join()
    assert set(seen) == {outcome(form, 1).line["score"]}


def test_a_server_that_goes_away_is_said_and_the_next_run_goes_on(
    server: Server, forms: list[Template], tmp_path: Path
) -> None:
    url, form = server.database("away"), forms[0]
    book = ClassGradebook(tmp_path, url)
    book.register(form)
    book.record("ada", form, outcome(form, 1))
    server.stop()
    with pytest.raises(NoGradebook, match="postgresql://grader@/away") as error:
        book.record("bo", form, outcome(form, 1))
    assert "\n" not in str(error.value)
    server.start()
    book.record("bo", form, outcome(form, 1))  # the same book: a restart between two submissions costs nothing
    book.record("cy", form, outcome(form, 0.5))
    assert [row[0] for row in rows(url)["submission"]] == ["ada", "bo", "cy"]


def test_a_name_longer_than_the_servers_column_costs_nobody_else(
    server: Server, forms: list[Template], tmp_path: Path
) -> None:
    book = ClassGradebook(tmp_path, server.database("long"))
    book.register(forms[0])
    with pytest.raises(NotRecorded, match=r"'xxx.*too long"):
        book.record("x" * 200, forms[0], outcome(forms[0], 1))
    book.record("ada", forms[0], outcome(forms[0], 1))
    assert len(rows(book.db_url)["submission"]) == 1


def test_a_password_is_in_no_message_and_no_ones_to_read(forms: list[Template], tmp_path: Path) -> None:
    url = "postgresql://grader:hush@127.0.0.1:9/none"
    with pytest.raises(NoGradebook, match=r"postgresql://grader:\*\*\*@127.0.0.1:9/none does not answer") as error:
        ClassGradebook(tmp_path, url).register(forms[0])
    assert "hush" not in str(error.value)
    assert (tmp_path / "nbgrader_config.py").stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_the_command_takes_an_lms_zip_and_a_server(server: Server, released: Path, tmp_path: Path) -> None:
    """`grade ZIP --db URL` as it is typed, twice: the second time there is nothing to do, and the rows stay."""
    demand_sandbox()
    url, place = server.database("command"), tmp_path / "bahdanau.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for number, student in enumerate(("ada", "fay")):
            name = f"{student.title()} Noether_{number}_assignsubmission_file_/bahdanau.ipynb"
            archive.writestr(name, submission(student))
    words = [sys.executable, "-m", "autograder", "grade", str(place), "--out", str(tmp_path / "out"), "--db", url]
    rows_read = []
    for graded in (2, 0):
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        assert graded_now(done.stdout) == graded
        rows_read.append(rows(url))
    assert rows_read[0] == rows_read[1]
    assert not (tmp_path / "out" / "gradebook.db").exists()
    with (tmp_path / "out" / "summary.csv").open(newline="") as file:
        scores = {row["student"]: float(row["score"]) for row in csv.DictReader(file)}
    assert scores == {"Ada Noether": ALL, "Fay Noether": 15.0}
