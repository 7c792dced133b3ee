"""The command line of a language model: python -m solutions.NAME train | evaluate | generate | sweep."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from torch import Tensor

from lab import corpora
from lab.cli import common
from lab.cli.kind import Kind, Where
from lab.evaluation.sweeps import Sweep
from lab.kinds.language import LANGUAGE, Sampling
from lab.kinds.ranges import Count, Positive, Seed, Share, Size
from lab.kinds.runs import Solution

TEXTS = Kind(LANGUAGE, corpora.is_text, "is not a text for a language model")


@dataclass(frozen=True)
class Generate(Where):
    """Continue texts (arguments, or lines of standard input) with the newest model of a corpus."""

    run: str | None = None
    """name of a run; by default the newest of the corpus"""
    count: Size = 200
    """the most tokens to write"""
    temperature: Positive = 1.0
    """divide scores by this: below 1, probable tokens become more probable"""
    top_k: Count = 0
    """draw from the k most probable tokens; 0: from all"""
    top_p: Share = 1.0
    """draw from the fewest tokens that have this probability together; 1: from all"""
    seed: Seed = 1
    """the seed with which tokens are drawn"""


def main(
    solution: Solution,
    probabilities: Callable[..., Tensor],
    argv: list[str] | None = None,
    sweeps: Mapping[str, Sweep] | None = None,
    **more: Callable,
) -> None:
    """Run one command, of these or of `more`. A mistake of the user ends with one message and exit code 2."""
    write = partial(run_generate, probabilities)
    write.__doc__ = run_generate.__doc__
    common.dispatch(solution, TEXTS.commands(sweeps, generate=write, **more), argv)


def run_generate(probabilities: Callable[..., Tensor], solution: Solution, argv: list[str]) -> None:
    """Continue texts with the newest model of a corpus."""
    options, texts = common.read_with_texts(Generate, solution, argv)
    if options.top_p == 0:
        raise common.UsageError("--top-p: expected a number above 0, got 0; for the most probable token, say --top-k 1")
    trained = TEXTS.newest(solution, options)
    sampling = Sampling(probabilities, options.temperature, options.top_k, options.top_p, options.seed)

    def show(line: str) -> bool:
        """Print a text with its continuation; return whether it could be read."""
        unknown = trained.text.unknown(line)
        if unknown:
            known = f"error: not among the {len(trained.text)} tokens that the model knows: {common.cut(unknown)}."
            print(f"{known} Begin with others.", file=sys.stderr)
            return False
        print(trained.write([line], options.count, sampling)[0])
        return True

    common.answer(texts, show)
