"""The teacher's page: its numbers are the class's, all can read it, and nothing that students wrote acts in it."""

import csv
import html
import re
import sqlite3
from collections import Counter
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from autograder.checks import checks
from autograder.files import exclusive
from autograder.grade import summary
from autograder.gradebook.store.database import quiet
from autograder.gradebook.view import read
from autograder.report.page import FORMGRADER, report
from autograder.submissions.files import Rejected
from examples import make_class
from tests.support.report_pages import HOSTILE, Reader, demand_sound, enter, keep, line, page

with quiet():
    from nbgrader.server_extensions.formgrader.handlers import default_handlers

ALL_SUBMISSIONS = "All submissions"  # in the caption of the table that has a row for each


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    """Return a class of which the records say what the example class is expected to get."""
    out = tmp_path_factory.mktemp("example")
    lines = []
    for student in make_class.students():
        for name in student.assignments:
            broken = {"error": "this is no notebook"} if student.settings.get("BROKEN") else {}
            lines.append(line(student.name, name, student.expected, **broken))
    return keep(out, lines)


def demand_the_same_numbers(out: Path) -> None:
    """Count in summary.csv and in EXPECTED, and demand the same on the page."""
    with (out / "summary.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    text, seen = page(out)
    demand_sound(text, seen)
    for name in {row["assignment"] for row in rows}:
        own = [row for row in rows if row["assignment"] == name]
        glance = seen.table("at a glance")[name]
        read_ones = [row for row in own if not row["error"]]
        full = sum(float(row["score"]) >= float(row["max_score"]) for row in read_ones)
        assert [glance[0], glance[5]] == [str(len(own)), str(full)]
        assert glance[8] == str(len(own) - len(read_ones))
        bars = [int(cells[0]) for cells in _histogram(text, name).values()]
        assert sum(bars) == len(read_ones)
        assert bars[0] == sum(float(row["score"]) == 0 for row in read_ones)
        assert bars[-1] == full
        section = text.partition(f'<h2 id="{name}">')[2].partition("<h2")[0]
        counts = Counter(mistake for row in own for mistake in row["mistakes"].split())
        written = len(read_ones) - int(glance[1])
        named = re.findall(r"<strong>(\d+) of (\d+)</strong>.*?<code>(\w+)</code>, in", section, re.DOTALL)
        assert {mistake: (int(count), int(of)) for count, of, mistake in named} == {
            mistake: (count, written) for mistake, count in counts.items()
        }


def _histogram(text: str, name: str) -> dict[str, list[str]]:
    section = text.partition(f'<h2 id="{name}">')[2].partition("<h2")[0]
    (table,) = re.findall(r"<table[^>]*><caption>Submissions by score.*?</table>", section, re.DOTALL)
    return Reader(table).table("by score")


def test_the_numbers_are_those_of_the_summary_and_of_the_class(example: Path) -> None:
    demand_the_same_numbers(example)
    text, _ = page(example)
    for name in ("bahdanau", "encoder_decoder"):
        rates = {}
        seen = Reader(text.partition(f'<h2 id="{name}">')[2].partition("<h2")[0])
        for words, rows in ((caption, rows) for caption, rows in seen.tables.items() if "got all points" in caption):
            rates |= {row[0].strip(): [int(cell.split()[0]) for cell in row[1:4]] for row in rows[1:]}
            assert words
        students = [
            each for each in make_class.students() if name in each.assignments and not each.settings.get("BROKEN")
        ]
        for function in checks(name):
            got = Counter(student.expected.get(f"{name}.{function}", ("none",))[0] for student in students)
            assert rates[function] == [got["all"], got["some"], got["none"]]


def test_names_cannot_act_and_stay_readable(tmp_path: Path) -> None:
    lines = [line(name, "bahdanau", {}, flags=["<b>flag"], error=None) for name in HOSTILE]
    lines[0]["checks"][0] |= {"mistake": ["<i>mistake"], "titles": ["<i>mistake `<b>` it is."]}
    lines[1]["error"] = "<img src=x onerror=alert(1)>"
    out = keep(tmp_path, lines)
    text, seen = page(out)
    demand_sound(text, seen)
    for name in HOSTILE:
        shown = name.encode("utf-8", "backslashreplace").decode()
        assert f"<bdi>{html.escape(shown)}</bdi>".replace("&quot;", "&#34;").replace("&#x27;", "&#39;") in text
    assert "<b>flag" not in text
    assert "<i>mistake" not in text
    assert "<img" not in text


def test_a_link_leads_to_the_feedback_of_a_hostile_name(tmp_path: Path) -> None:
    out = keep(tmp_path, [line('q"x y#1', "bahdanau", {})])
    feedback = out / "feedback" / 'q"x y#1' / "bahdanau" / "bahdanau.html"
    feedback.parent.mkdir(parents=True)
    feedback.write_text("")
    _, seen = page(out)
    assert "feedback/q%22x%20y%231/bahdanau/bahdanau.html" in [about.get("href") for _, about in seen.tags]


def test_who_waits_for_a_person_and_who_was_late(tmp_path: Path) -> None:
    out = keep(tmp_path, [line(name, "bahdanau", {}) for name in ("anna", "bob", "cleo")])
    about = {
        "anna": {"auto": 5.0, "hand": 2.0},
        "bob": {"auto": 5.0},
        "cleo": {"auto": 7.0, "hand": 1.0, "late": timedelta(days=1, hours=2), "penalty": 2.0},
    }
    ids = enter(out, "bahdanau", about)
    _, seen = page(out)
    assert seen.table("Waiting for points by hand").keys() == {"bob"}
    (link,) = [about["href"] for _, about in seen.tags if (about.get("href") or "").startswith(FORMGRADER)]
    assert link == f"{FORMGRADER}/submissions/{ids['bob']}/"
    path = link.removeprefix("http://localhost:8888")
    handler = next(kind for pattern, kind, *_ in default_handlers if re.fullmatch(pattern, path))
    assert handler.__name__ == "SubmissionHandler"
    assert seen.table("Late submissions") == {"cleo": ["1 d 2 h", "2"]}
    assert seen.table(ALL_SUBMISSIONS) == {
        "anna": ["0", "2", "", "7"],
        "bob": ["0", "waits", "", "5"],
        "cleo": ["0", "1", "−2", "6"],
    }
    with sqlite3.connect(out / "gradebook.db") as gradebook:  # her answer is another now, and formgrader asks again
        gradebook.execute("UPDATE grade SET needs_manual_grade = 1 WHERE manual_score = 1")
    assert page(out)[1].table(ALL_SUBMISSIONS)["cleo"] == ["0", "1, waits", "−2", "6"]


def test_what_is_missing_or_broken_is_said_and_costs_nothing_else(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError, match="grade a class first"):
        report(tmp_path / "none")
    empty = tmp_path / "empty"
    empty.mkdir()
    text, seen = page(empty)
    demand_sound(text, seen)
    assert "No submission of this class is graded yet" in text
    assert "has no gradebook" in text
    assert sorted(path.name for path in empty.iterdir()) == ["report.html"]

    out = keep(tmp_path / "class", [line("anna", "bahdanau", {}), line("bob", "bahdanau", {})])
    for broken in ("{", "[]", '{"line": 3, "from": {}}', "\udce9"):
        (out / "records" / "bob" / "bahdanau.json").write_bytes(broken.encode("utf-8", "surrogateescape"))
        (out / "gradebook.db").write_bytes(b"no database at all, but some bytes")
        text, seen = page(out)
        demand_sound(text, seen)
        assert "Broken records: bob/bahdanau.json" in text
        assert "gradebook.db does not answer" in text
        assert seen.table(ALL_SUBMISSIONS).keys() == {"anna"}
    (out / "summary.csv").write_text("student,assignment\nx,y\n")
    assert "summary.csv cannot be read" in page(out)[0]
    with exclusive(out):
        assert "A run is grading this class" in page(out)[0]
    assert "A run is grading this class" not in page(out)[0]


def test_files_of_no_assignment_are_listed(tmp_path: Path) -> None:
    out = keep(tmp_path, [line("anna", "bahdanau", {})])
    rows = [summary.row(line("anna", "bahdanau", {})), asdict(Rejected("bob", "essay.docx", "this is no notebook"))]
    summary.write(rows, out / "summary.csv")
    assert page(out)[1].table("belong to no assignment") == {"bob": ["this is no notebook"]}
    assert [entry.student for entry in read(out).entries] == ["anna"]


def test_items_are_analysed_without_empty_and_refused_submissions(tmp_path: Path) -> None:
    full = {f"bahdanau.{function}": ("all", []) for function in checks("bahdanau")}
    lines = [line(f"weak{n}", "bahdanau", {"bahdanau.links_of": full["bahdanau.links_of"]}) for n in range(2)]
    lines += [line(f"strong{n}", "bahdanau", full | {"bahdanau.links_of": ("none", [])}) for n in range(2)]
    lines += [line("middle", "bahdanau", full | {"bahdanau.masked_softmax": ("some", ["no_maximum"])})]
    lines += [line("blank", "bahdanau", {}), line("broken", "bahdanau", full, error="no notebook")]
    for check in lines[5]["checks"]:
        check["failures"] = ["unwritten"]
    text, seen = page(keep(tmp_path, lines))
    demand_sound(text, seen)
    assert seen.table("at a glance")["bahdanau"][:2] == ["7", "1"]
    assert "1 in which nothing is written, and 1 that could not be graded" in text
    rows = seen.table("How many of 5 got all points")
    assert rows["masked_softmax"][:3] == ["2 40 %", "1 20 %", "2 40 %"]
    most = checks("bahdanau")["masked_softmax"].max_points
    assert rows["masked_softmax"][3] == f"{(2 + 1 / most) / 5:.2f}"
    assert rows["masked_softmax"][5:] == ["1", "15"]  # as the notebook plans it
    assert rows["links_of"][3] == "0.60"
    # (M1 - M0) / s sqrt(p (1 - p)) of all or nothing, with the points of all other checks
    own = [next(check["score"] for check in each["checks"] if "links_of" in check["id"]) for each in lines[:5]]
    rest = np.array([each["score"] for each in lines[:5]]) - own
    has = np.array([True, True, False, False, True])
    expected = (rest[has].mean() - rest[~has].mean()) / rest.std() * (0.6 * 0.4) ** 0.5
    assert rows["links_of"][4] == f"{expected:.2f}"
    assert expected < 0


def test_mistakes_are_followed_over_the_course(example: Path) -> None:
    text, seen = page(example)
    trend = seen.table("most frequent mistakes over the course")
    head = next(rows[0] for caption, rows in seen.tables.items() if "over the course" in caption)
    assert head[1:] == [name for name in re.findall(r'<h2 id="(\w+)">', text) if name in head]
    students = [each for each in make_class.students() if not each.settings.get("BROKEN")]
    made = Counter(name for each in students for name in {m for _, found in each.expected.values() for m in found})
    assert sum(int(cell.split()[0]) for row in trend.values() for cell in row if cell) <= sum(made.values())
    assert len(trend) == min(15, len(made))


def test_a_thousand_students_stay_readable(tmp_path: Path) -> None:
    mistakes = {"bahdanau.masked_softmax": ("some", ["mask_after_softmax"])}
    people = [f"student-{number:04}" for number in range(1100)]
    out = keep(
        tmp_path, [line(student, "bahdanau", mistakes, flags=["torch's own attention: x"]) for student in people]
    )
    text, seen = page(out)
    demand_sound(text, seen)
    assert len(text) < 400_000
    assert "<strong>1100 of 1100</strong>" in text
    assert "The first 1000 of 1100" in text
    assert "And 900 more" in text
    assert text.count("student-0250") == 1  # in the table of all submissions alone
    opened = re.sub(r"<details(?![^>]*\bopen\b)[^>]*>.*?</details>", "", text, flags=re.DOTALL)
    assert opened.count("student-") == 0  # lists are folded
