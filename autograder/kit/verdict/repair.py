"""A repair of a broken function: the same statements but one, compared as syntax trees.

It needs no torch: on the grader's side it runs in the process that parses students' code.
"""

import ast
import builtins
import copy
from dataclasses import dataclass
from difflib import SequenceMatcher

LIBRARIES = frozenset({"torch", "math", "F", "nn"})  # a repaired statement may use these beside the broken one's names


@dataclass(frozen=True)
class Repair:
    """A student's repair of a broken function: its `source`, or a `complaint` that says why it is none."""

    source: str = ""
    complaint: str = ""


def repair(broken: str, cell: ast.AST | None, name: str) -> Repair:
    """Return the repair called `name` in a cell, or a complaint about it: one statement may differ."""
    functions = [node for node in ast.walk(cell) if isinstance(node, ast.FunctionDef)] if cell else []
    named = [node for node in functions if node.name == name]
    if not named:
        return Repair(complaint=f"its cell defines no function {name} that can be read.")
    mended, original = _without_looks(named[-1]), _without_looks(_function(broken))
    if complaint := _complaint(original, mended):
        return Repair(complaint=complaint)
    mended.decorator_list = []
    return Repair(source=ast.unparse(mended))


class _Looks(ast.NodeTransformer):
    """Takes statements away that only look: `print(…)` and `assert`."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        call = node.value
        printed = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"
        return None if printed else node

    def visit_Assert(self, node: ast.Assert) -> None:
        return None


def _without_looks(function: ast.FunctionDef) -> ast.FunctionDef:
    """Return a function without its prints and asserts, which are no part of a repair and are not run in grading."""
    looked = copy.deepcopy(function)
    looked.body = [statement for each in looked.body if (statement := _Looks().visit(each))] or [ast.Pass()]
    for node in ast.walk(looked):  # a block that held nothing else
        if isinstance(getattr(node, "body", None), list) and not node.body:  # pyright: ignore
            node.body = [ast.Pass()]  # pyright: ignore
    return looked


def _complaint(original: ast.FunctionDef, mended: ast.FunctionDef) -> str:
    """Return the reason why one function is not the other with one statement changed, "" where it is."""
    if _parameters(mended) != _parameters(original):
        return f"its parameters are not those of {original.name}: keep them, in their order."
    old, new = _lines(original), _lines(mended)
    changed = [edit for edit in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if edit[0] != "equal"]
    if not changed:
        return f"is {original.name} as it was: change the statement that is wrong."
    used = {node.id for each in mended.body for node in ast.walk(each) if isinstance(node, ast.Name)}
    if strange := sorted(used - _bound(mended) - _all_names(original) - LIBRARIES - set(dir(builtins))):
        return f"uses {', '.join(strange)}, which {original.name} does not have: mend the statement itself."
    _, first, last, start, end = changed[0]
    if len(changed) > 1 or last - first != 1 or end - start != 1:
        return f"changes more than one statement of {original.name}: change one, and keep the others as they are."
    return ""


def numbered(source: str) -> str:
    """Return a function's source with the number of each line behind it, as the statement of an exercise shows it."""
    lines = source.splitlines()
    width = max(map(len, lines)) + 2
    return "\n".join(f"{line:{width}}# {number}" for number, line in enumerate(lines, 1))


def _function(source: str) -> ast.FunctionDef:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


def _parameters(function: ast.FunctionDef) -> list[str]:
    return [each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]


def _lines(function: ast.FunctionDef) -> list[str]:
    """Return a function's statements as Python writes them, a line each, without the docstring."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    try:
        return "\n".join(map(ast.unparse, body)).splitlines()
    except (ValueError, RecursionError):  # code that cannot be written out is not the broken function
        return []


def _bound(function: ast.FunctionDef) -> set[str]:
    """Return the names that a function binds itself."""
    nodes = list(ast.walk(function))
    names = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    return names | {node.arg for node in nodes if isinstance(node, ast.arg)}


def _all_names(function: ast.FunctionDef) -> set[str]:
    """Return every name in a function, its parameters too."""
    return {inner.id for inner in ast.walk(function) if isinstance(inner, ast.Name)} | set(_parameters(function))
