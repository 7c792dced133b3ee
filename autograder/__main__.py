"""`python -m autograder`: release notebooks, score files, grade a class."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.places import CLASS, KIT

if TYPE_CHECKING:
    from autograder.judge import Judge

DESCRIPTION = "Makes the students' notebooks and grades what comes back; student code only ever runs in a sandbox."


def arguments() -> argparse.ArgumentParser:
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="python -m autograder", description=DESCRIPTION)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    release = verbs.add_parser("release", help="make the students' notebooks, and the kit that they import")
    release.add_argument("names", nargs="*", metavar="NAME", help="assignments; none: all of them")

    score = verbs.add_parser("score", help="print one line of JSON per notebook file")
    score.add_argument("files", nargs="+", metavar="FILE", help="a notebook")
    score.add_argument("--assignment", metavar="NAME", help="for notebooks that do not say which one they are")

    grade = verbs.add_parser("grade", help="grade a class: FOLDER/STUDENT/NAME/NAME.ipynb")
    grade.add_argument("folder", type=Path, metavar="FOLDER", help="the folder with one folder per student")
    grade.add_argument("--out", type=Path, default=CLASS, metavar="DIR", help="gradebook.db, feedback/ and summary.csv")
    for verb in (score, grade):
        add_limits(verb)
    return parser


def add_limits(verb: argparse.ArgumentParser) -> None:
    """Add what `score` and `grade` share."""
    verb.add_argument("--secret", type=Path, metavar="FILE", help="the course's secret (default: build/course-secret)")
    verb.add_argument("--check-seconds", type=float, default=10.0, metavar="S", help="for one check or cell (10)")
    verb.add_argument("--notebook-seconds", type=float, default=60.0, metavar="S", help="for one notebook (60)")


def main(words: list[str] | None = None) -> int:
    """Run one verb; return the exit status."""
    options = arguments().parse_args(words)
    from autograder.wall import NoSandbox

    try:
        if options.verb == "release":
            from autograder.release import release

            release(options.names)
            return 0
        return _grading(options)
    except (NoSandbox, FileNotFoundError, NotADirectoryError, PermissionError, ValueError) as error:
        print(f"autograder {options.verb}: {error}", file=sys.stderr)
        return 2


def _grading(options: argparse.Namespace) -> int:
    from autograder import wall

    wall.demand()
    if options.verb == "grade":
        from autograder.grade import grade

        return grade(options.folder, options.out, lambda: _judge(options))
    from autograder.score import score

    with _judge(options) as judge:
        return score(options.files, judge, options.assignment)


@contextmanager
def _judge(options: argparse.Namespace) -> Iterator["Judge"]:
    import torch

    from autograder import secret, wall
    from autograder.judge import Judge
    from autograder.worker import Limits

    torch.set_num_threads(1)  # checks are tiny: more threads only get into each other's way
    limits = Limits(options.check_seconds, options.check_seconds, options.notebook_seconds)
    wall.demand_current(KIT)
    with wall.Wall(KIT) as built:
        yield Judge(built, secret.load(options.secret), limits)


if __name__ == "__main__":
    sys.exit(main())
