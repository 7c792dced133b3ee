"""Grade a class: what is new or has changed, its cache and its summary."""

from argparse import ArgumentParser
from pathlib import Path

from autograder.places import CLASS


def add_arguments(verb: ArgumentParser) -> None:
    """Add what `grade` takes; needs nothing that takes time to load."""
    verb.add_argument(
        "folder", type=Path, metavar="FOLDER|ZIP", help="one folder per student, or what Moodle or Canvas gives"
    )
    verb.add_argument("--out", type=Path, default=CLASS, metavar="DIR", help="gradebook.db, feedback/ and summary.csv")
    verb.add_argument("--jobs", type=int, default=0, metavar="N", help="judging processes (default: one per core)")
    verb.add_argument("--scheduler", metavar="ADDRESS", help="judge on Dask's workers: tcp://HOST:PORT, or tls://")
    verb.add_argument(
        "--db", metavar="URL", help="the gradebook's database, postgresql://… (default: DIR/gradebook.db)"
    )
    verb.add_argument(
        "--due",
        action="append",
        default=[],
        metavar="NAME=DATE",
        help="when an assignment is due, such as 'bahdanau=2026-12-01 12:00:00 UTC'; NAME=none: no more",
    )
    verb.add_argument(
        "--handed-in",
        action="append",
        default=[],
        metavar="NAME/STUDENT=DATE",
        help="when somebody handed in, where no file says so, as in an LMS's zip; NAME/STUDENT=none: nobody knows",
    )
    verb.add_argument(
        "--extend",
        action="append",
        default=[],
        metavar="STUDENT/NAME=DATE",
        help="one student's own deadline, or a file with one in each line; STUDENT/NAME=none: none",
    )
    verb.add_argument(
        "--roster",
        action="append",
        default=[],
        metavar="[NAME=]FILE",
        help="a CSV of the LMS's with the people of the class; Moodle's grading worksheet of NAME also says when each "
        "handed in, and who has an extension",
    )
    verb.add_argument("--zone", default="UTC", help="of dates that name no time zone, such as Europe/Berlin (UTC)")
