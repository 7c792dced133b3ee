"""Things that a student's function uses and grading lacks: packages, files beside the notebook, a GPU."""

import dis
import inspect
import linecache
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from torch import device

from autograder.kit.course import packages

MODULES = Path(__file__).resolve().parents[3] / "modules.txt"  # the top-level modules of grading; `release` writes it
OURS = {"__main__", "given"}
IMPORT = re.compile(r"^(?:import|from)[ \t]+(\w+)", re.MULTILINE)
GPU = re.compile(r"(cuda|mps|xpu)\b")
NO_GPU = '⚠ Grading has no GPU: "cuda", "mps" or .cuda() stops there. Leave tensors where your arguments are.'


def modules_of_grading() -> set[str] | None:
    """Return the top-level modules that grading can import, None where this kit does not know them."""
    try:
        return {*MODULES.read_text(encoding="utf-8").split(), *sys.stdlib_module_names, *OURS, *packages()}
    except FileNotFoundError:
        return None


def lacking(name: str, namespace: dict) -> list[str]:
    """Return a line for each thing that grading lacks for this function, or for the notebook's functions it calls."""
    known = modules_of_grading()
    if known is None or name not in namespace:
        return []
    codes = list(_codes(namespace[name], namespace, set()))
    modules = {module.partition(".")[0] for code in codes for module in _modules(code, namespace)}
    lines = [
        f"⚠ Grading has no `{module}`, and functions that need it get no points: see “Packages” at the top."
        for module in sorted(modules - known)
        if _is_installed(module)
    ]
    return lines + ([NO_GPU] if any(_needs_gpu(code, namespace) for code in codes) else [])


def names_used(function: object, namespace: dict) -> set[str]:
    """Return the names in a function's code, and in that of the notebook's functions that it calls."""
    return {name for code in _codes(function, namespace, set()) for name in code.co_names}


def _codes(value: object, namespace: dict, seen: set[int]) -> Iterator[CodeType]:
    """Yield the code of a function, or of a class's methods, and of the notebook's functions that it calls."""
    value = inspect.unwrap(value) if callable(value) else value
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, type):
        for method in vars(value).values():
            yield from _codes(method, namespace, seen)
    elif isinstance(value, FunctionType) and value.__globals__ is namespace:
        yield from _nested(value.__code__)
        for code in _nested(value.__code__):
            for name in code.co_names:
                yield from _codes(namespace.get(name), namespace, seen)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def _modules(code: CodeType, namespace: dict) -> Iterator[str]:
    """Yield the modules that code imports, takes names from, or that its cell imports."""
    yield from IMPORT.findall("".join(linecache.getlines(code.co_filename)))
    yield from (step.argval for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME")
    for value in (namespace[name] for name in code.co_names if name in namespace):
        module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        yield module if isinstance(module, str) else ""


def _is_installed(module: str) -> bool:
    """Return whether a module is installed here: one that is missing fails here as it does in grading."""
    try:
        return bool(module) and find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _needs_gpu(code: CodeType, namespace: dict) -> bool:
    """Return whether code names a GPU without asking whether there is one."""
    if "is_available" in code.co_names:
        return False
    words = [*code.co_names, *(constant for constant in code.co_consts if isinstance(constant, str))]
    devices = [value for name in code.co_names if isinstance(value := namespace.get(name), device)]
    return any(map(GPU.match, words)) or any(each.type != "cpu" for each in devices)
