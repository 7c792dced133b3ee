"""`python -m autograder grade FOLDER|ZIP`: a class into gradebook, feedback pages and a summary."""

import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from tqdm import tqdm

from autograder.assignment import assignments, written
from autograder.grade import summary
from autograder.grade.cache import Records, alone
from autograder.grade.marking import Grader, Judges
from autograder.gradebook.gradebook import ClassGradebook, NoGradebook
from autograder.gradebook.lateness import Revised, due_dates
from autograder.judge.pool import NoJudges
from autograder.submissions import collect
from autograder.submissions.hand_in import HandIn, Inbox, Rejected

INTERRUPTED = 130  # the exit status of a program that Ctrl-C ended
SPARSE_SECONDS = 30  # between two lines of progress where no terminal shows a bar


def grade(
    place: Path,
    out: Path,
    opened: Callable[[int], AbstractContextManager[Judges]],
    db_url: str | None = None,
    due: Iterable[str] = (),
) -> int:
    """Grade what is new or has changed; return the exit status: 0 unless the grader itself failed."""
    started = time.monotonic()
    dates = due_dates(due, assignments())
    box = collect.read(place, assignments())
    try:
        with alone(out), stoppable():
            clerk = Grader(place, out, ClassGradebook(out, db_url))
            clerk.book.due(dates)
            rows, count, revised = _graded(box, clerk, opened)
    except (NoJudges, NoGradebook) as error:
        print(f"autograder grade: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    seconds = time.monotonic() - started
    print("\n".join(summary.table(rows)))
    print(f"{len(box.hand_ins)} submissions, {count} graded now, {seconds:.1f} s. Feedback: {out / 'feedback'}")
    _tell(dates, revised, out)
    if box.rejected:
        print(f"{len(box.rejected)} files got no grade: see the remarks above, or the column `error` of summary.csv.")
    failed = [f"{row['student']}/{row['assignment']}" for row in rows if row.get("failed")]
    if failed:
        print(f"The grader itself failed on {len(failed)}: {', '.join(failed[:10])}. See above.", file=sys.stderr)
    return 3 if failed or revised.failed else 0


def _tell(dates: dict[str, datetime | None], revised: Revised, out: Path) -> None:
    """Say which due dates were set and what came of the late penalties."""
    for name, date in dates.items():
        print(f"{name} is due {date:%Y-%m-%d %H:%M:%S} UTC." if date else f"{name} has no due date now.")
    if revised.changed:
        print(f"Late penalties: {revised.changed} changed.")
    if revised.unpunished:
        print(
            f"{revised.unpunished} late, without a penalty: set c.LateSubmissionPlugin.penalty_method in "
            f"{out / 'nbgrader_config.py'}, see autograder/README.md."
        )
    for failure in revised.failed:
        print(failure, file=sys.stderr)


def _graded(
    box: Inbox, clerk: Grader, opened: Callable[[int], AbstractContextManager[Judges]]
) -> tuple[list[dict[str, Any]], int, Revised]:
    """Return the rows of the summary, how many submissions were graded now, and what came of the late penalties."""
    try:
        _refuse_conflicts(box, Records(clerk.out))
        found = {hand_in: Records(clerk.out).find(hand_in) for hand_in in box.hand_in}
        rows = {hand_in: summary.row(line) for hand_in, line in found.items() if line}
        todo = [hand_in for hand_in, line in found.items() if line is None]
        if todo:
            _mark(todo, clerk, opened, rows)
        revised = clerk.book.penalise(written())
        return summarise(box, rows, clerk.out, clerk.book), len(todo), revised
    finally:
        clerk.book.close()


def _refuse_conflicts(box: Inbox, known: Records) -> None:
    """Leave out what would take the place of somebody else's submission, and say so."""
    reasons = {hand_in: known.conflict(hand_in) for hand_in in box.hand_in}
    box.rejected += [Rejected(hand_in.student, hand_in.file, reason) for hand_in, reason in reasons.items() if reason]
    box.hand_in[:] = [hand_in for hand_in in box.hand_in if not reasons[hand_in]]


def _mark(
    todo: list[HandIn],
    clerk: Grader,
    opened: Callable[[int], AbstractContextManager[Judges]],
    rows: dict[HandIn, dict[str, Any]],
) -> None:
    with opened(len(todo)) as judges, _progress(len(todo)) as bar:
        try:
            for hand_in, line in clerk.mark(todo, judges):
                rows[hand_in] = summary.row(line)
                bar.update()
        except KeyboardInterrupt:
            left = len(todo) - bar.n
            bar.close()
            print(f"Stopped: {bar.n} graded, {left} left. The same command goes on from here.", file=sys.stderr)
            raise


def _progress(total: int) -> tqdm:
    seen = sys.stderr.isatty()
    return tqdm(
        total=total,
        desc="grading",
        unit="notebook",
        mininterval=0.1 if seen else SPARSE_SECONDS,
        maxinterval=10 if seen else 2 * SPARSE_SECONDS,
        delay=0 if seen else SPARSE_SECONDS,
        ascii=not seen,
    )


def summarise(box: Inbox, rows: dict[HandIn, dict[str, Any]], out: Path, book: ClassGradebook) -> list[dict[str, Any]]:
    """Write summary.csv: what was handed in, what got no grade, and what earlier runs graded; return its rows."""
    lines = [rows[hand_in] for hand_in in box.hand_in]
    lines += [summary.rejected(rejected.student, rejected.file, rejected.error) for rejected in box.rejected]
    seen = {(hand_in.student, hand_in.assignment) for hand_in in box.hand_in}
    lines += [summary.row(line) | {"note": summary.GONE} for line in Records(out).others(seen)]
    lines = summary.compared(lines)
    standing = summary.standing(book)
    order = {name: place for place, name in enumerate(assignments())}
    lines = [line | standing.get((line["student"], line.get("assignment", "")), {}) for line in lines]
    lines.sort(
        key=lambda line: (line["student"], order.get(line.get("assignment", ""), len(order)), line["file"] or "")
    )
    summary.write(lines, out / "summary.csv", book.mode)
    return lines


@contextmanager
def stoppable() -> Iterator[None]:
    """Let a polite request to end be what Ctrl-C is: everything is taken down in order."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
