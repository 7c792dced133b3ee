"""The teacher's page: its numbers are the class's, all can read it, and nothing that students wrote acts in it."""

import csv
import html
import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from autograder.assignment import assignments
from autograder.checks import checks
from autograder.grade import summary
from autograder.gradebook.database import quiet
from autograder.report.data import read
from autograder.report.items import discrimination
from autograder.report.page import FORMGRADER, report
from examples import make_class
from tests.autograder.commands.test_similarity import ANSWER, submit

with quiet():
    from nbgrader.api import Gradebook
    from nbgrader.server_extensions.formgrader.handlers import default_handlers

HOSTILE = ["<script>alert(1)</script>", 'q"onclick="alert(1)', "n" * 200, "\u202eآدم", "a&b;'c", "caf\udce9"]
ALL_SUBMISSIONS = "All submissions"  # in the caption of the table that has a row for each
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


def test_files_of_no_assignment_are_listed(tmp_path: Path) -> None:
    out = keep(tmp_path, [line("anna", "bahdanau", {})])
    rows = [summary.row(line("anna", "bahdanau", {})), summary.rejected("bob", "essay.docx", "this is no notebook")]
    summary.write(rows, out / "summary.csv")
    assert page(out)[1].table("belongs to no assignment") == {"bob": ["this is no notebook"]}
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


def test_few_or_equal_points_have_no_discrimination() -> None:
    assert discrimination([0, 1, 0, 1], [0, 1, 0, 1]) is None
    assert discrimination([1] * 9, [*range(9)]) is None
    assert discrimination([*range(9)], [1] * 9) is None
    assert discrimination([*range(9)], [*range(9)]) == pytest.approx(1)


def test_mistakes_are_followed_over_the_course(example: Path) -> None:
    text, seen = page(example)
    trend = seen.table("most frequent mistakes over the course")
    head = next(rows[0] for caption, rows in seen.tables.items() if "over the course" in caption)
    assert head[1:] == [name for name in assignments() if f'<h2 id="{name}">' in text]
    students = [each for each in make_class.students() if not each.settings.get("BROKEN")]
    made = Counter(name for each in students for name in {m for _, found in each.expected.values() for m in found})
    assert sum(int(cell.split()[0]) for row in trend.values() for cell in row if cell) <= sum(made.values())
    assert len(trend) == min(15, len(made))


def test_the_edition_without_names_has_none(crowded: Path) -> None:
    out = crowded.parent
    text = report(out, anonymous=True).read_text("utf-8")
    demand_sound(text, Reader(text))
    assert not [name for name in [*HOSTILE, "anna", "bob"] if html.escape(name, quote=False) in text]
    assert "mask_after_softmax" in text
    assert "Difficulty" in text
    assert (out / "report-anonymous.html").stat().st_mode & 0o777 == 0o600


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


# In a browser


@pytest.fixture(scope="module")
def crowded(tmp_path_factory) -> Path:
    """Return a page with everything on it: hostile names, mistakes, flags, errors, late ones, code that is alike."""
    out = tmp_path_factory.mktemp("crowded")
    names = [*HOSTILE, "anna", "bob"]
    mistakes = {"bahdanau.masked_softmax": ("some", ["mask_after_softmax"])}
    lines = [line(name, "bahdanau", mistakes, flags=["torch's own attention: MultiheadAttention"]) for name in names]
    lines[0]["error"] = "this is no notebook"
    lines[1]["checks"][0]["failures"] = ["timeout"]
    keep(out, lines)
    about = {name: {"late": timedelta(minutes=90), "penalty": 1.0} for name in names if name.isprintable()}
    enter(out, "bahdanau", about)
    for name in ("anna", "bob"):
        submit(out, name, {"additive_attention": ANSWER})
    return report(out)


def visit(browser, page: Path, width: int = 1280, mode: str = "light"):
    tab = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=mode).new_page()
    met: list[str] = []
    tab.on("request", lambda request: met.append(request.url) if request.url != page.as_uri() else None)
    tab.on("console", lambda message: met.append(message.text))
    tab.on("pageerror", lambda error: met.append(str(error)))
    tab.on("dialog", lambda dialog: met.append("a dialog"))
    tab.goto(page.as_uri(), wait_until="load")
    return tab, met


CONTRAST = r"""() => {
  const shine = c => { const [r, g, b] = c.match(/[\d.]+/g).slice(0, 3).map(v => v / 255)
    .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126*r + .7152*g + .0722*b }
  const solid = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor
    if (!/, 0\)$|transparent/.test(c)) return c }
    return 'rgb(255, 255, 255)' }
  const texts = 'p, td, th, caption, summary, li, a, code, h1, h2, h3, svg text, figcaption, .quiet'
  return [...document.querySelectorAll(texts)]
    .map(e => { const s = getComputedStyle(e), svg = e instanceof SVGElement
      const ground = shine(solid(svg ? e.closest('figure') : e)), ink = shine(svg ? s.fill : s.color)
      return (Math.max(ink, ground) + .05) / (Math.min(ink, ground) + .05) }) }"""


@pytest.mark.browser
@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_fits_asks_for_nothing_and_stands_out_from_its_ground(browser, crowded, width, mode):
    tab, met = visit(browser, crowded, width, mode)
    for summary_ in tab.locator("summary").all():
        summary_.evaluate("e => e.parentElement.open = true")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert min(tab.evaluate(CONTRAST)) >= 4.5
    assert not met
    dark = tab.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (mode == "dark")
    tab.context.close()


@pytest.mark.browser
def test_folded_lists_open_with_the_keyboard_and_names_are_printed(browser, crowded):
    tab, _ = visit(browser, crowded)
    folded = tab.locator("details:not([open]).who").first
    names = folded.locator("li").first
    assert not names.is_visible()
    tab.emulate_media(media="print")
    assert names.is_visible()
    tab.emulate_media(media="screen")
    folded.locator("summary").focus()
    tab.keyboard.press("Enter")
    assert tab.locator("details.who li").first.is_visible()
    tab.context.close()


@pytest.mark.browser
def test_the_histogram_says_in_words_what_it_shows(browser, crowded):
    tab, _ = visit(browser, crowded)
    picture = tab.get_by_role("img", name="How the scores of bahdanau are distributed")
    assert picture.count() == 1
    assert picture.locator("desc").text_content() == "7 with 0 to 10 % of the points."
    tab.context.close()
