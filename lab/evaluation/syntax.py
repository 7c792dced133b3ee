"""A digest of code that does not change with comments, docstrings or the version of Python."""

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def syntax_digest(files: Iterable[Path]) -> str:
    """Return a digest of some code without its comments and docstrings."""
    trees = [(file.name, _syntax(ast.parse(file.read_bytes()))) for file in sorted(files)]
    return hashlib.sha256(repr(trees).encode()).hexdigest()


def _syntax(node: Any) -> Any:
    """Return a tree as nested lists, equal in all versions of Python, without docstrings."""
    if isinstance(node, list):
        return [_syntax(each) for each in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return []
    return [type(node).__name__, *(_syntax(value) for _, value in ast.iter_fields(node) if value not in (None, []))]
