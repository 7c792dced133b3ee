"""A little course of one core and one starred function, which may call the other, and what students hand in."""

import re
from pathlib import Path

import nbformat

from tests.autograder.commands.test_own_exercise import Course

SOLUTION = '''"""Weights, and what they select."""

from jaxtyping import Float
from torch import Tensor


def weigh(scores: Float[Tensor, "batch n"]) -> Float[Tensor, "batch n"]:
    """Return the softmax of each row."""
    return scores.softmax(dim=-1)


def select(scores: Float[Tensor, "batch n"], values: Float[Tensor, "batch n d"]) -> Float[Tensor, "batch d"]:
    """Return each row's values, weighted by the softmax of its scores."""
    weights = weigh(scores)
    return (weights.unsqueeze(-1) * values).sum(dim=1)
'''
CHECKS = '''"""The checks of weights, and of what they select."""

from autograder.checks import Check, CaseInput
from autograder.checks.random_inputs import normal
from solutions.mine.attention import select, weigh


def rows(rng):
    large = CaseInput("large scores", [normal(rng, 2, 4, scale=300)])
    return [CaseInput("rows", [normal(rng, 3, 5)], gradients=True), large]


def batches(rng):
    return [
        CaseInput("batches", [normal(rng, 3, 5), normal(rng, 3, 5, 2)], gradients=True),
        CaseInput("one value", [normal(rng, 2, 1), normal(rng, 2, 1, 4)]),
    ]


def adds_up(scores, values):
    """The values are added without their weights."""
    return values.sum(dim=1)


CHECKS = [
    Check(weigh, ("weights",), rows, {"rows": 2, "large scores": 1}),
    Check(
        select,
        ("selected",),
        batches,
        {"batches": 2, "one value": 1},
        mistakes=(adds_up,),
        may_call=("weigh",),
        stars=2,
    ),
]
'''
NOTEBOOK = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# Weights

## 1 · weigh

| task | points |
|---|---|
| `weigh` | {points weigh} |
| `select` | {points select} |

```{code-cell} ipython3
#| setup

from jaxtyping import Float
from torch import Tensor

from autograder.kit import check
```

```{code-cell} ipython3
#| exercise weigh
```

```{code-cell} ipython3
#| check weigh
```

## 2 · select

```{code-cell} ipython3
#| exercise select
```

```{code-cell} ipython3
#| check select
```
"""
BODIES = {  # of weigh and select; None: not written
    "all": ("scores.softmax(dim=-1)", "(weigh(scores).unsqueeze(-1) * values).sum(dim=1)"),
    "skips": ("scores.softmax(dim=-1)", None),
    "adds": ("scores.softmax(dim=-1)", "values.sum(dim=1)"),
    "carried": ("scores.softmax(dim=0)", "(weigh(scores).unsqueeze(-1) * values).sum(dim=1)"),
    "nothing": (None, None),
}
CORE, BONUS = 7, 7


def solved(course: Course, weigh: str | None, select: str | None) -> bytes:
    """Return the released notebook with these bodies in it."""
    notebook = nbformat.read(course.folder / "build/release/mine/mine.ipynb", as_version=4)
    for cell in notebook.cells:
        body = {"weigh": weigh, "select": select}.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
        if body:
            cell.source = re.sub(r"# YOUR CODE HERE\n +raise NotImplementedError\(\)", f"return {body}", cell.source)
            assert f"return {body}" in cell.source
    return nbformat.writes(notebook).encode()


def starred_course(folder: Path) -> Course:
    """Make the course in a folder and release it."""
    course = Course(folder)
    for name in ("solutions", "autograder/checks"):
        (folder / name / "mine").mkdir()
    (folder / "solutions/mine/attention.py").write_text(SOLUTION, "utf-8")
    (folder / "autograder/checks/mine/checks.py").write_text(CHECKS, "utf-8")
    (folder / "exercises/mine.md").write_text(NOTEBOOK, "utf-8")
    status, printed = course.types("release", "mine")
    assert status == 0, printed
    return course


def submit(course: Course, student: str, *bodies: str | None) -> Path:
    path = course.folder / "class" / student / "mine" / "mine.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(solved(course, *bodies))
    return path
