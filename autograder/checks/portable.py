"""Adapters of checks for the students' kit: the source of their module, if it needs nothing else."""

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from autograder.checks.faults import CheckFault
from autograder.kit.calls.adapter import Adapter

PACKAGES = ("torch", "numpy", "matplotlib", "jaxtyping")  # which every kit has


def portable(function: str, adapter: Callable) -> Adapter:
    """Return an adapter with its module's source; raise CheckFault where students' machines could not run it."""
    name, module = getattr(adapter, "__name__", "?"), inspect.getmodule(adapter)
    if module is None or vars(module).get(name) is not adapter:
        raise CheckFault(
            f"{function}: its adapter is {adapter!r:.60}, expected a function that a file defines: write `def`"
        )
    if module.__name__.startswith("autograder.kit."):
        return Adapter(name, f"from {module.__name__} import {name}\n")
    source = inspect.getsource(module)
    if foreign := [each for each in _imported(source) if not _is_in_kit(each)]:
        raise CheckFault(
            f"{function}: its adapter {name} stands in {Path(inspect.getfile(adapter)).name}, which imports "
            f"{', '.join(foreign)}. Students get that file: put the adapter into a file of its own, adapters.py beside "
            f"checks.py, that imports only Python's own modules, {', '.join(PACKAGES)} and autograder.kit"
        )
    return Adapter(name, source)


def _imported(source: str) -> Iterator[str]:
    """Yield the modules that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def _is_in_kit(module: str) -> bool:
    root = module.partition(".")[0]
    return root in sys.stdlib_module_names or root in PACKAGES or f"{module}.".startswith("autograder.kit.")
