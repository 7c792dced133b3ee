"""Late penalties of a class: due dates set on the command line or by nbgrader, before or after a first grading."""

from datetime import datetime
from pathlib import Path

import pytest

from autograder.assignment import assignments
from autograder.gradebook.people import lateness
from autograder.gradebook.people.lateness import deadlines, seconds_late, time_zone
from autograder.gradebook.store.gradebook import ClassGradebook, quiet
from autograder.settings import Late, Settings
from tests.support.classes import graded_now, opened_book, page, summary, total_on
from tests.support.nbgrader_course import Course
from tests.support.points import by_checks
from tests.support.teacher import settle

OTHER = next(name for name in reversed(assignments()) if name != "bahdanau")

ALL = by_checks("bahdanau")

with quiet():
    from nbgrader.api import SubmittedAssignment

ZERO = "LateSubmissionPlugin.penalty_method = 'zero'"
DUE = "2026-11-20 12:00:00 UTC"


def costs(out: Path) -> dict[str, float]:
    """Return each student's penalty as the summary has it, after asking that page and gradebook say the same."""
    rows = {student: row for (student, _), row in summary(out).items()}
    with opened_book(out) as gradebook:
        for each in gradebook.db.query(SubmittedAssignment).all():
            penalty = each.late_submission_penalty or 0.0
            row = rows[each.student_id]
            assert (float(row["late_penalty"]), float(row["total"])) == (penalty, each.score - penalty)
            assert total_on(page(out, each.student_id))[0] == pytest.approx(each.score - penalty, abs=0.1)
    return {student: float(row["late_penalty"]) for student, row in rows.items()}


def test_penalties_set_after_a_first_grading_apply_at_the_next(teacher, out: Path) -> None:
    """Graded, then a due date by nbgrader's own command and a rule in the settings, then graded again."""
    _, shown = teacher("--due", f"bahdanau={DUE}")
    assert "Being late costs no points. To set a penalty, write [late] in course.toml" in " ".join(shown.split())
    assert "1 handed in late: ada/bahdanau." in shown
    teacher("--due", "bahdanau=none")
    assert costs(out) == {"ada": 0, "bo": 0, "cy": 0}
    settle(out, ZERO)
    Course(out, None).nbgrader("db", "assignment", "add", "bahdanau", f"--duedate={DUE}")
    status, shown = teacher()
    assert (status, graded_now(shown)) == (0, 0)
    assert costs(out) == {"ada": ALL, "bo": 0, "cy": 0}
    assert "Late penalties: 1 changed" in shown
    before = {path: path.stat().st_mtime_ns for path in (out / "feedback").rglob("*.html")}
    assert "changed" not in teacher()[1]
    assert before == {path: path.stat().st_mtime_ns for path in (out / "feedback").rglob("*.html")}


def test_a_due_date_on_the_command_line_may_move_and_go(teacher, out: Path) -> None:
    teacher()
    settle(out, ZERO)
    for words, ada, bo in [
        ((f"bahdanau={DUE}",), ALL, 0),
        ((), ALL, 0),  # it stays
        (("bahdanau=2026-11-20T12:59:58+01:00", f"{OTHER}=2026-12-01 12:00 UTC"), ALL, ALL),
        (("bahdanau=none",), 0, 0),
    ]:
        status, shown = teacher(*(word for due in words for word in ("--due", due)))
        assert (status, graded_now(shown)) == (0, 0), shown
        assert costs(out) == {"ada": ada, "bo": bo, "cy": 0}, words


WRONG = {
    "--due": {
        "bahdanu=2026-11-20": "no assignment 'bahdanu': expected one of ",
        f"{OTHER}=2026-11-21": f"a date for '{OTHER}' is given twice",
        "bahdanau": "expected NAME=DATE, such as 'NAME=2026-12-01 12:00:00 UTC'",
        "bahdanau=next Tuesday": "expected a date such as '2026-12-01 12:00:00 UTC'",
        "bahdanau=01/02/2026": "got '01/02/2026'",
        "bahdanau=2026-11-20 12:00 Nowhere/Land": "no time zone 'Nowhere/Land': expected one such as UTC",
        "bahdanau=0001-01-01 00:00 +05:00": "got '0001-01-01",
    },
    "--handed-in": {
        "bahdanau/Cy=2026-11-21": "'Cy' has not handed in 'bahdanau'; those who have: ada; bo; cy",
        f"{OTHER}/cy=2026-11-21": f"'cy' has not handed in '{OTHER}'; those who have: nobody",
        "bahdanau=2026-11-21": "expected NAME/STUDENT=DATE, such as 'NAME/Ada Lovelace=2026-12-02 09:30:00 UTC'",
    },
}


@pytest.mark.parametrize(("option", "written"), [(option, each) for option, of in WRONG.items() for each in of])
def test_a_wrong_date_is_one_sentence_and_changes_nothing(teacher, out: Path, option: str, written: str) -> None:
    status, shown = teacher("--due", f"{OTHER}={DUE}", option, written)
    assert status == 2
    assert WRONG[option][written] in shown
    assert shown.count("\n") == 1
    assert not out.exists()


def test_a_time_given_by_hand_counts_and_stays(teacher, out: Path) -> None:
    settle(out, ZERO)
    status, shown = teacher("--due", f"bahdanau={DUE}")
    assert "bahdanau has a due date, but 1 came without a time" in shown  # cy
    assert costs(out)["cy"] == 0
    late = "bahdanau/cy=2026-11-21 12:00 Europe/Berlin"
    for words, cost in [(("--handed-in", late), ALL), ((), ALL), (("--handed-in", "bahdanau/cy=none"), 0)]:
        status, shown = teacher(*words)
        assert (status, graded_now(shown)) == (0, 0), shown
        assert ("came without a time" in shown) == (cost == 0)
        assert costs(out) == {"ada": ALL, "bo": 0, "cy": cost}, words


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-12-01 12:00", datetime(2026, 12, 1, 12)),
        ("2026-12-01T12:00:00Z", datetime(2026, 12, 1, 12)),
        ("2026-12-01 12:00 +0130", datetime(2026, 12, 1, 10, 30)),
        ("2026-07-01 12:00 Europe/Berlin", datetime(2026, 7, 1, 10)),
        ("2026-12-01 12:00 CET", datetime(2026, 12, 1, 11)),
        ("2026-12-01", datetime(2026, 12, 1, 23, 59, 59)),  # the whole day is in time
        ("2026-12-01 Europe/Berlin", datetime(2026, 12, 1, 22, 59, 59)),
        ("none", None),
    ],
)
def test_due_dates_are_read_in_their_time_zone(written: str, expected: datetime | None) -> None:
    assert deadlines([f"bahdanau={written}"], assignments()) == {"bahdanau": expected}


OWN_RULE = """
from nbgrader.plugins import BasePlugin

class Daily(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 9.9 * total_seconds_late / 86400
"""


def test_a_rule_of_the_teachers_own_lies_in_the_class_folder_and_costs_nothing_where_it_fails(
    teacher, out: Path
) -> None:
    """As nbgrader's manual says: a module beside nbgrader_config.py, whose rule may change from run to run."""
    teacher()
    settle(out, "AssignLatePenalties.plugin_class = 'my_rule.Daily'")
    (out / "my_rule.py").write_text(OWN_RULE)
    teacher("--due", f"bahdanau={DUE}")
    assert costs(out) == {"ada": 9.9, "bo": 0, "cy": 0}
    teacher("--due", "bahdanau=2026-11-11 12:00:00 UTC")
    late = {"ada": ALL, "bo": pytest.approx(ALL), "cy": 0}  # never more than all
    assert costs(out) == late
    (out / "broken_rule.py").write_text(OWN_RULE.replace("86400", "0"))
    settle(out, "AssignLatePenalties.plugin_class = 'broken_rule.Daily'")
    status, shown = teacher()
    assert status == 3
    assert "late penalty of bahdanau of 'ada' stays as it is: Daily failed (ZeroDivisionError" in shown
    assert costs(out) == late
    settle(out, "AssignLatePenalties.plugin_class = 'no_such_module.Rule'")
    status, shown = teacher()
    assert (status, "nbgrader_config.py" in shown, "no_such_module" in shown) == (2, True, True)


def test_points_by_hand_and_an_extension_count_in_the_next_penalty(teacher, out: Path) -> None:
    teacher()
    settle(out, ZERO)
    teacher("--due", f"bahdanau={DUE}")
    with opened_book(out) as gradebook:
        grades = gradebook.find_submission_notebook("bahdanau", "bahdanau", "ada").grades
        next(grade for grade in grades if grade.name == "reading_a_matrix").manual_score = 2
    teacher()
    assert costs(out)["ada"] == ALL + 2
    with opened_book(out) as gradebook:
        gradebook.grant_extension("bahdanau", "ada", days=1)
    teacher()
    assert costs(out)["ada"] == 0
    teacher("--due", "bahdanau=none")  # an extension of nothing is nothing
    assert costs(out)["ada"] == 0


def test_a_kill_between_page_and_gradebook_is_mended(teacher, out: Path, monkeypatch) -> None:
    teacher()
    settle(out, ZERO)

    def stops(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ClassGradebook, "_write_page", stops)
        assert teacher("--due", f"bahdanau={DUE}")[0] == 130
    teacher()
    assert costs(out) == {"ada": ALL, "bo": 0, "cy": 0}


@pytest.mark.parametrize(
    ("due", "handed", "hours"),
    [
        ("10-24 21:59:59", "10-25 22:30", 23.5),  # the clocks went back in between: 24 h 30 min and 1 s have passed
        ("11-24 22:59:59", "11-25 22:30", 23.5),
        ("03-28 22:59:59", "03-29 21:59:59", 24),  # and forward: 23 h
        ("10-25 00:30", "10-25 01:15", 0.75),  # 2:30 and 2:15 on the clock, and late all the same
        ("10-25 00:30", "10-25 00:15", 0),
    ],
)
def test_the_same_time_a_day_later_is_a_day(due: str, handed: str, hours: float) -> None:
    zone = time_zone("Europe/Berlin")
    then, there = (datetime.fromisoformat(f"2026-{written}") for written in (due, handed))
    assert seconds_late(there, then, None, zone) == pytest.approx(3600 * hours, abs=1800 if hours == 23.5 else 0)
    assert (seconds_late(there, then, None, zone) > 86400) == (hours > 24)


def test_a_free_day_is_a_day_by_the_clocks_of_the_due_dates_zone(teacher, out: Path, monkeypatch) -> None:
    """In UTC it would be an hour more, and cost a day; `export` works it out anew from what DIR keeps."""
    monkeypatch.setattr(lateness, "settings", lambda: Settings(late=Late(1, 0.1)))
    settle(out, 'AssignLatePenalties.plugin_class = "autograder.gradebook.people.lateness.EachDay"')
    (out.parent / "in/bo/bahdanau/timestamp.txt").write_text("2026-10-25 22:30:00 UTC")
    (out.parent / "in/ada/bahdanau/timestamp.txt").write_text("2026-10-26 23:30:00 UTC")
    assert teacher("--due", "bahdanau=2026-10-24 Europe/Berlin")[0] == 0
    assert costs(out) == {"ada": pytest.approx(ALL / 5), "bo": 0, "cy": 0}
    teacher("--due", "bahdanau=2026-10-24", "--zone", "Europe/Berlin")
    assert costs(out)["bo"] == 0
    teacher("--due", "bahdanau=2026-10-24 21:59:59 UTC")
    assert costs(out)["bo"] == pytest.approx(ALL / 10)
