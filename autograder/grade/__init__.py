"""Grade a class: new and changed submissions, a cache, a summary."""

from argparse import ArgumentParser
from pathlib import Path

from autograder.places import CLASS

REPEATED = (
    ("--due", "NAME=DATE", "when an assignment is due, such as 'NAME=2026-12-01 12:00:00 UTC'; NAME=none: no more"),
    (
        "--handed-in",
        "NAME/STUDENT=DATE",
        "when somebody handed in, where no file says so, as in an LMS's zip, or a file with one in each line; "
        "NAME/STUDENT=none: nobody knows",
    ),
    (
        "--extend",
        "STUDENT/NAME=DATE",
        "one student's own deadline, or a file with one in each line; STUDENT/NAME=none: none",
    ),
    (
        "--roster",
        "[NAME=]FILE",
        "a CSV of the LMS's with the people of the class; Moodle's grading worksheet of NAME also says when each "
        "handed in, and who has an extension",
    ),
)


def add_arguments(verb: ArgumentParser) -> None:
    """Add the options of `grade`; this loads nothing that takes time."""
    verb.add_argument(
        "folder", type=Path, metavar="FOLDER|ZIP", help="one folder per student, or what Moodle or Canvas gives"
    )
    verb.add_argument(
        "--assignment",
        default="",
        metavar="NAME",
        help="grade this one alone (default: what the folders NAME say, else what most students handed in)",
    )
    verb.add_argument("--out", type=Path, default=CLASS, metavar="DIR", help="gradebook.db, feedback/ and summary.csv")
    verb.add_argument("--all", action="store_true", help="print every row, also where there is nothing to say")
    verb.add_argument("--jobs", type=int, default=0, metavar="N", help="judging processes (default: one per core)")
    verb.add_argument("--scheduler", metavar="ADDRESS", help="judge on Dask's workers: tcp://HOST:PORT, or tls://")
    verb.add_argument(
        "--db", metavar="URL", help="the gradebook's database, postgresql://… (default: DIR/gradebook.db)"
    )
    for option, metavar, meaning in REPEATED:
        verb.add_argument(option, action="append", default=[], metavar=metavar, help=meaning)
    verb.add_argument("--zone", default="UTC", help="of dates that name no time zone, such as Europe/Berlin (UTC)")
