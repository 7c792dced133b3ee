"""The public side of the grader: what a student's machine needs. It imports neither solutions nor checks.

What needs torch is imported by `check` alone: the process that parses what students wrote has little memory.
"""

from autograder.kit.given import own_or_given

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

    nbgrader reads the result: None for all points, a number for some of them, an AssertionError for none. Of a starred
    task it is always None: what nobody has to do is no failure, and nbgrader's maximum for it is 0.
    """
    from autograder.kit import recordings
    from autograder.kit.bonus import with_stars
    from autograder.kit.local import verdict_on
    from autograder.kit.picture import show

    stars = recordings.stars(check_id)
    try:
        verdict = verdict_on(check_id, namespace)
    except KeyboardInterrupt as stop:
        raise Stopped(_where(check_id, stop)) from None
    if verdict.hint is None or stars:
        all_points = f"✓ {check_id.partition('.')[2]}: all {verdict.max_score:g} points."
        print(with_stars(verdict.hint or all_points, stars))
        return None
    if verdict.score == 0:
        show(verdict.outputs)
        raise NoPoints(verdict.hint)
    print(verdict.hint)
    show(verdict.outputs)
    return float(verdict.score) if verdict.score < verdict.max_score else None


def _where(check_id: str, stop: KeyboardInterrupt) -> str:
    """Return what a student reads who stopped a check: it has no time limit on their machine."""
    from autograder.kit.call import own_lines

    own = "\n".join(own_lines(stop))
    return f"{check_id.partition('.')[2]}: stopped. Is there an endless loop?" + (f" It was at\n{own}" if own else "")
