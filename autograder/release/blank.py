"""Cuts taught functions out of solutions/NAME/attention.py, by their names in the syntax tree."""

import ast
from dataclasses import dataclass
from pathlib import Path

from autograder.places import ROOT

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"  # nbgrader's own marks
ABSENT = "write it in the notebook, this package ships without it"


class BlankError(ValueError):
    """A cell asks for a function that cannot be cut; the message says where, which, and what exists."""


@dataclass(frozen=True)
class Module:
    """The taught module of one chapter, solutions/NAME/attention.py."""

    path: Path
    text: str

    @classmethod
    def of(cls, name: str, root: Path = ROOT) -> "Module":
        path = root / "solutions" / name / "attention.py"
        if not path.exists():
            raise BlankError(f"solutions/{name}/attention.py does not exist: it holds the functions of '{name}'")
        return cls(path, path.read_text(encoding="utf-8"))

    @property
    def functions(self) -> dict[str, ast.FunctionDef]:
        return {node.name: node for node in ast.parse(self.text).body if isinstance(node, ast.FunctionDef)}

    def find(self, function: str) -> ast.FunctionDef:
        if function not in self.functions:
            path = f"solutions/{self.path.parent.name}/attention.py"
            raise BlankError(f"{path} defines no function '{function}': it has {', '.join(self.functions)}")
        return self.functions[function]

    def head_and_body(self, function: str) -> tuple[list[str], list[str]]:
        """Return the lines of signature, docstring and leading comment, and those of the body that is cut out."""
        node = self.find(function)
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
    head, body = module.head_and_body(function)
    if title:
        line = next(i for i, text in enumerate(head) if text.startswith("def "))
        head = [*head[:line], head[line].replace(f"def {function}(", f"def {title}(", 1), *head[line + 1 :]]
    indent = " " * (len(body[0]) - len(body[0].lstrip()))
    with_helpers = [
        line
        for helper in helpers
        for lines_of in _head_and_body(module, helper)
        for line in _with_blank_lines(lines_of, helper.rpartition(".")[2])
    ]
    return "\n".join([*head, f"{indent}{BEGIN}", *body, *with_helpers, f"{indent}{END}"])


def _head_and_body(module: Module, helper: str) -> tuple[list[str], list[str]]:
    """Return head and body of a helper: a function of this module, or NAME.FUNCTION of another."""
    name, _, function = helper.rpartition(".")
    owner = Module.of(name, module.path.parents[2]) if name else module
    return owner.head_and_body(function)


def _with_blank_lines(lines_of: list[str], helper: str) -> list[str]:
    """Return a helper's lines as they stand behind a body: two empty lines before its first."""
    return ["", "", *lines_of] if any(line.startswith(f"def {helper}(") for line in lines_of) else lines_of


def blanked(module: Module) -> str:
    """Return the module with every function's body replaced by a sentence that says where it has to be written."""
    lines = module.text.splitlines()
    for name, node in sorted(module.functions.items(), key=lambda item: -item[1].lineno):
        _, body = module.head_and_body(name)
        indent = " " * (len(body[0]) - len(body[0].lstrip()))
        end = node.end_lineno or node.lineno
        lines[end - len(body) : end] = [f'{indent}raise NotImplementedError("{name}: {ABSENT}")']
    return "\n".join(lines) + "\n"
