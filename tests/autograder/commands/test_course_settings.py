"""course.toml: chapters, points, deadlines and the late rule of a class, in one file that git does not track."""

import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import torch

from autograder import __main__ as commands
from autograder import assignment, checks, settings
from autograder.gradebook.people.lateness import EachDay, deadlines
from autograder.kit.verdict.grading import grade
from autograder.places import ROOT
from book import contents
from book.make import build
from tests.support.classes import opened_book

FOUR = '["encoder_decoder", "bahdanau", "self_attention", "transformer"]'


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that writes a class's course.toml."""
    monkeypatch.delenv(settings.ONLY_CHAPTERS)
    monkeypatch.setattr(settings, "ROOT", tmp_path)
    return lambda text: (tmp_path / settings.FILE).write_text(text, encoding="utf-8")


def use_all() -> None:
    """Do what needs each of the settings."""
    assignment.demand_settings()
    for name in assignment.assignments():
        checks.checks(name)
        checks.questions(name)
    deadlines([], assignment.assignments())


def test_chapters_that_are_not_chosen_are_in_no_list(course) -> None:
    course(f"chapters = {FOUR}")
    four = ["encoder_decoder", "bahdanau", "self_attention", "transformer"]
    assert contents.chapters() == [name for name in assignment.assignments() if name in assignment.listed()] == four
    others = set(assignment.dropped())
    assert others >= {"luong", "pooling", "structured", "language_model", "long_context"}
    assert "Attention that reads" not in [part["caption"] for part in build.table_of_contents("full")["parts"]]
    assert not others & set(map(contents.chapter_of, build.order()))
    assert {"notation", "teaching", "references"} <= set(build.order())


def test_points_of_the_class_are_those_of_its_checks_and_questions(course) -> None:
    before = checks.find("bahdanau.additive_attention")
    demand, old = next(iter(before.points.items()))
    course(f'[points.bahdanau]\nreading_a_matrix = 7\nadditive_attention = {{"{demand}" = 9}}')
    after = checks.find("bahdanau.additive_attention")
    worth = getattr(old, "points", old)
    assert after.max_points == before.max_points + 9 - worth
    assert after is checks.find("bahdanau.additive_attention")
    assert checks.written("bahdanau", "reading_a_matrix").points == 7
    assert checks.find("bahdanau.masked_softmax").points == checks.find("bahdanau.masked_softmax").points
    (settings.ROOT / settings.FILE).unlink()
    assert checks.find("bahdanau.additive_attention").max_points == before.max_points


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("chapters = ", "course.toml is not valid TOML: Invalid value (at end of document)"),
        ("chapter = []", "'chapter': expected one of chapters, points, deadlines, late; do you mean 'chapters'?"),
        ("chapters = []", 'expected a list of names, such as ["sorting", "searching"]'),
        ('chapters = ["bahdanu"]', "'bahdanu': expected one of encoder_decoder, bahdanau"),
        ("[points]\nbahdanu = {}", "course.toml: points: 'bahdanu': expected one of"),
        ("[points.bahdanau]\nreading = 3", "points.bahdanau: 'reading': expected one of attention_by_hand"),
        ("[points.bahdanau]\nreading_a_matrix = 0", "points.bahdanau.reading_a_matrix = 0: expected a whole number"),
        (
            '[points.bahdanau]\nlinks_of = {"x" = -1}',
            "points.bahdanau.links_of, “x” = -1: expected a whole number from 0",
        ),
        ("[points.bahdanau]\nlinks_of = 3", "points.bahdanau.links_of = 3: expected a table such as {"),
        ("[points.bahdanau]\nlinks_of = {all = 3}", "points.bahdanau.links_of: 'all': expected one of"),
        ("[points]\nbahdanau = 3", "bahdanau = 3: expected a table, [bahdanau]"),
        ("[deadlines]\nluong = 'tomorrow'", "course.toml, deadlines: luong: expected a date such as"),
        ("[deadlines]\nlong = 2026-12-01", "course.toml, deadlines: 'long': expected one of"),
        ("[late]\na_day = 10", "late.a_day = 10: expected a number from 0 to 1"),
        ("[late]\nper_day = 1", "late: 'per_day': expected one of free_days, a_day"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(course, text: str, sentence: str) -> None:
    course(text)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        use_all()


def test_deadlines_stand_in_one_place(course) -> None:
    course('[deadlines]\nbahdanau = "2026-12-01 Europe/Berlin"\nluong = 2026-12-08T12:00:00+01:00')
    known = assignment.assignments()
    due = deadlines(["transformer=none"], known)
    assert due["bahdanau"] == datetime(2026, 12, 1, 22, 59, 59, tzinfo=UTC).replace(tzinfo=None)
    assert due["luong"] == datetime(2026, 12, 8, 11, tzinfo=UTC).replace(tzinfo=None)
    assert due["transformer"] is None
    with pytest.raises(ValueError, match=r"--due bahdanau: its deadline is in course\.toml\. Change it there\."):
        deadlines(["bahdanau=none"], known)


def test_each_day_begun_after_the_free_ones_costs_its_share(course) -> None:
    course("[late]\nfree_days = 1\na_day = 0.1")
    penalty, day = EachDay().late_submission_penalty, 86400.0
    assert [penalty("ada", 60, late) for late in (1, day)] == [0, 0]
    assert [penalty("ada", 60, late) for late in (day + 1, 2 * day, 2 * day + 1)] == pytest.approx([6, 6, 12])
    assert penalty("ada", 60, 40 * day) == 60


def test_a_class_is_graded_by_its_deadline_and_its_rule(teacher, out: Path, course) -> None:
    """Ada is two days late and Bo less than one, of which one is free; Cy has no time, and counts as in time."""
    course('[deadlines]\nbahdanau = "2026-11-19 12:00 UTC"\n[late]\nfree_days = 1\na_day = 0.1')
    status, printed = teacher()
    assert status == 0, printed
    assert "bahdanau is due 2026-11-19 12:00:00 UTC." in printed
    with opened_book(out) as gradebook:
        found = {
            each.student.id: (each.score, each.late_submission_penalty)
            for each in gradebook.assignment_submissions("bahdanau")
        }
    score = found["ada"][0]
    assert score > 0
    assert {student: penalty or 0 for student, (_, penalty) in found.items()} == {
        "ada": pytest.approx(0.1 * score),
        "bo": 0,
        "cy": 0,
    }
    assert teacher("--due", "bahdanau=none")[0] == 2


def test_the_example_sets_nothing_and_has_every_setting_behind_a_sign(course, tmp_path: Path) -> None:
    text = (ROOT / "examples" / settings.FILE).read_text("utf-8")
    course(text)
    assert settings.settings() == settings.Settings()
    course(re.sub(r"^# (?=\[\w+(?:\.\w+)?\]$|\w+ = )", "", text, flags=re.MULTILINE))
    read = settings.settings()
    assert all((read.chapters, read.points, read.deadlines, read.late))
    use_all()


@pytest.mark.parametrize("points", [1, 2, 4, 5, 7, 10])
def test_a_rubrics_items_are_scaled_to_the_points_of_the_class(course, points: int) -> None:
    """Who has all items that had all points before has them all, and half of an item is half."""
    before = checks.written("bahdanau", "reading_a_matrix")
    course(f"[points.bahdanau]\nreading_a_matrix = {points}")
    after = checks.written("bahdanau", "reading_a_matrix").rubric
    assert list(after) == list(before.rubric)
    for item, worth in before.rubric.items():
        assert 0 <= after[item] - worth * points / before.points < 0.0101
    whole = [after[item] for item, worth in before.rubric.items() if worth == 1]
    assert points <= sum(whole) < points + 0.031


def test_release_says_whose_rubric_is_scaled(course, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    course("[points.bahdanau]\nreading_a_matrix = 5")
    monkeypatch.setattr("autograder.release.build.release", lambda names, given: [])
    assert commands.main(["release"]) == 0
    sentence = "bahdanau.reading_a_matrix: 5 points, as course.toml says; its rubric's items are scaled to them"
    assert capsys.readouterr().out.splitlines().count(sentence) == 1


@pytest.mark.parametrize(
    ("date", "status", "said"),
    [
        ("2020-11-24 Europe/Berlin", 0, "bahdanau is due 2020-11-24 22:59:59 UTC: this date is past"),
        ("2126-11-24 12:00", 0, "bahdanau is due 2126-11-24 12:00:00 UTC\n"),
        ("2026-13-24", 2, "course.toml, deadlines:"),
    ],
)
def test_release_reads_the_deadlines(course, monkeypatch: pytest.MonkeyPatch, capsys, date, status, said) -> None:
    course(f'[deadlines]\nbahdanau = "{date}"')
    monkeypatch.setattr("autograder.release.build.release", lambda names, given: [])
    assert commands.main(["release"]) == status
    shown = capsys.readouterr()
    assert said in shown.out + shown.err


def test_release_names_a_deadline_of_no_chapter(course, capsys) -> None:
    course('chapters = ["bahdanau"]\n[deadlines]\nluong = "2126-11-24"')
    assert commands.main(["release"]) == 2
    assert "deadlines: 'luong': expected one of bahdanau" in capsys.readouterr().err


def test_a_demand_with_0_points_is_asked_no_more(course) -> None:
    before = checks.find("bahdanau.masked_softmax")
    course('[points.bahdanau]\nmasked_softmax = {"rows with no True" = 0}')
    after = checks.find("bahdanau.masked_softmax")
    assert [each.name for each in before.criteria if each not in after.criteria] == ["rows with no True"]
    lost = next(each.points for each in before.criteria if each.name == "rows with no True")
    assert after.max_points == before.max_points - lost
    cases = after.draw(np.random.default_rng(0))

    def without_the_row(scores, mask=None):
        weights = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
        return weights.softmax(-1)

    verdict = grade("bahdanau.masked_softmax", cases, after.criteria, after.calling(without_the_row))
    assert {name for name, points, got in verdict.criteria if got < points} <= {"gradients"}
