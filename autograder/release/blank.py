"""Cuts taught functions and classes out of the module that holds them, by their names in the syntax tree."""

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.definition import definition
from autograder.places import ROOT

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"  # nbgrader's own marks
ABSENT = "write it in the notebook, this package ships without it"


class BlankError(ValueError):
    """A cell asks for a function that cannot be cut; the message says where, which, and what exists."""


@dataclass(frozen=True)
class Module:
    """A module of taught functions, or of a bug hunt."""

    path: Path
    text: str

    @classmethod
    def of(cls, name: str) -> "Module":
        path = ROOT / definition().solved(name)
        if not path.exists():
            raise BlankError(f"{definition().solved(name)} does not exist: it holds the functions of '{name}'")
        return cls(path, path.read_text(encoding="utf-8"))

    @classmethod
    def of_hunt(cls, name: str) -> "Module | None":
        """Return the module of a name's bug hunt, which its checks import; None where there is none."""
        path = ROOT / definition().folder(name) / "hunt.py"
        return cls(path, path.read_text(encoding="utf-8")) if path.exists() else None

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef | ast.ClassDef]:
        """Return the functions and classes by name."""
        body = ast.parse(self.text).body
        return {node.name: node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}

    def find(self, function: str) -> ast.FunctionDef | ast.ClassDef:
        if function not in self.functions:
            raise BlankError(
                f"{self.path.relative_to(ROOT)} defines no function '{function}': it has {', '.join(self.functions)}"
            )
        return self.functions[function]

    def methods(self, name: str) -> list[ast.FunctionDef]:
        """Return the methods of a class, none for a function."""
        node = self.find(name)
        return (
            [each for each in node.body if isinstance(each, ast.FunctionDef)] if isinstance(node, ast.ClassDef) else []
        )

    def head_and_body(self, function: str) -> tuple[list[str], list[str]]:
        """Return the lines of signature, docstring and leading comment, and those of the body to cut out."""
        return self.cut(self.find(function))

    def cut(self, node: ast.FunctionDef | ast.ClassDef) -> tuple[list[str], list[str]]:
        """Return the lines of a function's head and of its body."""
        function = node.name
        documented = ast.get_docstring(node, clean=False) is not None
        body = node.body[1:] if documented else node.body
        if not body:
            raise BlankError(f"'{function}' has no body to blank: {self.path.name}, line {node.lineno}")
        if (documented and node.body[0].lineno == node.lineno) or body[0].lineno == node.lineno:
            raise BlankError(f"'{function}' stands on one line: write its body below, {self.path.name}:{node.lineno}")
        lines = self.text.splitlines()
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        start = min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", []))])
        return lines[first - 1 : start - 1], lines[start - 1 : node.end_lineno]


def solved(module: Module, function: str, helpers: list[str], title: str = "") -> str:
    """Return the source of the solved cell: the head that students get, and between nbgrader's marks body and helpers.

    With a title, the function gets that name. A helper of an earlier chapter is written NAME.FUNCTION.
    """
    if module.methods(function):
        return _solved_class(module, function)
    head, body = module.head_and_body(function)
    if title:
        line = next(i for i, text in enumerate(head) if text.startswith("def "))
        head = [*head[:line], head[line].replace(f"def {function}(", f"def {title}(", 1), *head[line + 1 :]]
    indent = " " * (len(body[0]) - len(body[0].lstrip()))
    added = []
    for helper in helpers:
        name, _, called = helper.rpartition(".")
        owner = Module.of(name) if name else module
        head_of_helper, body_of_helper = owner.head_and_body(called)
        added += ["", "", *head_of_helper, *body_of_helper]
    return "\n".join([*head, f"{indent}{BEGIN}", *body, *added, f"{indent}{END}"])


def _solved_class(module: Module, name: str) -> str:
    """Return the source of a class's solved cell: each method's body is between nbgrader's marks."""
    node, lines = module.find(name), module.text.splitlines()
    for method in reversed(module.methods(name)):
        _, body = module.cut(method)
        indent = " " * (len(body[0]) - len(body[0].lstrip()))
        end = method.end_lineno or method.lineno
        lines[end - len(body) : end] = [f"{indent}{BEGIN}", *body, f"{indent}{END}"]
    added = 2 * len(module.methods(name))
    return "\n".join(lines[node.lineno - 1 : (node.end_lineno or node.lineno) + added])


def blanked(module: Module) -> str:
    """Return the module with every function's body replaced by a sentence that names the notebook to write it in."""
    lines = module.text.splitlines()
    nodes = [each for name, node in module.functions.items() for each in module.methods(name) or [node]]
    for node in sorted(nodes, key=lambda node: -node.lineno):
        _, body = module.cut(node)
        indent = " " * (len(body[0]) - len(body[0].lstrip()))
        end = node.end_lineno or node.lineno
        lines[end - len(body) : end] = [f'{indent}raise NotImplementedError("{node.name}: {ABSENT}")']
    return "\n".join(lines) + "\n"
