"""A released notebook and the checks of this moment: they grade together only when they name the same points."""

from autograder.assignment import CHECK, Template, bonus, is_manual, stars
from autograder.checks import CheckFault, checks, questions
from autograder.sandbox.bubblewrap import NoSandbox


def demand(form: Template) -> None:
    """Raise where exercises or points have changed since the notebook was released, or cannot be read any more."""
    try:
        known, asked = checks(form.assignment), questions(form.assignment)
    except CheckFault as error:
        raise NoSandbox(f"Not graded: {error}. Mend it there, then grade again.") from None
    ours = {CHECK + function: (check.stars, float(check.max_points)) for function, check in known.items()}
    ours |= {question: (0, float(written.points)) for question, written in asked.items()}
    cells = {
        name: cell for name, cell in form.graded.items() if name.startswith(CHECK) or is_manual(cell.metadata.nbgrader)
    }
    released = {
        name: (stars(cell), bonus(cell) or float(cell.metadata.nbgrader["points"])) for name, cell in cells.items()
    }
    if released == ours:
        return
    names = sorted(name for name in ours.keys() | released.keys() if ours.get(name) != released.get(name))
    changed = ", ".join(name.removeprefix(CHECK) for name in names)
    raise NoSandbox(
        f"Not graded: the points of '{form.assignment}' have changed since its notebook was released "
        f"({changed}). Run `python -m autograder release {form.assignment}`, then grade again."
    )
