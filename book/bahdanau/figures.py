"""What the cells of the chapter on additive attention show beside the common tables."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from IPython.display import HTML

from book.show import translation_errors
from book.show.experiments import Column, learning_curve
from book.show.tables import MODELS, PHRASEBOOK, outputs, results, table
from lab import corpora
from lab.corpora import Pair
from lab.kinds.runs import joined
from lab.show.plots import Picture, training_curves

QUERIES = {"": "before the step, as in the paper", "after": "after the step, as Luong et al. do"}  # variant: its words
REAL = "multi30k-de-en-base"
THRESHOLD = Column("AER, threshold", ("test", "alignment", "threshold", "aer"), digits=3)


def outputs_of(variant: str) -> list[dict[str, Any]]:
    """Return what the runs of a variant put out on the test sentences, seed by seed."""
    return outputs("bahdanau", joined(PHRASEBOOK, variant))


def places(pair: Pair, links: Iterable[Sequence[int]], word: str) -> Counter[str]:
    """Return where the links of a target word point, by count.

    "right": to a source word of its own; "next", "previous": to one of the target word that follows or precedes;
    "elsewhere". A link is a source and a target position.
    """
    words, true = pair.target.split(), set(map(tuple, pair.links or ()))
    counts = Counter()
    for source, target in links:
        if words[target] == word:
            shifts = {"right": 0, "next": 1, "previous": -1}
            counts[next((name for name, by in shifts.items() if (source, target + by) in true), "elsewhere")] += 1
    return counts


def strongest(variant: str, word: str = "the") -> list[Counter[str]]:
    """Return where the strongest weights of a target word point on the test sentences, seed by seed."""
    pairs = corpora.load("phrasebook").tests["test"]
    return [
        sum((places(*each, word) for each in zip(pairs, run["links"]["test"]["argmax"], strict=True)), Counter())
        for run in outputs_of(variant)
    ]


def wrong(places_of_word: Mapping[str, int]) -> int:
    """Return how many links are not true."""
    return sum(count for place, count in places_of_word.items() if place != "right")


def errors_table() -> HTML:
    """Return how translations fail, by the state that asks, beside the other models."""
    runs = {f"query {text}": outputs_of(variant) for variant, text in QUERIES.items()}
    runs |= {text: outputs(name, PHRASEBOOK) for name, text in MODELS.items() if name != "bahdanau"}
    return translation_errors.errors_table(runs, "model", "Test translations that are wrong (greedy, of 2,000)")


def never_right(shown: int = 6) -> HTML:
    """Return test sentences that all seeds translate wrongly, with the first seed's translation."""
    seeds = [seed["translations"]["test"]["greedy"] for seed in outputs_of("")]
    pairs = corpora.load("phrasebook").tests["test"]
    wrong = [(pair, ours[0]) for pair, *ours in zip(pairs, *seeds, strict=True) if pair.target not in ours]
    return table(
        f"Wrong with every seed: {len(wrong)} of {len(pairs):,} test sentences, the first {shown}",
        ["source", "true translation", "seed 1"],
        [[pair.source, pair.target, ours] for pair, ours in wrong[:shown]],
    )


def validation_curves(run: str = PHRASEBOOK) -> Picture:
    """Return validation BLEU after each epoch, the mean over the seeds."""
    curves = {words: learning_curve(results(solution, run)) for solution, words in MODELS.items()}
    return training_curves(curves, "epoch", "validation BLEU", "Validation BLEU after the same epochs")


def gain() -> str:
    """Return by how many BLEU attention is ahead of the encoder–decoder on Multi30k, the mean of the seeds."""
    plain, attentive = (
        fmean(run["scores"]["test2016"]["beam5"]["bleu_lc_tok"]["value"] for run in results(name, REAL))
        for name in ("encoder_decoder", "bahdanau")
    )
    return f"{attentive - plain:.1f}"
