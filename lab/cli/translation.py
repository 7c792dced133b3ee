"""The command line of every translation chapter: python -m solutions.NAME train | evaluate | translate | sweep."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab import corpora
from lab.cli import common, kind
from lab.cli.common import Long
from lab.cli.kind import Kind
from lab.decode.decoding import Search
from lab.evaluation.sweeps import Sweep
from lab.kinds.ranges import Amount, Size
from lab.kinds.runs import Solution
from lab.kinds.translation import TRANSLATION, Trained


@dataclass(frozen=True)
class Where(kind.Where):
    """Which corpus, in which direction, by which recipe."""

    source: str | None = None
    """language to translate from; by default the corpus's own"""
    target: str | None = None
    """language to translate into; by default the corpus's own"""


@dataclass(frozen=True)
class Train(Long, Where):
    """Train a model, and go on where an earlier call of the same run was stopped."""


@dataclass(frozen=True)
class Penalty:
    """How a beam search compares translations of different lengths."""

    alpha: Amount = 1.0
    """exponent of the length by which a hypothesis's log-probability is divided"""
    shift: Amount = 0.0
    """length counts as (shift + length) / (shift + 1): 0 is the length itself, 5 the penalty of Wu et al. (2016)"""


@dataclass(frozen=True)
class Evaluate(Penalty, Where, kind.Evaluate):
    """Score the trained models on the test sets and write solutions/NAME/results/RUN-seedN.json."""

    beam: Size = 5
    """width of the beam search that is scored beside greedy decoding"""

    def how(self) -> dict[str, Any]:
        return {"search": Search(self.beam, self.alpha, self.shift)}


@dataclass(frozen=True)
class Translate(Penalty, Where):
    """Translate sentences (arguments, or lines of standard input) with the newest model of a corpus and direction."""

    run: str | None = None
    """name of a run; by default the newest of the corpus and direction"""
    beam: Size = 1
    """width of the beam; 1 is greedy"""
    weights: bool = True
    """draw the attention weights"""
    unknown: bool = False
    """translate in spite of unknown words, which the model reads as <unk>"""


PARALLEL = Kind(TRANSLATION, corpora.direction, "has no translations", Train, Evaluate)


def main(solution: Solution, argv: list[str] | None = None, sweeps: Mapping[str, Sweep] | None = None) -> None:
    """Run one command. A mistake of the user ends with one message and exit code 2, and changes nothing."""
    common.dispatch(solution, PARALLEL.commands(sweeps, translate=run_translate), argv)


def run_translate(solution: Solution, argv: list[str]) -> None:
    """Translate sentences with the newest model, and draw where it looked."""
    options, sentences = common.read_with_texts(Translate, solution, argv)
    trained = PARALLEL.newest(solution, options)
    corpus, source, *_ = trained.about["run"].split("-")  # a run asked for by name may have another corpus
    common.answer(sentences, lambda line: show(trained, corpora.tokenise(corpus, line, source), options))


def show(trained: Trained, sentence: str, options: Translate) -> bool:
    """Print a translation, and below it where the model looked for each word; return whether there was one."""
    from lab.show.attention_table import alignment_text

    if not sentence.split():
        print("error: an empty sentence has no translation: give at least one word", file=sys.stderr)
        return False
    unknown = trained.source_text.unknown(sentence)
    if unknown and not options.unknown:
        print(
            f"error: not among the {len(trained.source_text)} words or pieces that the model knows: "
            f"{common.cut(unknown)}. Say it in other words, or add --unknown to have them read as <unk>.",
            file=sys.stderr,
        )
        return False
    translation = trained.translate([sentence], options.beam, options.alpha, options.shift)[0]
    print(translation)
    if options.weights and trained.model.attends:
        weights = trained.attention(sentence, translation)
        source = [*trained.source_text.pieces(sentence), "</s>"]
        print(alignment_text(weights, source, trained.target_text.pieces(translation)))
    return True
