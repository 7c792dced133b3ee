"""Whether the bodies of some functions stand anywhere in files: as code under other names, or as text."""

import ast
import io
import json
import re
import textwrap
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

TRIVIAL = 16  # nodes of a syntax tree: one statement up to so big says nothing, `return scores.softmax(-1)` has 7
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
DEFINES = re.compile(r"(?:^|[\n\r])[ \t\f\ufeff]*(?:async[ \t]+)?def\b")  # of a function, which begins a line


@dataclass(frozen=True)
class Body:
    """The statements of one function without its docstring: as they are written, and as a tree without names."""

    place: str
    source: str
    tree: str
    text: str


def bodies(files: Iterable[Path]) -> list[Body]:
    """Return the bodies of all functions of these files that are not trivial."""
    read = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and (body := _undocumented(node.body)) and not _is_trivial(body):
                source = "\n".join(text.splitlines()[body[0].lineno - 1 : node.end_lineno])
                read.append(Body(f"{file.name}: {node.name}", source, tree(body), squeezed(source)))
    return read


def _is_trivial(body: list[ast.stmt]) -> bool:
    """Return whether there is one small statement, or one call with names and constants, as `return f(x, y, None)`."""
    if len(body) > 1:
        return False
    call = body[0].value if isinstance(body[0], ast.Return) else None
    hands_on = isinstance(call, ast.Call) and all(
        isinstance(part, ast.Name | ast.Constant) for part in (call.func, *call.args, *call.keywords)
    )
    return hands_on or sum(1 for _ in ast.walk(body[0])) <= TRIVIAL


def tree(statements: Iterable[ast.AST]) -> str:
    """Return the syntax tree with every name replaced by a number, annotations and docstrings left out."""
    names: dict[str, str] = {}

    def shape(value: Any) -> str:
        if isinstance(value, list):
            return "[" + ",".join(map(shape, value)) + "]"
        if isinstance(value, ast.Name | ast.arg):
            return names.setdefault(value.id if isinstance(value, ast.Name) else value.arg, f"v{len(names)}")
        if isinstance(value, ast.AnnAssign) and value.value:
            return f"Assign({shape([value.target])},{shape(value.value)})"
        if isinstance(value, ast.Assign):
            return f"Assign({shape(value.targets)},{shape(value.value)})"
        if isinstance(value, ast.FunctionDef):
            name = names.setdefault(value.name, f"v{len(names)}")
            return f"def {name}({shape(value.args)},{shape(_undocumented(value.body))})"
        if isinstance(value, ast.AST):
            inside = (shape(part) for key, part in ast.iter_fields(value) if key not in ("ctx", "kind", "type_comment"))
            return f"{type(value).__name__}({','.join(inside)})"
        return repr(value)

    return shape(list(statements))


def _undocumented(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if documented else body


def squeezed(text: str) -> str:
    """Return a text without white space and with one kind of quote."""
    return re.sub(r"\s", "", text).replace("'", '"')


def found_in(archive: bytes, secrets: list[Body]) -> list[str]:
    """Return which bodies stand in a zip file and where; every function, cell, fence, string and array is looked at."""
    by_tree = {body.tree: body.place for body in secrets}

    @cache
    def in_text(text: str) -> list[str]:
        """Return the bodies in a text; files say much that others say too."""
        plain = squeezed(text)
        as_text = [f"text of {body.place}" for body in secrets if body.text in plain]
        return as_text + [f"tree of {by_tree[tree]}" for tree in _trees(text) if tree in by_tree]

    leaks: dict[str, None] = {}
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        for name in files.namelist():
            for text in _texts(PurePosixPath(name), files.read(name)):
                leaks |= {f"{name}: {place}": None for place in in_text(text)}
    return list(leaks)


def _texts(path: PurePosixPath, content: bytes) -> Iterator[str]:
    """Yield every text in a file: what is in its JSON and its arrays too, and the fenced code in what it says."""
    if path.suffix == ".npz":
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            yield from _texts(PurePosixPath("recording.json"), arrays["json"].tobytes())
        return
    text = content.decode("utf-8", "replace")
    inside: list[str] = []
    if path.suffix in (".json", ".ipynb"):
        inside = sorted(_strings([json.loads(text)]))
    elif path.suffix == ".py":
        nodes = ast.walk(ast.parse(text))
        inside = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    for part in [text, *inside]:
        yield part
        yield from FENCE.findall(part)


def _strings(value: Any) -> set[str]:
    """Return every string in what JSON holds, keys too, and joined where there are only strings: a cell's source."""
    strings, left = set(), [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            strings.add(each)
            continue
        parts = [*each, *each.values()] if isinstance(each, dict) else each
        inside = [part for part in parts if isinstance(part, str | dict | list)]  # recordings have a million numbers
        if all(isinstance(part, str) for part in parts):
            strings.add("".join(inside))
        left += inside
    return strings


def _trees(text: str) -> Iterator[str]:
    """Yield the bodies of all functions in a text as trees; none for a text that is no code."""
    if not DEFINES.search(text):
        return
    try:
        nodes = ast.walk(ast.parse(textwrap.dedent(text)))
    except (SyntaxError, ValueError):
        return
    yield from (tree(_undocumented(node.body)) for node in nodes if isinstance(node, ast.FunctionDef))
