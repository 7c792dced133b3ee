"""The way back: a graded class as Moodle and Canvas take it, or as one table."""

from argparse import ArgumentParser
from pathlib import Path

from autograder.places import CLASS


def add_arguments(verb: ArgumentParser) -> None:
    """Add the options of `export`; this loads nothing that takes time."""
    verb.add_argument("names", nargs="*", metavar="NAME", help="assignments; none: all that are graded")
    verb.add_argument(
        "--to",
        required=True,
        choices=["moodle", "canvas", "csv"],
        help="moodle: a grading worksheet and a zip of feedback files for each assignment; canvas: a gradebook CSV and "
        "a zip to re-upload; csv: one table of all grades, for other systems",
    )
    verb.add_argument("--out", type=Path, default=CLASS, metavar="DIR", help="a graded class; writes into DIR/export")
    verb.add_argument(
        "--zero",
        action="store_true",
        help="give 0 points for work that was not handed in or could not be graded (default: no grade)",
    )
    verb.add_argument("--final-only", action="store_true", help="hold back every grade that is not final")
    verb.add_argument(
        "--id",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="Canvas's number of an assignment, at the end of its address (default: Canvas goes by the title NAME)",
    )
