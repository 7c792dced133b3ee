"""Whether the bodies of some functions stand anywhere in files: as code under other names, or as text."""

import ast
import io
import json
import re
import textwrap
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

TRIVIAL = 16  # nodes of a syntax tree: one statement up to so big says nothing, `return scores.softmax(-1)` has 7
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Body:
    """The statements of one function, its docstring left out."""

    place: str
    statements: tuple[ast.stmt, ...]
    source: str  # as it is written

    @cached_property
    def tree(self) -> str:
        return tree(self.statements)

    @cached_property
    def texts(self) -> set[str]:
        return {squeezed(self.source), squeezed("\n".join(map(ast.unparse, self.statements)))}

    @cached_property
    def kinds(self) -> tuple[type, ...]:
        return kinds(self.statements)

    @property
    def is_trivial(self) -> bool:
        if len(self.statements) > 1:
            return False
        return sum(1 for _ in ast.walk(self.statements[0])) <= TRIVIAL or hands_on(self.statements[0])


def bodies(files: Iterable[Path]) -> list[Body]:
    """Return the bodies of all functions of these files that are not trivial."""
    bodies_read = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and (body := _undocumented(node.body)):
                lines = text.splitlines()[body[0].lineno - 1 : node.end_lineno]
                bodies_read.append(Body(f"{file.name}: {node.name}", tuple(body), "\n".join(lines)))
    return [body for body in bodies_read if not body.is_trivial]


def hands_on(statement: ast.stmt) -> bool:
    """Return whether a statement only calls something with names and constants, as `return f(x, y, None)`."""
    if not isinstance(statement, ast.Return) or not isinstance(statement.value, ast.Call):
        return False
    call = statement.value
    return all(isinstance(part, ast.Name | ast.Constant) for part in (call.func, *call.args)) and not call.keywords


def kinds(statements: Iterable[ast.stmt]) -> tuple[type, ...]:
    """Return what kind of statement each is; annotated or not makes no difference."""
    return tuple(ast.Assign if isinstance(part, ast.AnnAssign) else type(part) for part in statements)


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
    by_kinds: dict[tuple[type, ...], dict[str, str]] = {}
    for body in secrets:
        by_kinds.setdefault(body.kinds, {})[body.tree] = body.place
    shortest = min(len(text) for body in secrets for text in body.texts)
    by_start: dict[str, list[tuple[str, Body]]] = {}
    for body in secrets:
        for text in body.texts:
            by_start.setdefault(text[:shortest], []).append((text, body))
    leaks: dict[str, None] = {}
    seen: set[str] = set()
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        for name in files.namelist():
            for text in _texts(PurePosixPath(name), files.read(name)):
                if len(text) < shortest or text in seen:
                    continue
                seen.add(text)
                plain = squeezed(text)
                starts = ((i, plain[i : i + shortest]) for i in range(len(plain)))
                known = ((i, each) for i, start in starts if start in by_start for each in by_start[start])
                leaks |= {
                    f"{name}: text of {body.place}": None for i, (secret, body) in known if plain.startswith(secret, i)
                }
                leaks |= {f"{name}: tree of {place}": None for place in _trees(text, by_kinds)}
    return list(leaks)


def _texts(path: PurePosixPath, content: bytes) -> Iterator[str]:
    """Yield every text in a file: what is in its JSON and its arrays too, and the fenced code in what it says."""
    if path.suffix == ".npz":
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            for key in arrays:
                if arrays[key].dtype.kind in "uSU":
                    yield from _texts(PurePosixPath(f"{key}.json"), arrays[key].tobytes())
        return
    text = content.decode("utf-8", "replace")
    try:
        inside = list(_strings(json.loads(text))) if path.suffix in (".json", ".ipynb") else []
    except ValueError:
        inside = []
    if path.suffix == ".py":
        nodes = ast.walk(ast.parse(text))
        inside = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    for part in dict.fromkeys([text, *inside]):
        yield part
        yield from FENCE.findall(part)


def _strings(value: Any) -> Iterator[str]:
    todo = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            todo += [*part, *part.values()]
        elif isinstance(part, list):
            if part and all(isinstance(item, str) for item in part):
                yield "".join(part)  # a cell's source
            todo += part


def _trees(text: str, by_kinds: dict[tuple[type, ...], dict[str, str]]) -> Iterator[str]:
    """Yield which bodies stand in a text as code, whatever stands before and behind them in their block."""
    try:
        nodes = list(ast.walk(ast.parse(textwrap.dedent(text))))
    except (SyntaxError, ValueError):
        return
    sizes = {len(kind) for kind in by_kinds}
    for node in nodes:
        for block in (getattr(node, part, None) for part in ("body", "orelse", "finalbody")):
            if isinstance(block, list):
                whole = kinds(block)
                for first, last in ((i, i + size) for size in sizes for i in range(len(block) - size + 1)):
                    known = by_kinds.get(whole[first:last])
                    place = known.get(tree(block[first:last])) if known else None
                    if place:
                        yield place
