"""A submission put back into its assignment's order: every graded cell there once, its checks as they were released."""

import copy
import re

import nbformat
from nbformat import NotebookNode

from autograder.assignment import CHECK, Template, grade_id
from autograder.submissions.notebook import Unreadable, checked, defined, parse

OWN = "own-"  # begins the id of each cell that a student added


def assignment_of(notebook: NotebookNode, known: list[str]) -> str | None:
    """Return the assignment that a notebook says it is, or that its check cells belong to."""
    claimed = notebook.metadata.get("attention_workbook", {}).get("assignment")
    if claimed in known:
        return claimed
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    named = [name for source in sources for name in re.findall(r"""\bcheck\(\s*["'](\w+)\.""", source)]
    return next((name for name in named if name in known), None)


def normalise(notebook: NotebookNode, form: Template) -> NotebookNode:
    """Give every graded cell of the template its place in the notebook once; the student's own cells stay between them.

    Metadata get lost in some editors, and cells are deleted, copied and retyped: a cell is found by its name, else by
    what it defines, checks or says. Anything in a cell that was locked is put back as it was released.
    """
    cells = _recognised(notebook.cells, form)
    for name, released in form.graded.items():
        place = _place(cells, name, released, form)
        if place is not None:
            kept = _written_beside(cells[place], released)
            cells[place] = _restored(cells[place], released)
            cells[place:place] = kept
        elif _needed(released):
            cells.append(copy.deepcopy(released))
    cells = [cell for cell in cells if not _left_empty(cell, form)]
    for cell in cells:
        if grade_id(cell) and "schema_version" not in cell.metadata.nbgrader:
            del cell.metadata["nbgrader"]  # a copy, or a name of no assignment's
    _set_up(cells, form)
    _below_their_answers(cells, form)
    notebook.cells = cells
    notebook.metadata["attention_workbook"] = {"assignment": form.assignment}
    return notebook


def _set_up(cells: list[NotebookNode], form: Template) -> None:
    """Put the released cells that come before the first exercise on top: they import what the answers need.

    Who deleted or changed them answers no question by that, and loses no points by it.
    """
    place = next((n for n, cell in enumerate(form.notebook.cells) if grade_id(cell)), 0)
    wanted = [cell for cell in form.notebook.cells[:place] if cell.cell_type == "code"]
    first = next((n for n, cell in enumerate(cells) if grade_id(cell)), len(cells))
    there = {cell.id for cell in cells[:first] if cell.cell_type == "code"}
    for cell in reversed([cell for cell in wanted if cell.id not in there]):
        cells[:] = [other for other in cells if other.id != cell.id]
        cells.insert(0, copy.deepcopy(cell))


def _below_their_answers(cells: list[NotebookNode], form: Template) -> None:
    """Move a check that stands above its answer to just below it: points hang on the function, not on the order."""
    for name in form.functions:
        check = next(n for n, cell in enumerate(cells) if grade_id(cell) == CHECK + name)
        blank = _words(form.graded[name].source) if name in form.graded else ""
        answers = [n for n, cell in enumerate(cells) if name in _answers(cell) and _words(cell.source) != blank]
        named = [n for n in answers if grade_id(cells[n]) == name] or answers[:1]
        if named and named[0] > check:
            cells.insert(named[0], cells.pop(check))  # the answer has moved up by one


def _answers(cell: NotebookNode) -> set[str]:
    return defined(cell.source) if cell.cell_type == "code" else set()


def _recognised(cells: list[NotebookNode], form: Template) -> list[NotebookNode]:
    """Return the cells, those that say what a released one says as that one: its id tells that it is ours."""
    said = {_words(cell.source): cell for cell in form.notebook.cells if not grade_id(cell)}
    kept = []
    for number, cell in enumerate(cells):
        released = said.pop(_words(cell.source), None) if not grade_id(cell) else None
        kept.append(copy.deepcopy(released) if released else cell)
        if not released:
            cell["id"] = f"{OWN}{number}"
    return kept


def _needed(released: NotebookNode) -> bool:
    """Put back what points hang on. A missing solution stays missing: its function may be defined elsewhere."""
    metadata = released.metadata.nbgrader
    return bool(metadata.get("grade") or metadata.get("task"))


def _place(cells: list[NotebookNode], name: str, released: NotebookNode, form: Template) -> int | None:
    """Return where in the notebook a released cell is: the last of several, as the last run counts."""
    named = [n for n, cell in enumerate(cells) if grade_id(cell) == name]
    if released.metadata.nbgrader.get("solution"):
        # Of copies of an answer, the one that was written in.
        named = [n for n in named if _words(cells[n].source) != _words(released.source)] or named
    named = named or [n for n, cell in enumerate(cells) if is_own(cell) and _resembles(cell, name, released)]
    return named[-1] if named else _behind(cells, released, form)


def _behind(cells: list[NotebookNode], released: NotebookNode, form: Template) -> int | None:
    """Return where a written answer without a name is: below the text that stands above it in the released notebook."""
    place = form.notebook.cells.index(released)
    if released.cell_type != "markdown" or place == 0:
        return None
    above = form.notebook.cells[place - 1].id
    below = [n + 1 for n, cell in enumerate(cells[:-1]) if cell.id == above]
    return next((n for n in below if is_own(cells[n]) and cells[n].cell_type == "markdown"), None)


def is_own(cell: NotebookNode) -> bool:
    """Return whether a cell is the student's own: no cell of the released notebook, changed or not."""
    return cell.id.startswith(OWN) and not grade_id(cell)


def _resembles(cell: NotebookNode, name: str, released: NotebookNode) -> bool:
    """Return whether a cell without a name is the released one: it checks, defines or says the same."""
    if name.startswith(CHECK):
        return cell.cell_type == "code" and checked(cell.source) == (checked(released.source) or name)
    if released.cell_type == "code":
        return cell.cell_type == "code" and name in defined(cell.source)
    return _words(cell.source) == _words(released.source)


def _restored(cell: NotebookNode, released: NotebookNode) -> NotebookNode:
    """Return the released cell with the student's source where the student was to write."""
    restored = copy.deepcopy(released)
    if released.metadata.nbgrader.get("solution"):
        restored.source = cell.source
        if cell.get("attachments"):
            restored.attachments = cell.attachments
    return restored


def _written_beside(cell: NotebookNode, released: NotebookNode) -> list[NotebookNode]:
    """Return what a student wrote into a check's own cell, as a cell of theirs: it may be the answer."""
    locked = not released.metadata.nbgrader.get("solution")
    if not locked or cell.cell_type != "code" or checked(cell.source) or not defined(cell.source):
        return []
    own = copy.deepcopy(cell)
    own.metadata = nbformat.from_dict({})
    own["id"] = f"{cell.id}-beside"
    return [own]


def _left_empty(cell: NotebookNode, form: Template) -> bool:
    """Return whether a cell is a copy of an exercise that nobody wrote in: it would undo the answer above it."""
    if cell.cell_type != "code" or "schema_version" in cell.metadata.get("nbgrader", {}):
        return False
    graded = form.graded.values()
    return any(_words(cell.source) == _words(one.source) for one in graded if one.metadata.nbgrader.get("solution"))


def _words(source: str) -> str:
    return " ".join(source.split())


def blank(form: Template, reason: str) -> NotebookNode:
    """Return what stands for a submission that cannot be read: the released notebook, with the reason on top."""
    notebook = copy.deepcopy(form.notebook)
    note = {
        "cell_type": "markdown",
        "id": "not-read",
        "metadata": {},
        "source": f"**This submission could not be graded: {reason}.** Its score is 0.",
    }
    notebook.cells.insert(0, nbformat.from_dict(note))
    return notebook


def submission(content: bytes, form: Template, known: list[str]) -> NotebookNode:
    """Return the normalised notebook in these bytes, which must be one of the template's assignment."""
    notebook = parse(content)
    claimed = assignment_of(notebook, known)
    if claimed not in (None, form.assignment):
        raise Unreadable(f"this is the notebook of '{claimed}', expected that of '{form.assignment}'")
    return normalise(notebook, form)
