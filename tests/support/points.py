"""The points of the course's notebooks, counted from their checks: a test need not know them by number."""

from autograder.checks import checks, questions


def by_checks(name: str) -> int:
    """Return all points that checks give in a notebook, those of starred tasks too."""
    return sum(check.max_points for check in checks(name).values())


def core(name: str) -> int:
    """Return the points that checks give for the core tasks of a notebook."""
    return sum(check.core_points for check in checks(name).values())


def written(name: str) -> int:
    """Return the points that a person gives in a notebook."""
    return sum(question.points for question in questions(name).values())
