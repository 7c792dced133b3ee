"""Ask a published model: python -m solutions.NAME chat "What is the capital of France?"."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from torch import Tensor

from lab.cli import common
from lab.kinds.language import Sampling, most_probable
from lab.kinds.ranges import Amount, Count, Seed, Share, Size
from lab.kinds.runs import Solution


class Answering(Protocol):
    """A model that answers questions, piece by piece."""

    def answer(self, question: str, most: int, choose: Callable[[Tensor], Tensor]) -> Iterator[str]: ...


@dataclass(frozen=True)
class Chat:
    """Ask a published model (arguments, or lines that you type); each question stands alone."""

    count: Size = 200
    """the most pieces to write"""
    temperature: Amount = 0.0
    """divide scores by this before a piece is drawn; 0: always the most probable piece"""
    top_k: Count = 0
    """draw from the k most probable pieces; 0: from all"""
    top_p: Share = 0.9
    """draw from the fewest pieces that have this probability together; 1: from all"""
    seed: Seed = 1
    """the seed with which pieces are drawn"""
    threads: Size | None = None
    """CPU threads (default: torch's own number)"""


def command(load: Callable[[], Answering], probabilities: Callable[..., Tensor]) -> Callable:
    """Return the command `chat` of a chapter whose functions run a published model."""
    run = partial(run_chat, load, probabilities)
    run.__doc__ = run_chat.__doc__
    return run


def run_chat(
    load: Callable[[], Answering], probabilities: Callable[..., Tensor], solution: Solution, argv: list[str]
) -> None:
    """Ask a published model, run by the chapter's functions."""
    options, questions = common.read_with_texts(Chat, solution, argv)
    if options.top_p == 0:
        raise common.UsageError("--top-p: expected a number above 0, got 0; for the most probable piece, leave it out")
    model = load()
    sampling = Sampling(probabilities, options.temperature, options.top_k, options.top_p, options.seed)
    choose = sampling.chooser() if options.temperature else most_probable
    try:
        for question in asked(questions):
            if not question.strip():
                raise common.UsageError("expected a question, got an empty one")
            for piece in model.answer(question, options.count, choose):
                print(piece, end="", flush=True)
            print()
    except KeyboardInterrupt:
        print()
        sys.exit(130)


def asked(questions: Sequence[str]) -> Iterator[str]:
    """Yield the questions; where there are none, the lines typed, until an empty line or the end."""
    if questions or not sys.stdin.isatty():
        yield from map(common.as_text, questions or common.standard_input())
        return
    while question := input("> ").strip():
        yield question
