"""Reads notebook files without following links, builds notebooks from checked parts alone, and parses their code."""

import ast
import errno
import os
import re
import stat
import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from autograder.submissions.parse_untrusted import MOST_CELLS, Unreadable, parse_cells

LARGEST_FILE = 64 << 20
LONGEST_PARSED = 50_000  # characters of a cell
IPYTHON_LINE = re.compile(r"^\s*[%!?,;/]|=\s*[%!]|\?")  # may be IPython's own syntax: %magic, !command, help?
MOST_IPYTHON_WORK = 100_000  # characters: IPython tokenises the whole cell again for each such line
NO_OUTPUTS: dict[str, Any] = {"outputs": [], "execution_count": None}
PATH_ONLY = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC  # a folder on the way
LINK = "this is a symbolic link; hand in the file itself"
LINK_ON_THE_WAY = "a folder on the way to it is a symbolic link, or no folder; hand in the folder itself"
FOLDER = "this is a folder; expected a notebook, a file that ends in .ipynb"
IRREGULAR = "this is no regular file; expected a notebook, a file that ends in .ipynb"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def read_bytes(path: Path, max_bytes: int = LARGEST_FILE) -> bytes:
    """Return a regular file's bytes; raise Unreadable for a symbolic link, which could lead to somebody else's work."""
    return _read_regular(_open(path), max_bytes)


def read_below(root: Path, parts: Sequence[str], max_bytes: int = LARGEST_FILE) -> bytes:
    """Return the bytes of a regular file below `root`; raise Unreadable where any part of its path is a symbolic link.

    Each part is opened relative to the one before: between a check and the reading, a folder could become a link.
    """
    try:
        folder = open_folder(root, parts[:-1])
    except OSError as error:
        raise Unreadable(_reason(error)) from None
    try:
        return _read_regular(_open(parts[-1], folder), max_bytes)
    finally:
        os.close(folder)


def open_folder(root: Path, parts: Sequence[str] = (), last: int = PATH_ONLY) -> int:
    """Return a descriptor of a folder below `root`, opened part by part without following links; `last`: its flags."""
    flags = [PATH_ONLY] * len(parts) + [last]
    descriptor = os.open(root, flags[0])
    for part, flag in zip(parts, flags[1:], strict=True):
        try:
            below = os.open(part, flag | os.O_NOFOLLOW, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = below
    return descriptor


def _read_regular(descriptor: int, max_bytes: int) -> bytes:
    """Return the bytes of an open regular file of at most `max_bytes`, and close it; raise Unreadable for any other."""
    status = os.fstat(descriptor)
    reason = None
    if stat.S_ISDIR(status.st_mode):
        reason = FOLDER
    elif not stat.S_ISREG(status.st_mode):
        reason = IRREGULAR
    elif status.st_size > max_bytes:
        size = f"{status.st_size >> 20} MB, at most {max_bytes >> 20} MB are read"
        reason = f"the file has {size}; clear the outputs and hand it in again"
    if reason:
        os.close(descriptor)
        raise Unreadable(reason)
    try:
        with os.fdopen(descriptor, "rb") as file:
            return file.read(max_bytes) or b""  # None where a file of the kernel's has nothing to say yet
    except OSError as error:  # a disk that fails
        raise Unreadable(f"the file cannot be read: {error.strerror}") from None


def _open(path: Path | str, folder: int | None = None) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        raise Unreadable(_reason(error)) from None
    except ValueError as error:
        raise Unreadable(f"the name is no file name: {error}") from None


def _reason(error: OSError) -> str:
    reasons = {
        errno.ENOENT: "there is no such file",
        errno.ELOOP: LINK,
        errno.ENOTDIR: LINK_ON_THE_WAY,
        errno.EACCES: "the file may not be read; check its permissions",
    }
    return reasons.get(error.errno or 0, f"the file cannot be opened: {error.strerror}")


def parse(content: bytes) -> NotebookNode:
    """Return the notebook in these bytes, rebuilt from its cells' types, sources and names alone; raise Unreadable.

    Of a student's bytes, this and all that parses their code runs in the parser process (parser_process.py) only.
    """
    parsed = parse_cells(content)
    metadata: dict[str, Any] = {"kernelspec": dict(KERNEL), "language_info": {"name": "python"}}
    if parsed["assignment"] is not None:
        metadata["attention_workbook"] = {"assignment": parsed["assignment"]}
    cells = [
        {"id": f"own-{n}", **cell, **(NO_OUTPUTS if cell["cell_type"] == "code" else {})}
        for n, cell in enumerate(parsed["cells"])
    ]
    notebook: Any = nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells})
    return notebook


def syntax_tree(source: str) -> ast.Module | None:
    """Return the syntax tree of a cell, IPython's own syntax included; None where that fails or it is too long."""
    if not is_parsable(source):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _python_tree(source) or _ipython_tree(source)


def is_parsable(source: str) -> bool:
    """Return whether a cell is short enough to be parsed: a syntax tree takes a hundred times its source's memory."""
    return len(source) <= LONGEST_PARSED


def _python_tree(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _ipython_tree(source: str) -> ast.Module | None:
    if len(source) * sum(bool(IPYTHON_LINE.search(line)) for line in source.splitlines()) > MOST_IPYTHON_WORK:
        return None
    try:
        return _python_tree(TransformerManager().transform_cell(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError, RuntimeError):  # it gives up in all these ways
        return None


@lru_cache(maxsize=MOST_CELLS)
def defined_names(source: str) -> set[str]:
    """Return the names that a cell defines at its top level."""
    tree = syntax_tree(source)
    names: set[str] = set()
    for node in tree.body if tree else []:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


@lru_cache(maxsize=MOST_CELLS)
def check_call_id(source: str) -> str | None:
    """Return the id in a cell's `check(id, …)` if the cell does nothing else but import and assert, else None."""
    tree = syntax_tree(source) if "check" in source else None
    if tree is None:
        return None
    ids = [_check_call(node) for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom | ast.Assert)]
    return ids[0] if len(ids) == 1 else None


def _check_call(node: ast.stmt) -> str | None:
    call = node.value if isinstance(node, ast.Expr | ast.Assign) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "check":
        return None
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
