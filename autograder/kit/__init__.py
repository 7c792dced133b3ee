"""The public side of the grader, for students' machines. It imports neither solutions nor checks.

Only `check` imports torch: the process that parses students' code has little memory.
"""

from autograder.kit.given import own_or_given

__all__ = ["check", "check_all", "hint", "own_or_given"]


def check_all(notebook: str | dict = "") -> None:
    """Run the notebook's saved file from the top in a fresh process, as grading does, and print its score.

    Without a name it is the file of the running notebook, else the newest notebook of the folder; so it is with the
    `globals()` that `check` takes.
    """
    from autograder.kit.shown.lines import console_takes_all
    from autograder.kit.whole_file.dry_run import report_on_own

    console_takes_all()
    report_on_own(notebook if isinstance(notebook, str) else "")


def hint(check_id: str | int = "", number: int = 0) -> None:
    """Show the next hint of the part checked last, or of `hint("NAME.FUNCTION")`; `hint(2)`: one again."""
    from autograder.kit.shown.lines import console_takes_all
    from autograder.kit.shown.progress import hint as show_hint

    console_takes_all()
    show_hint(check_id, number)


class NoPoints(AssertionError):
    """The check failed as a whole: the message is for the student, and a traceback would only hide it."""

    def _render_traceback_(self) -> list[str]:  # IPython asks for this
        return [str(self)]


class Stopped(KeyboardInterrupt):
    """The student stopped the check; a traceback through the grader would only hide where."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class Points(float):
    """Some of a check's points: nbgrader reads the number, and a notebook shows it in words."""

    most: float

    def _repr_html_(self) -> str:
        return f"<small>{self:g} of {self.most:g} points</small>"


def check(check_id: str, namespace: dict) -> float | None:
    """Check a function of the notebook, `check("NAME.FUNCTION", globals())`, and print its faults.

    nbgrader reads the result: None for all points, a number for some of them, an AssertionError for none. Of a starred
    task it is always None: an optional task cannot fail, and nbgrader's maximum for it is 0.
    """
    from autograder.kit.local import verdict_on
    from autograder.kit.shown.history import older
    from autograder.kit.shown.lines import console_takes_all, fitting
    from autograder.kit.shown.picture import show
    from autograder.kit.shown.printed import Prints
    from autograder.kit.shown.progress import noted, stopped
    from autograder.kit.verdict.bonus import with_stars
    from autograder.kit.verdict.lacking import lacking

    console_takes_all()
    prints, function = Prints(), check_id.partition(".")[2]
    try:
        local = verdict_on(check_id, namespace, prints)
    except KeyboardInterrupt as stop:
        stopped(check_id)
        raise Stopped("\n".join(filter(None, [_where(check_id, stop), prints.text(last=True)]))) from None
    verdict, stars = local.verdict, local.stars
    printed = filter(None, [prints.text(verdict.shows_own)])
    notes = [*printed, *lacking(function, namespace), *noted(check_id, verdict, local.only_grading_knows)]
    text = with_stars(verdict.hint or f"✓ {function}: all {verdict.max_score:g} points.", stars)
    report = fitting("\n".join([*older(function), text, *notes]))
    drawn = verdict.outputs if verdict.hint and not stars else []
    if verdict.hint and not stars and verdict.score == 0:
        show(drawn)  # an error ends the cell
        raise NoPoints(report)
    print(report)
    show(drawn)
    if stars or verdict.score == verdict.max_score:
        return None
    points = Points(verdict.score)
    points.most = verdict.max_score
    return points


def _where(check_id: str, stop: KeyboardInterrupt) -> str:
    """Return the message for a student who stopped a check: on their machine it has no time limit."""
    from autograder.kit.calls.errors import own_lines

    own = "\n".join(own_lines(stop))
    return f"{check_id.partition('.')[2]}: stopped. Is there an endless loop?" + (f" It was at\n{own}" if own else "")
