"""Gradescope: a zip for its autograder, and grades in the form of its results.json."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

VISIBLE = ("visible", "after_due_date", "after_published", "hidden")


def add_arguments(verb: ArgumentParser) -> None:
    """Add the options of `gradescope`; this loads nothing that takes time."""
    verb.add_argument("name", metavar="NAME", help="the assignment")
    verb.add_argument(
        "--visibility", choices=VISIBLE, default="visible", help="when students see points and hints (visible)"
    )
    verb.add_argument(
        "--minutes", type=int, default=10, metavar="M", help="the assignment's time limit in Gradescope (10)"
    )
    verb.add_argument("--out", type=Path, metavar="FILE", help="the zip (default: build/gradescope/NAME.zip)")
    verb.set_defaults(run=_run)


def _run(options: Namespace) -> int:
    from autograder.gradescope.pack import pack

    for line in pack(options.name, options.visibility, options.minutes, options.out):
        print(line)
    return 0
