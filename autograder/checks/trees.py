"""Source as syntax trees: the definitions that a function reaches, edits of fragments, and running the result."""

import ast
import builtins
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import unwrap
from pathlib import Path
from sys import modules
from types import CodeType, FunctionType
from typing import Any

import torch

from autograder.definition import NAME, definition

GIVEN = {"torch": torch, "math": math, "F": torch.nn.functional}  # an edit may name these, imported or not
Node = Any  # a node of a syntax tree, a list of them, or a plain value


@dataclass(frozen=True, eq=False)
class Definition:
    """A function or class of one of the course's modules."""

    module: str
    name: str
    node: ast.AST
    value: Any


@cache
def _tops(module: str) -> dict[str, Any]:
    """Return a module's functions and classes as trees without annotations of arguments, which take time to make."""
    file = modules[module].__file__
    tree = ast.parse(Path(file).read_text("utf-8") if file else "")
    tops = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    return tops


def _definition(value: Any) -> Definition | None:
    value = unwrap(value) if callable(value) else value
    if not isinstance(value, FunctionType | type) or not _is_of_the_course(value.__module__):
        return None
    return _defined(value)


@cache
def _is_of_the_course(module: str) -> bool:
    """Return whether a module holds exercises or solved functions, the only ones that an edit may change."""
    course = definition()
    packages = (course.exercises, course.taught.partition(NAME)[0].rstrip("/"), "autograder/checks")
    return module.startswith(tuple(f"{course.package(package)}." for package in packages))


@cache
def _defined(value: FunctionType | type) -> Definition | None:
    node = _tops(value.__module__).get(value.__name__) if value.__module__ in modules else None
    return Definition(value.__module__, value.__name__, node, value) if node else None


@cache
def reached(reference: Callable) -> tuple[Definition, ...]:
    """Return the course's definitions that a function may call, straight or through others, itself first."""
    definitions: dict[Any, Definition] = {}
    waiting = [_definition(reference)]
    while waiting:
        each = waiting.pop(0)
        if each is None or each.value in definitions:
            continue
        definitions[each.value] = each
        names = [node.id for node in ast.walk(each.node) if isinstance(node, ast.Name)]
        known = vars(modules[each.module])
        waiting += [_definition(known.get(name)) for name in dict.fromkeys(names)]
    return tuple(definitions.values())


def is_same(node: Node, pattern: Node) -> bool:
    """Return whether a tree has the source of a pattern, where `...` is any expression, or all further arguments."""
    if getattr(pattern, "value", None) is ...:  # a constant's
        return isinstance(node, ast.expr)
    if type(node) is not type(pattern):
        return False
    if isinstance(node, ast.Call) and pattern.args and ast.dump(pattern.args[-1]) == "Constant(value=Ellipsis)":
        first = pattern.args[:-1]
        return is_same(node.func, pattern.func) and is_same(node.args[: len(first)], first)
    if isinstance(node, ast.AST):
        return all(is_same(getattr(node, field, None), getattr(pattern, field, None)) for field in node._fields)
    if isinstance(node, list):
        return len(node) == len(pattern) and all(map(is_same, node, pattern))
    return node == pattern


def rewritten(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """Return a tree in which `change` has replaced nodes and lists of nodes; the tree itself stays."""
    if (new := change(node)) is not None:
        return new
    if isinstance(node, list):
        return [rewritten(each, change) for each in node]
    if not isinstance(node, ast.AST):
        return node
    fields = {name: rewritten(value, change) for name, value in ast.iter_fields(node)}
    if all(fields[name] is value or fields[name] == value for name, value in ast.iter_fields(node)):
        return node
    return ast.copy_location(type(node)(**fields), node)


def with_old(new: Node, old: ast.AST) -> Node:
    """Return new source with the old in place of the name `_`."""

    def change(node: Node) -> Node | None:
        is_old = isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Load)
        return old if is_old else None

    return rewritten(new, change)


def returns(body: list[ast.stmt], new: ast.AST, hits: list) -> list[ast.stmt]:
    """Return statements that return `new`, in which `_` stands for the old value."""

    def change(node: Node) -> Node | None:
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            return node
        if isinstance(node, ast.Return) and node.value is not None:
            hits.append(node)
            return ast.copy_location(ast.Return(with_old(new, node.value)), node)
        return None

    return rewritten(body, change)


def replaced(tree: Node, old: Node, new: Node, hits: list) -> Node:
    """Return a tree with a fragment in place of another: an expression, or a run of statements."""

    def run(statements: Node) -> Node | None:
        if not isinstance(statements, list) or not statements or not isinstance(statements[0], ast.stmt):
            return None
        for i in range(len(statements) - len(old) + 1):
            if is_same(statements[i : i + len(old)], old):
                hits.append(statements[i])
                rest = statements[i + len(old) :]
                return [*statements[:i], *new, *(rewritten(rest, run) if rest else [])] or [ast.Pass()]
        return None

    def expression(node: Node) -> Node | None:
        if isinstance(node, ast.AST) and is_same(node, old):
            hits.append(node)
            return with_old(new, node)
        return None

    return rewritten(tree, run if isinstance(old, list) else expression)


def compiled(definition: Definition, node: Any) -> CodeType:
    """Return the code that defines a function or class as this tree has it."""
    tree = ast.fix_missing_locations(ast.Module([node], []))
    return compile(tree, f"<edited {definition.module}>", "exec")


@cache
def _unedited(definition: Definition) -> CodeType:
    return compiled(definition, definition.node)


@cache
def _names(module: str) -> dict[str, Any]:
    """Return the global names of a module's definitions, shared by all of its edited forms."""
    return vars(builtins) | GIVEN | vars(modules[module])


@cache
def _called_so(reference: Callable) -> list[tuple[str, str, Definition]]:
    """Return the modules and names under which a function and all that it reaches are known."""
    of = {each.value: each for each in reached(reference)}
    called = [
        (module, name, unwrap(value))
        for module in dict.fromkeys(each.module for each in reached(reference))
        for name, value in vars(modules[module]).items()
        if isinstance(value, FunctionType | type)
    ]
    return [(module, name, of[value]) for module, name, value in called if value in of]


def run(reference: Callable, edited: Mapping[Definition, CodeType], given: Mapping[str, Any]) -> Callable:
    """Return a function with edited definitions among those that it reaches; all that reach them are made anew."""
    moved = [each for each in reached(reference) if not edited.keys().isdisjoint(reached(each.value))]
    names: dict[str, dict[str, Any]] = {}
    for each in moved:
        own = names.setdefault(each.module, {"__builtins__": _names(each.module), **given})
        exec(edited.get(each) or _unedited(each), own)
    new = {each: names[each.module][each.name] for each in moved}
    for module, name, called in _called_so(reference):
        if module in names and called in new:
            names[module][name] = new[called]
    return new[moved[0]] if moved else reference
