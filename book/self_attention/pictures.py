"""Pictures of the chapter on self-attention: what a layer costs, and classifiers seed by seed."""

from collections.abc import Mapping

from book.self_attention.figures import DEEPER, FORMS, FROZEN, GATES, KEYS, KINDS, linear, measured
from book.show.experiments import ACCURACY, MACRO_F1, longer, runs_of, seeds_of, seeds_plot, validations
from book.show.seed_plots import dots, lines, seed_curves
from lab.kinds.runs import joined
from lab.show.plots import Picture

KEPT = ("self_attention, projected", "self_attention, projected, fused", "recurrent", "convolution", "restricted")
WATCHED = {
    "": FORMS[""],
    "unplaced": FORMS["unplaced"],
    "simple": FORMS["simple"],
    "two": DEEPER["two"],
    "four": DEEPER["four"],
}


def widths(experiment: str, words: str, title: str) -> Picture:
    """Draw the macro-F1 by the width of a key, divided by its root and not; `words` is that of the longer form."""
    series = {
        name: seeds_of(
            "self_attention",
            experiment,
            {joined(variant, division, words): f"keys of {width} features" for variant, width in KEYS.items()},
            MACRO_F1,
        )
        for name, division in (("not divided", "unscaled"), ("divided", ""))
    }
    return dots(series, MACRO_F1.heading, title)


def parts() -> Picture:
    """Draw the macro-F1 of each form after 8 and after 30 epochs, beside the linear model's."""
    words = FORMS | FROZEN | DEEPER
    series = {
        "8 epochs": seeds_of("self_attention", "parts", words, MACRO_F1),
        "30 epochs": seeds_of("self_attention", "parts-long", longer(words), MACRO_F1),
    }
    return dots(series, MACRO_F1.heading, "Relations, test", marks=counted("relations", "macro_f1"))


def parts_curves() -> Picture:
    """Draw the validation score of some forms over 30 epochs, a line for each seed."""
    curves = {
        words: validations(runs_of("self_attention", "parts-long", variant))
        for variant, words in longer(WATCHED).items()
    }
    return seed_curves(curves, "epoch", "validation macro-F1, %", "Relations: while they learn")


def on_corpus(
    name: str, title: str, words: Mapping[str, str] = FORMS, marks: Mapping[str, float] | None = None
) -> Picture:
    """Draw the accuracy of the forms on another corpus, beside the linear model's."""
    return seeds_plot("self_attention", name, words, ACCURACY, title, counted(name) | dict(marks or {}))


def counted(name: str, metric: str = "accuracy") -> dict[str, float]:
    """Return the score of the linear model on a corpus, with its words."""
    return {"linear: words and pairs of words": float(linear("pooling", name, metric))}


def kept_memory(device: str = "cpu") -> Picture:
    """Draw the memory that some layers keep for the backward pass, by length."""
    rows = measured(device)["over_length"]
    curves = {
        KINDS[name]: [(row["n"], row["kept_bytes"] / 2**20) for row in rows if row["layer"] == name] for name in KEPT
    }
    lengths = [n for n, _ in curves[KINDS[KEPT[0]]]]
    title = f"Kept for the backward pass, d = {rows[0]['d']}"
    return lines(curves, "length n (words)", "mebibytes", title, "xy", lengths)


def products(longest: int = 4) -> Picture:
    """Draw the products of a layer for each word, in units of d², by the length in units of d."""
    ends = (0, longest)
    curves = {
        "self-attention with W_q, W_k, W_v: 2n²d + 3nd²": [(x, 2 * x + 3) for x in range(longest + 1)],
        "self-attention with W_o too: 2n²d + 4nd²": [(x, 2 * x + 4) for x in range(longest + 1)],
    }
    curves |= {f"{KINDS[name]}: {2 * gates}nd²": [(x, 2 * gates) for x in ends] for name, gates in GATES.items()}
    title = "Where they cross, counted"
    return lines(
        curves, "length n, in widths d", "products for each word, in d²", title, ticks=(0, 1, 1.5, 2, 2.5, 3, 4)
    )
