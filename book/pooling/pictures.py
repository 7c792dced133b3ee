"""Pictures of the chapter on pooling: pools seed by seed, weight on the evidence, words erased."""

from collections.abc import Mapping

from book.pooling.figures import FEWEST, Erased
from book.show.experiments import EQUAL, MACRO_F1, Column, longer, points, seeds_of, values
from book.show.seed_plots import cloud, dots
from lab.kinds.runs import joined
from lab.show.plots import Picture

POOLS = {  # variant: its words
    "": "attention",
    "max": "maximum",
    "mean": "mean",
    "uniform": "attention frozen to equal weights",
    "last": "last state of each direction",
}
STRENGTHS = ("away-weak", "away-middle", "away-strong")
TRAINED = {  # words: experiment and its variants, of those that have attention weights
    "labels alone, 3 epochs": (("poolings", ""),),
    "labels alone, 30 epochs": (("poolings-long", "long"),),
    "frozen to equal weights": (("poolings", "uniform"), ("poolings-long", "uniform-long")),
    "adversaries, 3 epochs": tuple(("adversary", name) for name in STRENGTHS),
    "adversaries, 30 epochs": tuple(("adversary-long", joined(name, "long")) for name in STRENGTHS),
}


def pools(experiment: str, column: Column, title: str) -> Picture:
    """Draw a score of each pool after 3 and after 30 epochs."""
    short = seeds_of("pooling", experiment, POOLS, column)
    long = seeds_of("pooling", f"{experiment}-long", longer(POOLS), column)
    return dots({"3 epochs": short, "30 epochs": long}, column.heading, title)


def evidence_plot() -> Picture:
    """Draw the macro-F1 of all trainings against their weight on the evidence."""
    equal = values("pooling", "poolings", "", EQUAL)[0]
    title = "Right, and looking elsewhere"
    series = points("pooling", TRAINED, MACRO_F1)
    return cloud(series, "weight on the evidence, %", "macro-F1, %", title, {"equal weights": equal})


def erased_plot(models: Mapping[str, Mapping[str, Erased]]) -> Picture:
    """Draw how often a label changes when words are erased: a row for what is erased, a series for each model."""
    series = {
        name: {words: [each.changed] for words, each in rows.items() if words != "nothing" and each.texts >= FEWEST}
        for name, rows in models.items()
    }
    return dots(series, "labels that have changed, %", "Words erased", 0)
