"""The people of a class, their hand-in times and extensions, as a teacher types them for `grade`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from autograder.assignment import assignments, template
from autograder.grade.summary import counted, note
from autograder.gradebook.people.extensions import Extensions
from autograder.gradebook.people.lateness import CLASS_ZONE, class_zone, dates_of, deadlines, time_zone, zones_of
from autograder.gradebook.people.roster import Person, Roster, Table, read_table
from autograder.gradebook.store.gradebook import ClassGradebook
from autograder.gradebook.view import Class
from autograder.places import released_notebook
from autograder.submissions.files import Inbox

Dates = dict[tuple[str, str], datetime | None]


@dataclass(frozen=True)
class Words:
    """A teacher's options for `grade`: --due, --handed-in, --extend, --roster, --zone."""

    due: Iterable[str] = ()
    handed_in: Iterable[str] = ()
    extend: Iterable[str] = ()
    roster: Iterable[str] = ()
    zone: str | None = None  # None: the one of the run before


class People:
    """Roster, hand-in times and extensions of one run; nothing is written before `enter`."""

    def __init__(self, words: Words, out: Path, inbox: Inbox) -> None:
        """Raise ValueError for an option that cannot be read, and for an unknown student."""
        name = words.zone or class_zone(out)
        zone = time_zone(name)
        self.out, self.remembered = out, "" if words.zone else name
        self.due = deadlines(words.due, assignments(), zone)
        self.zones = zones_of(words.due, name) | ({CLASS_ZONE: name} if words.zone else {})
        self.times = dates_of(_lines(words.handed_in), assignments(), "--handed-in", zone)
        self.until = dates_of(_lines(words.extend), assignments(), "--extend", zone)
        here = sorted({submission.assignment for submission in inbox.submissions})
        self.here = {submission.student for submission in inbox.submissions}
        self.tables = [_table(text, here, zone) for text in words.roster]
        self.roster = Roster.of(out)
        if self.tables:
            self.roster = self.roster.replaced_by([table.people for _, _, table in self.tables])
        if self.times or self.until:
            new = [(each.student, each.assignment) for each in inbox.submissions]
            known: dict[str, set[str]] = defaultdict(set)
            for student, name, *_ in [*Class(out).submitted, *new]:
                known[name].add(student)
            self._demand(self.times, known, "--handed-in", roster=False)
            self._demand(self.until, known, "--extend", roster=True)

    def _demand(self, dates: Dates, known: dict[str, set[str]], option: str, roster: bool) -> None:
        """Raise ValueError for dates of somebody who has not handed in; with `roster`, people on it are allowed."""
        for name, student in dates:
            students = known[name]
            if student not in students and not (roster and self.roster.find(student)):
                others = "; ".join(sorted(students)) or "nobody"
                more = "; with a roster (--roster), you can also name people who have not" if roster else ""
                raise ValueError(f"{option}: '{student}' has not handed in '{name}'; those who have: {others}{more}.")

    def enter(self, book: ClassGradebook, known: Class) -> None:
        """Write roster and extensions into DIR, and names and times into the gradebook, after all grading."""
        extensions, times = Extensions(self.out), Dates()
        extensions.add(self.until)
        for _, name, table in self.tables:
            students = _students(name, table, known)
            times |= {(name, students[id(who)]): at for who, at in table.submitted if id(who) in students}
            if table.is_worksheet:
                extensions.replace(name, {students.get(id(who), _label(who, table)): at for who, at in table.extended})
        if self.tables:
            self.roster.keep(self.out, book.mode)
        if self.until or self.tables:
            extensions.keep(book.mode)
        book.handed_in(times | self.times)
        if self.tables:
            book.name_students({student: person for (student, _), person in known.people.items()})

    def _contradictions(self, path: Path, name: str, table: Table, known: Class) -> Iterator[str]:
        """Yield a line where a worksheet says that people have not handed in whose work is among what is graded."""
        students = _students(name, table, known)
        timed = {students.get(id(person)) for person, _ in table.submitted}
        without = [students[id(person)] for person in table.people if students.get(id(person), "") in self.here - timed]
        if without:
            what = f"handed in {name}, but not by {path} (is it another assignment's, or an older one?)"
            yield from note(what, without)

    def lines(self, known: Class) -> Iterator[str]:
        """Yield lines on dates and tables that were read, and one on students who are not on the roster."""
        if self.remembered not in ("", "UTC") and (self.tables or self.times or self.until):
            yield f"Times without a zone are read in {self.remembered}, as before; --zone changes that."
        for (name, student), at in sorted(self.times.items()):
            yield f"{student}/{name} handed in {_written(at)}."
        for (name, student), at in sorted(self.until.items()):
            yield f"{student}/{name} has a deadline of their own: {_written(at)}."
        for path, name, table in self.tables:
            line = f"{path}: {counted(len(table.people), 'person').replace('persons', 'people')}"
            if table.is_worksheet:
                line += (
                    f", {counted(len(table.submitted), 'time')}, {counted(len(table.extended), 'extension')} of {name}"
                )
            yield f"{line}."
            if table.is_worksheet:
                yield from self._contradictions(path, name, table, known)
            yield from _about_maxima(table)
        if strangers := known.roster.strangers(known.submitted):
            more = f" and {len(strangers) - 10} more" if len(strangers) > 10 else ""
            yield f"Not on the roster: {'; '.join(strangers[:10])}{more}."


def _about_maxima(table: Table) -> Iterator[str]:
    """Yield a line where the LMS has another maximum grade than the notebook: grades would be lost or mean less."""
    for name in (name for name in assignments() if name in table.most and released_notebook(name).exists()):
        form, most = template(name), table.most[name]
        lms, bonus = ("Moodle", form.bonus_points) if table.is_worksheet else ("Canvas", 0.0)
        full = form.core_points + bonus
        of_bonus = f" ({bonus:g} of them bonus)" if bonus else ""
        is_lost = table.is_worksheet and most < full
        harm = "ignores a higher grade without a word" if is_lost else "shows each grade as a part of that"
        if most != full:
            yield (
                f"The maximum grade of {name} is {most:g} in {lms}, and the notebook has {full:g} points{of_bonus}: "
                f"{lms} {harm}. Set the maximum to {full:g} before you upload grades."
            )


def _written(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC" if moment else "at an unknown time"


def _students(name: str, table: Table, known: Class) -> dict[int, str]:
    """Return the students with a submission to an assignment, by the id of their person in a table of the LMS's."""
    match = Roster(table.people).match(each for each in known.submitted if each[1] == name)
    return {id(person): student for (student, *_), person in match.items()}


def _table(text: str, here: list[str], zone: tzinfo) -> tuple[Path, str, Table]:
    """Return the path, the assignment and the content of `--roster [NAME=]FILE`."""
    name, is_set, file = text.partition("=")
    if not (is_set and name.strip() in assignments()):
        if is_set and not Path(text).exists() and Path(file).exists():
            raise ValueError(f"--roster: no assignment {name.strip()!r}: expected one of {', '.join(assignments())}.")
        name, file = here[0] if len(here) == 1 else "", text
    table = read_table(Path(file), name.strip(), zone)
    if table.is_worksheet and not name:
        raise ValueError(f"--roster: name the assignment of {file}, as NAME={file}: expected one of {', '.join(here)}.")
    return Path(file), name.strip(), table


def _lines(words: Iterable[str]) -> Iterator[str]:
    """Yield WHOSE=DATE one by one, from files line by line without the comments after "#"."""
    for word in words:
        if "=" in word or not Path(word).is_file():
            yield word
            continue
        lines = (line.partition("#")[0].strip() for line in Path(word).read_text("utf-8").splitlines())
        yield from (line for line in lines if line)


def _label(person: Person, table: Table) -> str:
    """Return the name for a person who has not handed in: with the number where somebody else has the same name."""
    is_alone = sum(other.name == person.name for other in table.people) == 1
    return person.name if is_alone else f"{person.name}_{next(iter(person.numbers.values()), '')}"
