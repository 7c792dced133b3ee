"""Public examples in a hint: what to paste, what a right function gives there, and what the student's does."""

from collections.abc import Callable, Iterator

import numpy as np

from autograder.kit.call import Answer, Caller
from autograder.kit.cases import Example, KnownMistake
from autograder.kit.compare import aligned, checked

MOST = 48  # numbers that are shown of one output
VISIBLE = 2e-3  # three digits are shown: what differs less looks the same

Examples = Callable[[], list[Example]]


def differs(answer: Answer, example: Example) -> bool:
    """Return whether three digits show that an answer is not the right one."""
    got, right = aligned(answer, example), list(example.outputs.values())
    if answer.error or got is None or len(got) != len(right):
        return True
    pairs = zip(got, right, strict=True)
    return not all(one.shape == two.shape and np.allclose(one, two, rtol=0, atol=VISIBLE) for one, two in pairs)


def example_hint(
    function: str, mistakes: list[KnownMistake], examples: list[Example], caller: Caller, said: set[str]
) -> str | None:
    """Return the first example that shows the mistake that was found or, when it has no name, that anything is wrong.

    The student's function is called on it: nothing in an example is hidden. `said` holds the errors that were read
    already; whoever has just lost the time of a check is shown what the mistake gives instead.
    """
    for example in _fitting(mistakes, examples):
        answer = checked(caller(function, list(example.arguments), None))
        wrong = next((example.mistakes[known.name] for known in mistakes if known.name in example.mistakes), None)
        if differs(answer, example) and answer.error not in said:
            return _text(example, "Yours", _said(answer, example))
        if answer.error and wrong is not None:
            return _text(example, "One with this mistake", f"gives {_shown(wrong, example)}")
    return None


def _fitting(mistakes: list[KnownMistake], examples: list[Example]) -> Iterator[Example]:
    """Yield the examples on which every mistake that was found shows, then those on which one does; unnamed, all."""
    names = [known.name for known in mistakes]
    for several in (all, any) if len(names) > 1 else (all,):
        yield from (example for example in examples if several(name in example.mistakes for name in names))


def _text(example: Example, who: str, does: str) -> str:
    code = "\n".join(f"    {line}" for line in example.code.splitlines())
    return (
        f"Try it:\n{code}\n  A right function gives {_shown(list(example.outputs.values()), example)}\n  {who} {does}"
    )


def _said(answer: Answer, example: Example) -> str:
    return (
        f"fails: {answer.error.strip()}" if answer.error else f"gives {_shown(aligned(answer, example) or [], example)}"
    )


def _shown(outputs: list[np.ndarray], example: Example) -> str:
    """Return outputs as text, under their names where there are several."""
    texts = [_number(output) for output in outputs]
    if len(texts) == len(example.outputs) > 1:
        texts = [f"{name} {text}" for name, text in zip(example.outputs, texts, strict=True)]
    return ", ".join(texts) if texts else "nothing"


def _number(array: np.ndarray) -> str:
    # An array without numbers may still have a list's worth of places for billions of them.
    return _nested(array.tolist()) if 0 < array.size <= MOST else f"something of shape {array.shape}"


def _nested(value: object) -> str:
    """Return nested lists of numbers as text, three digits behind the point."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_nested, value)) + "]"
    if not isinstance(value, float) or not np.isfinite(value):
        return str(value)
    text = f"{value:.3f}".rstrip("0") if abs(value) < 1e6 else f"{value:.3g}"
    return "0." if text == "-0." else text
