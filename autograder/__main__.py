"""`python -m autograder`: release notebooks, score files, grade a class, report on it, export its grades."""

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Any

from autograder.canvas import add_arguments as add_canvas
from autograder.export import add_arguments as add_export
from autograder.files import is_full
from autograder.grade import add_arguments as add_grade
from autograder.gradescope import add_arguments as add_gradescope
from autograder.interrupts import ends_as_interrupts
from autograder.places import BUILD, CLASS, KIT
from autograder.release.publish import add_arguments as add_publish

DESCRIPTION = "Makes the students' notebooks and grades what comes back; student code only ever runs in a sandbox."


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m autograder", description=DESCRIPTION)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    release = verbs.add_parser("release", help="make the students' notebooks, and the kit that they import")
    release.add_argument("names", nargs="*", metavar="NAME", help="assignments; none: all of them")
    release.add_argument(
        "--given",
        action="append",
        metavar="NAME,NAME",
        help="put these chapters' functions, written out, into the kit as `given`; or none (default: as before)",
    )

    score = verbs.add_parser("score", help="print one line of JSON per notebook file")
    score.add_argument("files", nargs="+", metavar="FILE", help="a notebook")
    score.add_argument("--assignment", metavar="NAME", help="the assignment of notebooks that do not name theirs")

    grade = verbs.add_parser("grade", help="grade a class: FOLDER/STUDENT/NAME/NAME.ipynb, or an LMS's zip")
    add_grade(grade)
    for verb in (score, grade):
        add_limits(verb)
    score.add_argument(
        "--container",
        action="store_true",
        help="run as root in a container for one student that forbids namespaces, as Gradescope's does",
    )
    grade.set_defaults(container=False)

    report = verbs.add_parser("report", help="make one page about a graded class, for the teacher")
    report.add_argument("--out", type=Path, default=CLASS, metavar="DIR", help="the folder that `grade` wrote")
    report.add_argument("--anonymous", action="store_true", help="leave names out, for class: report-anonymous.html")
    report.add_argument("--formgrader", metavar="URL", help="formgrader's address (http://localhost:8888/formgrader)")

    _add_platforms(verbs)
    add_export(verbs.add_parser("export", help="write grades and feedback for Moodle or Canvas, or as one table"))

    new = verbs.add_parser("new", help="write the files of a new exercise or chapter, for you to change")
    new.add_argument("name", metavar="NAME", help="a new name, for the exercise")
    new.add_argument("--exercise", default="", metavar="FUNCTION", help="the task's function (default: NAME)")
    new.add_argument("--chapter", action="store_true", help="write a chapter of the book, with all that its tests ask")

    trial = verbs.add_parser("try", help="try a check on its own solution and its known mistakes")
    trial.add_argument("name", metavar="NAME[.FUNCTION]", help="an assignment; with FILE, one of its checks")
    mine = "your Python code: print the verdict that a student would read"
    trial.add_argument("file", nargs="?", type=Path, metavar="FILE", help=mine)

    verbs.add_parser("clean", help="delete generated files, but no trained models, no grades and no work of people")
    return parser


def _add_platforms(verbs: Any) -> None:
    """Add the commands for course platforms: Canvas, Gradescope."""
    add_publish(verbs.add_parser("publish", help="commit notebooks and kit to a branch, for Colab and Binder"))
    add_canvas(verbs.add_parser("canvas", help="fetch hand-ins and times from Canvas, and send grades back"))
    add_gradescope(verbs.add_parser("gradescope", help="write a zip that grades an assignment in Gradescope"))


def add_limits(verb: argparse.ArgumentParser) -> None:
    """Add the options that `score` and `grade` share."""
    verb.add_argument("--secret", type=Path, metavar="FILE", help="the course's secret (default: build/course-secret)")
    verb.add_argument(
        "--check-seconds", type=float, default=10.0, metavar="S", help="seconds to compute for one check or cell (10)"
    )
    verb.add_argument(
        "--notebook-seconds", type=float, default=60.0, metavar="S", help="seconds for a student's own cells (60)"
    )
    verb.add_argument("--no-sandbox", action="store_true", help="DANGER: run students' code as yourself, unguarded")


def main(words: list[str] | None = None) -> int:
    """Run one command; return its exit status: 0, 2 where it could not start, or the command's own."""
    options = arguments().parse_args(words)
    from autograder.sandbox.sandbox import NoSandbox

    try:
        with ends_as_interrupts():
            status = options.run(options) if "run" in options else _run(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # of `| head`: nobody reads the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        print(f"autograder {options.verb}: stopped. Run the same command to continue.", file=sys.stderr)
        return 128 + signal.SIGINT
    except (NoSandbox, OSError, ValueError, RuntimeError) as error:
        if is_full(error):
            print(f"autograder {options.verb}: {_no_room(error, options)}", file=sys.stderr)
        elif isinstance(error, RuntimeError) and not isinstance(error, NoSandbox):
            raise
        else:
            print(f"autograder {options.verb}: {_words(error)}", file=sys.stderr)
        return 2


def _words(error: BaseException) -> str:
    """Return an error's message; of one of the system's, the path and the reason without a number."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _no_room(error: BaseException, options: argparse.Namespace) -> str:
    """Return a sentence that names the full disk, and the way to go on."""
    while not isinstance(error, OSError) and error.__cause__:
        error = error.__cause__
    place = getattr(error, "filename", None) or getattr(options, "out", BUILD)
    reason = getattr(error, "strerror", error)
    again = "Make room there and run the same command again: it continues where it stopped."
    return f"{place} cannot be written: {reason}. {again}"


def _run(options: argparse.Namespace) -> int:
    if options.verb == "release":
        return _release(options.names, options.given)
    if options.verb == "new":
        return _new(options)
    if options.verb == "try":
        from autograder.release.trial import try_checks, try_file

        return try_file(options.name, options.file) if options.file else try_checks(options.name)
    if options.verb in ("score", "grade"):
        from autograder.grading import run

        return run(options)
    if options.verb == "report":
        from autograder.report.page import FORMGRADER, report

        print(report(options.out, options.formgrader or FORMGRADER, options.anonymous))
    elif options.verb == "export":
        from autograder.export.run import export

        for line in export(options.out, options.to, options.names, options.id, options.zero, options.final_only):
            print(line)
    else:
        from autograder.release.manifest import Manifest

        Manifest(BUILD).clean()
    return 0


def _new(options: argparse.Namespace) -> int:
    from autograder.release.new import new

    for path in new(options.name, options.exercise, chapter=options.chapter):
        print(path)
    if options.chapter:
        print("CONTRIBUTING.md, section A chapter, says what belongs in each file, and which tests read it.")
    print(f"Change them as you like, then: python -m autograder try {options.name}")
    return 0


def _release(names: list[str], words: list[str] | None) -> int:
    from autograder.assignment import assignments, demand, demand_settings, template
    from autograder.release.given import chosen, demand_givable
    from autograder.release.manifest import Manifest
    from autograder.settings import settings

    demand_settings()  # before torch is loaded
    demand(names)
    due = _due(assignments()) if settings().deadlines else []
    before = Manifest(BUILD).given
    given = chosen(words, before)
    demand_givable(given)
    from autograder.release.build import release

    for path in release(names, given=given):
        made = template(path.stem)
        bonus = f" and {made.bonus_points:g} bonus points" if made.bonus_points else ""
        print(f"{path}: {made.core_points:g} points{bonus}")
    for name in names or assignments():
        for question, points in settings().points.get(name, {}).items():
            if isinstance(points, int):
                print(f"{name}.{question}: {points} points, as course.toml says; its rubric's items are scaled to them")
    for line in due:
        print(line)
    packed = [name for name in assignments() if f"release/{name}/{name}.ipynb" in Manifest(BUILD).digests]
    print(f"for students: {KIT.with_suffix('.zip')}, with {', '.join(packed)}")
    if given:
        kept = "" if words else " (as before: --given none takes them away)"
        print(f"given, written out: {', '.join(given)}{kept}")
    if gone := [name for name in before if name not in given]:
        print(f"no longer given: {', '.join(gone)}; --given {','.join([*gone, *given])} gives all again")
    return 0


def _due(names: list[str]) -> list[str]:
    """Return a line on each deadline in course.toml; raise ValueError where one cannot be read, or is of no chapter."""
    from datetime import UTC, datetime

    from autograder.gradebook.people.lateness import deadlines, due

    now = datetime.now(UTC).replace(tzinfo=None)  # nbgrader's dates are in UTC, and do not say so
    return [
        due(name, date) + (": this date is past" if date < now else "")
        for name, date in deadlines((), names).items()
        if date
    ]


if __name__ == "__main__":
    sys.exit(main())
