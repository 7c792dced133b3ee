"""requirements.txt names every package that the project imports, pinned, with its reason."""

import ast
import re
import sys
from importlib import metadata

from autograder.places import ROOT

OURS = ["autograder", "book", "lab", "solutions", "tests"]
LINE = re.compile(r"(?P<name>[\w.-]+)==(?P<version>\S+)\s+# \S.*")


def pinned() -> dict[str, str]:
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    found = {line: LINE.fullmatch(line) for line in lines if line and not line.startswith("#")}
    assert all(found.values()), [line for line, match in found.items() if not match]
    return {match["name"].lower(): match["version"] for match in found.values() if match}


def imported() -> dict[str, str]:
    """Return the top module of every import in the project, and a file where it stands."""
    found: dict[str, str] = {}
    own = {"inside", *OURS, *(path.stem for path in (ROOT / "book" / "_ext").glob("*.py"))}
    for path in (path for name in OURS for path in (ROOT / name).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            found |= dict.fromkeys((name.partition(".")[0] for name in names), str(path.relative_to(ROOT)))
    return {name: path for name, path in found.items() if name not in own | sys.stdlib_module_names}


def test_every_package_that_is_imported_is_pinned_with_its_reason():
    known, pins = metadata.packages_distributions(), pinned()
    missing = {
        name: place
        for name, place in imported().items()
        if not {package.lower() for package in known.get(name, [])} & set(pins)
    }
    assert not missing, f"imported there, but not in requirements.txt: {missing}"


def test_what_is_pinned_is_what_is_installed():
    assert {name: metadata.version(name).partition("+")[0] for name in pinned()} == pinned()
