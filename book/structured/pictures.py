"""Pictures of the chapter on structured self-attention: the penalty's strength, and trainings seed by seed."""

import numpy as np
import torch

from book.show.drawn import Drawing, number
from book.show.experiments import ACCURACY, EQUAL, points, runs_of, seeds_of, seeds_plot, validations, values
from book.show.seed_plots import bars, cloud, lines, seed_curves
from book.structured.figures import VARIANTS, variant_of
from lab.kinds.runs import joined
from lab.show.plots import Picture, Point
from solutions.structured.attention import penalization
from solutions.structured.sweeps import HOPS, PENALTIES

CASES = {  # words: two hops over three words
    "each its own word": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "both the same word": ((1.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
    "two words, one shared": ((0.5, 0.5, 0.0), (0.0, 0.5, 0.5)),
    "both spread evenly": ((1 / 3,) * 3,) * 2,
}
GUESS = {"reviews": {"a guess": 50.0}, "aspects": {"a guess": 25.0}}
WORDS = {word: f"λ = {penalty:g}" for word, penalty in PENALTIES.items()}
LENGTHS = (10, 30, 50, 100, 200, 400)  # words of the longest text of a batch


def overlaps() -> Drawing:
    """Draw two hops over three words in four cases: A, AAᵀ below it, and what the penalty is."""
    penalties = {words: float(penalization(torch.tensor([rows]))) for words, rows in CASES.items()}
    described = "; ".join(f"{words}: P = {number(penalty, 2)}" for words, penalty in penalties.items())
    drawing = Drawing(
        "What two hops share", f"Two hops over three words, A, and below it A times its transpose. {described}."
    )
    for words, rows in CASES.items():
        A = np.array(rows)
        drawing.panel(164, 156, words, 82)
        drawing.matrix(40, 26, A, "weights", "", (28, 22), words=(("A", ""), ()), digits=2)
        drawing.matrix(54, 84, A @ A.T, "weights", "", (28, 22), words=(("AAᵀ", ""), ()), digits=2)
        drawing.text(82, 148, f"P = {number(penalties[words], 2)}", "small")
    return drawing


def strengths() -> Picture:
    """Draw which λ of the paper's formula is as strong as the 1 of the program, by the longest text of a batch."""
    curves = {"as strong as 1 in the program: 1/n²": [(n, n**-2) for n in LENGTHS]}
    marks = {f"λ = {penalty:g} in our experiments": penalty for penalty in PENALTIES.values() if penalty}
    x_label = "words of the longest text of the batch, n"
    return lines(curves, x_label, "λ of the paper's formula", "How large is λ = 1?", "xy", LENGTHS, marks)


def review_seeds() -> Picture:
    """Draw the accuracy on long reviews by the weight of the penalty."""
    return seeds_plot("structured", "penalty", VARIANTS, ACCURACY, "Reviews, test", GUESS["reviews"])


FACTS = {  # variant of the sweep `facts`: its words
    "hops-1": "1 hop",
    "hops-1-reader": "1 hop, larger classifier",
    "hops-2": "2 hops",
    "hops-4": "4 hops",
    "hops-4-priced": "4 hops, λ = 0.01",
    "hops-4-heavy": "4 hops, λ = 0.1",
}
PRICED = {"free": "", "light": ", λ = 0.001", "strong": ", λ = 0.03"}


def hops_and_price() -> Picture:
    """Draw how many answers are right with one hop and several, with a price on sharing and without."""
    two = {variant_of(8, word): f"8 hops{priced}" for word, priced in PRICED.items()}
    groups = {
        "Two facts, over an LSTM": seeds_of("structured", "facts", FACTS),
        "Eight verdicts, over states that bind nothing": seeds_of(
            "structured", "many", {f"hops-{word}": MANY[f"hops-{word}"] for word in ("1", "1-reader", "8")}
        ),
        "Reviews with two verdicts, over an LSTM": seeds_of("structured", "hops", two),
    }
    return bars(groups, "all answers right, %", "Hops, and a price on sharing")


NARROW = {f"narrow-{hops}": f"{hops} {'hop' if hops == 1 else 'hops'}" for hops in HOPS}
MANY = {
    **{variant.replace("narrow", "hops"): words for variant, words in NARROW.items()},
    "hops-1-reader": "1 hop, larger classifier",
    "hops-1-wide": "1 hop, states of 32 numbers in place of 4",
}


def long_curves() -> Picture:
    """Draw the validation accuracy of four hops over 20 epochs, a line for each seed."""
    curves = {
        words: validations(runs_of("structured", "hops-long", joined(variant_of(4, word), "long")))
        for word, words in WORDS.items()
    }
    title = "Four hops, two verdicts: 20 epochs"
    return seed_curves(curves, "epoch", "validation accuracy, %", title, GUESS["aspects"])


def evidence_and_score() -> dict[str, list[Point]]:
    """Return (weight on the evidence, accuracy) of each training on two verdicts, in per cent, by λ or narrow."""
    series = {
        words: [*(("hops", variant_of(n, word)) for n in HOPS), ("hops-long", joined(variant_of(4, word), "long"))]
        for word, words in WORDS.items()
    } | {"narrow, λ = 0": [("narrow", variant) for variant in NARROW]}
    return points("structured", series, ACCURACY)


def equal_weights() -> float:
    """Return the weight that equal weights put on the evidence of two verdicts, in per cent."""
    return values("structured", "hops", variant_of(1, "free"), EQUAL)[0]


def off_the_evidence() -> list[float]:
    """Return the accuracy, if above 90 %, of each training with less weight on the evidence than equal weights."""
    every = [point for each in evidence_and_score().values() for point in each]
    return [accuracy for evidence, accuracy in every if evidence < equal_weights() and accuracy > 90]


def evidence_plot() -> Picture:
    """Draw the accuracy of all trainings on two verdicts against their weight on the evidence."""
    title, marks = "Two verdicts: all trainings", {"equal weights": equal_weights()}
    return cloud(evidence_and_score(), "weight on the evidence, %", "accuracy, %", title, marks)
