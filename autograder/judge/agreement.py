"""A released notebook and the checks of this moment: they grade together only when they name the same points."""

from autograder.assignment import CHECK, Template, bonus, stars
from autograder.checks import checks
from autograder.sandbox.bubblewrap import NoSandbox


def demand(form: Template) -> None:
    """Raise where exercises or points have changed since the notebook was released."""
    ours = {
        CHECK + function: (check.stars, float(check.max_points)) for function, check in checks(form.assignment).items()
    }
    cells = {name: cell for name, cell in form.graded.items() if name.startswith(CHECK)}
    released = {
        name: (stars(cell), bonus(cell) or float(cell.metadata.nbgrader["points"])) for name, cell in cells.items()
    }
    if released == ours:
        return
    names = sorted(name for name in ours.keys() | released.keys() if ours.get(name) != released.get(name))
    changed = ", ".join(name.removeprefix(CHECK) for name in names)
    raise NoSandbox(
        f"Not graded: the checks of '{form.assignment}' have changed since its notebook was released "
        f"({changed}). Run `python -m autograder release {form.assignment}`, then grade again."
    )
