"""The missing parts of an exercise: cells of checks and questions, and names that no cell defines or imports."""

import builtins
import dis
from collections.abc import Iterator
from types import CodeType

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from autograder.assignment import CHECK, grade_id
from autograder.checks import checks, questions
from autograder.definition import definition

GIVEN = {"__name__", "__annotations__", "get_ipython", "display"}  # by Python, and by Jupyter
STORES = ("STORE_NAME", "STORE_GLOBAL")
LOADS = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")


def missing_parts(name: str, cells: list[NotebookNode]) -> Iterator[str]:
    """Yield a line on each missing part of a notebook: cells of checks and questions, names that no cell defines."""
    cell_names, text = {grade_id(cell) for cell in cells}, definition().notebook(name)
    for function in checks(name):
        if CHECK + function not in cell_names:
            yield f"{text} has no cells `#| exercise {function}` and `#| check {function}`"
    for question in questions(name):
        if question not in cell_names:
            yield f'{text} has no text cell below `+++ {{"written": "{question}"}}`'
    for function, check in checks(name).items():
        starred = [each for each in check.may_call if each in checks(name) and checks(name)[each].stars]
        if starred and not check.stars:
            names = ", ".join(starred)
            yield f"{function} is a core task and may call what has a star, and nobody has to write: {names}"
    if missing := undefined([cell.source for cell in cells if cell.cell_type == "code"]):
        yield f"{text}: no cell defines {', '.join(missing)}: import it in the cell `#| setup`"


def undefined(cells: list[str]) -> list[str]:
    """Return the names, in order of use, that these code cells read and neither they nor Python define.

    Functions may use names of later cells. A cell that Python cannot read raises SyntaxError.
    """
    codes = [compile(TransformerManager().transform_cell(cell), "<cell>", "exec") for cell in cells]
    used = dict.fromkeys(name for code in codes for name in _names(code, LOADS))
    known = {name for code in codes for name in _names(code, STORES)} | set(dir(builtins)) | GIVEN
    return [name for name in used if name not in known]


def _names(code: CodeType, operations: tuple[str, ...]) -> Iterator[str]:
    """Yield the names that a piece of code reads or writes globally, those of the functions inside it too."""
    yield from (str(each.argval) for each in dis.get_instructions(code) if each.opname in operations)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant, operations)
