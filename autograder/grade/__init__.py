"""Grade a class: new and changed submissions, a cache, a summary."""

from argparse import ArgumentParser
from pathlib import Path

from autograder.places import CLASS

REPEATED = (
    ("--due", "NAME=DATE", "an assignment's due date, such as 'NAME=2026-12-01 12:00:00 UTC'; NAME=none removes it"),
    (
        "--handed-in",
        "NAME/STUDENT=DATE",
        "the time of a hand-in that no file tells, as in an LMS's zip; or a file with one in each line; "
        "NAME/STUDENT=none: unknown",
    ),
    (
        "--extend",
        "STUDENT/NAME=DATE",
        "one student's own deadline, or a file with one in each line; STUDENT/NAME=none removes it",
    ),
    (
        "--roster",
        "[NAME=]FILE",
        "the LMS's CSV of the people in the class; Moodle's grading worksheet of NAME also gives hand-in times "
        "and extensions",
    ),
)


def add_arguments(verb: ArgumentParser) -> None:
    """Add the options of `grade`; this loads nothing that takes time."""
    verb.add_argument(
        "folder", type=Path, metavar="FOLDER|ZIP", help="one folder per student, or the zip from Moodle or Canvas"
    )
    verb.add_argument(
        "--assignment",
        default="",
        metavar="NAME",
        help="grade only this assignment (default: those that the folders name, else the one that most handed in)",
    )
    verb.add_argument("--out", type=Path, default=CLASS, metavar="DIR", help="gradebook.db, feedback/ and summary.csv")
    verb.add_argument("--all", action="store_true", help="print every row, also those without a remark")
    verb.add_argument("--jobs", type=int, default=0, metavar="N", help="judging processes (default: one per core)")
    verb.add_argument("--scheduler", metavar="ADDRESS", help="judge on Dask's workers: tcp://HOST:PORT, or tls://")
    verb.add_argument(
        "--db", metavar="URL", help="the gradebook's database, postgresql://… (default: DIR/gradebook.db)"
    )
    for option, metavar, meaning in REPEATED:
        verb.add_argument(option, action="append", default=[], metavar=metavar, help=meaning)
    verb.add_argument("--zone", help="the zone of dates that name none, such as Europe/Berlin (as before, else UTC)")
