"""The view of a class: each record is read once, whoever asks, and a big class costs no more for each person."""

import contextlib
from collections import Counter
from pathlib import Path

import pytest

from autograder.export.run import export
from autograder.grade.run import grade
from autograder.grade.summary import row
from autograder.gradebook.people.roster import Person, Roster
from autograder.gradebook.view import Class
from autograder.report.page import report
from tests.autograder.commands.test_grade_runs import Crowded
from tests.support.classes import submit
from tests.support.report_pages import keep, line


def test_grade_report_and_export_read_each_record_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judges, folder, out = Crowded(), tmp_path / "in", tmp_path / "out"
    judges.busy = False
    submit(folder, ["emil", "mia"])

    def graded() -> int:
        return grade(folder, out, lambda _: contextlib.nullcontext(judges))

    assert graded() == 0
    Roster([Person("Emil"), Person("Zoe")]).keep(out, 0o600)
    reads: Counter[str] = Counter()
    read_bytes = Path.read_bytes

    def counted(path: Path) -> bytes:
        reads[str(path)] += path.is_relative_to(out / "records")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    for task in (graded, lambda: report(out), lambda: export(out, "csv")):
        reads.clear()
        task()
        assert sorted(count for count in reads.values() if count) == [1, 1, 1], task


def test_a_class_keeps_of_a_record_what_it_is_asked_to(tmp_path: Path) -> None:
    out = keep(tmp_path, [line("anna", "bahdanau", {}), line("bob", "luong", {})])
    whole, small = Class(out), Class(out, row)
    assert small.submitted == whole.submitted
    assert "checks" in whole.entries[0].line
    assert [entry.line for entry in small.entries] == [row(entry.line) for entry in whole.entries]


def test_people_without_a_submission_are_found_without_comparing_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    people = [Person(f"Name {number}") for number in range(50)]
    monkeypatch.setattr(Person, "__eq__", lambda *_: pytest.fail("two people were compared"))
    submitted = [(person.name, "bahdanau", "") for person in people[:30]]
    assert [each.name for each in Roster(people).missing(submitted)["bahdanau"]] == [f"Name {n}" for n in range(30, 50)]
