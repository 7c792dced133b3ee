"""The files of the project that a piece of code depends on: every key of a store or a cache is made from them."""

import ast
import hashlib
import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLES = "*.txt", "*.css", "*.js"  # beside a module: what it may read
STORE = Path(os.environ.get("ATTENTION_STORE", ROOT / "build" / "store"))  # of what takes long to make


@cache  # by the text itself: many ask for what the same files import
def imported_names(code: str, package: str = "") -> frozenset[str]:
    """Return the dotted names that a piece of code imports; `from a import b` may mean the module a.b."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return frozenset(names)


def module_files(name: str, root: Path) -> Iterator[Path]:
    """Yield the project's files read when a dotted name is imported: the packages on the way, and the module."""
    place = str(root)
    for part in name.split("."):
        place = f"{place}/{part}"
        for file in (f"{place}/__init__.py", f"{place}.py"):  # many names are asked for: a path for each costs seconds
            if os.path.isfile(file):  # noqa: PTH113
                yield Path(file)


def files_behind(names: Iterable[str], root: Path) -> list[Path]:
    """Return the files read when these names are imported, directly or not, and the tables beside them, sorted."""
    tops = {path.stem for path in root.iterdir()}  # all other names are of packages from elsewhere
    files: set[Path] = set()
    known: set[str] = set()

    def new(names: Iterable[str]) -> list[Path]:
        own = {name for name in names if name.partition(".")[0] in tops} - known
        known.update(own)
        return [file for name in own for file in module_files(name, root)]

    waiting = new(names)
    while waiting:
        file = waiting.pop()
        if file in files:
            continue
        files.add(file)
        package = ".".join(file.parent.relative_to(root).parts)
        imported = imported_names(file.read_text(encoding="utf8"), package)
        waiting += new(imported)
        if {"importlib", "pkgutil"} & imported:
            # A package that discovers its modules may import any of them.
            waiting += [*file.parent.glob("*.py"), *file.parent.glob("*/__init__.py")]
    tables = {table for folder in {file.parent for file in files} for kind in TABLES for table in folder.glob(kind)}
    return sorted(files | tables)


def digest_of(names: Iterable[str], *more: str) -> str:
    """Return twelve hexadecimal digits that change with the files behind these names, and with some words."""
    digest = hashlib.sha256("".join(more).encode())
    for file in files_behind(names, ROOT):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
