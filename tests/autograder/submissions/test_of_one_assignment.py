"""A run is of one assignment: a notebook of another is a wrong file, and no grade of another's is touched."""

import html
from pathlib import Path

import pytest

from autograder.places import released_notebook
from autograder.submissions import collect
from autograder.submissions.choice import of_another
from tests.autograder.submissions.test_collect import KNOWN, errors, lay, notebook, taken
from tests.autograder.submissions.test_zip_files import MOODLE, both_ways, reasons
from tests.support.classes import page, summary, totals
from tests.support.lms import Teacher, lms
from tests.support.points import by_checks

__all__ = ["lms"]

MINE, OTHERS = notebook("bahdanau", "mine"), notebook("encoder_decoder", "old")
FORMS = {"moodle": "{name}_{number}_assignsubmission_file_/{file}", "canvas": "{name}_{number}_50{number}_{file}"}
WRONG = of_another("encoder_decoder", "bahdanau")


def named(form: str, number: int, name: str, file: str = "bahdanau.ipynb") -> str:
    return FORMS[form].format(name=name, number=number, file=file)


@pytest.mark.parametrize("form", FORMS)
def test_in_an_lmss_zip_most_say_which_assignment_it_is(tmp_path: Path, form: str) -> None:
    box = both_ways(
        tmp_path,
        {
            named(form, 1, "ann"): MINE,
            named(form, 2, "bo", "homework.ipynb"): notebook("bahdanau", "no name"),
            named(form, 3, "ben", "bahdanau.ipynb"): OTHERS,  # whatever it is called
            named(form, 4, "cy"): MINE,
            named(form, 4, "cy", "old.ipynb"): OTHERS,
            named(form, 5, "di", "untitled.ipynb"): notebook(None, "says nothing"),
            named(form, 6, "ed", "bahdanau.py"): b"def masked_softmax(): ...",
            named(form, 7, "flo", "encoder_decoder.ipynb"): MINE,
        },
    )
    texts = taken(box)
    assert (box.assignment, {assignment for _, assignment in texts}) == ("bahdanau", {"bahdanau"})
    assert texts["ben", "bahdanau"] == WRONG
    assert texts["ed", "bahdanau"] == "there is no notebook: it holds bahdanau.py"
    assert texts["di", "bahdanau"] == notebook(None, "says nothing")
    assert texts["flo", "bahdanau"] == texts["cy", "bahdanau"] == MINE
    assert reasons(box) == {named(form, 4, "cy", "old.ipynb"): WRONG}


def test_the_teacher_says_which_one_where_most_do_not(tmp_path: Path) -> None:
    files = {f"Roe Ann_1_{MOODLE}/a.ipynb": MINE, f"Poe Bo_2_{MOODLE}/b.ipynb": OTHERS}
    folder = lay(tmp_path, files)
    with pytest.raises(ValueError, match=r"bahdanau of 1, encoder_decoder of 1.*--assignment NAME"):
        collect.read(folder, KNOWN)
    for one, other in (KNOWN, KNOWN[::-1]):
        texts = taken(collect.read(folder, KNOWN, one))
        assert {key for key, content in texts.items() if content == of_another(other, one)} == {
            ("Roe Ann" if one == "encoder_decoder" else "Poe Bo", one)
        }
        assert len(texts) == 2
    each_both = {f"flat/{name}/{file}.ipynb": text for name in "ab" for file, text in (("x", MINE), ("y", OTHERS))}
    with pytest.raises(ValueError, match="sort them into STUDENT/NAME/"):
        collect.read(lay(tmp_path / "more", each_both) / "flat", KNOWN)


def test_folders_by_assignment_hold_several_and_one_can_be_asked_for(tmp_path: Path) -> None:
    files = {f"{name}/{key}/{key}.ipynb": notebook(key) for name in ("ann", "bo") for key in KNOWN}
    lay(tmp_path, files | {"cy/bahdanau/bahdanau.ipynb": MINE, "ben/bahdanau/old.ipynb": OTHERS, "di/x.ipynb": OTHERS})
    box = collect.read(tmp_path, KNOWN)
    assert len(box.submissions) == 7
    assert box.rejected == []
    box = collect.read(tmp_path, KNOWN, "bahdanau")
    assert list(taken(box)) == [(name, "bahdanau") for name in ("ann", "ben", "bo", "cy")]
    assert errors(box, tmp_path) == {"di/x.ipynb": WRONG}


@pytest.mark.parametrize("form", FORMS)
def test_an_old_notebook_in_the_next_assignment_s_zip_costs_no_grade(lms: Teacher, form: str) -> None:
    """Ben has all points in encoder_decoder, and uploads a half of it into bahdanau's assignment."""
    encoder, here = (released_notebook(name).read_bytes() for name in ("encoder_decoder", "bahdanau"))
    earlier = {named(form, n, name, "encoder_decoder.ipynb"): encoder for n, name in ((11, "ann"), (12, "ben"))}
    lms.grades(**earlier)
    before, feedback = totals(lms.out), page(lms.out, "ben", "encoder_decoder")
    assert before["ben", "encoder_decoder"] == by_checks("encoder_decoder")
    later = {named(form, number, name): here for number, name in ((11, "ann"), (13, "cy"))}
    half = encoder.replace(b"raise NotImplementedError", b"pass", 1)
    shown = lms.grades(**later, **{named(form, 12, "ben", "encoder_decoder.ipynb"): half})
    after = totals(lms.out)
    assert {key: after[key] for key in before} == before
    assert page(lms.out, "ben", "encoder_decoder") == feedback
    assert WRONG in next(line for line in shown.splitlines() if line.split()[:2] == ["ben", "bahdanau"])
    row = summary(lms.out)["ben", "bahdanau"]
    assert (row["error"], row["score"], row["total"]) == (WRONG, "", "")
    assert WRONG in html.unescape(page(lms.out, "ben", "bahdanau"))
    lms.exports("csv")
    rows = {(row["student"], row["assignment"]): row for row in lms.rows("grades.csv")}
    assert rows["ben", "encoder_decoder"]["total"] == f"{before['ben', 'encoder_decoder']:g}"
    assert (rows["ben", "bahdanau"]["total"], rows["ben", "bahdanau"]["error"]) == ("", WRONG)


def test_what_is_no_notebook_does_not_take_the_place_of_a_graded_one(lms: Teacher) -> None:
    names = [named("moodle", number, name) for number, name in ((1, "ann"), (2, "bo"))]
    lms.grades(*names)
    before = totals(lms.out)
    lms.grades(names[0], **{named("moodle", 2, "bo", "bahdanau.py"): b"1"})
    assert totals(lms.out) == before
    assert summary(lms.out)["bo", ""]["error"] == (
        "there is no notebook: it holds bahdanau.py. The grade of an earlier notebook stays"
    )


def test_who_handed_in_no_notebook_is_told_so_by_the_lms(lms: Teacher) -> None:
    roster = lms.folder / "roster.csv"
    for form, to in (("moodle", "moodle"), ("canvas", "canvas")):
        lms.out = lms.folder / form
        lms.grades(named(form, 1, "ann"), **{named(form, 2, "wen", "bahdanau.py"): b"1"})
        roster.write_text("Name\nann\nwen\n")
        assert lms.types("grade", str(lms.folder / "submissions.zip"), "--roster", str(roster))[0] == 0
        assert ("wen", "bahdanau") in summary(lms.out)
        shown = lms.exports(to)
        assert "1 not graded, without a grade (--zero gives 0 points): wen." in shown
        assert "not handed in" not in shown
        pages = lms.pages(f"{to}-bahdanau-feedback.zip")
        assert sum(b"there is no notebook: it holds bahdanau.py" in page for page in pages.values()) == 1
    lms.out = lms.folder / "moodle"
    comment = {row["Full name"]: row["Feedback comments"] for row in lms.rows("moodle-bahdanau.csv")}["wen"]
    assert comment == "no grade; it could not be graded: there is no notebook: it holds bahdanau.py"
