"""Which training a corpus takes: that of a translation model, of a classifier, or of a language model."""

from typing import Any

from lab import corpora
from lab.kinds import classification, language, translation
from lab.kinds.experiment import Experiment


def kind_of(corpus: str) -> Any:
    """Return the module that trains on a corpus."""
    return classification if corpora.is_labelled(corpus) else language if corpora.is_text(corpus) else translation


def experiment_of(corpus: str) -> Experiment:
    """Return the kind of training that a corpus takes."""
    experiments = (classification.CLASSIFICATION, language.LANGUAGE, translation.TRANSLATION)
    return dict(zip((classification, language, translation), experiments, strict=True))[kind_of(corpus)]


def run_of(
    solution: str,
    corpus: str,
    recipe: str,
    variant: str = "",
    seed: int = 1,
    source: str | None = None,
    target: str | None = None,
) -> Any:
    """Return the name and place of a training, in the direction asked for where its corpus has several."""
    sides = corpora.direction(corpus, source, target) if corpora.is_parallel(corpus) else ()
    return kind_of(corpus).Run(solution, corpus, *sides, recipe, variant, seed)
