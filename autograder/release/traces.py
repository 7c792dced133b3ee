"""What right functions ask of earlier ones: recorded at release, so that a student's own check can answer the same."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from autograder import checks
from autograder.checks import Check
from autograder.judge.earlier import Earlier
from autograder.kit.call import call
from autograder.kit.carried import Recording
from autograder.kit.cases import Case, Example
from autograder.kit.proxy import outline, stand_in


def traced(
    name: str, check: Check, cases: list[Case], examples: list[Example], parts: Mapping[str, int | None]
) -> dict[str, dict[str, Any]]:
    """Return, for each earlier function that the checked one may call, what `recordings.pack` keeps of it."""
    references = {each: checks.find(f"{name}.{each}").reference for each in check.may_call}
    asked = {} if check.is_bug_hunt else _asked(check, references, cases, examples)
    return {
        each: {"part": parts.get(each), "parameters": outline(reference), "asked": asked.get(each)}
        for each, reference in references.items()
    }


def _asked(
    check: Check, references: dict[str, Callable], cases: list[Case], examples: list[Example]
) -> dict[str, list[list]]:
    """Return the questions of the reference on these cases and examples, each once, with their answers."""
    earlier, asked = Earlier(references), {each: [] for each in references}
    recording = Recording(asked)

    def ask(question: dict) -> dict:
        known = recording.find(question)
        if known is None:
            known = earlier.answer(question)
            asked[question["function"]].append([question, known])
        return known

    with _standing_in(check.reference, {each: stand_in(each, outline(of), ask) for each, of in references.items()}):
        for arguments, cotangents in _calls(cases, examples):
            answer = call({check.function: check.reference}, check.function, arguments, cotangents)
            if answer.error:
                raise RuntimeError(
                    f"{check.function} fails when {', '.join(references)} are recorded: {answer.error.text}"
                )
    return asked


def _calls(cases: list[Case], examples: list[Example]) -> Iterator[tuple[list, list | None]]:
    for case in cases:
        yield list(case.arguments.values()), None
        if case.cotangents is not None:
            yield list(case.arguments.values()), case.cotangents
    yield from ((list(example.arguments), None) for example in examples)


@contextmanager
def _standing_in(reference: Callable, stand_ins: dict[str, Callable]) -> Iterator[None]:
    """Let the module of a reference call stand-ins in the place of its own functions."""
    names = vars(sys.modules[reference.__module__])
    own = {name: names[name] for name in stand_ins if name in names}
    names |= {name: stand_ins[name] for name in own}
    try:
        yield
    finally:
        names |= own
