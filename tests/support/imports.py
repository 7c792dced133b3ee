"""What a module imports, read from its statements: expressions, most of a syntax tree, hold no imports."""

import ast
from collections.abc import Iterator


def imports(text: str) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield each import of a module's source, and whether it happens when the module is imported."""
    todo: list[tuple[ast.AST, bool]] = [(ast.parse(text), True)]
    while todo:
        node, at_once = todo.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, at_once
        at_once = at_once and not isinstance(node, ast.FunctionDef)
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += [(inner, at_once) for inner in getattr(node, block, [])]
