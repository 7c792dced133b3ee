"""The content of the teacher's page on each assignment, as plain values, and on mistakes over the course."""

import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from autograder.assignment import assignments
from autograder.gradebook.by_hand.regrade import RegradeRequest
from autograder.gradebook.view import Class, Entry, is_empty
from autograder.report import items, similarity

MOST_TRENDS = 15
Request = tuple[RegradeRequest, Entry, dict[str, Any] | None]


@dataclass(frozen=True)
class Bar:
    """One bar of a histogram: its scores in short and in words, its submissions, its height of 100."""

    label: str
    words: str
    count: int
    height: float


@dataclass(frozen=True)
class Mistake:
    """A known mistake of the class: its name and title, its functions, its students."""

    name: str
    title: str
    functions: list[str]
    students: list[str]


@dataclass(frozen=True)
class Trend:
    """A known mistake over the course: the number of students with it in each assignment."""

    name: str
    title: str
    counts: list[int]


@dataclass
class Section:
    """The page's section on one assignment."""

    name: str
    entries: list[Entry]
    bars: list[Bar] = field(default_factory=list)
    checks: list[items.Item] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    flags: dict[str, list[str]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)  # with the student, and the check's output for the part
    alike: similarity.Similarity = field(default_factory=similarity.Similarity)
    missing: list[str] = field(default_factory=list)  # people on the roster without a submission

    @property
    def scores(self) -> list[float]:
        return [entry.line["score"] for entry in self.read]

    @property
    def max_score(self) -> float:
        return max(entry.line["max_score"] for entry in self.entries)

    @property
    def read(self) -> list[Entry]:
        """Return the submissions that could be graded."""
        return [entry for entry in self.entries if not entry.line["error"]]

    @property
    def empty(self) -> list[Entry]:
        return [entry for entry in self.entries if is_empty(entry.line)]

    @property
    def written(self) -> list[Entry]:
        """Return the submissions that could be graded and are not empty."""
        return [entry for entry in self.read if not is_empty(entry.line)]

    @property
    def errors(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.line["error"]]

    @property
    def has_bonus(self) -> bool:
        return any(item.bonus for item in self.checks)

    @property
    def full(self) -> int:
        return sum(entry.line["score"] >= entry.line["max_score"] for entry in self.read)

    @property
    def median(self) -> float:
        return statistics.median(self.scores or [0])

    @property
    def mean(self) -> float:
        return statistics.fmean(self.scores or [0])

    @property
    def stopped(self) -> list[tuple[Entry, list[str]]]:
        """Return the submissions that ran out of time, with the functions checked then."""
        stops = (
            (entry, [items.function(c) for c in entry.line["checks"] if "timeout" in c["failures"]])
            for entry in self.read
        )
        return [(entry, functions) for entry, functions in stops if functions]

    @property
    def by_hand(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.graded and entry.graded.needs_manual_grade]

    @property
    def late(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.graded and (entry.graded.seconds_late or entry.graded.penalty)]

    def nothing(self, has_gradebook: bool) -> list[str]:
        """Return the titles of parts without entries: the page lists them, so that they do not seem forgotten."""
        parts = {
            "mistakes with a name": self.mistakes,
            "regrade requests": self.requests,
            "flags": self.flags,
            "code that is alike": self.alike.groups or self.alike.public,
            "errors and time-outs": self.errors or self.stopped,
        }
        if has_gradebook:
            parts |= {"waiting for points by hand": self.by_hand, "handed in late": self.late}
        return [name for name, part in parts.items() if not part]


def sections(class_data: Class) -> list[Section]:
    """Return a section for each assignment that somebody has handed in, in the order of the course."""
    parts: dict[str, list[Entry]] = {name: [] for name in assignments()}
    for entry in class_data.entries:
        parts.setdefault(entry.assignment, []).append(entry)
    return [_section(name, entries, class_data) for name, entries in parts.items() if entries]


def _section(name: str, entries: list[Entry], class_data: Class) -> Section:
    section = Section(name, entries, missing=[person.name for person in class_data.missing.get(name, [])])
    section.bars = list(_bars(section.scores, section.max_score))
    section.checks = list(items.items(name, section.written))
    section.mistakes = _mistakes(section.written)
    for entry in entries:
        for flag in dict.fromkeys(entry.line["flags"]):
            section.flags.setdefault(flag, []).append(entry.student)
    section.requests = list(_requests(section, class_data))
    section.alike = similarity.similarity(class_data.out, name, [entry.student for entry in section.read])
    return section


def _requests(section: Section, class_data: Class) -> Iterator[Request]:
    entries = {entry.student: entry for entry in section.entries}
    for each in class_data.requests:
        if each.assignment == section.name and (entry := entries.get(each.student)):
            checks = {items.function(check): check for check in entry.line["checks"]}
            yield each, entry, checks.get(each.part)


def _bars(scores: list[float], most: float) -> Iterator[Bar]:
    """Yield the bars of a histogram of scores: none, each tenth of `most`, all."""
    counts = [0] * 12
    for score in scores:
        counts[0 if score <= 0 else 11 if score >= most else 1 + int(10 * score / most)] += 1
    tenths = [(f"<{10 * tenth}", f"{10 * tenth - 10} to {10 * tenth} %") for tenth in range(1, 11)]
    labels = [("0", "none"), *tenths, ("all", "all")]
    for (label, words), count in zip(labels, counts, strict=True):
        yield Bar(label, words, count, 100 * count / max(1, *counts))


def _mistakes(entries: list[Entry]) -> list[Mistake]:
    """Return the named mistakes, the most frequent first; a student counts once for each."""
    made: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: {"functions": [], "students": []})
    for entry in entries:
        for check in entry.line["checks"]:
            for name, title in zip(check["mistake"], check["titles"], strict=True):
                about = made[name, title]
                about["functions"].append(items.function(check))
                about["students"].append(entry.student)
    mistakes = [Mistake(*key, *(list(dict.fromkeys(each)) for each in about.values())) for key, about in made.items()]
    return sorted(mistakes, key=lambda mistake: (-len(mistake.students), mistake.name))


def trend(sections: list[Section]) -> list[Trend]:
    """Return the mistakes that most students made over the course, at most MOST_TRENDS."""
    made: dict[str, list[Mistake | None]] = {}
    for place, section in enumerate(sections):
        for mistake in section.mistakes:
            made.setdefault(mistake.name, [None] * len(sections))[place] = mistake
    trends = [
        Trend(name, next(each.title for each in row if each), [len(each.students) if each else 0 for each in row])
        for name, row in made.items()
    ]
    return sorted(trends, key=lambda trend: (-sum(trend.counts), trend.name))[:MOST_TRENDS]
