"""Names that the code of a notebook uses and that no cell of it defines or imports."""

import builtins
import dis
from collections.abc import Iterator
from types import CodeType

from IPython.core.inputtransformer2 import TransformerManager

GIVEN = {"__name__", "__annotations__", "get_ipython", "display"}  # by Python, and by Jupyter
STORES = ("STORE_NAME", "STORE_GLOBAL")
LOADS = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")


def undefined(cells: list[str]) -> list[str]:
    """Return the names, in order of use, that these code cells read and none of them, and not Python, defines.

    Functions may use what a later cell defines. A cell that Python cannot read is an error of its own: SyntaxError.
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
