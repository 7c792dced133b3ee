"""From the bytes that were handed in to a notebook that holds nothing unexpected, or a reason why not."""

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

from autograder.submissions.parse_untrusted import MOST_CELLS, TRAIN, Unreadable, plain

__all__ = ["TRAIN", "Unreadable", "checked", "defined", "looked_at", "parse", "parsed", "read_below", "read_bytes"]

LARGEST_FILE = 64 << 20
LONGEST_PARSED = 50_000
IPYTHON_LINE = re.compile(r"^\s*[%!?,;/]|=\s*[%!]|\?")  # may be IPython's own syntax: %magic, !command, help?
MOST_IPYTHON_WORK = 100_000  # characters: IPython tokenises the whole cell again for each such line
UNRUN: dict[str, Any] = {"outputs": [], "execution_count": None}
THROUGH = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC  # a folder that is only gone through
LINK = "this is a symbolic link; hand in the file itself"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def read_bytes(path: Path, most: int = LARGEST_FILE) -> bytes:
    """Return a regular file's bytes; a link is not followed, it could lead to somebody else's work."""
    return _content(_opened(path), most)


def read_below(root: Path, parts: Sequence[str], most: int = LARGEST_FILE) -> bytes:
    """Return the bytes of a regular file below a folder; no part of the way to it may be a link, whenever it was made.

    Whoever may write there could swap a folder for a link to a peer's between a look at it and the reading.
    """
    try:
        folder = open_folder(root, parts[:-1])
    except OSError as error:
        raise Unreadable(_why(error)) from None
    try:
        return _content(_opened(parts[-1], folder), most)
    finally:
        os.close(folder)


def open_folder(root: Path, parts: Sequence[str] = (), last: int = THROUGH) -> int:
    """Return a descriptor of a folder below another, opened part by part without following links; `last` is how."""
    ways = [THROUGH] * len(parts) + [last]
    descriptor = os.open(root, ways[0])
    for part, way in zip(parts, ways[1:], strict=True):
        try:
            below = os.open(part, way | os.O_NOFOLLOW, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = below
    return descriptor


def _content(descriptor: int, most: int) -> bytes:
    """Return what an opened file holds if it is a regular one, and close it."""
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
    try:
        with os.fdopen(descriptor, "rb") as file:
            return file.read(most) or b""  # None where a file of the kernel's has nothing to say yet
    except OSError as error:  # a disk that fails
        raise Unreadable(f"the file cannot be read: {error.strerror}") from None


def _opened(path: Path | str, folder: int | None = None) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        raise Unreadable(_why(error)) from None
    except ValueError as error:
        raise Unreadable(f"the name is no file name: {error}") from None


def _why(error: OSError) -> str:
    reasons = {
        errno.ENOENT: "there is no such file",
        errno.ELOOP: LINK,
        errno.ENOTDIR: "a folder on the way to it is a symbolic link, or no folder; hand in the folder itself",
        errno.EACCES: "the file may not be read; check its permissions",
    }
    return reasons.get(error.errno or 0, f"the file cannot be opened: {error.strerror}")


def parse(content: bytes) -> NotebookNode:
    """Return the notebook in these bytes, rebuilt from its cells' types, sources and names alone.

    A student's bytes are parsed in the process with limits (limited.py), and so is the code that they hold.
    """
    said = plain(content)
    metadata: dict[str, Any] = {"kernelspec": dict(KERNEL), "language_info": {"name": "python"}}
    if said["assignment"] is not None:
        metadata["attention_workbook"] = {"assignment": said["assignment"]}
    built = [
        {"id": f"own-{n}", **cell, **(UNRUN if cell["cell_type"] == "code" else {})}
        for n, cell in enumerate(said["cells"])
    ]
    whole: Any = nbformat.from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": built})
    return whole


def parsed(source: str) -> ast.Module | None:
    """Return the syntax tree of a cell, IPython's own syntax included, or None: it is only looked at, never run."""
    if not looked_at(source):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _tree(source) or _tree_of_ipython(source)


def looked_at(source: str) -> bool:
    """Return whether a cell is short enough to be looked through: a tree takes a hundred times its source's memory."""
    return len(source) <= LONGEST_PARSED


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


@lru_cache(maxsize=MOST_CELLS)
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


@lru_cache(maxsize=MOST_CELLS)
def checked(source: str) -> str | None:
    """Return the id that a cell hands to `check(…)` if it does nothing else but that, imports and asserts."""
    tree = parsed(source) if "check" in source else None
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
