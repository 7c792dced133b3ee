"""Normalises a student's notebook: every graded cell occurs once and in order, checks are as they were released."""

import copy
import re

import nbformat
from nbformat import NotebookNode

from autograder.assignment import CHECK, Template, grade_id
from autograder.kit.course import collapsed
from autograder.submissions.notebook import Unreadable, check_call_id, defined_names, parse

OWN = "own-"  # begins the id of each cell added by a student


def assignment_of(notebook: NotebookNode, known: list[str]) -> str | None:
    """Return the assignment in a notebook's metadata, else of its first `check(…)`, where `known` has it."""
    named_assignment = notebook.metadata.get("attention_workbook", {}).get("assignment")
    if named_assignment in known:
        return named_assignment
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    names = [name for source in sources for name in re.findall(r"""\bcheck\(\s*["'](\w+)\.""", source)]
    return next((name for name in names if name in known), None)


def normalise(notebook: NotebookNode, template: Template) -> NotebookNode:
    """Return the notebook, changed in place, with every graded cell of the template once and the student's own between.

    Some editors lose metadata, and cells are deleted, copied and retyped: a cell is matched by its name, else by the
    names that it defines, its check or its text. Locked cells are put back as they were released.
    """
    cells = _join_answers(_match_released(notebook.cells, template), template)
    for name, released in template.graded.items():
        position = _position(cells, name, released, template)
        if position is not None:
            kept = _student_code_in_check(cells[position], released)
            cells[position] = _restore(cells[position], released)
            cells[position:position] = kept
        elif released.metadata.nbgrader.get("grade"):  # a solution's function may be defined elsewhere
            cells.append(copy.deepcopy(released))
    solutions = [cell for cell in template.graded.values() if cell.metadata.nbgrader.get("solution")]
    released_texts = {collapsed(cell.source) for cell in solutions}
    cells = [cell for cell in cells if not _is_left_empty(cell, released_texts)]
    for cell in cells:
        if grade_id(cell) and "schema_version" not in cell.metadata.nbgrader:
            del cell.metadata["nbgrader"]  # a copy, or a name that this assignment does not have
    _restore_setup_cells(cells, template)
    _move_checks_below_answers(cells, template)
    notebook.cells = cells
    notebook.metadata["attention_workbook"] = {"assignment": template.assignment}
    return notebook


def _restore_setup_cells(cells: list[NotebookNode], template: Template) -> None:
    """Put missing released code cells from before the first exercise on top.

    They have the imports of the answers; a student who deleted or changed them loses no points by it. The cell for
    functions of earlier notebooks is not missing where its calls stand below copied functions.
    """
    position = next((n for n, cell in enumerate(template.notebook.cells) if grade_id(cell)), 0)
    setup = [cell for cell in template.notebook.cells[:position] if cell.cell_type == "code"]
    first = next((n for n, cell in enumerate(cells) if grade_id(cell)), len(cells))
    present = {cell.id for cell in cells[:first] if cell.cell_type == "code"}
    present |= {cell.id for cell in setup if _is_filled_in(cell, cells[:first])}
    for cell in reversed([cell for cell in setup if cell.id not in present]):
        cells[:] = [other for other in cells if other.id != cell.id]
        cells.insert(0, copy.deepcopy(cell))


def _is_filled_in(released: NotebookNode, cells: list[NotebookNode]) -> bool:
    """Return whether one of the cells is the released one for functions of earlier notebooks, filled in."""
    calls = [line for line in released.source.splitlines() if " = own_or_given(" in line]
    return bool(calls) and any(set(calls) <= set(cell.source.splitlines()) for cell in cells)


def _move_checks_below_answers(cells: list[NotebookNode], template: Template) -> None:
    """Move each check above its answer to just below it: points do not depend on the order."""
    for name in template.functions:
        check = next(n for n, cell in enumerate(cells) if grade_id(cell) == CHECK + name)
        unanswered = collapsed(template.graded[name].source) if name in template.graded else ""
        answers = [
            n for n, cell in enumerate(cells) if name in _defined_by(cell) and collapsed(cell.source) != unanswered
        ]
        positions = [n for n in answers if grade_id(cells[n]) == name] or answers[:1]
        if positions and positions[0] > check:
            cells.insert(positions[0], cells.pop(check))  # the answer has moved up by one


def _defined_by(cell: NotebookNode) -> set[str]:
    return defined_names(cell.source) if cell.cell_type == "code" else set()


def _match_released(cells: list[NotebookNode], template: Template) -> list[NotebookNode]:
    """Return the cells; ungraded ones with a released cell's text become that cell, others the id of an own cell."""
    released_texts = {collapsed(cell.source): cell for cell in template.notebook.cells if not grade_id(cell)}
    kept = []
    for number, cell in enumerate(cells):
        released = released_texts.pop(collapsed(cell.source), None) if not grade_id(cell) else None
        kept.append(copy.deepcopy(released) if released else cell)
        if not released:
            cell["id"] = f"{OWN}{number}"
    return kept


def _position(cells: list[NotebookNode], name: str, released: NotebookNode, template: Template) -> int | None:
    """Return the index of a released cell in the notebook, the last of several, or None."""
    positions = [n for n, cell in enumerate(cells) if grade_id(cell) == name]
    if released.metadata.nbgrader.get("solution"):
        # Of copies of an answer, one that the student wrote in.
        positions = [n for n in positions if collapsed(cells[n].source) != collapsed(released.source)] or positions
    positions = positions or [n for n, cell in enumerate(cells) if is_own(cell) and _is_match(cell, name, released)]
    return positions[-1] if positions else _position_below_text(cells, released, template)


def _position_below_text(cells: list[NotebookNode], released: NotebookNode, template: Template) -> int | None:
    """Return the index of a text answer without a name: below the cell that precedes it in the released notebook."""
    position = template.notebook.cells.index(released)
    if released.cell_type != "markdown" or position == 0:
        return None
    above = template.notebook.cells[position - 1].id
    below = [n + 1 for n, cell in enumerate(cells[:-1]) if cell.id == above]
    return next((n for n in below if is_own(cells[n]) and cells[n].cell_type == "markdown"), None)


def _join_answers(cells: list[NotebookNode], template: Template) -> list[NotebookNode]:
    """Return the cells, with all that stands in several cells of one question in the last: "Split Cell" makes them."""
    joined = list(cells)
    for name, released in template.graded.items():
        if released.cell_type == "markdown":
            parts = [each for each in joined if grade_id(each) == name]
            parts = [each for each in parts if collapsed(each.source) not in ("", collapsed(released.source))]
            if len(parts) > 1:
                _join(parts)
                joined = [each for each in joined if not any(each is part for part in parts[:-1])]
    return joined


def _join(parts: list[NotebookNode]) -> None:
    """Put texts and pictures of several cells into the last; equal texts once."""
    pictures: dict[str, NotebookNode] = {}
    texts: list[str] = []
    for number, part in enumerate(parts):
        text = part.source
        for name, forms in part.get("attachments", {}).items():
            own = name if pictures.get(name, forms) == forms else f"{number}-{name}"
            text = text.replace(f"attachment:{name}", f"attachment:{own}")
            pictures[own] = forms
        texts.append(text)
    parts[-1].source = "\n\n".join(dict.fromkeys(texts))
    if pictures:
        parts[-1].attachments = nbformat.from_dict(pictures)  # pyright: ignore[reportArgumentType]


def is_own(cell: NotebookNode) -> bool:
    """Return whether the student added a cell: it is none of the released notebook, changed or not."""
    return cell.get("id", "").startswith(OWN) and not grade_id(cell)


def is_by_student(cell: NotebookNode) -> bool:
    """Return whether a cell's text is a student's: an added cell, or an answer."""
    return is_own(cell) or bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _is_match(cell: NotebookNode, name: str, released: NotebookNode) -> bool:
    """Return whether a cell without a name is the released one: it has the same check, definition or text."""
    if name.startswith(CHECK):
        return cell.cell_type == "code" and check_call_id(cell.source) == (check_call_id(released.source) or name)
    if released.cell_type == "code":
        return cell.cell_type == "code" and name in defined_names(cell.source)
    return collapsed(cell.source) == collapsed(released.source)


def _restore(cell: NotebookNode, released: NotebookNode) -> NotebookNode:
    """Return the released cell, with the student's source and attachments where it is a solution cell."""
    restored = copy.deepcopy(released)
    if released.metadata.nbgrader.get("solution"):
        restored.source = cell.source
        if cell.get("attachments"):
            restored.attachments = cell.attachments
    return restored


def _student_code_in_check(cell: NotebookNode, released: NotebookNode) -> list[NotebookNode]:
    """Return [a cell with a student's code from a check's cell], which may be the answer, or []."""
    locked = not released.metadata.nbgrader.get("solution")
    if not locked or cell.cell_type != "code" or check_call_id(cell.source) or not defined_names(cell.source):
        return []
    own = copy.deepcopy(cell)
    own.metadata = nbformat.from_dict({})
    own["id"] = f"{cell.id}-beside"
    return [own]


def _is_left_empty(cell: NotebookNode, released_texts: set[str]) -> bool:
    """Return whether a cell is an unchanged copy of an exercise: run after the answer, it would undo it."""
    if cell.cell_type != "code" or "schema_version" in cell.metadata.get("nbgrader", {}):
        return False
    return collapsed(cell.source) in released_texts


def is_unwritten(content: bytes, template: Template) -> bool:
    """Return whether a notebook holds no answer: each solution cell is as in this release or an earlier one."""
    cells = normalise(parse(content), template).cells
    names = {name for name, cell in template.graded.items() if cell.metadata.nbgrader.get("solution")}
    changed = [cell for cell in cells if grade_id(cell) in names and not _is_stub(cell, template)]
    elsewhere = [cell for cell in cells if is_own(cell) and names & _defined_by(cell)]
    return not changed and not elsewhere


def _is_stub(cell: NotebookNode, template: Template) -> bool:
    marks = ("raise NotImplementedError", "YOUR ANSWER HERE")
    is_as_released = collapsed(cell.source) == collapsed(template.graded[grade_id(cell)].source)
    return is_as_released or not cell.source.strip() or any(mark in cell.source for mark in marks)


def placeholder(template: Template, reason: str) -> NotebookNode:
    """Return the notebook in place of one that cannot be read: the released one, with the reason on top."""
    notebook = copy.deepcopy(template.notebook)
    note = {
        "cell_type": "markdown",
        "id": "not-read",
        "metadata": {},
        "source": f"**This submission could not be graded: {reason}.** It has no grade. Below: the released notebook.",
    }
    notebook.cells.insert(0, nbformat.from_dict(note))
    return notebook


def submission(content: bytes, template: Template, known: list[str]) -> NotebookNode:
    """Return the normalised notebook in these bytes; raise Unreadable where it is of another assignment, or of none."""
    notebook = parse(content)
    named_assignment = assignment_of(notebook, known)
    if named_assignment not in (None, template.assignment):
        raise Unreadable(f"this is the notebook of '{named_assignment}', expected that of '{template.assignment}'")
    if named_assignment is None and not _has_a_cell_of(notebook, template):
        raise Unreadable(f"this notebook has no cell of '{template.assignment}': expected the released one, filled in")
    return normalise(notebook, template)


def _has_a_cell_of(notebook: NotebookNode, template: Template) -> bool:
    """Return whether a cell is of this assignment, by its name, its text or its definitions.

    The text "YOUR ANSWER HERE" does not count: all courses with nbgrader have it.
    """
    places = [cell for cell in template.graded.values() if cell.metadata.nbgrader.get("solution")]
    stock = {collapsed(cell.source) for cell in places if cell.cell_type == "markdown"}
    released = {collapsed(cell.source) for cell in template.notebook.cells} - stock - {""}
    return any(
        {grade_id(cell), *_defined_by(cell)} & set(template.graded) or collapsed(cell.source) in released
        for cell in notebook.cells
    )
