"""Adapters that any check may take: for text, sets, files, plots, gradients by hand, and the parts of a bug hunt."""

import tempfile
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor

from autograder.kit.calls.proxy import Ask

TEXT = torch.uint32  # a text is the row of its characters' numbers in this dtype, which nothing else has

# The function that answers a student's questions in the running call: in the sandbox the judge, who counts them.
ASKED: ContextVar[Ask | None] = ContextVar("asked", default=None)


def in_numpy(function: Callable, *arguments: Any) -> Any:
    """Call a function of arrays; return its array or number, or several of them, as tensors."""
    given = [each.numpy() if isinstance(each, Tensor) else each for each in arguments]
    outputs = function(*given)
    if isinstance(outputs, tuple):
        return tuple(torch.as_tensor(np.asarray(each)) for each in outputs)
    return torch.as_tensor(np.asarray(outputs))


def as_text(function: Callable, *arguments: Any) -> Tensor:
    """Return the text that a function returns; a list of texts is one with a line for each."""
    return text(function(*arguments))


def text(value: Any) -> Tensor:
    """Return a text, or a list of texts, as the numbers of its characters."""
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        value = "\n".join(value)
    if not isinstance(value, str):
        raise TypeError(f"expected text, got {_article(value)}")
    return torch.tensor(list(map(ord, value)), dtype=TEXT)


def as_set(function: Callable, *arguments: Any) -> Tensor:
    """Return the elements of a set in their order: texts, numbers, or tuples of numbers, one in each row."""
    elements = function(*arguments)
    if not isinstance(elements, set | frozenset):
        raise TypeError(not_a_set("a set", elements))
    if not elements:
        return torch.zeros(0, 1, dtype=torch.int64)
    if all(isinstance(each, str) for each in elements):
        return text(sorted(elements))
    rows = [each if isinstance(each, tuple) else (each,) for each in elements]
    if len({len(row) for row in rows}) > 1 or not all(
        isinstance(x, int | float | np.number) for row in rows for x in row
    ):
        raise TypeError("expected a set of texts, of numbers, or of tuples of equally many numbers, no tensors")
    return torch.tensor(sorted(rows)).reshape(len(rows), -1)


def not_a_set(expected: str, value: Any) -> str:
    """Return the sentence for a value that is not the expected set."""
    way = "; `set(…)` makes a set of it" if isinstance(value, list | tuple) else ""
    return f"the type is wrong: expected {expected}, got {_article(value)}{way}"


def written_file(function: Callable, name: str, *arguments: Any) -> Tensor:
    """Return the text of the file that `function(path, *arguments)` writes; the path ends with `name`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        function(path, *arguments)
        if not path.is_file():
            raise TypeError(f"expected it to write the file {name} at the path that it is given, and there is none")
        return text(path.read_bytes().decode("utf-8"))


def read_file(function: Callable, content: str, *arguments: Any) -> Any:
    """Return `function(path, *arguments)` for a file with this `content`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.txt")
        path.write_text(content, "utf-8", newline="")
        return function(path, *arguments)


def plotted_lines(function: Callable, *arguments: Any) -> Tensor:
    """Return the points of the lines that a function draws with matplotlib, (lines, 2, points), in their order."""
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    plt.figure()
    try:
        with patch.object(plt, "show"):  # which may close its figures
            function(*arguments)
        figures = [plt.figure(number) for number in plt.get_fignums() if number not in before]
        axes = [each for figure in figures for each in figure.axes]
        lines = [np.array(line.get_data(), np.float64) for each in axes for line in each.get_lines()]
    finally:
        for number in set(plt.get_fignums()) - before:
            plt.close(number)
    if not lines:
        raise TypeError("expected lines drawn with plt.plot or axes.plot, and there are none")
    if len({line.shape for line in lines}) > 1:
        raise TypeError(f"expected lines of equally many points, got {', '.join(str(x.shape[1]) for x in lines)}")
    return torch.from_numpy(np.stack(lines))


def failing_input(function: Callable) -> tuple:
    """Return the arguments that the student hands in; None becomes a tensor without elements."""
    given = function()
    if given is None:
        raise TypeError("expected a tuple of arguments, got None: is a `return` missing?")
    given = given if isinstance(given, tuple | list) else (given,)
    return tuple(torch.zeros(0) if each is None else each for each in given)


def diagnosis(function: Callable) -> tuple[int, int]:
    """Return the line, and the place of the kind's letter in the alphabet, from 0: 3, "b" → 3, 1."""
    given = function()
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise TypeError('expected two things, the number of the line and the letter of the kind: return 3, "b"')
    line, kind = given
    if not isinstance(line, int) or not isinstance(kind, str) or len(kind.strip()) != 1:
        raise TypeError(f'expected a whole number and one letter, as in 3, "b"; got {line!r:.20}, {kind!r:.20}')
    return line, ord(kind.strip().lower()) - ord("a")


def _article(value: Any) -> str:
    return "None: is a `return` missing?" if value is None else f"a {type(value).__name__}"
