"""The files of the project that a piece of code depends on: every key of a store or a cache is made from them."""

import ast
import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLES = "*.txt", "*.css", "*.js"  # beside a module: what it may read
STORE = Path(os.environ.get("ATTENTION_STORE", ROOT / "build" / "store"))  # of what takes long to make


def imported_names(code: str, package: str = "") -> Iterator[str]:
    """Yield the dotted names that a piece of code imports; `from a import b` may mean the module a.b."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def module_files(name: str, root: Path) -> Iterator[Path]:
    """Yield the project's files read when a dotted name is imported: the packages on the way, and the module."""
    parts = name.split(".")
    for depth in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:depth])
        for file in (place / "__init__.py", place.with_suffix(".py")):
            if file.is_file():
                yield file


def files_behind(names: Iterable[str], root: Path) -> list[Path]:
    """Return the files read when these names are imported, directly or not, and the tables beside them, sorted."""
    files: set[Path] = set()
    waiting = [file for name in names for file in module_files(name, root)]
    while waiting:
        file = waiting.pop()
        if file in files:
            continue
        files |= {file, *(other for kind in TABLES for other in file.parent.glob(kind))}
        code = file.read_text(encoding="utf8")
        package = ".".join(file.parent.relative_to(root).parts)
        names = set(imported_names(code, package))
        waiting += [other for name in names for other in module_files(name, root)]
        if {"importlib", "pkgutil"} & names:
            # A package that discovers its modules may import any of them.
            waiting += [*file.parent.glob("*.py"), *file.parent.glob("*/__init__.py")]
    return sorted(files)


def digest_of(names: Iterable[str], *more: str) -> str:
    """Return twelve hexadecimal digits that change with the files behind these names, and with some words."""
    digest = hashlib.sha256("".join(more).encode())
    for file in files_behind(names, ROOT):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
