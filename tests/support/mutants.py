"""Mutants of the reference functions: each differs from it in one operator, constant, comparison, name or statement."""

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import ModuleType

BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
BITS = (ast.BitOr, ast.BitAnd, ast.BitXor)
METHODS = {
    "argmax": ["argmin"],
    "softmax": ["log_softmax", "sigmoid_softmax"],
    "tanh": ["sin", "relu", "sigmoid", "atan", "erf"],
    "all": ["any"],
    "cat": ["stack"],
    "min": ["max", "eps", "tiny"],
    "max": ["min"],
    "append": [],
    "detach": ["abs"],
}


def mutants(function: Callable, helpers: dict[str, Callable]) -> Iterator[tuple[str, Callable]]:
    """Yield each mutant with a sentence that says where it differs: the function's own, then those of its helpers."""
    sources = {name: textwrap.dedent(inspect.getsource(own)) for name, own in helpers.items()}
    sources[function.__name__] = textwrap.dedent(inspect.getsource(function))
    module = inspect.getmodule(function)
    assert isinstance(module, ModuleType)
    for name, source in sources.items():
        for where, mutated in _mutated(source):
            namespace = dict(vars(module))
            for other, text in sources.items():
                if other != name:
                    exec(compile(text, f"<{other}>", "exec", flags=0), namespace)
            try:
                exec(compile(mutated, f"<mutant of {name}>", "exec"), namespace)
            except SyntaxError:
                continue
            yield f"{name}: {where}", namespace[function.__name__]


def _mutated(source: str) -> Iterator[tuple[str, ast.Module]]:
    tree = ast.parse(source)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    nodes = [node for statement in function.body for node in ast.walk(statement)]
    seen = {ast.unparse(tree)}
    for node in nodes:
        for changed in _changes(node):
            before = ast.unparse(node)
            text = ast.unparse(_with(tree, node, changed))
            if text in seen:
                continue
            seen.add(text)
            after = ast.unparse(changed) if changed is not None else "nothing"
            yield f"line {node.lineno}: {before} → {after}", ast.parse(text)


def _with(tree: ast.Module, node: ast.AST, changed: ast.AST | None) -> ast.Module:
    """Return a copy of the tree with one node replaced, or taken out."""

    class Replace(ast.NodeTransformer):
        def visit(self, current: ast.AST) -> ast.AST | None:
            return (changed or ast.Pass()) if current is node else super().generic_visit(_shallow(current))

    def _shallow(current: ast.AST) -> ast.AST:
        fresh = copy.copy(current)
        for field, value in ast.iter_fields(fresh):
            if isinstance(value, list):
                setattr(fresh, field, list(value))
        return fresh

    fresh = Replace().visit(tree)
    assert isinstance(fresh, ast.Module)
    return ast.fix_missing_locations(fresh)


# An axis counted from the other end, and a zero's sign: where no case tells them apart, there are as many axes as that.
AXES = {("-1", "1"), ("1", "-1"), ("0", "-1"), ("2", "-2"), ("-2", "2"), ("0.0", "-0.0")}
IN_EITHER_ORDER = ("min", "max", "minimum", "maximum")


def same(before: str, after: str) -> bool:  # noqa: C901 — a table of rules
    """Return whether a change never matters: operands or axes in the other order, devices, None compared otherwise."""
    if (before, after) in AXES:
        return True
    try:
        one, two = ast.parse(before).body[0], ast.parse(after).body[0]
    except (SyntaxError, IndexError):
        return False
    match getattr(one, "value", one), getattr(two, "value", two):
        case ast.BinOp(a, op, b), ast.BinOp(c, ast.Add() | ast.Mult() | ast.BitAnd() | ast.BitOr() as other, d):
            return type(op) is type(other) and (ast.dump(a), ast.dump(b)) == (ast.dump(d), ast.dump(c))
        case ast.Compare(a, [ast.Is()], [ast.Constant(None)]), ast.Compare(b, [ast.Eq()], [ast.Constant(None)]):
            return ast.dump(a) == ast.dump(b)
        case ast.Compare(a, [ast.IsNot()], [ast.Constant(None)]), ast.Compare(b, [ast.NotEq()], [ast.Constant(None)]):
            return ast.dump(a) == ast.dump(b)
        case ast.Call(ast.Attribute(a, "transpose"), [b, c]), ast.Call(ast.Attribute(d, "transpose"), [e, f]):
            return _dumped(a, b, c) == _dumped(d, f, e)
        case ast.Call(a, [b, c], []), ast.Call(d, [e, f], []) if ast.unparse(a).endswith(IN_EITHER_ORDER):
            return _dumped(a, b, c) == _dumped(d, f, e)
        case ast.Call(ast.Attribute(a, "to")), ast.Call(ast.Attribute(b, "to"), []):
            return ast.dump(a) == ast.dump(b)
        case ast.Call(ast.Attribute(a, "to" | "expand_as")), other if ast.dump(a) == ast.dump(other):
            return True
        case ast.Call(a, b, some), ast.Call(c, d, fewer):
            left = [each for each in some if each.arg not in ("device", "strict")]
            return len(left) < len(some) and _dumped(a, *b, *left) == _dumped(c, *d, *fewer)
    return False


def _dumped(*nodes: ast.AST) -> list[str]:
    return [ast.dump(node) for node in nodes]


def _changes(node: ast.AST) -> Iterator[ast.AST | None]:  # noqa: C901, PLR0915 — a table of rules
    """Yield what may stand in place of a node."""
    if isinstance(node, ast.BinOp):
        for kinds in (BINARY, BITS):
            if isinstance(node.op, kinds):
                yield from (ast.BinOp(node.left, kind(), node.right) for kind in kinds)
        yield from (node.left, node.right, ast.BinOp(node.right, node.op, node.left))
    elif isinstance(node, ast.Compare):
        yield from (ast.Compare(node.left, [kind()], node.comparators) for kind in COMPARED)
        yield from (ast.Constant(True), ast.Constant(False))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        yield from (ast.Constant(node.value + change) for change in (1, -1, 2))
        yield ast.Constant(-node.value)
    elif isinstance(node, ast.Constant) and node.value is None:
        yield from (ast.Constant(1), ast.Constant(0))
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.BoolOp):
        yield from node.values
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.Attribute):
        yield from (ast.Attribute(node.value, other, node.ctx) for other in METHODS.get(node.attr, []))
        if isinstance(node.ctx, ast.Load) and node.attr == "T":
            yield node.value
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load) and len(node.elts) > 1:
        yield type(node)(node.elts[::-1], node.ctx)
        yield from (type(node)([e for e in node.elts if e is not gone], node.ctx) for gone in node.elts)
    elif isinstance(node, ast.Slice):
        yield from (ast.Slice(None, node.upper), ast.Slice(node.lower, None), ast.Slice(node.upper, node.lower))
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value
    elif isinstance(node, ast.AugAssign):
        yield ast.Assign([node.target], node.value)
        yield None
    elif isinstance(node, ast.Assign | ast.Break | ast.If | ast.Expr | ast.For | ast.While):
        yield None


def _other_calls(node: ast.Call) -> Iterator[ast.AST]:
    """Yield calls with one argument fewer, two arguments swapped, another keyword's value, and what is called upon."""
    for gone in node.args:
        yield ast.Call(node.func, [argument for argument in node.args if argument is not gone], node.keywords)
    if len(node.args) > 1:
        yield ast.Call(node.func, node.args[::-1], node.keywords)
    for gone in node.keywords:
        yield ast.Call(node.func, node.args, [keyword for keyword in node.keywords if keyword is not gone])
    if isinstance(node.func, ast.Attribute):
        yield node.func.value
    yield from node.args
