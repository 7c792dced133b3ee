"""The public side of the grader: what a student's machine needs. It imports neither solutions nor checks."""

import contextlib
import functools
import sys
import warnings

from autograder.kit.call import call as call_function
from autograder.kit.call import own_lines
from autograder.kit.carried import carried
from autograder.kit.given import own_or_given
from autograder.kit.grading import grade
from autograder.kit.recordings import load

__all__ = ["check", "own_or_given"]


class NoPoints(AssertionError):
    """The check failed as a whole: the message is for the student, a traceback would only hide it."""

    def _render_traceback_(self) -> list[str]:  # IPython asks for this
        return [str(self)]


class Stopped(KeyboardInterrupt):
    """The student stopped the check; a traceback through the grader would only hide where."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def check(check_id: str, namespace: dict) -> float | None:
    """Check a function of the notebook, `check("bahdanau.masked_softmax", globals())`, and say what is wrong with it.

    nbgrader reads the result: None for all points, a number for some of them, an AssertionError for none.
    """
    cases, criteria, examples = load(check_id)
    # nbgrader takes any line on stderr for a failure, and a student's warning is none.
    with warnings.catch_warnings(), contextlib.redirect_stderr(sys.stdout):
        warnings.simplefilter("ignore")
        try:
            verdict = grade(check_id, cases, criteria, functools.partial(call_function, namespace), lambda: examples)
            if verdict.score < verdict.max_score:
                verdict = carried(check_id, namespace, verdict)
        except KeyboardInterrupt as stop:
            raise Stopped(_where(check_id, stop)) from None
    if verdict.hint is None:
        print(f"✓ {check_id.partition('.')[2]}: all {verdict.max_score:g} points.")
        return None
    if verdict.score == 0:
        raise NoPoints(verdict.hint)
    print(verdict.hint)
    return float(verdict.score) if verdict.score < verdict.max_score else None


def _where(check_id: str, stop: KeyboardInterrupt) -> str:
    """Return what a student reads who stopped a check: it has no time limit on their machine."""
    own = "\n".join(own_lines(stop))
    return f"{check_id.partition('.')[2]}: stopped. Is there an endless loop?" + (f" It was at\n{own}" if own else "")
