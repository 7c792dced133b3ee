"""What the cells of the chapter on additive attention show beside the common tables."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from IPython.display import HTML

from book.encoder_decoder.figures import bucket, over_seeds
from book.show import translation_errors
from book.show.experiments import AER, BLEU, Column, learning_curve, mean, values
from book.show.quoting import listed
from book.show.tables import MODELS, PHRASEBOOK, outputs, results, table
from lab import corpora
from lab.corpora import Pair
from lab.kinds.runs import joined
from lab.show.plots import Picture, bleu_by_length_plot, training_curves

QUERIES = {"": "before the step, as in the paper", "after": "after the step, as Luong et al. do"}  # variant: its words
ORDERS = (  # what readers guess of the two
    "it neither looks nor translates better",
    "it looks at better places, and translates alike",
    "it looks at better places, and translates better",
)
REAL = "multi30k-de-en-base"
THRESHOLD = Column("AER, threshold", ("test", "alignment", "threshold", "aer"), digits=3)


def outputs_of(variant: str) -> list[dict[str, Any]]:
    """Return the outputs of a variant's runs on the test sentences, seed by seed."""
    return outputs("bahdanau", joined(PHRASEBOOK, variant))


def places(pair: Pair, links: Iterable[Sequence[int]], word: str = "") -> Counter[str]:
    """Return the counts of the places to which the links of a target word point, or those of all words.

    "right": to a source word of its own; "next", "previous": to one of the target word that follows or precedes;
    "elsewhere". A link is a source and a target position.
    """
    words, true = pair.target.split(), set(map(tuple, pair.links or ()))
    counts = Counter()
    for source, target in links:
        if word in ("", words[target]):
            shifts = {"right": 0, "next": 1, "previous": -1}
            counts[next((name for name, by in shifts.items() if (source, target + by) in true), "elsewhere")] += 1
    return counts


def strongest(variant: str, word: str = "the") -> list[Counter[str]]:
    """Return the places of a target word's strongest weights on the test sentences, seed by seed."""
    pairs = corpora.load("phrasebook").tests["test"]
    return [
        sum((places(*each, word) for each in zip(pairs, run["links"]["test"]["argmax"], strict=True)), Counter())
        for run in outputs_of(variant)
    ]


def wrong(places_of_word: Mapping[str, int]) -> int:
    """Return the number of links that are not true."""
    return sum(count for place, count in places_of_word.items() if place != "right")


def worst_of(least: int) -> str:
    """Return the target word whose strongest weights miss most often, of those with more than `least` occurrences."""
    pairs, missed, every = corpora.load("phrasebook").tests["test"], Counter[str](), Counter[str]()
    for run in outputs_of(""):
        for pair, links in zip(pairs, run["links"]["test"]["argmax"], strict=True):
            words, true = pair.target.split(), set(map(tuple, pair.links or ()))
            every.update(words[j] for _, j in links)
            missed.update(words[j] for i, j in links if (i, j) not in true)
    seeds = len(outputs_of(""))
    return max((word for word in every if every[word] > least * seeds), key=lambda word: missed[word] / every[word])


def errors_table() -> HTML:
    """Return the kinds of failed translations, by the state that asks, beside the other models."""
    runs = {f"query {text}": outputs_of(variant) for variant, text in QUERIES.items()}
    runs |= {text: outputs(name, PHRASEBOOK) for name, text in MODELS.items() if name != "bahdanau"}
    return translation_errors.errors_table(runs, "model", "Test translations that are wrong (greedy, of 2,000)")


def never_right(count: int = 6) -> HTML:
    """Return test sentences that all seeds translate wrongly, with the first seed's translation."""
    seeds = [seed["translations"]["test"]["greedy"] for seed in outputs_of("")]
    pairs = corpora.load("phrasebook").tests["test"]
    wrong = [(pair, ours[0]) for pair, *ours in zip(pairs, *seeds, strict=True) if pair.target not in ours]
    return table(
        f"Wrong with every seed: {len(wrong)} of {len(pairs):,} test sentences, the first {count}",
        ["source", "true translation", "seed 1"],
        [[pair.source, pair.target, ours] for pair, ours in wrong[:count]],
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


def both_better() -> str:
    """Return the chapter's answer to its guess; raise ValueError where the seeds of the two orders overlap."""
    (worse, better), (low, high) = (
        [values("bahdanau", "query", variant, column) for variant in ("", "after")] for column in (AER, BLEU)
    )
    if not (min(worse) > max(better) and max(low) < min(high)):
        raise ValueError(
            f"the lesson says that both scores get better with every seed, but AER goes from {worse} to {better}, "
            f"and BLEU from {low} to {high}"
        )
    return "In all three trainings of the order that reads first, both scores are better than in any of the other."


def quoted() -> dict[str, str]:
    """Return the numbers that the chapter's text quotes from the runs of ten epochs."""
    models = {"vector": "encoder_decoder", "attention": "bahdanau"}
    numbers = {f"longest_{words}": bucket(PHRASEBOOK, 27, solution=name) for words, name in models.items()}
    without = translation_errors.errors(outputs("encoder_decoder", PHRASEBOOK))
    numbers["twice_vector"] = listed([seed["twice"] for seed in without])
    for name, variant in (("before", ""), ("after", "after")):
        comma = strongest(variant, ",")
        faults = translation_errors.errors(outputs_of(variant))
        numbers |= {
            "commas": f"{comma[0].total()}",
            f"aer_{name}": mean("bahdanau", "query", variant, AER),
            f"bleu_{name}": mean("bahdanau", "query", variant, BLEU),
            f"comma_{name}": listed([wrong(seed) for seed in comma]),
            f"twice_{name}": listed([seed["twice"] for seed in faults]),
        }
    return numbers


def by_length_plot(run: str = PHRASEBOOK) -> Picture:
    """Return BLEU by length with one vector and with attention, from the lowest to the highest seed."""
    models = {MODELS[name]: over_seeds(results(name, run)) for name in ("encoder_decoder", "bahdanau")}
    return bleu_by_length_plot(models, title="BLEU by length", intervals="lowest to highest seed")
