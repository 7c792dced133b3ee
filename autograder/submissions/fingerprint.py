"""Fingerprints of code by winnowing: a selection of hashes of short runs of its syntax, wherever they stand.

S. Schleimer, D. S. Wilkerson, A. Aiken: Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD 2003. The runs
are of syntax in a normal form: no names of the student's own, docstrings, annotations, `print`s or assignments that
nothing reads; the operands of a sum or product in a fixed order.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.submissions.notebook import syntax_tree

RUN, WINDOW = 7, 4  # k and w of the paper: a run of w + k - 1 = 10 equal tokens always leaves a common hash
COMMUTATIVE = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
LEFT_OUT = (ast.expr_context, ast.Pass, ast.Import, ast.ImportFrom)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Fingerprint:
    """The hashes of a function with its helpers, and the names that it binds."""

    hashes: list[str]
    names: list[str]


class _Tokens(ast.NodeVisitor):
    """Returns the tokens of a statement in normal form, parents before children."""

    def __init__(self, own: set[str], read: set[str]) -> None:
        self.own, self.read = own, read

    def generic_visit(self, node: ast.AST) -> list[str]:
        if isinstance(node, LEFT_OUT):
            return []
        return [type(node).__name__, *self._all(ast.iter_child_nodes(node))]

    def _all(self, nodes: Iterable[ast.AST]) -> list[str]:
        return [token for node in nodes for token in self.visit(node)]

    def visit_Name(self, node: ast.Name) -> list[str]:
        return ["own" if node.id in self.own else node.id]

    def visit_arg(self, node: ast.arg) -> list[str]:
        return ["own"]

    def visit_Constant(self, node: ast.Constant) -> list[str]:
        return [repr(node.value)]

    def visit_Attribute(self, node: ast.Attribute) -> list[str]:
        return [f".{node.attr}", *self.visit(node.value)]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> list[str]:
        return ["def", *self.visit(node.args), *self._all(node.body)]

    def visit_Expr(self, node: ast.Expr) -> list[str]:
        call = node.value
        prints = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"
        return [] if prints or isinstance(node.value, ast.Constant) else self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> list[str]:
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id not in self.read:
            return []
        return ["=", *self._all([*node.targets, node.value])]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[str]:
        return self.visit(ast.Assign([node.target], node.value)) if node.value else []

    def visit_AugAssign(self, node: ast.AugAssign) -> list[str]:
        return self.visit(ast.Assign([node.target], ast.BinOp(node.target, node.op, node.value)))

    def visit_BinOp(self, node: ast.BinOp) -> list[str]:
        sides = [self.visit(node.left), self.visit(node.right)]
        first, second = sorted(sides) if isinstance(node.op, COMMUTATIVE) else sides
        return [type(node.op).__name__, *first, *second]

    def visit_Call(self, node: ast.Call) -> list[str]:
        options = sorted([f"{each.arg}=", *self.visit(each.value)] for each in node.keywords)
        return ["call", *self._all([node.func, *node.args]), *(token for option in options for token in option)]


def fingerprints(sources: Iterable[str], functions: list[str]) -> dict[str, Fingerprint]:
    """Return the fingerprint of each of these functions in the cells, with the helpers that it calls."""
    statements = list(_statements(sources))
    bound = {name: statement for statement in statements for name in _bound_at_top(statement)}
    return {name: _fingerprint(_reached(name, bound, functions), bound, name) for name in functions if name in bound}


def hashes(sources: Iterable[str]) -> set[str]:
    """Return the hashes of all code in cells."""
    statements = list(_statements(sources))
    return set(_fingerprint(statements, {}, "").hashes)


def _statements(sources: Iterable[str]) -> Iterator[ast.stmt]:
    for source in sources:
        yield from (syntax_tree(source) or ast.Module([], [])).body


def _bound_at_top(statement: ast.stmt) -> list[str]:
    if isinstance(statement, Definition):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _reached(name: str, bound: dict[str, ast.stmt], functions: list[str]) -> list[ast.stmt]:
    """Return the statements that a function needs, without other exercises' functions."""
    needed, todo = {name: bound[name]}, [name]
    while todo:
        names = {node.id for node in ast.walk(bound[todo.pop()]) if isinstance(node, ast.Name)}
        new = sorted((names & bound.keys()) - needed.keys() - set(functions))
        needed |= {each: bound[each] for each in new}
        todo += new
    return list(needed.values())


def _fingerprint(statements: list[ast.stmt], bound: dict[str, ast.stmt], name: str) -> Fingerprint:
    nodes = [node for statement in statements for node in ast.walk(statement)]
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    names = stored | {node.arg for node in nodes if isinstance(node, ast.arg)}
    names |= {node.name for node in nodes if isinstance(node, Definition)}
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    tokens = _Tokens(names | bound.keys(), read | {name})
    try:
        kept = {each for statement in statements for each in _winnowed(tokens.visit(statement))}
    except (RecursionError, MemoryError):
        kept = set()
    return Fingerprint(sorted(kept), sorted(names))


def _winnowed(tokens: list[str]) -> Iterator[str]:
    """Yield the smallest hash of each window of WINDOW runs of RUN tokens."""
    runs = [_hash("\0".join(tokens[start : start + RUN])) for start in range(len(tokens) - RUN + 1)]
    yield from (min(runs[start : start + WINDOW]) for start in range(max(bool(runs), len(runs) - WINDOW + 1)))


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
