"""Records, at release, how reference functions call earlier ones, so that a student's own check can answer the same."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from autograder import checks
from autograder.checks import Check
from autograder.judge.reference_server import Earlier
from autograder.kit.carried import Recording
from autograder.kit.cases import Case, Example
from autograder.kit.proxy import outline, remote_stub


def record_earlier_calls(
    name: str, check: Check, cases: list[Case], examples: list[Example], parts: Mapping[str, int | None]
) -> dict[str, dict[str, Any]]:
    """Return {earlier function: its part, parameters and recorded questions}, for `recordings.pack`."""
    references = {each: checks.find(f"{name}.{each}").reference for each in check.may_call}
    asked = {} if check.is_bug_hunt else _record_questions(check, references, cases, examples)
    return {
        each: {"part": parts.get(each), "parameters": outline(reference), "asked": asked.get(each)}
        for each, reference in references.items()
    }


def _record_questions(
    check: Check, references: dict[str, Callable], cases: list[Case], examples: list[Example]
) -> dict[str, list[list]]:
    """Return {earlier function: [[question, answer], …]}, each question of the reference on these inputs once."""
    earlier, asked = Earlier(references), {each: [] for each in references}
    recording = Recording(asked)

    def ask(question: dict) -> dict:
        answer = recording.find(question)
        if answer is None:
            answer = earlier.answer(question)
            asked[question["function"]].append([question, answer])
        return answer

    with _replaced(check.reference, {each: remote_stub(each, outline(of), ask) for each, of in references.items()}):
        for arguments in [*(list(case.arguments.values()) for case in cases), *(list(e.arguments) for e in examples)]:
            answer = check.calling(check.reference)(check.function, arguments, None)
            if answer.error:
                raise RuntimeError(
                    f"{check.function} fails when {', '.join(references)} are recorded: {answer.error.text}"
                )
    return asked


@contextmanager
def _replaced(reference: Callable, remote_stubs: dict[str, Callable]) -> Iterator[None]:
    """Replace functions in the module of a reference by stand-ins within the block."""
    names = vars(sys.modules[reference.__module__])
    originals = {name: names[name] for name in remote_stubs if name in names}
    names |= {name: remote_stubs[name] for name in originals}
    try:
        yield
    finally:
        names |= originals
