"""Whose a submission is: said by the names that the teacher or the LMS gave, by nothing that a student named."""

import shutil
import unicodedata
from pathlib import Path

import pytest

from autograder.grade.cache import Records, content_digest
from autograder.submissions import collect
from autograder.submissions.files import Inbox
from autograder.submissions.lms_names import sort_key
from tests.autograder.submissions.test_collect import KNOWN, lay, notebook, taken
from tests.autograder.submissions.test_zip_files import MOODLE, zipped
from tests.support.classes import page, summary, totals

JOSE, OTHER_JOSE = "Jos\u00e9", "Jose\u0301"
MINE, THEIRS = notebook("bahdanau", "mine"), notebook("bahdanau", "theirs")
VICTIM = f"Roe Ann_7_{MOODLE}"


def students(box: Inbox) -> set[str]:
    return {student for student, _ in taken(box)}


def laid_or_zipped(folder: Path, kind: str, files: dict[str, bytes], name: str = "late") -> Path:
    if kind == "folder":
        return lay(folder / name, files)
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.zip").write_bytes(zipped(files))
    return folder / f"{name}.zip"


@pytest.mark.parametrize("kind", ["folder", "zip"])
@pytest.mark.parametrize(("one", "other"), [(JOSE, OTHER_JOSE), ("Kim", "\u212aim"), ("\u1112\u1161\u11ab", "\ud55c")])
def test_a_folder_with_a_peers_name_in_another_normal_form_is_refused_and_so_is_the_peers(
    tmp_path: Path, kind: str, one: str, other: str
) -> None:
    files = {f"{one}/bahdanau/bahdanau.ipynb": MINE, f"{other}/bahdanau/bahdanau.ipynb": THEIRS}
    place = laid_or_zipped(tmp_path, kind, files | {"bo/bahdanau/bahdanau.ipynb": MINE})
    box = collect.read(place, KNOWN)
    assert students(box) == {"bo"}
    assert [rejected.student for rejected in box.rejected] == [unicodedata.normalize("NFC", one)] * 2
    assert all("are the same name; if they are two people" in rejected.error for rejected in box.rejected)
    alone = collect.read(laid_or_zipped(tmp_path / "alone", kind, files), KNOWN)
    assert (alone.submissions, len(alone.rejected)) == ([], 2)  # rows, and nothing else


def test_a_folder_called_as_two_of_one_name_are_told_apart_is_nobodys(tmp_path: Path) -> None:
    files = {f"Roe Ann_{number}_{MOODLE}/bahdanau.ipynb": MINE for number in (7, 8)}
    box = collect.read(lay(tmp_path, files | {"Roe Ann_7/bahdanau/bahdanau.ipynb": THEIRS}), KNOWN)
    assert taken(box) == {("Roe Ann_8", "bahdanau"): MINE}
    assert [rejected.student for rejected in box.rejected] == ["Roe Ann_7"] * 2


@pytest.mark.parametrize("other", ["Ada", "ada ", "a\u200bda", "ａｄａ"])
def test_names_that_only_look_alike_are_two_students(tmp_path: Path, other: str) -> None:
    files = {"ada/bahdanau/bahdanau.ipynb": MINE, f"{other}/bahdanau/bahdanau.ipynb": THEIRS}
    assert taken(collect.read(lay(tmp_path, files), KNOWN)) == {("ada", "bahdanau"): MINE, (other, "bahdanau"): THEIRS}


NAMED = {
    "moodle": f"{VICTIM}/bahdanau.ipynb",
    "moodle's file": f"{VICTIM}bahdanau.ipynb",
    "moodle, deeper": f"{VICTIM}/bahdanau/bahdanau.ipynb",
    "canvas": "Roe Ann_7_502_bahdanau.ipynb",
    "canvas, late": "Roe Ann_LATE_7_502_bahdanau.ipynb",
    "plain": "Roe Ann/bahdanau/bahdanau.ipynb",
}
BESIDE = {
    "nothing": {},
    "their own": {"eve/bahdanau/bahdanau.ipynb": notebook("bahdanau", "eve's own")},
    "another's": {f"eve/Poe Bo_8_{MOODLE}/bahdanau.ipynb": THEIRS},
    "another's of Canvas": {"eve/poebo_8_503_bahdanau.ipynb": THEIRS},
    "notes": {"eve/notes.txt": b"1"},
}


@pytest.mark.parametrize("kind", ["folder", "zip"])
@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("name", NAMED)
def test_what_a_student_calls_their_files_makes_them_nobody_else(
    tmp_path: Path, kind: str, name: str, beside: str
) -> None:
    place = laid_or_zipped(tmp_path, kind, {f"eve/{NAMED[name]}": THEIRS} | BESIDE[beside])
    assert students(collect.read(place, KNOWN)) == {"eve"}


@pytest.mark.parametrize("kind", ["folder", "zip"])
@pytest.mark.parametrize("around", ["submissions", "Submissions (2)", "all", "class", "submissions-1"])
def test_a_wrapper_that_no_student_is_called_goes_on_working(tmp_path: Path, kind: str, around: str) -> None:
    files = {f"{around}/Roe Ann_7_{MOODLE}/bahdanau.ipynb": MINE, f"{around}/Poe Bo_8_{MOODLE}/x.ipynb": THEIRS}
    box = collect.read(laid_or_zipped(tmp_path, kind, files), KNOWN)
    assert taken(box) == {("Roe Ann", "bahdanau"): MINE, ("Poe Bo", "bahdanau"): THEIRS}
    canvas = {f"{around}/roeann_7_501_a.ipynb": MINE, f"{around}/poebo_late_8_502_b.ipynb": THEIRS}
    box = collect.read(laid_or_zipped(tmp_path / "canvas", kind, canvas), KNOWN)
    assert taken(box) == {("roeann", "bahdanau"): MINE, ("poebo", "bahdanau"): THEIRS}


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_a_wrapper_of_another_name_is_said_to_be_given_itself(tmp_path: Path, kind: str) -> None:
    files = {f"ATT1-bahdanau-4711/Roe Ann_7_{MOODLE}/bahdanau.ipynb": MINE}
    place = laid_or_zipped(tmp_path, kind, files)
    [submission] = collect.read(place, KNOWN).submissions
    assert submission.student == "ATT1-bahdanau-4711"
    assert "'ATT1-bahdanau-4711' is taken for a student" in submission.notes[0]
    if kind == "folder":
        assert students(collect.read(place / "ATT1-bahdanau-4711", KNOWN)) == {"Roe Ann"}


def test_nobodys_grade_is_overwritten_by_a_name_in_another_normal_form(teacher, out: Path, tmp_path: Path) -> None:
    (tmp_path / "in/ada").rename(tmp_path / "in" / JOSE)
    assert teacher()[0] == 0
    before, feedback = totals(out), page(out, JOSE)
    (tmp_path / "in" / JOSE).rename(tmp_path / "in" / OTHER_JOSE)
    assert teacher()[0] == 0
    assert (totals(out), page(out, JOSE)) == (before, feedback)
    assert "the student's name is written in another form of Unicode" in summary(out)[JOSE, ""]["error"]


def test_whoever_hands_in_again_by_the_same_road_or_in_a_folder_of_the_teachers_is_graded_again(tmp_path: Path) -> None:
    known = Records(tmp_path / "out")

    def why(files: dict[str, bytes], keep: bool = False) -> str:
        shutil.rmtree(tmp_path / "in", ignore_errors=True)
        [submission] = collect.read(lay(tmp_path / "in", files), KNOWN).submissions
        if keep:
            known.keep(submission, "key", {"student": submission.student})
        return known.conflict(submission)

    moodle, plain = {f"{VICTIM}/bahdanau.ipynb": MINE}, {"Roe Ann/bahdanau/bahdanau.ipynb": MINE}
    assert why(moodle, keep=True) == why(moodle) == why(plain) == ""
    assert (
        why({f"Roe Ann_9_{MOODLE}/encoder_decoder.ipynb": notebook("encoder_decoder")}) == ""
    )  # Moodle's numbers differ
    sentence = "'Roe Ann' was graded with the LMS's number 7, this has number 9."
    assert why({f"Roe Ann_9_{MOODLE}/bahdanau.ipynb": MINE}).startswith(sentence)
    why(plain, keep=True)
    assert "number 7" in why(moodle)


def test_a_first_hand_in_is_known_again_and_a_later_one_is_not_it(tmp_path: Path) -> None:
    records = Records(tmp_path / "out")
    [submission] = collect.read(lay(tmp_path / "in", {"ada/bahdanau/bahdanau.ipynb": MINE}), KNOWN).submissions

    def graded(content: bytes) -> bool:
        first = records.first(submission, content)
        records.keep(submission, "key", {"student": "ada"}, first)
        return first == content_digest(content)

    assert [graded(content) for content in (b"one", b"one", b"two", b"two", b"one")] == [True, True, False, False, True]
    records.keep(submission, "key", {"student": "ada"})  # as records were before they said which came first
    assert not graded(b"one")


def test_names_are_sorted_as_people_do() -> None:
    names = ["Zola", "Østen", "Bob", "zoe", "Łucja", "Émile", "ada"]
    assert sorted(names, key=sort_key) == ["ada", "Bob", "Émile", "Łucja", "Østen", "zoe", "Zola"]
