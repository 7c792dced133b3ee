"""`canvas pull` and `push` against a small server of the documented answers: what comes in and goes out, what fails."""

import re
import shlex
from pathlib import Path

import pytest

from autograder import __main__ as command
from autograder.canvas.api import Canvas, CanvasError
from autograder.places import released_notebook
from tests.support.canvas import ASSIGNMENT, DUE, TOKEN, State, canvas
from tests.support.lms import answered
from tests.support.points import by_checks, core, written
from tests.support.teacher import settle

WHERE = ("bahdanau", "7", "4711")


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch):
    """A course of five: one is late, one has not handed in, two have one name."""
    notebook = released_notebook("bahdanau").read_bytes()
    with canvas() as (url, state):
        state.hands_in(11, "Lovelace, Ada", "2026-11-20T10:00:00Z", bahdanau_ipynb=notebook)
        state.hands_in(12, "Müller, Zoë", "2026-11-22T10:00:00Z", late=True, bahdanau_ipynb=notebook)
        state.hands_in(13, "Lee, Ann", "2026-11-20T11:00:00Z", bahdanau_ipynb=notebook + b"\n")
        state.hands_in(14, "Lee, Ann", "2026-11-21T11:00:00Z", late=True, bahdanau_ipynb=notebook + b"\n\n")
        state.hands_in(15, "Nobody, Nora")
        monkeypatch.setenv("CANVAS_TOKEN", TOKEN)
        monkeypatch.setenv("CANVAS_URL", url)
        first, monkeypatch_wait = Canvas.__init__, 0.001

        def quick(self: Canvas, *words: str) -> None:
            first(self, *words)
            self.first_wait = monkeypatch_wait

        monkeypatch.setattr(Canvas, "__init__", quick)
        state.url = url  # pyright: ignore
        yield state


@pytest.fixture
def types(teacher, there: State, tmp_path: Path, capsys: pytest.CaptureFixture):
    def types(*words: str) -> tuple[int, str]:
        status = command.main([*words])
        shown = capsys.readouterr()
        assert TOKEN not in shown.out + shown.err
        return status, shown.out + shown.err

    return types


def pulled(types, tmp_path: Path) -> str:
    status, shown = types("canvas", "pull", *WHERE, "--to", str(tmp_path / "pulled"))
    assert status == 0, shown
    return shown


def graded(types, tmp_path: Path) -> str:
    """Pull, and grade with the command that `pull` prints."""
    shown = pulled(types, tmp_path)
    words = shlex.split(shown.partition("python -m autograder ")[2])
    settle(tmp_path / "out", 'LateSubmissionPlugin.penalty_method = "zero"')
    status, shown = types(*words, "--out", str(tmp_path / "out"))
    assert status == 0, shown
    return shown


def test_hand_ins_times_late_marks_and_the_roster_come_in(types, there: State, tmp_path: Path) -> None:
    assert "5 people, 4 handed in, 2 late, 0 extended" in pulled(types, tmp_path)
    names = {path.name for path in (tmp_path / "pulled" / "submissions").iterdir()}
    assert names == {
        "lovelaceada_11_1000_bahdanau.ipynb",
        "müllerzoë_LATE_12_1001_bahdanau.ipynb",
        "leeann13_13_1002_bahdanau.ipynb",
        "leeann14_LATE_14_1003_bahdanau.ipynb",
    }
    times = (tmp_path / "pulled" / "times.txt").read_text()
    assert "bahdanau/müllerzoë=2026-11-22T10:00:00Z\n" in times
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "pulled").rglob("*"))


def test_pulled_again_only_what_is_new_is_fetched(types, there: State, tmp_path: Path) -> None:
    pulled(types, tmp_path)
    before = sum("/files/" in each for each in there.asked)
    there.hands_in(11, "Lovelace, Ada", "2026-11-21T10:00:00Z", late=True, bahdanau_ipynb=b"{}")
    pulled(types, tmp_path)
    assert sum("/files/" in each for each in there.asked) == before + 1


@pytest.mark.parametrize(
    ("override", "whose"),
    [
        ({"student_ids": [12]}, {"müllerzoë"}),
        ({"course_section_id": 3}, {"lovelaceada", "leeann13", "nobodynora"}),
        ({"group_id": 5}, {"lovelaceada", "müllerzoë", "leeann13", "leeann14", "nobodynora"}),
    ],
)
def test_later_dates_of_people_sections_and_groups_are_extensions(
    types, there: State, tmp_path: Path, override: dict, whose: set[str]
) -> None:
    there.overrides = [{"student_ids": [13], "due_at": "2026-11-01T00:00:00Z"}, {"student_ids": [11], "due_at": None}]
    there.overrides += [override | {"due_at": "2026-11-25T23:00:00Z"}]
    pulled(types, tmp_path)
    lines = (tmp_path / "pulled" / "extensions.txt").read_text().splitlines()
    assert {line.partition("/")[0] for line in lines} == whose
    assert all(line.endswith("/bahdanau=2026-11-25T23:00:00Z") for line in lines)


def test_one_persons_own_date_counts_before_a_sections(types, there: State, tmp_path: Path) -> None:
    there.overrides = [{"student_ids": [11], "due_at": "2026-11-23T23:00:00Z"}]
    there.overrides += [{"course_section_id": 3, "due_at": "2026-11-28T23:00:00Z"}]
    pulled(types, tmp_path)
    assert "lovelaceada/bahdanau=2026-11-23T23:00:00Z" in (tmp_path / "pulled" / "extensions.txt").read_text()


def comment(there: State, number: int) -> str:
    (said,) = there.submissions[number]["submission_comments"]
    return said["comment"]


def test_grades_comments_and_pages_go_out_once(types, there: State, tmp_path: Path) -> None:
    graded(types, tmp_path)
    most = by_checks("bahdanau")
    dry = types("canvas", "push", *WHERE, "--out", str(tmp_path / "out"), "--dry-run")[1]
    assert "4 of 5 grades differ" in dry
    assert "A dry run: nothing was uploaded." in dry
    assert not any(each.startswith("POST") for each in there.asked)
    status, shown = types("canvas", "push", *WHERE, "--out", str(tmp_path / "out"))
    assert status == 0, shown
    assert "uploaded: 4 grades, 4 feedback pages" in shown
    scores = {number: each["score"] for number, each in there.submissions.items()}
    assert scores == {11: most, 12: 0, 13: most, 14: 0, 15: None}
    assert "1 d 11 h late" in comment(there, 12)
    assert there.pages[12].lstrip().startswith(b"<!")
    assert f"{most:g} of {core('bahdanau') + written('bahdanau'):g} points" in comment(there, 11)
    assert there.strangers == []
    posts = sum(each.startswith("POST") for each in there.asked)
    assert "0 of 5 grades differ" in types("canvas", "push", *WHERE, "--out", str(tmp_path / "out"))[1]
    assert sum(each.startswith("POST") for each in there.asked) == posts


def test_what_is_not_final_can_be_held_back(types, there: State, tmp_path: Path) -> None:
    there.hands_in(11, "Lovelace, Ada", "2026-11-20T10:00:00Z", bahdanau_ipynb=answered())
    graded(types, tmp_path)
    status, shown = types("canvas", "push", *WHERE, "--out", str(tmp_path / "out"), "--final-only")
    assert status == 0, shown
    assert "held back: 1 not final, an answer waits for points by hand: lovelaceada." in shown
    scores = {number: each["score"] for number, each in there.submissions.items()}
    assert scores == {11: None, 12: 0, 13: by_checks("bahdanau"), 14: 0, 15: None}


def test_a_grade_that_canvas_shows_otherwise_and_who_is_excused_are_named(types, there: State, tmp_path: Path) -> None:
    graded(types, tmp_path)
    there.late_policy = 5
    there.submissions[11]["excused"] = True
    shown = types("canvas", "push", *WHERE, "--out", str(tmp_path / "out"))[1]
    assert "1 left out, excused in Canvas: lovelaceada" in shown
    assert re.search(r"2 have a grade in Canvas that differs .* late policy .*: leeann14.*müllerzoë", shown)


@pytest.mark.parametrize("statuses", [[403, 403], [429], [503, 429, 403]])
def test_what_canvas_puts_off_is_asked_again(types, there: State, tmp_path: Path, statuses: list[int]) -> None:
    there.put_off = statuses
    assert "4 handed in" in pulled(types, tmp_path)


WRONG = {
    "no token": (r"set CANVAS_TOKEN", {"CANVAS_TOKEN": ""}, {}, "pull"),
    "wrong token": (r"401, the token is wrong", {"CANVAS_TOKEN": "another"}, {}, "pull"),
    "no address": (r"expected Canvas's address", {"CANVAS_URL": ""}, {}, "pull"),
    "not encrypted": (r"expected Canvas's address", {"CANVAS_URL": "http://canvas.example.edu"}, {}, "pull"),
    "nobody there": (r"no answer \(ConnectionError\)", {"CANVAS_URL": "http://127.0.0.1:9"}, {}, "pull"),
    "always put off": (r"429, Canvas is too busy", {}, {"put_off": [429] * 9}, "pull"),
    "a page elsewhere": (r"the token is not sent there", {}, {"next_page": "http://localhost:9"}, "pull"),
    "a job fails": (r"could not finish: the grader had no permission", {}, {"job_fails": True}, "push"),
    "forbidden": (r"403, the token's owner may not|404, there is no such course", {}, {"elsewhere": True}, "pull"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_fails_says_why_and_never_shows_the_token(
    types, there: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    message, environment, wrong, direction = WRONG[case]
    if direction == "push":
        graded(types, tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    where = ("bahdanau", "7", "1") if wrong.pop("elsewhere", False) else WHERE
    for name, value in wrong.items():
        setattr(there, name, value)
    place = ["--to", str(tmp_path / "x")] if direction == "pull" else ["--out", str(tmp_path / "out")]
    status, shown = types("canvas", direction, *where, *place)
    assert status == 2
    assert re.search(message, shown), shown


def test_a_class_of_canvass_zip_with_somebody_late_and_no_time_is_not_exported(
    types, there: State, tmp_path: Path
) -> None:
    pulled(types, tmp_path)
    words = [str(tmp_path / "pulled" / "submissions"), "--out", str(tmp_path / "out"), "--due", f"bahdanau={DUE}"]
    assert types("grade", *words)[0] == 0
    status, shown = types("export", "--to", "canvas", "--out", str(tmp_path / "out"))
    assert status == 2
    assert re.search(r"2 marked LATE by Canvas, without a time: .*canvas pull.*--handed-in", shown, re.DOTALL), shown
    assert not (tmp_path / "out" / "export" / "canvas-bahdanau.csv").exists()


def test_the_token_goes_to_canvas_alone(there: State) -> None:
    got = Canvas(there.url, TOKEN)  # pyright: ignore
    number = got.upload(f"{ASSIGNMENT.removeprefix('/api/v1/')}/submissions/11/comments/files", "page.html", b"<!page>")
    assert there.files[number] == b"<!page>"
    assert there.strangers == []
    with pytest.raises(CanvasError, match="404"):
        got.get("courses/8")
