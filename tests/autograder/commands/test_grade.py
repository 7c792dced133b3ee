"""`grade FOLDER`: a class in the gradebook, each score and reason there, whatever was handed in or happened."""

import re
import shutil
from pathlib import Path

import pytest

from autograder.assignment import assignments, template
from autograder.grade.cache import Records
from autograder.gradebook.store.gradebook import ClassGradebook
from autograder.judge.judge import Judge
from examples import make_class
from tests.support.classes import QUICK, graded_now, opened_book, page, points_on, summary, title, totals
from tests.support.points import by_checks

ALL = by_checks("bahdanau")


def demand_expected(names: list[str], judge: Judge) -> None:
    """Score each student's notebooks and compare with what their file says is to come of them."""
    from autograder.judge.judge import refused
    from autograder.submissions import normalise
    from autograder.submissions.notebook import Unreadable

    for student in (student for student in make_class.students() if student.name in names):
        for name in student.assignments:
            form, content = template(name), student.submission(name)
            try:
                judged = judge.notebook(normalise.submission(content, form, assignments()), form, content, student.name)
            except Unreadable as error:
                judged = refused(form, str(error))
            for check_id, (amount, mistakes) in student.expected.items():
                if check_id.startswith(f"{name}."):
                    verdict = judged.verdicts[check_id.partition(".")[2]]
                    got = "all" if verdict.score == verdict.max_score else "some" if verdict.score else "none"
                    assert (student.name, check_id, got) == (student.name, check_id, amount), verdict.hint
                    assert (student.name, check_id, verdict.mistakes) == (student.name, check_id, mistakes)


def test_each_student_gets_what_their_file_says(course_judge: Judge) -> None:
    demand_expected(["ada", "chen", "dora", "hana", *QUICK], course_judge)


def test_gradebook_summary_and_feedback_say_the_same(graded) -> None:
    _, out = graded
    scores = {key: float(row["score"] or 0) for key, row in summary(out).items()}  # the refused one has none
    assert totals(out) == scores
    assert scores["mia", "bahdanau"] == ALL
    assert 0 < scores["fay", "bahdanau"] < scores["mia", "bahdanau"]
    assert "mask_after_softmax" in summary(out)["fay", "bahdanau"]["mistakes"]
    assert title("bahdanau.masked_softmax", "mask_after_softmax") in page(out, "fay")
    assert points_on(page(out, "fay"), "masked_softmax") == (4, 10)


def test_nothing_is_graded_twice(graded, run, capsys: pytest.CaptureFixture) -> None:
    folder, out = graded
    before = (out / "gradebook.db").read_bytes()
    assert run(folder, out) == 0
    said = capsys.readouterr().out
    assert graded_now(said) == 0
    assert (out / "gradebook.db").read_bytes() == before
    assert title("bahdanau.masked_softmax", "mask_after_softmax") in said  # as it is in words
    assert re.search("waiting for points by hand.*: .*mia/bahdanau", said)
    assert said.splitlines()[-1].startswith(f"Next: python -m autograder report --out {out}")


def test_what_changed_is_graded_again_and_a_persons_points_stay(graded, run, tmp_path: Path, capsys) -> None:
    folder, out = (shutil.copytree(place, tmp_path / place.name) for place in graded)
    with opened_book(out) as gradebook:
        grades = gradebook.find_submission_notebook("bahdanau", "bahdanau", "fay").grades
        by_hand = next(grade for grade in grades if grade.name == "reading_a_matrix")
        by_hand.manual_score = 2
    before = totals(out)
    [ada] = [student for student in make_class.students() if student.name == "ada"]
    (folder / "fay/bahdanau/bahdanau.ipynb").write_bytes(ada.submission("bahdanau"))
    assert run(folder, out) == 0
    said = capsys.readouterr().out
    assert graded_now(said) == 1
    assert f"1 graded again, with other points than before: fay/bahdanau 15 → {ALL:g}." in said
    after = totals(out)
    assert after.pop(("fay", "bahdanau")) == ALL + 2
    assert before.pop(("fay", "bahdanau")) == 15 + 2
    assert after == before


def test_a_run_cut_off_anywhere_is_finished_by_the_next(graded, run, tmp_path: Path, monkeypatch) -> None:
    """Stop after nbgrader has taken the second notebook, before its record is kept, as a kill would."""
    folder = tmp_path / "in"
    for student in ("fay", "ivan", "nils"):
        shutil.copytree(graded[0] / student, folder / student)
    taken: list[str] = []
    whole = ClassGradebook.record

    def stops(self: ClassGradebook, student: str, *rest) -> None:
        whole(self, student, *rest)
        taken.append(student)
        if len(taken) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(ClassGradebook, "record", stops)
    assert run(folder, tmp_path / "out") == 130
    assert run(folder, tmp_path / "out") == 0
    assert len(taken) == len(summary(tmp_path / "out")) + 1 > 3
    assert totals(tmp_path / "out").items() <= totals(graded[1]).items()


@pytest.mark.parametrize("broken", [(Judge, "notebook"), (Records, "keep")])
def test_a_fault_of_the_grader_costs_nobody_else(run, graded, tmp_path: Path, monkeypatch, capfd, broken) -> None:
    whole = getattr(*broken)

    def faulty(self, *arguments):
        if "emil" in (*arguments[2:], getattr(arguments[0], "student", "")):
            raise ZeroDivisionError("of the grader")
        return whole(self, *arguments)

    monkeypatch.setattr(*broken, faulty)
    folder, out = tmp_path / "in", tmp_path / "out"
    for student in ("emil", "ivan"):
        shutil.copytree(graded[0] / student, folder / student)
    assert run(folder, out) == 3
    assert "ZeroDivisionError" in capfd.readouterr().err
    assert "ZeroDivisionError" in summary(out)["emil", "bahdanau"]["error"]
    assert totals(out)["ivan", "encoder_decoder"] == totals(graded[1])["ivan", "encoder_decoder"]
    monkeypatch.undo()
    assert run(folder, out) == 0  # only what failed is tried again
    assert totals(out).items() <= totals(graded[1]).items()


def test_what_was_handed_in_lies_where_nbgrader_looks_for_it(graded, run, tmp_path: Path) -> None:
    """Byte for byte, with its time; and no longer when what came later cannot be read."""
    folder, out = tmp_path / "in", tmp_path / "out"
    shutil.copytree(graded[0] / "fay", folder / "fay")
    (folder / "fay/bahdanau/timestamp.txt").write_text("2026-11-21 12:00:00 UTC")
    assert run(folder, out) == 0
    for name in ("bahdanau.ipynb", "timestamp.txt"):
        assert (out / "submitted/fay/bahdanau" / name).read_bytes() == (folder / "fay/bahdanau" / name).read_bytes()
    (folder / "fay/bahdanau/bahdanau.ipynb").unlink()
    assert run(folder, out) == 0
    assert totals(out) == {("fay", "bahdanau"): 0}
    assert not (out / "submitted/fay/bahdanau/bahdanau.ipynb").exists()
