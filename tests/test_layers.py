"""The directions of imports: each package knows those below it, and no module is part of a circle."""

import ast
from functools import cache
from graphlib import TopologicalSorter

import pytest

from autograder.places import ROOT
from tests.support.imports import imports

# From the top down; packages on one line do not import each other.
LAYERS = """
benchmarks
tests
benchmarks.gpu
benchmarks.complexity benchmarks.kv_cache
benchmarks.measured
book
examples
autograder.__main__
autograder.grading
autograder.gradescope
autograder.score
autograder.canvas
autograder.export
autograder.grade autograder.release autograder.report
autograder.gradebook
autograder.course
autograder.judge
autograder.submissions
autograder.sandbox
autograder.checks
autograder.kit
autograder.assignment autograder.files autograder.interrupts autograder.katex
autograder.online
autograder.settings autograder.definition
autograder.places
solutions
lab.cli
lab.evaluation
lab
"""
LAYER = {package: layer for layer, line in enumerate(LAYERS.split("\n")) for package in line.split()}
PATHS = [
    path
    for package in sorted({package.partition(".")[0] for package in LAYER})
    for path in (ROOT / package).rglob("*.py")
]
NAMES = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in PATHS}
STARTS_EVERYWHERE = "lab.programs"  # says what `python -m` can run in a package, whichever it is


def package(module: str) -> str:
    """Return the package of a module: the longest name in LAYERS that begins its own."""
    parts = module.split(".")
    names = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return next(name for name in names if name in LAYER or name == "autograder")


@cache
def imported(module: str) -> list[tuple[str, int, bool]]:
    """Return what a module imports of the project, in which line, and whether that happens when it is imported."""
    modules = []
    for node, at_once in imports(NAMES[module].read_text("utf-8")):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            below = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in NAMES else node.module for name in below]
        modules += [(name, node.lineno, at_once) for name in names if name in NAMES and name != module]
    return modules


@pytest.mark.parametrize("layer", [line for line in LAYERS.split("\n") if line])
def test_no_package_imports_one_above_it_or_beside_it(layer: str) -> None:
    upward = [
        f"{module}, line {line}: {other}"
        for module in NAMES
        if (own := package(module)) in layer.split()
        for other, line, _ in imported(module)
        if other != STARTS_EVERYWHERE
        and package(other) not in (own, "autograder")
        and LAYER[package(other)] <= LAYER[own]
    ]
    assert not upward, "\n".join(upward)


def test_no_module_is_part_of_a_circle() -> None:
    graph = {module: {other for other, _, at_once in imported(module) if at_once} for module in NAMES}
    graph = {module: others - {module.rpartition(".")[0]} for module, others in graph.items()}
    assert list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def test_every_folder_of_the_project_has_a_level() -> None:
    folders = {module.partition(".")[2].partition(".")[0] for module in NAMES if module.startswith("autograder.")}
    assert {f"autograder.{folder}" for folder in folders} == {name for name in LAYER if name.startswith("autograder.")}


def test_shapes_are_checked_wherever_lab_writes_them(pytestconfig: pytest.Config) -> None:
    """Each of these modules is named in pyproject.toml, and no other one: at each call the check takes its time."""
    listed = pytestconfig.getoption("jaxtyping_packages").split(",")
    lab = {name: path.read_text("utf-8") for name, path in NAMES.items() if name.startswith("lab.")}
    assert {name for name in listed if name in lab} == {name for name, text in lab.items() if "jaxtyping" in text}
