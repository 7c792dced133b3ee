"""`python -m autograder report`: one page for the teacher, about a class that `grade` has graded."""

import os
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.assignment import assignments
from autograder.files import atomic_write
from autograder.gradebook.roster import Person
from autograder.report import data, similarity
from autograder.report.data import ClassData, Entry

FORMGRADER = "http://localhost:8888/formgrader"
ROWS, NAMES = 1000, 200  # of a table, and of a list of names: the page stays small enough to be read


@dataclass(frozen=True)
class Bar:
    """One bar of a histogram: its scores in short and in words, its submissions, its height of 100."""

    label: str
    words: str
    count: int
    height: float


@dataclass(frozen=True)
class Rate:
    """How many students got all, some and none of a check's points, and whether they are a bonus."""

    function: str
    all: int
    some: int
    none: int
    bonus: bool = False

    @property
    def rated(self) -> int:
        return self.all + self.some + self.none

    def share(self, count: int) -> str:
        return f"{100 * count / self.rated:.0f} %"


@dataclass(frozen=True)
class Mistake:
    """A known mistake that the class made: its name and title, in which functions, and by whom."""

    name: str
    title: str
    functions: list[str]
    students: list[str]


@dataclass
class Section:
    """The page's section on one assignment."""

    name: str
    entries: list[Entry]
    bars: list[Bar] = field(default_factory=list)
    rates: list[Rate] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    flags: dict[str, list[str]] = field(default_factory=dict)
    alike: similarity.Similarity = field(default_factory=similarity.Similarity)
    missing: list[str] = field(default_factory=list)  # who is on the roster and has not handed in

    @property
    def scores(self) -> list[float]:
        return [entry.line["score"] for entry in self.entries]

    @property
    def max_score(self) -> float:
        return max(entry.line["max_score"] for entry in self.entries)

    @property
    def read(self) -> list[Entry]:
        """Return the submissions that could be graded."""
        return [entry for entry in self.entries if not entry.line["error"]]

    @property
    def errors(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.line["error"]]

    @property
    def has_bonus(self) -> bool:
        return any(rate.bonus for rate in self.rates)

    @property
    def full(self) -> int:
        return sum(entry.line["score"] >= entry.line["max_score"] for entry in self.entries)

    @property
    def median(self) -> float:
        return statistics.median(self.scores)

    @property
    def mean(self) -> float:
        return statistics.fmean(self.scores)

    @property
    def stopped(self) -> list[tuple[Entry, list[str]]]:
        """Return who ran out of time, and in which checks."""
        stops = ((entry, [_function(c) for c in entry.line["checks"] if _stopped(c)]) for entry in self.read)
        return [(entry, functions) for entry, functions in stops if functions]

    @property
    def by_hand(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.graded and entry.graded.needs_manual_grade]

    @property
    def late(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.graded and (entry.graded.seconds_late or entry.graded.penalty)]

    def nothing(self, has_gradebook: bool) -> list[str]:
        """Return the titles of parts with no entries: the page lists them, so that they do not seem forgotten."""
        parts = {
            "mistakes with a name": self.mistakes,
            "flags": self.flags,
            "code that is alike": self.alike.groups or self.alike.public,
            "errors and time-outs": self.errors or self.stopped,
        }
        if has_gradebook:
            parts |= {"waiting for points by hand": self.by_hand, "handed in late": self.late}
        return [name for name, part in parts.items() if not part]


def report(out: Path, to: Path | None = None, formgrader: str = FORMGRADER) -> Path:
    """Write the page to `to` (default: DIR/report.html), atomically; return its path."""
    path = to or out / "report.html"
    text = page(data.read(out), out, path, formgrader)
    atomic_write(path, text.encode("utf-8"), 0o600)  # names and marks: the teacher's alone
    return path


def page(class_data: ClassData, out: Path, path: Path, formgrader: str = FORMGRADER) -> str:
    """Return the page as HTML, without scripts and without anything from other servers."""
    jinja = Environment(
        loader=PackageLoader("autograder.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    jinja.filters |= {"points": _points, "text": data.written, "duration": _duration, "code": code}
    made = jinja.get_template("report.html.j2").render(
        title=out.resolve().name,
        class_data=class_data,
        sections=[
            _section(name, entries, out, class_data.missing.get(name, []))
            for name, entries in _by_assignment(class_data.entries)
        ],
        feedback=_feedback(out, path),
        formgrader=formgrader.rstrip("/"),
        rows=ROWS,
        names=NAMES,
    )
    return made.lstrip()


def _by_assignment(entries: list[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """Yield the assignments in the order of the book, with what was handed in for each."""
    parts: dict[str, list[Entry]] = {name: [] for name in assignments()}
    for entry in entries:
        parts.setdefault(entry.assignment, []).append(entry)
    yield from ((name, part) for name, part in parts.items() if part)


def _section(name: str, entries: list[Entry], out: Path, missing: list[Person]) -> Section:
    section = Section(name, entries, missing=[person.name for person in missing])
    section.bars = list(_bars(section.scores, section.max_score))
    section.rates = list(_rates(entries))
    section.mistakes = _mistakes(section.read)
    for entry in entries:
        for flag in dict.fromkeys(entry.line["flags"]):
            section.flags.setdefault(flag, []).append(entry.student)
    section.alike = similarity.similarity(out, name, [entry.student for entry in section.read])
    return section


def _bars(scores: list[float], most: float) -> Iterator[Bar]:
    """Yield the bars of a histogram of scores: none, each tenth of `most`, all."""
    counts = [0] * 12
    for score in scores:
        counts[0 if score <= 0 else 11 if score >= most else 1 + int(10 * score / most)] += 1
    tenths = [(f"<{10 * tenth}", f"{10 * tenth - 10} to {10 * tenth} %") for tenth in range(1, 11)]
    labels = [("0", "none"), *tenths, ("all", "all")]
    for (label, words), count in zip(labels, counts, strict=True):
        yield Bar(label, words, count, 100 * count / max(counts))


def _rates(entries: Iterable[Entry]) -> Iterator[Rate]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    starred: set[str] = set()
    for check in (check for entry in entries for check in entry.line["checks"]):
        whole, nothing = check["score"] >= check["max_score"], check["score"] <= 0
        counts[_function(check)][0 if whole else 2 if nothing else 1] += 1
        starred |= {_function(check)} if check.get("bonus") else set()
    yield from (Rate(function, *numbers, bonus=function in starred) for function, numbers in counts.items())


def _mistakes(entries: list[Entry]) -> list[Mistake]:
    """Return the named mistakes, the most frequent first; a student counts once for each."""
    made: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: {"functions": [], "students": []})
    for entry in entries:
        for check in entry.line["checks"]:
            for name, title in zip(check["mistake"], check["titles"], strict=True):
                about = made[name, title]
                about["functions"].append(_function(check))
                about["students"].append(entry.student)
    mistakes = [Mistake(*key, *map(_unique, about.values())) for key, about in made.items()]
    return sorted(mistakes, key=lambda mistake: (-len(mistake.students), mistake.name))


def code(sentence: str) -> Markup:
    """Return a docstring's sentence with what stands in backticks marked as code."""
    parts = sentence.split("`")
    marked = [Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)]
    return Markup("").join(marked)


def _unique(words: list[str]) -> list[str]:
    return list(dict.fromkeys(words))


def _function(check: dict[str, Any]) -> str:
    return check["id"].partition(".")[2] or check["id"]


def _stopped(check: dict[str, Any]) -> bool:
    return "timeout" in check["failures"]


def _points(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _duration(seconds: float) -> str:
    """Return a time in its two largest units."""
    minutes = int(seconds) // 60
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _feedback(out: Path, path: Path) -> Callable[[Entry], str]:
    """Return a function from an entry to the link from the page at `path` to its feedback, "" where there is none."""
    above = Path(os.path.relpath(out.resolve(), path.resolve().parent))

    def link(entry: Entry) -> str:
        inside = Path("feedback", entry.student, entry.assignment, f"{entry.assignment}.html")
        return quote(os.fsencode(above / inside)) if (out / inside).exists() else ""

    return link
