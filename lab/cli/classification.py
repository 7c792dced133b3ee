"""The command line of every classification chapter: python -m solutions.NAME train | evaluate | classify | sweep."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab import corpora
from lab.cli import common, kind
from lab.cli.kind import Kind, Where
from lab.corpora import CorpusError
from lab.evaluation.sweeps import Sweep
from lab.kinds.classification import CLASSIFICATION, Run, Trained
from lab.kinds.runs import Solution

LINEAR = "linear"  # the recipe of the baseline that every classifier is measured against


@dataclass(frozen=True)
class Evaluate(kind.Evaluate):
    """Score the trained models on the test sets and write solutions/NAME/results/RUN-seedN.json.

    With --recipe linear: fit and score the baseline, TF-IDF of words and pairs of words with logistic regression.
    """


LABELLED = Kind(CLASSIFICATION, corpora.is_labelled, "has no labels", evaluating=Evaluate)


@dataclass(frozen=True)
class Classify(Where):
    """Label texts (arguments, or lines of standard input) with the newest model of a corpus."""

    run: str | None = None
    """name of a run; by default the newest of the corpus"""
    weights: bool = True
    """draw the attention weights"""


def main(solution: Solution, argv: list[str] | None = None, sweeps: Mapping[str, Sweep] | None = None) -> None:
    """Run one command. A mistake of the user ends with one message and exit code 2, and changes nothing."""
    commands = LABELLED.commands(sweeps, classify=run_classify) | {"evaluate": run_evaluate}
    common.dispatch(solution, commands, argv)


def run_evaluate(solution: Solution, argv: list[str]) -> None:
    """Score the trained models on the test sets and write the results."""
    if common.given(argv, "--recipe") != [LINEAR]:
        return LABELLED.evaluate(solution, argv)
    from lab.evaluation.classification_results import evaluate_linear

    options = common.read(Evaluate, solution, argv)
    run = Run(solution.name, LABELLED.corpus(solution, options.corpus), LINEAR)
    return print(f"wrote {evaluate_linear(solution, run, command=' '.join(argv))}")


def run_classify(solution: Solution, argv: list[str]) -> None:
    """Label texts with the newest model, and draw where it looked."""
    options, texts = common.read_with_texts(Classify, solution, argv)
    trained = LABELLED.newest(solution, options)
    corpus = trained.about["run"].split("-")[0]  # a run asked for by name may have another corpus
    common.answer(texts, lambda line: show(trained, corpus, line, options.weights))


def show(trained: Trained, corpus: str, line: str, weights: bool) -> bool:
    """Print the label of a text, and below it the weight of each word; return whether there was a label."""
    try:
        sentences = corpora.read(corpus, line) if line.strip() else ()
    except CorpusError as error:
        print(f"error: {error}", file=sys.stderr)
        return False
    if not any(sentence.split() for sentence in sentences):
        print("error: an empty text has no label: give at least one word", file=sys.stderr)
        return False
    probabilities = trained.probabilities([sentences])[0]
    best = int(probabilities.argmax())
    print(f"{trained.labels[best]}  {probabilities[best]:.2f}")
    unknown = [word for sentence in trained.normal(sentences) for word in trained.text.unknown(sentence)]
    if unknown:
        print(f"  read as <unk>, for training had no such word: {common.cut(unknown)}")
    if weights:
        print("\n".join(drawn(trained, sentences)))
    return True


def drawn(trained: Trained, sentences: Sequence[str]) -> list[str]:
    """Return a line for each word: its weight as a number and as a bar, and at a sentence's end the sentence's."""
    from lab.show.attention_table import bar

    of_text = trained.attention_weights([sentences])[0]
    weights = of_text.words.mean(dim=0).tolist()
    lines, start = [], 0
    for number, sentence in enumerate(trained.parts(sentences)):
        if of_text.sentences is not None:
            lines.append(f"  sentence {number + 1}: {of_text.sentences[number]:.2f}")
        for word, weight in zip(sentence, weights[start : start + len(sentence)], strict=True):
            lines.append(f"    {weight:.2f} {bar(weight)} {word}")
        start += len(sentence)
    return lines
