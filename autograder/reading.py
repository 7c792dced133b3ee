"""From the bytes that were handed in to a notebook that holds nothing unexpected, or a reason why not."""

import ast
import errno
import json
import os
import re
import stat
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

LARGEST_FILE = 64 << 20
MOST_CELLS = 2000
LONGEST_SOURCE = 1 << 20
LONGEST_PARSED = 50_000
IPYTHON_LINE = re.compile(r"^\s*[%!?,;/]|=\s*[%!]|\?")  # may be IPython's own syntax: %magic, !command, help?
MOST_IPYTHON_WORK = 100_000  # characters: IPython tokenises the whole cell again for each such line
TRAIN = "train"  # the tag of a cell that trains
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


class Unreadable(Exception):
    """What was handed in is no notebook; says what was expected, what came and what to do."""


def read_bytes(path: Path, most: int = LARGEST_FILE) -> bytes:
    """Return a regular file's bytes; a link is not followed, it could lead to somebody else's work."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        reasons = {
            errno.ENOENT: "there is no such file",
            errno.ELOOP: "this is a symbolic link; hand in the file itself",
            errno.EACCES: "the file may not be read; check its permissions",
        }
        raise Unreadable(reasons.get(error.errno or 0, f"the file cannot be opened: {error.strerror}")) from None
    except ValueError as error:
        raise Unreadable(f"the name is no file name: {error}") from None
    status = os.fstat(descriptor)
    reason = None
    if stat.S_ISDIR(status.st_mode):
        reason = "this is a folder; expected a notebook, a file that ends in .ipynb"
    elif not stat.S_ISREG(status.st_mode):
        reason = "this is no regular file; expected a notebook, a file that ends in .ipynb"
    elif status.st_size > most:
        size = f"{status.st_size >> 20} MB, at most {most >> 20} MB are read"
        reason = f"the file has {size}; clear the outputs and hand it in again"
    if reason:
        os.close(descriptor)
        raise Unreadable(reason)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


def parse(content: bytes) -> NotebookNode:
    """Return the notebook in these bytes, rebuilt from its cells' types, sources and metadata alone."""
    if not content.strip():
        raise Unreadable("the file is empty; save the notebook and hand it in again")
    try:
        tree = json.loads(_decode(content))
    except (ValueError, RecursionError) as error:
        said = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise Unreadable(f"this is no notebook, its JSON is broken: {said[:200]}") from None
    if not isinstance(tree, dict):
        raise Unreadable(f"this is no notebook: expected a JSON object, got a {type(tree).__name__}")
    cells = _cells(tree)
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"the notebook has {len(cells)} cells, at most {MOST_CELLS} are read")
    metadata: dict[str, Any] = {"kernelspec": dict(KERNEL), "language_info": {"name": "python"}}
    ours = tree.get("metadata")
    ours = ours.get("attention_workbook") if isinstance(ours, dict) else None
    if isinstance(ours, dict) and isinstance(ours.get("assignment"), str):
        metadata["attention_workbook"] = {"assignment": ours["assignment"]}
    built = [_cell(cell, number) for number, cell in enumerate(cells) if isinstance(cell, dict)]
    whole: Any = nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": built})
    return whole


def _decode(content: bytes) -> str:
    """Editors write byte order marks and UTF-16; that is no student's fault."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16")
    if content[:2].count(0) == 1:  # UTF-16 without a mark: JSON begins with ASCII
        return content.decode("utf-16-le" if content[1] == 0 else "utf-16-be")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _cells(tree: dict[str, Any]) -> list[Any]:
    """Return the cells of a notebook of any format: 4 and later have a list of them, 3 and earlier have sheets."""
    if isinstance(tree.get("cells"), list):
        return tree["cells"]
    sheets = tree.get("worksheets")
    if isinstance(sheets, list):
        lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        found = [cell for cells in lists if isinstance(cells, list) for cell in cells]
        return [_from_format_3(cell) for cell in found if isinstance(cell, dict)]
    raise Unreadable("this is no notebook: it has no list of cells")


def _from_format_3(cell: dict[str, Any]) -> dict[str, Any]:
    if cell.get("cell_type") == "heading":
        level = cell.get("level")
        marks = "#" * (level if type(level) is int and 1 <= level <= 6 else 1)
        return {**cell, "cell_type": "markdown", "source": f"{marks} {_text(cell.get('source'))}"}
    return {**cell, "source": cell.get("input", cell.get("source"))}


def _cell(cell: dict[str, Any], number: int) -> dict[str, Any]:
    kind = cell.get("cell_type")
    metadata = cell.get("metadata")
    built: dict[str, Any] = {
        "id": f"own-{number}",
        "cell_type": kind if kind in ("code", "markdown") else "raw",
        "metadata": _metadata(metadata if isinstance(metadata, dict) else {}),
        "source": _text(cell.get("source")),
    }
    if kind == "code":
        built |= {"outputs": [], "execution_count": None}
    return built


def _metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Keep what the grader reads: the cell's name and whether it trains."""
    kept: dict[str, Any] = {}
    ours, tags = metadata.get("nbgrader"), metadata.get("tags")
    if isinstance(ours, dict) and isinstance(ours.get("grade_id"), str):
        kept["nbgrader"] = {"grade_id": _text(ours["grade_id"])}
    if isinstance(tags, list) and TRAIN in tags:
        kept["tags"] = [TRAIN]
    return kept


def _text(source: Any) -> str:
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return ""
    return source[:LONGEST_SOURCE].encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=64)
def parsed(source: str) -> ast.Module | None:
    """Return the syntax tree of a cell, IPython's own syntax included, or None: it is only looked at, never run."""
    if len(source) > LONGEST_PARSED:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _tree(source) or _tree_of_ipython(source)


def _tree(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tree_of_ipython(source: str) -> ast.Module | None:
    if len(source) * sum(bool(IPYTHON_LINE.search(line)) for line in source.splitlines()) > MOST_IPYTHON_WORK:
        return None
    try:
        return _tree(TransformerManager().transform_cell(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError, RuntimeError):  # it gives up in all these ways
        return None


def defined(source: str) -> set[str]:
    """Return the names that a cell defines at its top level."""
    tree = parsed(source)
    names: set[str] = set()
    for node in tree.body if tree else []:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def checked(source: str) -> str | None:
    """Return the id that a cell hands to `check(…)` if it does nothing else but that and imports."""
    tree = parsed(source) if "check" in source else None
    if tree is None:
        return None
    ids = [_check_call(node) for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return ids[0] if len(ids) == 1 else None


def _check_call(node: ast.stmt) -> str | None:
    call = node.value if isinstance(node, ast.Expr | ast.Assign) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "check":
        return None
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
