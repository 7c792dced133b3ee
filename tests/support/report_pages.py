"""The teacher's report as tests read it, and the class that it is about, without anybody being graded."""

import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

from autograder.checks import checks
from autograder.grade import summary
from autograder.gradebook.store.database import quiet
from autograder.report.page import FORMGRADER, report

with quiet():
    from nbgrader.api import Gradebook

HOSTILE = ["<script>alert(1)</script>", 'q"onclick="alert(1)', "n" * 200, "\u202eآدم", "a&b;'c", "caf\udce9"]
VOID = {"meta", "line", "rect", "br"}


class Reader(HTMLParser):
    """Reads a page: its tables by caption, its ids, its links, and what is wrong with its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.caption = ""
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "table":
            self.caption, self.rows = "", []
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing, line {self.getpos()[0]}")
        if tag == "table":
            self.tables[" ".join(self.caption.split())] = self.rows

    def handle_data(self, data):
        if "caption" in self.open:
            self.caption += data
        elif {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    def table(self, words: str) -> dict[str, list[str]]:
        """Return the rows of the table whose caption has these words, by their heads."""
        (rows,) = (rows for caption, rows in self.tables.items() if words in caption)
        return {" ".join(row[0].split()): [" ".join(cell.split()) for cell in row[1:]] for row in rows[1:]}


def line(student: str, name: str, expected: dict[str, tuple[str, list[str]]], **more) -> dict:
    """Return a record's line in which each check has all, some or no points."""
    offenders = []
    for function, check in checks(name).items():
        amount, mistakes = expected.get(f"{name}.{function}", ("none", []))
        score = {"all": check.max_points, "some": 1, "none": 0}[amount]
        about = {"id": f"{name}.{function}", "score": score, "max_score": check.max_points}
        titles = {mistake.__name__: f"{mistake.__name__} is its title." for mistake in check.mistakes}
        recorded = {
            "titles": [titles.get(name, name) for name in mistakes],
            "failures": [] if amount == "all" else ["wrong"],
        }
        offenders.append(about | {"hint": None if amount == "all" else "no", "mistake": mistakes} | recorded)
    scores = {kind: sum(check[kind] for check in offenders) for kind in ("score", "max_score")}
    plain = {"student": student, "assignment": name, "manual_max_score": 3.0 if name == "bahdanau" else 0.0}
    return plain | scores | {"checks": offenders, "flags": [], "error": None, "file": "x.ipynb"} | more


def keep(out: Path, lines: list[dict]) -> Path:
    """Write records and summary as `grade` does."""
    for each in lines:
        path = out / "records" / each["student"] / f"{each['assignment']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"key": "k", "line": each, "from": {"account": ""}}))
    summary.write([summary.row(each) for each in lines], out / "summary.csv")
    return out


def enter(out: Path, name: str, students: dict[str, dict]) -> dict[str, str]:
    """Enter students with a written answer into a gradebook; return the ids of their notebooks."""
    due = datetime(2026, 11, 1, 12, tzinfo=UTC).replace(tzinfo=None)
    ids = {}
    with quiet(), Gradebook(f"sqlite:///{out / 'gradebook.db'}", "") as book:
        book.add_assignment(name, duedate=due)
        book.add_notebook(name, name)
        book.add_grade_cell("check-f", name, name, max_score=10, cell_type="code")
        book.add_grade_cell("words", name, name, max_score=3, cell_type="markdown")
        for student, about in students.items():
            book.add_student(student)
            book.add_submission(name, student, timestamp=due + about.get("late", -timedelta(hours=1)))
            place = book.find_submission_notebook(name, name, student)
            place.late_submission_penalty = about.get("penalty", 0.0)
            for cell, key in (("check-f", "auto"), ("words", "hand")):
                grade = book.find_grade(cell, name, name, student)
                grade.auto_score = about.get(key) if key == "auto" else None
                grade.manual_score = about.get(key) if key == "hand" else None
                grade.needs_manual_grade = about.get(key) is None
            ids[student] = place.id
        book.db.commit()
    return ids


def page(out: Path) -> tuple[str, Reader]:
    text = report(out).read_text("utf-8")
    return text, Reader(text)


def demand_sound(text: str, seen: Reader) -> None:
    """Demand closed tags, captions, heads with scope, labels that exist, and nothing that acts or loads."""
    assert not seen.wrong
    kinds = Counter(tag for tag, _ in seen.tags)
    assert kinds["caption"] == kinds["table"]
    assert kinds["h1"] == kinds["main"] == kinds["title"] - kinds["svg"] == 1
    assert not kinds.keys() & {"script", "img", "iframe", "link", "object", "form", "base"}
    ids = [about["id"] for _, about in seen.tags if "id" in about]
    assert len(ids) == len(set(ids))
    for tag, about in seen.tags:
        assert not [key for key in about if key.startswith("on")]
        assert tag != "th" or about["scope"] in ("row", "col")
        assert set((about.get("aria-labelledby") or "").split()) <= set(ids)
        target = about.get("href") or "feedback/"
        assert target.startswith(("#", "feedback/", FORMGRADER)), target
    levels = [int(tag[1]) for tag, _ in seen.tags if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert "@import" not in text
    assert "url(" not in text
