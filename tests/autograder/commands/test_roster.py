"""The roster, hand-in times and extensions: as the LMS's own tables say them, or as a teacher types them."""

import re
import zipfile
from datetime import UTC
from pathlib import Path

import pytest

from autograder.assignment import template
from autograder.gradebook.people.roster import read_table
from autograder.report.page import report
from tests.support.classes import opened_book, summary
from tests.support.lms import ALL, FOLDER, MOST, Teacher, lms, moodle, moodle_reads
from tests.support.teacher import settle

__all__ = ["lms"]

# mod/assign/gradingtable.php: each part of the status ends with " - ", dates are those of userdate() in English.
HEAD = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments"
)
LATE = "Submitted for grading - 1 day late - Graded"
GRANTED = "Extension granted until: Saturday, 21 November 2026, 11:59 PM"
ROWS = [
    f'Participant 7,Roe Ann,ann@x.org,Submitted for grading,,{MOST},Yes,"Friday, 20 November 2026, 9:30 AM",-,',
    f'Participant 8,Poe Bo,bo@x.org,{LATE},,{MOST},Yes,"Saturday, 21 November 2026, 12:00 PM",-,',
    f'Participant 9,Moe Cy,cy@x.org,"{LATE} - {GRANTED}",,{MOST},Yes,"Saturday, 21 November 2026, 12:00 PM",-,',
    f"Participant 10,Loe Di,di@x.org,No submission - 3 days overdue,,{MOST},Yes,-,-,",
    f'Participant 11,Zoe Ed,ed@x.org,"No submission - {GRANTED}",,{MOST},Yes,-,-,',
]
WORKSHEET = "\ufeff" + "\r\n".join([HEAD, *ROWS]) + "\r\n"
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,bahdanau (4711)
    Points Possible,,,,,66
"Roe, Ann",21,s21,ann,A,
"Poe, Bo",22,s22,bo,A,
"Student, Test",99,,,A,
"""
PARTICIPANTS = "First name;Last name;Email address;Groups\nAnn;Roe;ann@x.org;\nBo;Poe;bo@x.org;A\n"
DUE = ("--due", "bahdanau=2026-11-20 12:00")


def file(lms: Teacher, text: str, name: str = "worksheet.csv") -> str:
    path = lms.folder / name
    path.write_text(text, "utf-8")
    return str(path)


def handed_in(lms: Teacher, *names: tuple[str, str], words: tuple[str, ...] = ()) -> str:
    lms.grades(*(moodle(number, name) for number, name in names))
    status, shown = lms.types("grade", str(lms.folder / "submissions.zip"), *words)
    assert status == 0, shown
    return shown


THREE = (("7", "Roe Ann"), ("8", "Poe Bo"), ("9", "Moe Cy"))


def late(lms: Teacher) -> dict[str, tuple[str, str]]:
    """Return days late and own deadline, as the export has them, of those who handed in."""
    lms.exports("csv")
    return {row["student"]: (row["days_late"], row["extended_to"]) for row in lms.rows("grades.csv") if row["score"]}


def test_moodles_worksheet_says_who_is_late_and_who_has_an_extension(lms: Teacher) -> None:
    words = ("--roster", file(lms, WORKSHEET), *DUE, "--zone", "Europe/Berlin")
    shown = handed_in(lms, *THREE, words=words)
    assert "5 people, 3 times, 2 extensions of bahdanau" in shown
    own = "2026-11-21 22:59:00 UTC"  # 11:59 PM in Berlin
    assert late(lms) == {"Roe Ann": ("0", ""), "Poe Bo": ("1", ""), "Moe Cy": ("0", own)}
    settle(lms.out, "LateSubmissionPlugin.penalty_method = 'zero'")
    lms.exports("moodle")
    assert moodle_reads([row for row in lms.table("moodle-bahdanau.csv") if row[2]]) == {"7": ALL, "8": 0, "9": ALL}
    comment = {row["Full name"]: row["Feedback comments"] for row in lms.rows("moodle-bahdanau.csv")}["Moe Cy"]
    assert comment.endswith("; own deadline 2026-11-21 22:59 UTC")
    handed_in(lms, *THREE, ("11", "Zoe Ed"), words=("--handed-in", "bahdanau/Zoe Ed=2026-11-21 11:00"))
    assert late(lms)["Zoe Ed"] == ("0", own), "the extension was there before the work was"
    again = handed_in(lms, *THREE, words=("--handed-in", "bahdanau/Zoe Ed=2026-11-21 11:00"))
    assert "Times without a zone are read in Europe/Berlin, as before" in again
    assert "Zoe Ed/bahdanau handed in 2026-11-21 10:00:00 UTC." in again
    without = WORKSHEET.replace(f" - {GRANTED}", "")
    handed_in(lms, *THREE, words=("--roster", file(lms, without), "--zone", "Europe/Berlin"))
    assert late(lms)["Moe Cy"] == ("1", "")


@pytest.mark.parametrize(
    ("most", "harm"),
    [("50.00", "ignores a higher grade"), ("1000,00", "each grade as a part"), ("", None), (None, None)],
    ids=["too low", "too high, with a comma", "a scale", "the notebook's"],
)
def test_a_maximum_in_moodle_that_is_not_the_notebooks_is_named(lms: Teacher, most: str | None, harm: str) -> None:
    full = template("bahdanau").core_points + template("bahdanau").bonus_points
    value = f"{full:.2f}" if most is None else f'"{most}"'
    text = WORKSHEET.replace(f",{MOST},Yes", f",{value},Yes")
    shown = handed_in(lms, *THREE, words=("--roster", file(lms, text)))
    assert ("The maximum grade of bahdanau is" in shown) == (harm is not None)
    assert harm is None or (harm in shown and f"Set the maximum to {full:g} before" in shown)


@pytest.mark.parametrize("is_right", [True, False])
def test_points_in_canvas_that_are_not_the_notebooks_are_named(lms: Teacher, is_right: bool) -> None:
    most = template("bahdanau").core_points if is_right else 100
    text = CANVAS.replace(",,,,,66\n", f",,,,,{most}\n")
    shown = handed_in(lms, *THREE, words=("--roster", file(lms, text)))
    assert ("The maximum grade of bahdanau is 100 in Canvas" in shown) != is_right


def test_a_worksheet_that_contradicts_the_work_is_named(lms: Teacher) -> None:
    shown = handed_in(lms, *THREE, ("10", "Loe Di"), words=("--roster", file(lms, WORKSHEET)))
    assert re.search(r"1 handed in bahdanau, but not by \S+worksheet\.csv \(.*\): Loe Di\.", shown)
    assert "but not by" not in handed_in(lms, *THREE, words=("--roster", file(lms, WORKSHEET)))


def test_a_damaged_download_takes_no_grade_away(lms: Teacher) -> None:
    handed_in(lms, *THREE)
    before, zipped = summary(lms.out), lms.folder / "submissions.zip"
    with zipfile.ZipFile(zipped) as archive:
        entry = archive.infolist()[0]
    content = bytearray(zipped.read_bytes())
    place = entry.header_offset + 30 + len(entry.filename.encode()) + 40
    content[place : place + 200] = bytes(200)
    zipped.write_bytes(content)
    status, shown = lms.types("grade", str(zipped))
    assert status == 0
    assert "it cannot be unpacked, the zip is damaged" in shown
    assert "download it again. The earlier grade stays" in shown
    after = summary(lms.out)
    assert {key: row["score"] for key, row in after.items() if key[1]} == {k: row["score"] for k, row in before.items()}


def test_an_extension_of_one_is_typed_counted_and_taken_back(lms: Teacher) -> None:
    times = [f"--handed-in=bahdanau/{name}=2026-11-21 12:00" for _, name in THREE]
    typed = file(lms, "Poe Bo/bahdanau=2026-11-21 06:00  # was ill\n\nbahdanau/Moe Cy=2026-11-22\n", "extensions.txt")
    handed_in(lms, *THREE, words=(*times, *DUE, "--extend", typed))
    until = {"Roe Ann": "", "Poe Bo": "2026-11-21 06:00:00 UTC", "Moe Cy": "2026-11-22 23:59:59 UTC"}
    assert late(lms) == dict(zip(until, zip(["1", "0.25", "0"], until.values(), strict=True), strict=True))
    handed_in(lms, *THREE, words=("--due", "bahdanau=2026-11-19 12:00"))
    assert late(lms)["Poe Bo"] == ("0.25", until["Poe Bo"]), "a deadline of one's own does not move with the others'"
    handed_in(lms, *THREE, words=("--extend", "Poe Bo/bahdanau=none"))
    assert late(lms)["Poe Bo"] == ("2", "")
    status, shown = lms.types("grade", str(lms.folder / "submissions.zip"), "--extend", "Po Bo/bahdanau=2026-11-22")
    assert (status, "--extend: 'Po Bo' has not handed in 'bahdanau'; those who have: Moe Cy" in shown) == (2, True)
    roster = file(lms, "Name\nPo Bo\n", "roster.csv")
    words = ("--extend", "Po Bo/bahdanau=2026-11-22", "--roster", roster)
    assert lms.types("grade", str(lms.folder / "submissions.zip"), *words)[0] == 0


@pytest.mark.parametrize("zero", [False, True])
def test_who_has_not_handed_in_is_in_summary_report_and_export(lms: Teacher, zero: bool) -> None:
    lms.grades(moodle("7", "Roe Ann"))
    assert not [row for row in summary(lms.out).values() if row["note"]]
    shown = handed_in(lms, ("7", "Roe Ann"), ("12", "Doe Al"), words=("--roster", file(lms, WORKSHEET)))
    assert "Not on the roster: Doe Al." in shown
    absent = ["Loe Di", "Moe Cy", "Poe Bo", "Zoe Ed"]
    missing = {who: row for (who, name), row in summary(lms.out).items() if row["note"] == "has not handed in"}
    assert (list(missing), {row["total"] for row in missing.values()}) == (absent, {""})
    text = report(lms.out).read_text("utf-8")
    assert "4 of 6 on the roster" in text
    assert "files without a grade" not in text
    words = ("--zero",) if zero else ()
    said = "0 points" if zero else "without a grade (--zero gives 0 points)"
    assert f"bahdanau: 4 not handed in, {said}: Poe Bo; Moe Cy" in lms.exports("moodle", *words)
    rows = {row["Identifier"]: row for row in lms.rows("moodle-bahdanau.csv")}
    grade = "0" if zero else ""
    assert {rows[f"Participant {n}"]["Grade"] for n in (8, 9, 10, 11)} == {grade}
    assert "has not handed in" in rows["Participant 10"]["Feedback comments"]
    assert len(lms.pages("moodle-bahdanau-feedback.zip")) == 2
    lms.exports("csv", *words)
    rows = {row["student"]: row for row in lms.rows("grades.csv")}
    assert (rows["Loe Di"]["total"], rows["Loe Di"]["error"]) == (grade, "has not handed in")


def test_a_roster_of_canvas_fits_its_files_and_names_reach_formgrader(lms: Teacher) -> None:
    lms.grades("roeann_21_501_bahdanau.ipynb")
    assert lms.types("grade", str(lms.folder / "submissions.zip"), "--roster", file(lms, CANVAS))[0] == 0
    assert summary(lms.out)["Poe, Bo", "bahdanau"]["note"] == "has not handed in"
    assert ("Student, Test", "bahdanau") not in summary(lms.out)
    with opened_book(lms.out) as gradebook:
        assert [(each.id, each.first_name, each.last_name) for each in gradebook.students] == [("roeann", "Ann", "Roe")]
    lms.exports("canvas")
    assert [row[1] for row in lms.table("canvas-bahdanau.csv")[2:]] == ["21"]
    lms.exports("canvas", "--zero")
    assert [(row[1], row[5]) for row in lms.table("canvas-bahdanau.csv")[2:]] == [("21", str(ALL)), ("22", "0")]


@pytest.mark.parametrize("text", [WORKSHEET, CANVAS, PARTICIPANTS, "id,first_name,last_name\nx1,Ann,Roe\nx2,Bo,Poe\n"])
def test_people_are_found_by_number_login_or_name_in_either_order(tmp_path: Path, text: str) -> None:
    (tmp_path / "roster.csv").write_text(text, "utf-8")
    table = read_table(tmp_path / "roster.csv", "bahdanau", UTC)
    ann, bo, *_ = table.people
    assert {"annroe", "roeann"} & ann.keys[-1]
    assert {"boos", "poebo", "bopoe"} & bo.keys[-1]
    assert (ann.number("bahdanau"), ann.number("luong")) in (("7", ""), ("21", "21"), ("", ""))


def test_a_table_that_cannot_be_read_is_one_sentence_and_changes_nothing(lms: Teacher) -> None:
    lms.grades(moodle("7", "Roe Ann"))
    before = {path: path.read_bytes() for path in lms.out.rglob("*") if path.is_file()}
    german = WORKSHEET.replace("Friday, 20 November", "Freitag, 20. Dezembre")
    for text, sentence in [
        ("Points,Date\n1,2\n", "has no column of names"),
        ("", "has no column of names"),
        (german, "Set Moodle's language to English"),
        (None, "cannot be read"),
    ]:
        path = file(lms, text) if text is not None else "nowhere.csv"
        status, shown = lms.types("grade", str(lms.folder / "submissions.zip"), "--roster", path)
        assert (status, sentence in shown, shown.count("\n")) == (2, True, 1), shown
        assert {path: path.read_bytes() for path in lms.out.rglob("*") if path.is_file()} == before


def test_two_of_one_name_are_told_apart_by_the_number(lms: Teacher) -> None:
    text = WORKSHEET.replace("Poe Bo", "Roe Ann")
    names = [f"Roe Ann_{number}_{FOLDER}/bahdanau.ipynb" for number in (7, 8)]
    lms.grades(*names)
    status, shown = lms.types("grade", str(lms.folder / "submissions.zip"), "--roster", file(lms, text), *DUE)
    assert (status, "Not on the roster" in shown) == (0, False), shown
    assert late(lms) == {"Roe Ann_7": ("0", ""), "Roe Ann_8": ("1", "")}
    assert [who for (who, _), row in summary(lms.out).items() if row["note"]] == ["Loe Di", "Moe Cy", "Zoe Ed"]


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_the_line_that_tells_spreadsheets_the_separator_is_no_heading(tmp_path: Path, separator: str) -> None:
    lines = [f"sep={separator}", separator.join(("Name", "Email")), separator.join(("Kim Lee", "kim@example.org"))]
    (tmp_path / "roster.csv").write_text("\ufeff" + "\r\n".join(lines) + "\r\n", "utf-8")
    [person] = read_table(tmp_path / "roster.csv", "", UTC).people
    assert (person.name, person.email) == ("Kim Lee", "kim@example.org")
