"""Canvas by its API: hand-ins, times and extensions come in; grades, comments and feedback pages go out."""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from autograder.places import BUILD, CLASS

TOKEN, URL = "CANVAS_TOKEN", "CANVAS_URL"


def add_arguments(verb: ArgumentParser) -> None:
    """Add the options of `canvas`; this loads nothing that takes time."""
    verb.epilog = (
        f"The token (Account, Settings, New Access Token) is read from ${TOKEN}, the address from ${URL} or --url."
    )
    verbs = verb.add_subparsers(dest="direction", required=True, metavar="pull|push")
    pull = verbs.add_parser("pull", help="download hand-ins, times and extensions, into a folder for `grade`")
    push = verbs.add_parser("push", help="upload grades, comments and feedback pages")
    for each in (pull, push):
        each.add_argument("name", metavar="NAME", help="the assignment here")
        each.add_argument("course", type=int, metavar="COURSE", help="the number in …/courses/COURSE")
        each.add_argument("assignment", type=int, metavar="NUMBER", help="the number in …/assignments/NUMBER")
        each.add_argument("--url", default=os.environ.get(URL, ""), help="such as https://canvas.example.edu")
    pull.add_argument("--to", type=Path, metavar="FOLDER", help="(default: build/canvas/NAME)")
    push.add_argument("--out", type=Path, default=CLASS, metavar="DIR", help="the folder that `grade` wrote")
    push.add_argument("--dry-run", action="store_true", help="list the grades to upload, and upload nothing")
    push.add_argument("--zero", action="store_true", help="give 0 points for work that was not handed in or not graded")
    push.add_argument("--final-only", action="store_true", help="hold back every grade that is not final")
    verb.set_defaults(run=_run)


def _run(options: Namespace) -> int:
    from autograder.assignment import demand
    from autograder.canvas.api import Canvas

    demand([options.name])
    canvas = Canvas(options.url, os.environ.get(TOKEN, ""))
    if options.direction == "pull":
        from autograder.canvas.pull import pull

        place = options.to or BUILD / "canvas" / options.name
        lines = pull(canvas, options.name, options.course, options.assignment, place)
    else:
        from autograder.canvas.push import push

        whose = options.course, options.assignment
        lines = push(canvas, options.name, *whose, options.out, options.dry_run, options.zero, options.final_only)
    for line in lines:
        print(line)
    return 0
