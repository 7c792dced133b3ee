"""Grades on their way back: each to whom it belongs, as the gradebook has it now, whatever people are called.

`moodle_reads` and `canvas_reads` do what those LMSs' importers do with a table and with a zip.
"""

import json
import os
import re
import signal
import stat
import subprocess
import sys

import pytest

from autograder.assignment import assignments
from autograder.files import exclusive
from tests.autograder.commands.test_privacy import umask
from tests.support.classes import summary
from tests.support.lms import (
    ALL,
    FOLDER,
    MOST,
    Teacher,
    answered,
    canvas_reads,
    canvas_takes,
    lms,
    moodle,
    moodle_reads,
    moodle_takes,
    nothing_is_computed,
)
from tests.support.points import written

__all__ = ["lms", "umask"]

HOSTILE = {  # Moodle's number: the student's name
    "5": '=HYPERLINK("x") Eve',
    "6": "Jose\u0301",
    "7": "Roe Ann",
    "8": "Roe Ann",
    "9": "Smith_Jones Bob",
    "10": "~C: 10%2F",
    "11": "@SUM(1),\u200b-2",
    "12": "1_2_3",
    "13": "李 明",
    "14": "a;=1+1",
}


def test_moodle_finds_each_grade_and_page_for_whom_it_is(lms: Teacher) -> None:
    lms.grades(*(moodle(number, name) for number, name in HOSTILE.items()))
    students = {json.loads(path.read_text())["from"]["account"]: path for path in (lms.out / "records").glob("*/*")}
    assert set(students) == set(HOSTILE)
    for number, path in students.items():
        lms.gives(path.parent.name, int(number) / 10)
    shown = lms.exports("moodle")
    assert f"{len(HOSTILE)} grades" in shown
    assert "'Allow updating records" in shown  # for Moodle ignores what has a grade, when it is exported again
    expected = {number: ALL + int(number) / 10 for number in HOSTILE}
    assert moodle_reads(lms.table("moodle-bahdanau.csv")) == pytest.approx(expected)
    pages = moodle_takes(lms.pages("moodle-bahdanau-feedback.zip"))
    assert set(pages) == set(HOSTILE)
    for number, page in pages.items():
        assert f"<strong>{round(expected[number], 1):g}</strong> of" in page.decode()
        assert page == (lms.out / "feedback" / students[number].parent.name / "bahdanau/bahdanau.html").read_bytes()
    lms.exports("csv")
    nothing_is_computed(lms)


def test_canvas_finds_each_grade_and_page_for_whom_it_is(lms: Teacher) -> None:
    names = {
        ("21", "501"): "=eve_21_501_bahdanau.ipynb",
        ("22", "502"): "jose\u0301_LATE_22_502_bahdanau-1.ipynb",
        ("23", "503"): "12345_23_503_9_8_bahdanau.ipynb",  # a name of digits
        ("24", "504"): "roeann_24_504_bahdanau.zip.ipynb",
        ("25", "505"): "roeann_25_505_bahdanau.ipynb",
    }
    lms.grades(*names.values())
    lms.exports("canvas", "--id", "bahdanau=4711")
    table = lms.table("canvas-bahdanau.csv")
    assert canvas_reads(table, "bahdanau (4711)") == dict.fromkeys([number for number, _ in names], ALL)
    pages = lms.pages("canvas-bahdanau-feedback.zip")
    assert set(canvas_takes(pages)) == set(names)
    assert all(path.endswith(".html") for path in pages)
    lms.exports("canvas")
    assert canvas_reads(lms.table("canvas-bahdanau.csv"), "bahdanau")
    nothing_is_computed(lms)


def test_canvas_s_anonymous_students_are_graded_apart_and_get_their_pages(lms: Teacher) -> None:
    """As lib/content_zipper.rb names them, and as generate_comments_from_files reads the names of what comes back."""
    names = {"5h2kq": "anon_5h2kq_501_bahdanau.ipynb", "12345": "LATE_anon_12345_502_my_work-1.ipynb"}
    lms.grades(*names.values())
    notes = {student: row["note"] for (student, _), row in summary(lms.out).items()}
    assert notes == {"anon_5h2kq": "", "anon_12345": "handed in late, says the LMS"}
    shown = lms.exports("canvas")
    assert "bahdanau: 2 anonymous in Canvas, only in the zip of pages" in shown
    assert not (lms.out / "export/canvas-bahdanau.csv").exists()
    pages = [path.split("_") for path in lms.pages("canvas-bahdanau-feedback.zip")]
    assert {tuple(words[:3]) for words in pages} == {("anon", "5h2kq", "501"), ("anon", "12345", "502")}
    lms.grades(names["5h2kq"], "roeann_7_17_bahdanau.ipynb")
    lms.exports("canvas")
    assert set(canvas_reads(lms.table("canvas-bahdanau.csv"), "bahdanau")) == {"7"}


def test_the_same_file_handed_in_anew_goes_back_under_its_new_name(lms: Teacher) -> None:
    lms.grades("roeann_24_504_bahdanau.ipynb")
    assert " 0 graded now" in lms.grades("roeann_24_599_bahdanau-1.ipynb")
    lms.exports("canvas")
    assert set(canvas_takes(lms.pages("canvas-bahdanau-feedback.zip"))) == {("24", "599")}


def test_points_by_hand_count_and_answers_that_wait_are_said(lms: Teacher) -> None:
    lms.grades(**{moodle(number, name): answered() for number, name in (("7", "Roe Ann"), ("8", "Poe Bo"))})
    lms.gives("Roe Ann", 2)
    shown = lms.exports("moodle")
    assert "1 not final, an answer waits for points by hand: Poe Bo." in shown
    comments = {row["Full name"]: row["Feedback comments"] for row in lms.rows("moodle-bahdanau.csv")}
    assert comments == {
        "Roe Ann": f"{ALL + 2} of {MOST} points, bonus points among them, 2 of them given by hand",
        "Poe Bo": f"{ALL} of {MOST} points, bonus points among them; not final: an answer waits for points by hand",
    }
    lms.exports("csv")
    column = {row["student"]: row for row in lms.rows("grades.csv")}
    assert (column["Roe Ann"]["manual_score"], column["Roe Ann"]["needs_manual_grade"]) == ("2", "no")
    assert (column["Poe Bo"]["manual_score"], column["Poe Bo"]["needs_manual_grade"]) == ("0", "yes")


def test_grades_that_moodle_would_pass_over_are_named(lms: Teacher) -> None:
    """Bonus points lift a grade above the maximum, and Moodle leaves such a grade out without a word."""
    lms.grades(moodle("7", "Roe Ann"))
    sentence = f"above the {MOST} points of the core tasks; Moodle ignores a grade above"
    assert ALL > MOST
    assert f"1 {sentence}" in lms.exports("moodle")
    most = ALL + written("bahdanau")  # not the highest so far: the next grade would be passed over
    assert f"set it to at least {most} first: Roe Ann" in lms.exports("moodle")


def test_days_late_and_the_penalty_are_those_of_the_gradebook(teacher, lms: Teacher) -> None:
    teacher("--due", "bahdanau=2026-11-20 12:00:00 UTC")
    with (lms.out / "nbgrader_config.py").open("a") as file:
        file.write("\nc = get_config()\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
    teacher()
    lms.gives("ada", 2)  # after the last run of `grade`: the penalty has to follow
    lms.exports("csv")
    columns = ("student", "days_late", "late_penalty", "total", "score")
    assert [[row[column] for column in columns] for row in lms.rows("grades.csv")] == [
        ["ada", "1", str(ALL + 2), "0", str(ALL + 2)],
        ["bo", "0", "0", str(ALL), str(ALL)],
        ["cy", "0", "0", str(ALL), str(ALL)],
    ]


def test_who_has_no_name_of_the_lms_is_named_and_goes_into_the_table_alone(teacher, lms: Teacher) -> None:
    teacher()
    status, shown = lms.types("export", "--to", "moodle")
    assert status == 2
    assert "bahdanau: 3 left out, without a name from Moodle; --to csv has them: ada; bo; cy." in shown
    assert "packed or unpacked. Grade that zip" in shown
    assert not (lms.out / "export").exists()
    assert "3 grades" in lms.exports("csv")
    lms.grades(moodle("7", "Roe Ann"))
    assert "3 left out, without a name from Moodle" in lms.exports("moodle")
    assert set(moodle_reads(lms.table("moodle-bahdanau.csv"))) == {"7"}
    assert lms.types("export", "--to", "canvas")[0] == 2


def test_who_handed_in_nothing_that_can_be_graded_has_no_grade_and_is_told_why(lms: Teacher) -> None:
    lms.grades(moodle("7", "Roe Ann"), **{f"Poe Ed_8_{FOLDER}/{name}": b"?" for name in ("a.ipynb", "b.ipynb")})
    shown = lms.exports("moodle")
    assert "Poe Ed" in shown
    rows = {row["Full name"]: row for row in lms.rows("moodle-bahdanau.csv")}
    assert (rows["Poe Ed"]["Grade"], bool(rows["Poe Ed"]["Feedback comments"])) == ("", True)
    assert rows["Roe Ann"]["Grade"] != ""


REFUSED = {  # what cannot be graded, and what its student is told
    "no notebook": (b"no notebook", "this is no notebook, its JSON is broken"),
    "too large": (b" " * ((64 << 20) + 1), "the file has 64 MB, at most 64 MB are read; clear the outputs"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_graded_has_no_grade_and_the_reason_everywhere(lms: Teacher, kind: str) -> None:
    content, reason = REFUSED[kind]
    shown = lms.grades(moodle("7", "Roe Ann"), **{moodle("8", "Poe Ed"): content})
    assert "1 submission could not be graded: see the remarks above" in shown
    row = summary(lms.out)["Poe Ed", "bahdanau"]
    assert (row["score"], row["total"]) == ("", "")
    assert reason in row["error"]
    shown = lms.exports("moodle")
    assert "1 not graded, without a grade (--zero gives 0 points): Poe Ed." in shown
    assert "moodle-bahdanau.csv: 1 grade\n" in shown
    rows = {row["Full name"]: row for row in lms.rows("moodle-bahdanau.csv")}
    assert rows["Poe Ed"]["Grade"] == ""
    assert rows["Poe Ed"]["Feedback comments"].startswith(f"no grade; it could not be graded: {reason}")
    handed_back = moodle_takes(lms.pages("moodle-bahdanau-feedback.zip"))["8"].decode()
    text = re.sub(r"<style>.*?</style>|<[^>]+>", " ", handed_back, flags=re.DOTALL)
    assert re.search(rf"Not graded\s+This could not be graded:\s+{re.escape(reason)}", text)
    assert not any(words in text for words in ("not written", "What you handed in", "NotImplementedError", "of 6"))
    lms.exports("moodle", "--zero")
    rows = {row["Full name"]: row for row in lms.rows("moodle-bahdanau.csv")}
    assert (rows["Poe Ed"]["Grade"], rows["Roe Ann"]["Grade"]) == ("0", str(ALL))
    assert reason in rows["Poe Ed"]["Feedback comments"]


def test_points_by_hand_are_the_grade_of_what_could_not_be_graded(lms: Teacher) -> None:
    lms.grades(moodle("7", "Roe Ann"), **{moodle("8", "Poe Ed"): b"no notebook"})
    lms.gives("Poe Ed", 2)
    assert "not graded, " not in lms.exports("moodle")
    row = next(row for row in lms.rows("moodle-bahdanau.csv") if row["Full name"] == "Poe Ed")
    assert (row["Grade"], "it could not be graded: this is no notebook" in row["Feedback comments"]) == ("2", True)
    page = moodle_takes(lms.pages("moodle-bahdanau-feedback.zip"))["8"].decode()
    assert "<strong>2</strong> of" in page
    assert "This could not be graded:" in page


def test_canvas_has_no_row_of_what_has_no_grade(lms: Teacher) -> None:
    """An empty cell would delete what a teacher typed there."""
    lms.grades("roeann_7_17_bahdanau.ipynb", **{"poeed_8_18_bahdanau.ipynb": b"no notebook"})
    lms.exports("canvas")
    assert set(canvas_reads(lms.table("canvas-bahdanau.csv"), "bahdanau")) == {"7"}
    assert set(canvas_takes(lms.pages("canvas-bahdanau-feedback.zip"))) == {("7", "17"), ("8", "18")}


def test_of_two_with_one_number_neither_gets_the_others_grade(lms: Teacher) -> None:
    lms.grades(moodle("7", "Roe Ann"), moodle("8", "Poe Bo"))
    lms.grades(moodle("7", "Roe Anne"), moodle("007", "Roe Annie"))
    assert "3 left out, with the same Moodle number as another" in lms.exports("moodle")
    assert set(moodle_reads(lms.table("moodle-bahdanau.csv"))) == {"8"}
    assert set(moodle_takes(lms.pages("moodle-bahdanau-feedback.zip"))) == {"8"}


def test_a_page_that_is_missing_is_named_and_the_others_are_there(lms: Teacher) -> None:
    lms.grades(moodle("7", "Roe Ann"), moodle("8", "Poe Bo"))
    (lms.out / "autograded/Poe Bo/bahdanau/bahdanau.ipynb").unlink()
    shown = lms.exports("moodle")
    assert "No feedback page of bahdanau for 'Poe Bo': No " in shown
    assert set(moodle_takes(lms.pages("moodle-bahdanau-feedback.zip"))) == {"7"}
    assert set(moodle_reads(lms.table("moodle-bahdanau.csv"))) == {"7", "8"}


def test_what_is_exported_is_its_owners_alone(lms: Teacher, umask) -> None:
    lms.grades(moodle("7", "Roe Ann"))
    umask(0)
    for to in ("moodle", "csv"):
        lms.exports(to)
    assert stat.S_IMODE((lms.out / "export").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (lms.out / "export").iterdir()} == {0o600}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--to", "moodle"], "grade a class first, `python -m autograder grade FOLDER`"),
        (["--to", "moodle", "bahdanu"], "no exercise called bahdanu: expected some of encoder_decoder, bahdanau"),
        (["--to", "moodle", "--id", "bahdanau=1"], "leave it out with --to moodle"),
        (["--to", "canvas", "--id", "bahdanau"], "expected NAME=NUMBER, with the number that ends its address"),
        (["--to", "canvas", "--id", "bahdanau=٣"], "got 'bahdanau=٣'"),
        (["--to", "canvas", "--id", "bahdanu=1"], "no exercise called bahdanu"),
    ],
)
def test_what_cannot_be_exported_is_one_sentence_and_writes_nothing(lms: Teacher, words, sentence: str) -> None:
    status, shown = lms.types("export", *words)
    assert status == 2
    assert sentence in shown
    assert shown.count("\n") == 1
    assert not lms.out.exists()


def test_what_is_not_graded_is_said(lms: Teacher) -> None:
    lms.grades(moodle("7", "Roe Ann"))
    other = next(name for name in reversed(assignments()) if name != "bahdanau")
    assert f"holds no grades of {other}: `python -m autograder grade" in lms.types("export", "--to", "csv", other)[1]
    (lms.out / "gradebook.db").unlink()
    status, shown = lms.types("export", "--to", "csv")
    assert status == 2
    assert "has no gradebook" in shown
    assert not (lms.out / "gradebook.db").exists()


def test_nothing_is_exported_while_the_class_is_graded(lms: Teacher) -> None:
    lms.grades(moodle("7", "Roe Ann"))
    with exclusive(lms.out):
        status, shown = lms.types("export", "--to", "csv")
    assert (status, "Another run" in shown) == (2, True)


def test_a_reader_who_has_gone_is_no_error(lms: Teacher) -> None:
    """As with `| head -1`."""
    lms.grades(moodle("7", "Roe Ann"))
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "autograder", "export", "--to", "csv", "--out", str(lms.out)]
    done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")
