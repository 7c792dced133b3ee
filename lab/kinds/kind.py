"""The kind of training for a corpus: that of a translation model, of a classifier, or of a language model."""

from typing import Any

from lab import corpora
from lab.kinds.classification import CLASSIFICATION
from lab.kinds.experiment import Experiment
from lab.kinds.language import LANGUAGE
from lab.kinds.runs import CorpusRun
from lab.kinds.translation import TRANSLATION, Run


def experiment_of(corpus: str) -> Experiment:
    """Return the kind of training that a corpus takes."""
    return CLASSIFICATION if corpora.is_labelled(corpus) else LANGUAGE if corpora.is_text(corpus) else TRANSLATION


def run_of(
    solution: str,
    corpus: str,
    recipe: str,
    variant: str = "",
    seed: int = 1,
    source: str | None = None,
    target: str | None = None,
) -> Any:
    """Return the run of a `solution` on a `corpus` by a `recipe`, with a `variant` (a word) and a `seed`.

    `source` and `target` are the languages, where the corpus has several directions.
    """
    if not corpora.is_parallel(corpus):
        return CorpusRun(solution, corpus, recipe, variant, seed)
    return Run(solution, corpus, *corpora.direction(corpus, source, target), recipe, variant, seed)
