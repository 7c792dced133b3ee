"""`python -m autograder grade FOLDER|ZIP`: a class into gradebook, feedback pages and a summary."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from autograder.assignment import assignments, written
from autograder.files import exclusive
from autograder.grade import summary
from autograder.grade.marking import Grader, Judges
from autograder.grade.people import People, Words
from autograder.gradebook.people.lateness import Revised, due
from autograder.gradebook.store.gradebook import ClassGradebook, NoGradebook
from autograder.gradebook.view import Class
from autograder.judge.pool import NoJudges
from autograder.submissions import collect
from autograder.submissions.files import Inbox, Rejected, Submission
from autograder.submissions.lms_names import sort_key

INTERRUPTED = 130  # the exit status of a program that Ctrl-C ended
NO_WORDS = Words()
PLAIN_PROGRESS_SECONDS = 30  # between two lines of progress where no terminal shows a bar


def grade(
    root: Path,
    out: Path,
    open_judges: Callable[[int], AbstractContextManager[Judges]],
    db_url: str | None = None,
    words: Words = NO_WORDS,
    one: str = "",
    is_all: bool = False,
    started: float | None = None,
) -> int:
    """Grade what is new or has changed below `root` into `out`; `words` say more of the people who handed in.

    `one` names the assignment, where folders and notebooks are not to decide it. `open_judges` opens so many judging
    processes, and `db_url` is the gradebook, by default that of nbgrader_config.py. With `is_all`, rows without a
    remark are printed, too. `started` is the time at which the command began, by the monotonic clock.

    Return the exit status: 0; 2: no judges or no gradebook; 3: the grader itself failed on some; 130: Ctrl-C.
    """
    started = started or time.monotonic()
    inbox = collect.read(root, assignments(), one, out)
    people = People(words, out, inbox)
    try:
        with exclusive(out):
            grader = Grader(root, out, ClassGradebook(out, db_url))
            grader.book.due(people.due, people.zones)
            rows, count, revised = _graded(inbox, grader, open_judges, people)
    except (NoJudges, NoGradebook) as error:
        print(f"autograder grade: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stopped:
        print(f"autograder grade: stopped{stopped}. The same command continues from here.", file=sys.stderr)
        return INTERRUPTED
    seconds = time.monotonic() - started
    here = dict.fromkeys(submission.assignment for submission in inbox.submissions)
    rows_here = [row for row in rows if row.get("assignment", "") in {"", *here}]
    for line in summary.table(rows, here, is_all):
        print(line)
    submissions = summary.counted(len(inbox.submissions), "submission")
    print(f"{submissions}, {count} graded now, {seconds:.1f} s. Feedback: {out / 'feedback'}")
    dates = {name: date for name, date in people.due.items() if name in here or words.due}
    known = grader.records.known
    for line in (*people.lines(known), *_about_dates(dates, here, revised, out), *_ungraded(rows_here, inbox)):
        print(line)
    for line in summary.next_steps(rows_here, out):
        print(line)
    for failure in revised.failed:
        print(failure, file=sys.stderr)
    failed = _print_named(rows, "failed", "The grader itself failed on {}. See above.")
    _print_named(rows, "starved", "This machine was too busy to finish {}. Grade again when it is idle.")
    return 3 if failed or revised.failed else 0


def _print_named(rows: list[dict[str, Any]], mark: str, sentence: str) -> bool:
    """Print a sentence with the number and the names of the submissions with a mark; return whether any has it."""
    names = [f"{row['student']}/{row['assignment']}" for row in rows if row.get(mark)]
    if names:
        print(sentence.format(f"{len(names)}: {'; '.join(names[:10])}"), file=sys.stderr)
    return bool(names)


def _ungraded(rows: list[dict[str, Any]], inbox: Inbox) -> Iterator[str]:
    """Yield a line on the number of submissions, and of other files, without a grade."""
    refused = sum(bool(row.get("assignment") and row.get("error")) for row in rows)
    parts = [f"{summary.counted(refused, 'submission')} could not be graded"] if refused else []
    parts += [f"{summary.counted(len(inbox.rejected), 'file')} got no grade"] if inbox.rejected else []
    if parts:
        yield f"{' and '.join(parts)}: see the remarks above, or the column `error` of summary.csv."


def _about_dates(dates: dict[str, datetime | None], names: Iterable[str], revised: Revised, out: Path) -> Iterator[str]:
    """Yield lines on new due dates, on changed late penalties, and on submissions without a known time."""
    for name, date in dates.items():
        yield f"{due(name, date)}." if date else f"{name} has no due date now."
    if revised.changed:
        yield f"Late penalties: {revised.changed} changed."
    if revised.unpunished:
        yield (
            "Being late costs no points. To set a penalty, write [late] in course.toml, "
            f"or set c.LateSubmissionPlugin.penalty_method in {out / 'nbgrader_config.py'} (autograder/docs/grade.md)."
        )
    for name in names:
        if count := revised.undated[name]:
            yield (
                f"{name} has a due date, but {count} came without a time (an LMS's zip has none) and count as "
                f"in time. Give times: Moodle's grading worksheet (--roster FILE) or --handed-in '{name}/STUDENT=DATE'."
            )


def _graded(
    inbox: Inbox,
    grader: Grader,
    open_judges: Callable[[int], AbstractContextManager[Judges]],
    people: People,
) -> tuple[list[dict[str, Any]], int, Revised]:
    """Return the rows of the summary, the number of submissions graded now, and the changes of late penalties."""
    try:
        records = grader.records
        _refuse(inbox, {each: records.conflict(each) or records.stays(each) for each in inbox.submissions})
        earlier = ((submission, records.find(submission)) for submission in inbox.submissions)
        rows = {submission: row | {"file": submission.file} for submission, row in earlier if row}
        for submission in rows:
            records.keep_lms_name(submission)
        _refuse(inbox, {each: records.damaged(each) for each in inbox.submissions if each not in rows})
        todo = [submission for submission in inbox.submissions if submission not in rows]
        before = {each: record["score"] for each in todo if (record := records.line(each))}
        if todo:
            _mark(todo, grader, open_judges, rows)
        for submission, score in before.items():
            rows[submission]["before"] = score
        count = sum(not rows[submission]["error"] for submission in todo)
        people.enter(grader.book, records.known)
        revised = grader.book.penalise(written())
        return summarise(inbox, rows, records.known, grader.book.mode), count, revised
    finally:
        grader.book.close()


def _refuse(inbox: Inbox, reasons: dict[Submission, str]) -> None:
    """Reject hand-ins for which there is a reason: they would take the place of a better one, or another student's."""
    inbox.rejected += [
        Rejected(submission.student, submission.file, reason) for submission, reason in reasons.items() if reason
    ]
    inbox.submissions[:] = [submission for submission in inbox.submissions if not reasons.get(submission)]


def _mark(
    todo: list[Submission],
    grader: Grader,
    open_judges: Callable[[int], AbstractContextManager[Judges]],
    rows: dict[Submission, dict[str, Any]],
) -> None:
    with open_judges(len(todo)) as judges, _progress(len(todo)) as bar:
        try:
            for submission, line in grader.mark(todo, judges):
                rows[submission] = summary.row(line)
                bar.update()
        except KeyboardInterrupt:
            remaining = len(todo) - bar.n
            bar.close()
            raise KeyboardInterrupt(f": {bar.n} graded, {remaining} left") from None


def _progress(total: int) -> tqdm:
    if sys.stderr.isatty():
        return tqdm(total=total, desc="grading", unit="notebook")
    every = PLAIN_PROGRESS_SECONDS
    bar = partial(tqdm, mininterval=every, maxinterval=2 * every, delay=every, ascii=True)
    return bar(total=total, desc="grading", unit="notebook")


def summarise(inbox: Inbox, rows: dict[Submission, dict[str, Any]], known: Class, mode: int) -> list[dict[str, Any]]:
    """Write summary.csv and return its rows: hand-ins, rejected files, and submissions graded by earlier runs."""
    lines = [rows[submission] for submission in inbox.submissions]
    lines += map(asdict, inbox.rejected)
    graded_now = {(submission.student, submission.assignment) for submission in inbox.submissions}
    here = {submission.assignment for submission in inbox.submissions}
    for student, name, _ in known.submitted:
        if (student, name) not in graded_now:
            lines.append(known.records[student][name].line | ({"note": summary.GONE} if name in here else {}))
    for name, people in known.missing.items():
        about = {"assignment": name, "note": summary.MISSING, "file": ""}
        lines += [{"student": person.name} | about for person in people]
    known.read_gradebook()
    requested = {(each.student, each.assignment) for each in known.requests if each.answer is None}
    for n, line in enumerate(lines):
        waiting = (line["student"], line.get("assignment", "")) in requested
        if graded := known.graded.get((line["student"], line.get("assignment", ""))):
            about = {name: getattr(graded, name) for name in (*summary.OF_GRADEBOOK, "seconds_late")}
            line = line | about | {"has_request": waiting}
        lines[n] = line | {"total": None} if line.get("error") and not line.get("manual_score") else line
    order = {name: index for index, name in enumerate(assignments())}

    def place(line: dict[str, Any]) -> tuple[Any, int, str]:
        return sort_key(str(line["student"])), order.get(str(line.get("assignment")), len(order)), line["file"] or ""

    lines.sort(key=place)
    summary.write(lines, known.out / "summary.csv", mode)
    return lines
