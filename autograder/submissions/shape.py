"""The shape of a cell: its syntax tree without docstrings, annotations and the names of its variables."""

import ast
import hashlib
from dataclasses import dataclass

from autograder.submissions.notebook import parsed


class _Plain(ast.NodeTransformer):
    """Takes away what does not change what a cell does: docstrings, annotations, and the names of its variables."""

    def __init__(self, rename: bool) -> None:
        self.rename = rename
        self.names: dict[str, str] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        plain = ast.Assign([node.target], node.value) if node.value else ast.Pass()
        return self.generic_visit(plain)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._name(node.arg))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.names or not isinstance(node.ctx, ast.Load):
            return ast.Name(self._name(node.id), node.ctx)
        return node

    def _name(self, name: str) -> str:
        return self.names.setdefault(name, f"v{len(self.names)}") if self.rename else name


def plain(source: str, rename: bool = True) -> str | None:
    """Return what two cells have in common when they are the same; None for no Python, and for what is too long."""
    tree = parsed(source)
    try:
        return ast.dump(_Plain(rename).visit(tree)) if tree else None
    except (RecursionError, MemoryError):
        return None


def statements(source: str) -> int:
    """Return how many statements a cell's functions hold: definitions, docstrings and `pass` do not count."""
    return sum(
        isinstance(node, ast.stmt)
        and not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Pass | ast.Import | ast.ImportFrom | ast.Raise)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(parsed(source) or ast.Module([], []))
    )


@dataclass(frozen=True)
class Shape:
    """What is compared of a cell: digests of its syntax tree, with its variables' names and without; its length."""

    tree: str
    named: str
    statements: int


def shape(source: str) -> Shape | None:
    """Return a cell's shape, None where it is no Python or too long."""
    tree, named = plain(source), plain(source, rename=False)
    if not tree or not named:
        return None
    return Shape(_digest(tree), _digest(named), statements(source))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
