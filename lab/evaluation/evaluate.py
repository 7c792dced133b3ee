"""Scoring a run, whatever its kind: the best checkpoint on the test sets, its scores and outputs in two files."""

from pathlib import Path
from typing import Any

from lab.corpora import Labelled, Parallel, Text
from lab.evaluation import classification_results, language_results, translation_results
from lab.evaluation.result_files import head, keep, provenance
from lab.kinds.classification import CLASSIFICATION
from lab.kinds.language import LANGUAGE
from lab.kinds.runs import Solution
from lab.kinds.translation import TRANSLATION

# Kind of corpus: what trains on it, what scores it, and what a training counts.
KINDS: dict[type, tuple[Any, Any, str]] = {
    Labelled: (CLASSIFICATION, classification_results, "words"),
    Parallel: (TRANSLATION, translation_results, "target_tokens"),
    Text: (LANGUAGE, language_results, "tokens"),
}


def evaluate(
    solution: Solution, run: Any, *, command: str, given: Any = None, folder: Path | None = None, **how: Any
) -> Path:
    """Score the best checkpoint of a run on the test sets, write both files, and return that of the scores.

    By default the run's corpus is loaded, and the files are written into the solution's folder. `how` is for the
    scorer: the `search` of translations.
    """
    corpus = given or run.load()
    experiment, scorer, unit = KINDS[type(corpus)]
    trained = experiment.restore(solution, run.folder)
    outputs, about = scorer.outputs_of(trained, corpus, **how)
    sides = {"source": corpus.source, "target": corpus.target} if isinstance(corpus, Parallel) else {}
    result = head(solution, run, name=corpus.name, **sides) | about | {"scores": scorer.score(outputs, corpus)}
    metric = getattr(corpus, "metric", experiment.metric.lower())
    if isinstance(corpus, Text):
        for split, scores in result["scores"].items():
            print(f"{split}: {language_results.in_words(scores, corpus.unit)}")
    return keep(result | provenance(trained, run, command, unit, metric), outputs, folder)
