"""Solution cells that are the same in two submissions: the same syntax tree, whatever the variables are called."""

import ast
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.places import released_notebook, source_notebook
from autograder.reading import parsed

SHORT = 3  # statements: up to so many are written alike by people who never met
BIGGEST = 2_000_000  # bytes of a notebook that is looked into


@dataclass(frozen=True)
class Group:
    """Students whose cell for one function is the same."""

    function: str
    students: tuple[str, ...]
    statements: int
    same_names: bool  # even the variables are called the same
    published: bool  # it is the course's own solution, which is public

    @property
    def short(self) -> bool:
        return self.statements <= SHORT


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


def groups(out: Path, assignment: str, students: Iterable[str]) -> list[Group]:
    """Return the groups of one assignment: the longest answers first, those that are short and natural last."""
    given = {name: plain(source) for name, source in _cells(released_notebook(assignment))}
    public = {name: plain(source) for name, source in _cells(source_notebook(assignment))}
    alike: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for student in students:
        for function, source in _cells(out / "autograded" / student / assignment / f"{assignment}.ipynb"):
            tree = plain(source)
            if tree and tree != given.get(function) and statements(source) > 1:
                alike[function, tree][student] = source
    found = []
    for (function, tree), sources in alike.items():
        if len(sources) > 1:
            names = {plain(source, rename=False) for source in sources.values()}
            size = statements(next(iter(sources.values())))
            published = tree == public.get(function)
            found.append(Group(function, tuple(sorted(sources)), size, len(names) == 1, published))
    return sorted(found, key=lambda group: (-group.statements, group.function, group.students))


def _cells(notebook: Path) -> Iterator[tuple[str, str]]:
    """Yield grade_id and source of the solution cells of a notebook that hold code."""
    for cell in _read(notebook):
        grader = cell.get("metadata", {}).get("nbgrader", {})
        if cell.get("cell_type") == "code" and grader.get("solution"):
            source = cell.get("source", "")
            yield str(grader.get("grade_id", "")), source if isinstance(source, str) else "".join(source)


def _read(notebook: Path) -> list[dict[str, Any]]:
    try:
        if notebook.stat().st_size > BIGGEST:
            return []
        return json.loads(notebook.read_bytes())["cells"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
