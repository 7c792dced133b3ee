"""The words for an exception in a student's function: its type, its message, the student's own lines, advice."""

import re
import traceback
from functools import cache
from pathlib import Path
from typing import Any

import torch

from autograder.kit.course import packages
from autograder.kit.verdict.answer import Failure

LONGEST_MESSAGE = 600  # characters of an exception's message

KIT = Path(__file__).parents[3]
LIBRARY = re.compile(r"/(?:site|dist)-packages/|/lib/python3\.\d+/|^<frozen ")
LIBRARIES = [
    *(KIT / package for package in (*packages(), "given")),
    Path(traceback.__file__).parent,
    Path(torch.__file__).parents[1],  # in the sandbox, packages lie in a folder of another name
]
LEFT_OVER = "the line `raise NotImplementedError()` is still in your function: delete it, and return the result."


def _blank_codes() -> set[bytes]:
    """Return the bytecode of a function that does nothing but raise NotImplementedError, written in all ways."""

    def released() -> None:
        raise NotImplementedError()

    def without_call() -> None:
        raise NotImplementedError

    def with_text() -> None:
        raise NotImplementedError("")

    return {function.__code__.co_code for function in (released, without_call, with_text)}


BLANK = _blank_codes()

ADVICE = {  # on messages of Python and PyTorch that say what is wrong, and not what to do
    r"not implemented for '\w+'": "another dtype is wanted: `.bool()` for a mask, `.float()` for numbers",
    r"^Boolean value of Tensor": "for a mask that may be missing, `if mask is not None`; to compare many "
    "numbers, `.all()`, `.any()`, `torch.where`, `torch.maximum`",
    r"'tuple'(?! object (?:is|does))|not tuple$": "a function called there returns several things: name the one to use",
    r"modified by an inplace operation": "do not write into what a gradient needs: `masked_fill` or `torch.where` "
    "makes a new tensor",
    r"only one element tensors can|only integer tensors of a single": "`torch.stack` joins tensors",
    r"__init__\(\) takes 1 positional argument but": "is your `__init__` written with two underscores on each side?",
    r"Use tensor\.detach\(\)\.numpy\(\)": "stay in torch, which has the same functions: NumPy cuts the gradient off",
}


def failure(error: BaseException, function: str, target: Any) -> Failure:
    """Return the failure of a student's `function` that raised an error; `target` is what the name stands for."""
    stub = _stub(error, function, target)
    text = LEFT_OVER if stub == "left over" else describe(error, _own_frames(error))
    return Failure("unwritten" if stub == "blank" else "raised", text)


def describe(error: BaseException, frames: list[traceback.FrameSummary]) -> str:
    """Return an exception in a few words: its type, its message, and the student's own lines that led to it."""
    try:
        message = " ".join(str(error).split())[:LONGEST_MESSAGE]
    except Exception:  # an exception of the student's own may fail even at this
        message = ""
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    advice = next((f" ({words})" for pattern, words in ADVICE.items() if re.search(pattern, message)), "")
    return "\n".join([text + advice, *_lines(frames)])


def own_lines(error: BaseException) -> list[str]:
    """Return three of the student's own lines that led to an exception: the first, and the two innermost."""
    return _lines(_own_frames(error))


def _lines(frames: list[traceback.FrameSummary]) -> list[str]:
    return [
        f"    line {frame.lineno}, in {frame.name}" + (f": {frame.line}" if frame.line else "")
        for frame in (frames if len(frames) <= 3 else [frames[0], *frames[-2:]])
    ]


def _stub(error: BaseException, function: str, target: Any) -> str:
    """Return "blank" for a function, or a class's method, as released; "left over" if only its `raise` has stayed."""
    places = [tb.f_code for tb, _ in traceback.walk_tb(error.__traceback__) if not _is_foreign(tb.f_code.co_filename)]
    names = vars(target) if isinstance(target, type) else [function]
    is_bare = type(error) is NotImplementedError and all(type(each) is str and not each for each in error.args)
    if not is_bare or not places or places[-1].co_name not in names:
        return ""
    return "blank" if places[-1].co_code in BLANK else "left over"


def _own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the student's own frames of an exception: neither the grader's nor a library's."""
    own = ((f, line) for f, line in traceback.walk_tb(error.__traceback__) if not _is_foreign(f.f_code.co_filename))
    return list(traceback.StackSummary.extract(own))


@cache
def _is_foreign(filename: str) -> bool:
    """Return whether a frame is the grader's or a library's: the student reads only lines of their own."""
    path = Path(filename)
    return bool(LIBRARY.search(path.as_posix())) or any(path.is_relative_to(place) for place in LIBRARIES)
