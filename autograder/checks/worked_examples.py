"""Public examples: small calls, the same for everyone, for which a hint shows the values of a right function."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from autograder.checks.edits import target
from autograder.checks.faults import CheckFault, demand_outputs
from autograder.definition import folder_of
from autograder.kit.shown.example_hints import is_different
from autograder.kit.verdict.cases import Example
from autograder.kit.verdict.compare import aligned

# Code to paste; if its last line does not call the function with the arguments of a case, also these, as code.
Code = str | tuple[str, str]


def of_file(reference: Callable, function: str) -> tuple[Code, ...]:
    """Return the examples in examples/FUNCTION.txt of the reference's chapter, none without such a file.

    A blank line stands between two; a last line that begins with `=>` has the arguments.
    """
    path = folder_of(reference, "examples") / f"{function}.txt"
    blocks = path.read_text("utf-8").strip().split("\n\n") if path.is_file() else []
    codes = (block.partition("\n=> ") for block in blocks)
    return tuple((code, arguments) if arguments else code for code, _, arguments in codes)


def worked(check: Any, code: Code) -> Example:
    """Return a piece of code as an example, with the values of the reference, and of each mistake that shows there."""
    text = code if isinstance(code, str) else code[0]
    arguments = given(check, code)
    right = check.calling(check.reference)(check.function, arguments, None)
    if right.error or right.outputs is None:
        reason = right.error.text if right.error else "it returns nothing"
        raise CheckFault(f"{check.function}, example `{text}`: the reference fails on it: {reason}")
    demand_outputs(check.function, text, check.outputs, right.outputs)
    example = Example(text, arguments, dict(zip(check.outputs, right.outputs, strict=True)), {})
    for mistake in check.mistakes:
        answer = check.calling(target(mistake))(check.function, arguments, None)
        outputs = aligned(answer, example)
        if not answer.error and outputs is not None and is_different(answer, example):
            example.mistakes[mistake.__name__] = outputs
    return example


def given(check: Any, code: Code) -> list:
    """Return the arguments of an example, tensors as arrays: those of the function's call in its last line.

    If the example has a line with the arguments, the function in its code is the reference.
    """
    text, arguments = (code, "") if isinstance(code, str) else code
    caught: list = []
    function = check.reference if arguments else lambda *given: caught.extend(given)
    names = {"torch": torch, "np": np, check.function: function}
    try:  # the code is the course's own text
        exec(text, names)
        if arguments:
            caught.extend(eval(f"({arguments},)", names))
    except Exception as error:
        raise CheckFault(f"{check.function}, example `{text}`: {type(error).__name__}: {error}") from error
    return [_plain(argument) for argument in caught]


def _plain(value: Any) -> Any:
    """Return a tensor as an array, the tensors of a dictionary too, and a set of pairs as one with a row for each."""
    if isinstance(value, set):
        return np.array(sorted(value), np.int64).reshape(-1, 2)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value.detach().numpy() if isinstance(value, torch.Tensor) else value
