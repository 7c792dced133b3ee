"""Golden files: what a change of the inside must leave as it is. `python -m tests.golden` writes them anew.

Each section is a function that returns plain JSON; `tests/golden/SECTION.json` is what it returned when it was taken.
Whoever changes one on purpose writes it anew and reads the difference before committing it.
"""

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from nbformat import NotebookNode

from autograder.assignment import template
from autograder.checks import checks, find, hint_of
from autograder.kit.calls.call import arrays
from tests.answers import chapters

HERE = Path(__file__).parent
SEEDS = (0, 1, 2)


def sha(*parts: bytes) -> str:
    """Return a short digest of some bytes."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()[:16]


def check_ids() -> list[str]:
    return [f"{name}.{function}" for name in chapters() for function in checks(name)]


def _bytes(value: Any) -> Iterator[bytes]:
    """Yield what makes up an argument: names, numbers and arrays bit for bit."""
    if isinstance(value, np.ndarray):
        yield f"{value.dtype.str}{value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key.encode()
            yield from _bytes(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _bytes(item)
    elif hasattr(value, "__dict__"):
        yield type(value).__name__.encode()
        yield from _bytes(vars(value))
    else:
        yield repr(value).encode()


def inputs() -> dict[str, Any]:
    """Hidden inputs, bit for bit: arguments and cotangents of every case of every check, for some seeds.

    The answers are left out: their last digits depend on the processor.
    """
    return {
        check_id: [
            sha(*(part for case in _drawn(check_id, seed) for part in _bytes([case.arguments, case.cotangents])))
            for seed in SEEDS
        ]
        for check_id in check_ids()
    }


def _drawn(check_id: str, seed: int) -> list:
    return find(check_id).draw(np.random.default_rng(seed))


def criteria() -> dict[str, Any]:
    """What earns points, which mistakes have a name, and what is printed about them."""
    return {
        check_id: {
            "points": [[each.name, each.points] for each in find(check_id).criteria],
            "cases": [
                [case.name, case.features, len(list(arrays(list(case.arguments.values()))))]
                for case in _drawn(check_id, 0)
            ],
            "mistakes": {each.__name__: hint_of(each) for each in find(check_id).mistakes},
            "may_call": list(find(check_id).may_call),
            "examples": [each if isinstance(each, str) else each[0] for each in find(check_id).examples],
        }
        for check_id in check_ids()
    }


def notebooks() -> dict[str, list[list[str]]]:
    """The students' notebooks: kind, points and text of every cell."""
    return {name: [_cell(cell) for cell in template(name).notebook.cells] for name in chapters()}


def _cell(cell: NotebookNode) -> list[str]:
    about = cell.metadata.get("nbgrader", {})
    return [cell.cell_type, str(about.get("grade_id", "")), str(about.get("points", "")), sha(cell.source.encode())]


def example_class() -> dict[str, Any]:
    """The example class, graded with a fixed secret: the summary, and what is printed about every check."""
    from tests.golden.graded import graded_class

    with tempfile.TemporaryDirectory() as folder:
        return graded_class(Path(folder))


SECTIONS: dict[str, Callable[[], Any]] = {
    "inputs": inputs,
    "criteria": criteria,
    "notebooks": notebooks,
    "example_class": example_class,
}
SLOW = {"example_class"}


def path(section: str) -> Path:
    return HERE / f"{section}.json"


def kept(section: str) -> Any:
    """Return what the section's file holds."""
    return json.loads(path(section).read_text("utf-8"))


def text(content: Any) -> str:
    """Return a section as it stands in its file."""
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
