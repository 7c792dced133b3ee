"""Public examples in a hint: code to paste, the values of a right function, and those of the student's."""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

import numpy as np

from autograder.kit.verdict.answer import Answer, Caller, Failure, clean_answer
from autograder.kit.verdict.cases import Example, KnownMistake
from autograder.kit.verdict.compare import aligned, is_text

MOST = 48  # numbers that are shown of one output
LONGEST = 300  # characters of a text
VISIBLE = 2e-3  # three digits are shown: a smaller difference cannot be seen
TRY_IT, RIGHT_GIVES, YOURS = "Try it:", "A right function gives", "Yours"

Examples = Callable[[], list[Example]]
Output = tuple[str, np.ndarray, np.ndarray]  # its name, the right value, the student's


class Hint(NamedTuple):
    """An example in words, the failure that it adds, and its outputs where both functions give numbers."""

    text: str
    failure: Failure | None = None
    outputs: tuple[Output, ...] = ()
    shows_own: bool = False  # whether it shows the student's own values


def is_different(answer: Answer, example: Example) -> bool:
    """Return whether three digits show that an answer is not the right one."""
    got, right = aligned(answer, example), list(example.outputs.values())
    if answer.error or got is None or len(got) != len(right):
        return True
    pairs = zip(got, right, strict=True)
    return not all(one.shape == two.shape and np.allclose(one, two, rtol=0, atol=VISIBLE) for one, two in pairs)


def example_hint(
    function: str, mistakes: list[KnownMistake], examples: list[Example], caller: Caller, failures: Collection[Failure]
) -> Hint | None:
    """Return the first example that shows the mistakes or, where none has a name, any fault at all.

    The student's function is called on it: nothing in an example is hidden. `failures` are those already in the
    hint; after a timeout the hint shows the mistake's values instead.
    """
    for example in _fitting(mistakes, examples):
        answer = clean_answer(caller(function, list(example.arguments), None))
        wrong = next((example.mistakes[known.name] for known in mistakes if known.name in example.mistakes), None)
        if is_different(answer, example) and answer.error not in failures:
            return Hint(_text(example, YOURS, _does(answer, example)), answer.error, _outputs(answer, example), True)
        if answer.error and wrong is not None:
            return Hint(_text(example, "One with this mistake", f"gives {_numbers(wrong, example)}"))
    return None


def _outputs(answer: Answer, example: Example) -> tuple[Output, ...]:
    """Return the right values beside the student's, output by output."""
    got = aligned(answer, example) or []
    if answer.error or len(got) != len(example.outputs):
        return ()
    return tuple((name, right, own) for (name, right), own in zip(example.outputs.items(), got, strict=True))


def _fitting(mistakes: list[KnownMistake], examples: list[Example]) -> Iterator[Example]:
    """Yield the examples that show all of the mistakes, then those that show one; without mistakes, all examples."""
    names = [known.name for known in mistakes if any(known.name in example.mistakes for example in examples)]
    for several in (all, any) if len(names) > 1 else (all,):
        yield from (example for example in examples if several(name in example.mistakes for name in names))


def _text(example: Example, who: str, does: str) -> str:
    code = "\n".join(f"    {line}" for line in example.code.splitlines())
    right = _numbers(list(example.outputs.values()), example)
    return f"{TRY_IT}\n{code}\n  {RIGHT_GIVES} {right}\n  {who} {does}"


def _does(answer: Answer, example: Example) -> str:
    if answer.error:
        return f"fails: {answer.error.text.strip()}"
    return f"gives {_numbers(aligned(answer, example) or [], example)}"


def _numbers(outputs: list[np.ndarray], example: Example) -> str:
    """Return outputs as text, under their names where there are several."""
    texts = [_number(output) for output in outputs]
    if len(texts) == len(example.outputs) > 1:
        texts = [f"{name} {text}" for name, text in zip(example.outputs, texts, strict=True)]
    return ", ".join(texts) if texts else "nothing"


def _number(array: np.ndarray) -> str:
    if is_text(array):
        return repr("".join(map(chr, array[:LONGEST].tolist())))
    # An array without numbers may still become a list of billions of empty lists.
    return _nested(array.tolist()) if 0 < array.size <= MOST else f"something of shape {array.shape}"


def _nested(value: object) -> str:
    """Return nested lists of numbers as text, three digits behind the point."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_nested, value)) + "]"
    if not isinstance(value, float) or not np.isfinite(value):
        return str(value)
    text = f"{value:.3f}".rstrip("0") if abs(value) < 1e6 else f"{value:.3g}"
    return "0." if text == "-0." else text
