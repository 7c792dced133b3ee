"""The fingerprint of a cell: digests of its syntax tree without docstrings, annotations and variables' names."""

import ast
import hashlib
from dataclasses import dataclass

from autograder.submissions.notebook import syntax_tree


class _Stripped(ast.NodeTransformer):
    """Removes what does not change what a cell does: docstrings, annotations and, with `rename`, variables' names."""

    def __init__(self, rename: bool) -> None:
        self.rename = rename
        self.names: dict[str, str] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        canonical = ast.Assign([node.target], node.value) if node.value else ast.Pass()
        return self.generic_visit(canonical)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._name(node.arg))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.names or not isinstance(node.ctx, ast.Load):
            return ast.Name(self._name(node.id), node.ctx)
        return node

    def _name(self, name: str) -> str:
        return self.names.setdefault(name, f"v{len(self.names)}") if self.rename else name


def canonical(source: str, rename: bool = True) -> str | None:
    """Return a cell's syntax tree in canonical text, equal for equal code; None where it is no Python or too long."""
    tree = syntax_tree(source)
    try:
        return ast.dump(_Stripped(rename).visit(tree)) if tree else None
    except (RecursionError, MemoryError):
        return None


def statements(source: str) -> int:
    """Return the number of a cell's statements without definitions, imports, raises, docstrings and `pass`."""
    return sum(
        isinstance(node, ast.stmt)
        and not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Pass | ast.Import | ast.ImportFrom | ast.Raise)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(syntax_tree(source) or ast.Module([], []))
    )


@dataclass(frozen=True)
class Fingerprint:
    """SHA-256 digests of a cell's syntax tree without variables' names and with them, and its number of statements."""

    tree: str
    named: str
    statements: int


def fingerprint(source: str) -> Fingerprint | None:
    """Return a cell's fingerprint, None where it is no Python or too long."""
    tree, named = canonical(source), canonical(source, rename=False)
    if not tree or not named:
        return None
    return Fingerprint(_digest(tree), _digest(named), statements(source))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
