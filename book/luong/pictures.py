"""Pictures of the chapter on Luong's attention: weights that jump at a window's edge, BLEU against alignments."""

from collections.abc import Mapping
from itertools import pairwise
from statistics import fmean

import numpy as np
import torch
from matplotlib.axes import Axes
from torch import Tensor

from book.show.experiments import AER, BLEU, values
from book.show.seed_plots import dots
from lab.show.attention_table import HeatTable, heat_table
from lab.show.plots import MODEL_STYLES, STYLES, Picture, panels
from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import gaussian, window

# (chapter, experiment, variant): the words that stand beside its point.
MODELS: Mapping[tuple[str, str, str], str] = {
    ("bahdanau", "query", ""): "Bahdanau",
    ("bahdanau", "query", "after"): "Bahdanau, query after the step",
    ("luong", "scores", "dot"): "dot",
    ("luong", "scores", ""): "general",
    ("luong", "scores", "concat"): "concat",
    ("luong", "scores", "location"): "location",
    ("luong", "windows", "local-m"): "local-m, D = 2",
    ("luong", "windows", "local-p"): "local-p, D = 2",
    ("luong", "windows", "local-p-10"): "local-p, D = 10",
    ("luong", "feeding", "no-feeding"): "nothing fed",
    ("luong", "feeding", "oneway"): "one direction",
}
READ = (  # model; words; target words and contexts that its query has read
    (("bahdanau", "query", ""), "Bahdanau: before the step", "y up to i − 2", "c up to i − 1"),
    (("bahdanau", "query", "after"), "the same, after the step", "y up to i − 1", "c up to i − 1"),
    (("luong", "feeding", "no-feeding"), "Luong: general, nothing fed", "y up to t − 1", "no c"),
    (("luong", "feeding", ""), "Luong: general, input feeding", "y up to t − 1", "c up to t − 1"),
)
BELOW = {"one direction": -11}  # words that would lie on those of a neighbour
GOOD = 85  # BLEU from which on a model is drawn in the second panel


def queries() -> Picture:
    """Draw the alignment error rate by what the query has read, seed by seed."""
    rows = {f"{words} (read: {read}, {contexts})": values(*model, AER) for model, words, read, contexts in READ}
    return dots({"": rows}, "alignment error rate (lower is better)", "What the query has read", AER.digits)


def weights_at(p: Tensor, scores: Tensor, D: float) -> Tensor:
    """Return the weights of local-p, one row for each centre p, for the same scores everywhere."""
    source = len(scores)
    inside = window(p, torch.full((len(p),), source), source, D)
    return masked_softmax(scores.expand(len(p), -1), inside) * gaussian(p, source, D)


def jumps(source: int = 9, strong: int = 2, height: float = 2.0, D: float = 2.0) -> Picture:
    """Draw the weights of five positions while the centre of the window moves over them: one position scores high."""
    scores = torch.zeros(source)
    scores[strong] = height
    figure, (axes,) = panels((7.2, 3.6), grid="")
    edges = np.arange(strong, strong + 2 * D + 1)
    for s, (colour, _, line) in zip(range(strong, strong + 5), STYLES, strict=True):
        # Between two edges the window holds the same positions; at an edge itself nothing is drawn.
        for part, (first, last) in enumerate(pairwise(edges)):
            p = torch.linspace(first + 1e-4, last - 1e-4, 60)
            y = weights_at(p, scores, D)[:, s].numpy()
            positive = np.where(y > 0, y, np.nan)
            label = None if part else f"position {s}"
            axes.plot(p, positive, color=colour, ls=line, label=label, lw=3 if s == strong else 1.8)
    for edge in edges[1:-1]:
        axes.axvline(edge, color="#999999", lw=0.6, ls=":")
    axes.set(xlabel="centre of the window, $p_t$", ylabel="weight $a_t(s)$", ylim=(0, None))
    axes.legend(frameon=False)
    before, after = weights_at(torch.tensor([strong + D - 1e-4, strong + D + 1e-4]), scores, D)
    middle = strong + int(D)
    alt = (
        f"Weights of the positions {strong} to {strong + 4} by the centre p of a window with D = {D:g}; position "
        f"{strong} scores {height:g}, all others 0. Between whole numbers the curves are smooth; at a whole number one "
        f"position leaves the window and another enters. At p = {strong + D:g} position {strong} leaves: its weight "
        f"falls from {before[strong]:.3f} to 0, and that of position {middle} rises from {before[middle]:.3f} to "
        f"{after[middle]:.3f}."
    )
    return Picture(figure, alt)


def moving_window() -> HeatTable:
    """Return the weights of a window with D = 2 that moves over nine words with equal scores; it jumps back once."""
    source, target = "le chat noir que tu as vu dort bien".split(), "the black cat you saw sleeps well".split()
    p = torch.tensor([0.4, 2.1, 1.2, 3.9, 5.7, 7.2, 8.4])
    rows = [weights_at(each[None], torch.zeros(len(source)), 2)[0] for each in p]
    named = [f"{word} ({value:.1f})" for word, value in zip(target, p.tolist(), strict=True)]
    caption = "A window with D = 2 moves over a sentence of nine words; in brackets, p."
    return heat_table(torch.stack(rows), source, named, caption)


def directions(matrix: Tensor, query: Tensor, states: Tensor) -> Picture:
    """Draw what two scores look for: the direction of h_t for dot, that of W_aᵀ h_t for general, and each weight."""
    figure, both = panels((5.6, 3.4), 2, grid="")
    texts = []
    for axes, (name, sought) in zip(both, {"dot": query, "general": query @ matrix}.items(), strict=True):
        weights, (x, y) = torch.softmax(states @ sought, dim=0), sought.tolist()
        label = "$h_t$" if name == "dot" else r"$W_a^\top h_t$"
        axes.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": "#ad3f0e", "lw": 1.8})
        axes.annotate(label, (x, y), textcoords="offset points", xytext=(6, -2), color="#ad3f0e")
        for state, weight in zip(states.tolist(), weights.tolist(), strict=True):
            axes.plot([0, state[0]], [0, state[1]], color="#00427a", lw=1.2)
            axes.plot(*([each] for each in state), marker="o", color="#bd7a00", ms=5 + 14 * weight)
            place = {"textcoords": "offset points", "xytext": (9, 7)}
            axes.annotate(f"{weight:.2f}".replace("0.", "."), state, **place)
        axes.set(title=name, xlim=(-0.6, 2.9), ylim=(-2.4, 2.4), aspect="equal", xticks=range(3), yticks=range(-2, 3))
        axes.axhline(0, color="#dddddd", lw=0.8, zorder=0)
        axes.axvline(0, color="#dddddd", lw=0.8, zorder=0)
        description = ", ".join(
            f"{state} {weight:.2f}" for state, weight in zip(states.tolist(), weights.tolist(), strict=True)
        )
        texts.append(f"{name} looks along {(x, y)}, weights {description}")
    return Picture(figure, f"Three source states as points, larger with more weight. {'; '.join(texts)}.")


def bleu_against_aer() -> Picture:
    """Draw BLEU against the alignment error rate, a point for each variant that has been run; right, the good ones."""
    figure, (whole, near) = panels((9.6, 4.4), 2, grid="")
    points = {words: (values(*model, AER), values(*model, BLEU)) for model, words in MODELS.items()}
    for place, (words, (aer, bleu)) in enumerate(points.items()):
        good = fmean(bleu) >= GOOD
        _draw(whole, aer, bleu, place, words, named=not good)
        if good:
            _draw(near, aer, bleu, place, words)
    for axes, title in ((whole, "all variants"), (near, f"those above {GOOD} BLEU")):
        axes.set(xlabel="alignment error rate (lower is better)", ylabel="BLEU", title=title)
        axes.margins(x=0.32, y=0.12)
    listed = "; ".join(f"{words}: {fmean(bleu):.1f} BLEU at {fmean(aer):.3f}" for words, (aer, bleu) in points.items())
    return Picture(figure, f"BLEU against alignment error rate on the phrasebook's test sentences. {listed}.")


def _draw(axes: Axes, aer: list[float], bleu: list[float], place: int, words: str, named: bool = True) -> None:
    """Draw on `axes` the mean of the seeds' `aer` and `bleu`, with lines from the lowest seed to the highest.

    `words` name it beside the point if it is `named`; `place`, its number, chooses the marker.
    """
    colour, *_ = MODEL_STYLES["additive attention" if words.startswith("Bahdanau") else "Luong, general"]
    _, marker, _ = STYLES[place % len(STYLES)]
    x, y = fmean(aer), fmean(bleu)
    axes.plot(aer, [y] * len(aer), color=colour, lw=1)
    axes.plot([x] * len(bleu), bleu, color=colour, lw=1)
    axes.plot([x], [y], color=colour, marker=marker, ls="")
    if named:
        axes.annotate(words, (x, y), textcoords="offset points", xytext=(7, BELOW.get(words, 3)), fontsize=9)
