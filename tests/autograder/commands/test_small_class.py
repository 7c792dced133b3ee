"""A class in small, as a teacher has it: all that goes wrong once in a course, in both LMSs' forms, graded twice."""

import pytest

from autograder.places import released_notebook
from tests.autograder.commands.test_roster import HEAD, MOST
from tests.autograder.submissions.test_of_one_assignment import WRONG, named
from tests.support.classes import summary, totals
from tests.support.lms import ALL, Teacher, lms
from tests.support.points import by_checks
from tests.support.teacher import settle

__all__ = ["lms"]

ON_TIME, TOO_LATE = '"Friday, 20 November 2026, 9:30 AM"', '"Saturday, 21 November 2026, 12:00 PM"'
GRANTED = "Extension granted until: Saturday, 21 November 2026, 11:59 PM"
NAMES = {  # number: the name in the LMS's zip
    11: "roeann", 12: "benbo", 13: "wen", 14: "xi", 15: "kai", 16: "lena", 17: "poebo", 18: "moecy", 19: "jos\u00e9",
    20: "jose", 21: "absent",
}  # fmt: skip
GRADES = {"roeann": ALL, "poebo": 0, "moecy": ALL, "jos\u00e9": ALL, "jose": ALL}  # by hand: Poe Bo is a day late
REASONS = {
    "benbo": WRONG,
    "wen": "there is no notebook: it holds bahdanau.py",
    "xi": "there is no notebook: it holds bahdanau.html",
    "kai": "no notebook",
    "lena": "notebooks",
}


def hand_ins(form: str) -> dict[str, bytes]:
    """Return the files of the zip of bahdanau's assignment."""
    whole, other = (released_notebook(name).read_bytes() for name in ("bahdanau", "encoder_decoder"))
    one, two = (whole.replace(b"raise NotImplementedError", each) for each in (b"pass", b"return 1"))
    marked = "poebo_LATE" if form == "canvas" else "poebo"
    return {
        named(form, 11, "roeann"): one,
        named(form, 12, "benbo", "encoder_decoder.ipynb"): other.replace(b"raise NotImplementedError", b"pass", 1),
        named(form, 13, "wen", "bahdanau.py"): b"def masked_softmax(): ...",
        named(form, 14, "xi", "bahdanau.html"): b"<p>mine</p>",
        named(form, 15, "kai"): b'{"cells": [',
        named(form, 16, "lena", "a.ipynb"): one,
        named(form, 16, "lena", "b.ipynb"): two,
        named(form, 17, marked): one,
        named(form, 18, "moecy"): one,
        named(form, 19, "jos\u00e9"): one,
        named(form, 20, "jose"): two,
    }


def words(lms: Teacher, form: str) -> tuple[str, ...]:
    """Return what the teacher says of times: Moodle's worksheet, or what Canvas's zip leaves out, typed."""
    due, roster = ("--due", "bahdanau=2026-11-20 12:00"), lms.folder / "people.csv"
    if form == "canvas":
        head = "Student,ID,SIS User ID,SIS Login ID,Section,bahdanau (4711)\n    Points Possible,,,,,66\n"
        roster.write_text(head + "".join(f'"Last, {name}",{n},,{name},A,\n' for n, name in NAMES.items()), "utf-8")
        late = [("--handed-in", f"bahdanau/{who}=2026-11-21 12:00") for who in ("poebo", "moecy")]
        own = ("--extend", "moecy/bahdanau=2026-11-21 23:59")
        return (*due, "--roster", str(roster), *(word for pair in late for word in pair), *own)
    rows = [HEAD]
    for number, name in NAMES.items():
        status = f"Submitted for grading - {GRANTED}" if name == "moecy" else "Submitted for grading"
        time = "-" if name == "absent" else TOO_LATE if name in ("poebo", "moecy") else ON_TIME
        rows.append(f'Participant {number},{name},{number}@x.org,"{status}",,{MOST},Yes,{time},-,')
    roster.write_text("\ufeff" + "\r\n".join(rows) + "\r\n", "utf-8")
    return (*due, "--roster", f"bahdanau={roster}")


@pytest.mark.parametrize("form", ["moodle", "canvas"])
def test_a_class_in_small_has_the_grades_that_a_person_gives(lms: Teacher, form: str) -> None:
    earlier = released_notebook("encoder_decoder").read_bytes()
    lms.grades(**{named(form, n, NAMES[n], "encoder_decoder.ipynb"): earlier for n in (11, 12)})
    lms.grades(**hand_ins(form))
    settle(lms.out, "LateSubmissionPlugin.penalty_method = 'zero'")
    zipped, said = str(lms.folder / "submissions.zip"), words(lms, form)
    for _ in range(2):
        status, shown = lms.types("grade", zipped, *said)
        assert (status, " 0 graded now" in shown) == (0, True), shown
        assert totals(lms.out)["benbo", "encoder_decoder"] == by_checks("encoder_decoder")
        rows = {who: row for (who, name), row in summary(lms.out).items() if name == "bahdanau"}
        assert {who: float(row["total"]) for who, row in rows.items() if row["total"]} == GRADES
        for who, reason in REASONS.items():
            assert reason in rows[who]["error"], who
            assert any(line.split()[:1] == [who] and reason in line for line in shown.splitlines()), who
        assert not any(line.split()[:1] == ["roeann"] for line in shown.splitlines()), "nothing to say of her"
        assert any(
            line.split()[:2] == ["roeann", "bahdanau"] for line in lms.types("grade", zipped, "--all")[1].splitlines()
        )
        notes = [row["note"] for (_, name), row in summary(lms.out).items() if name == "encoder_decoder"]
        assert not any("not handed in this time" in note for note in notes)


def test_canvas_s_table_has_the_roster_s_names(lms: Teacher) -> None:
    lms.grades(**hand_ins("canvas"))
    assert lms.types("grade", str(lms.folder / "submissions.zip"), *words(lms, "canvas"))[0] == 0
    lms.exports("canvas", "bahdanau")
    students = {row["ID"]: row["Student"] for row in lms.rows("canvas-bahdanau.csv") if row["ID"]}
    assert students == {str(number): f"Last, {NAMES[number]}" for number in (11, 17, 18, 19, 20)}
