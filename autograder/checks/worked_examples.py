"""Public examples: small calls, the same for everyone, on which a hint shows what a right function gives."""

import inspect
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import torch

from autograder.checks.faults import CheckFault, demand_outputs
from autograder.kit.answer import Answer
from autograder.kit.call import call
from autograder.kit.cases import Example
from autograder.kit.compare import aligned
from autograder.kit.example_hints import differs
from autograder.kit.uses import USES


@cache
def worked(
    function: str, names: tuple[str, ...], reference: Callable, mistakes: tuple[Callable, ...], codes: tuple[str, ...]
) -> list[Example]:
    """Return each piece of code as an example, with what the reference gives, and each mistake that shows there."""
    return [_example(function, names, reference, mistakes, code) for code in codes]


def _example(
    function: str, names: tuple[str, ...], reference: Callable, mistakes: tuple[Callable, ...], code: str
) -> Example:
    arguments = given(function, code)
    right = _answer(function, reference, arguments)
    if right.error or right.outputs is None:
        text = right.error.text if right.error else "it returns nothing"
        raise CheckFault(f"{function}, example `{code}`: the reference fails on it: {text}")
    demand_outputs(function, code, names, right.outputs)
    example = Example(code, arguments, dict(zip(names, right.outputs, strict=True)), {})
    for mistake in mistakes:
        answer = _answer(function, mistake, arguments)
        outputs = aligned(answer, example)
        if not answer.error and outputs is not None and differs(answer, example):
            example.mistakes[mistake.__name__] = outputs
    return example


def _answer(function: str, target: Callable, arguments: list) -> Answer:
    return call({function: target}, function, arguments)


def given(function: str, code: str) -> list:
    """Return the arguments with which the code calls the function in its last line, tensors as arrays."""
    caught: list = []
    names = {"torch": torch, function: lambda *arguments: caught.extend(arguments)}
    try:  # the code is the course's own text
        exec(code, names)
    except Exception as error:
        raise CheckFault(f"{function}, example `{code}`: {type(error).__name__}: {error}") from error
    if any(isinstance(argument, FunctionType) for argument in caught):
        # What a function is made of stands in the code under the names that the use of the student's function has.
        caught = [names[name] for name in list(inspect.signature(USES[function]).parameters)[1:]]
    return [_plain(argument) for argument in caught]


def _plain(value: Any) -> Any:
    """Return a tensor as an array, and the tensors of a dictionary too."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value.numpy() if isinstance(value, torch.Tensor) else value
