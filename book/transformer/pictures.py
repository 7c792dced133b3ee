"""Pictures of the chapter on the Transformer: three masks of one batch, a counter beside clocks, heads left out."""

from collections.abc import Sequence

import numpy as np
import torch
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from book.show.drawn import Drawing
from lab.show.plots import Picture, panels
from solutions.transformer.ablation import Head
from solutions.transformer.attention import make_masks, sinusoids

OTHERS = "#b9c0c9"  # heads that cannot attend to <s>
SHADES = "plasma_r"


def three_masks(source: Sequence[str], target: Sequence[str]) -> Drawing:
    """Draw the masks of a sentence and its translation in a batch; words that are <pad> fill them up."""
    ids = [torch.tensor([[int(word != "<pad>") for word in words]]) for words in (source, target)]
    masks = make_masks(*ids, 0)
    given = (
        ("source", "uses 1 and 3", masks[0].reshape(1, -1), source, [""]),
        ("causal", "one for all sentences", masks[1], target, target),
        ("target", "use 2: both at once", masks[2].reshape(len(target), -1), target, target),
    )
    drawing = Drawing(
        "The three masks of one batch",
        f"Source: {' '.join(source)}; its padding is hidden. Causal: each of {len(target)} positions sees itself and "
        f"those before. Target: {' '.join(target)}; the same without the padding. Filled squares may be attended to.",
    )
    for name, used, mask, columns, rows in given:
        wide, left = 46, 52 if rows[0] else 8
        drawing.panel(left + wide * len(columns) + 6, 70 + 24 * len(rows), f"{name}: {used}", left + 23 * len(columns))
        for j, word in enumerate(columns):
            drawing.text(left + wide * j + 23, 40, word, "small soft")
        for i, asking in enumerate(rows):
            drawing.text(left - 5, 64 + 24 * i, asking, "small soft", "end")
            for j, seen in enumerate(mask[i].tolist()):
                drawing.box(left + wide * j, 48 + 24 * i, 44, 22, "key" if seen else "", "" if seen else "×")
    return drawing


def counter_and_clocks(length: int = 8, d_model: int = 6) -> Drawing:
    """Draw positions as a binary counter and as the hands of clocks: each digit, each hand is slower than the last."""
    digits, table = length.bit_length() - 1, sinusoids(length, d_model).numpy()
    drawing = Drawing(
        "A binary counter, and clocks",
        f"Positions 0 to {length - 1}. Left, {digits} binary digits each: the last changes at every step, the "
        "one before at every second, the first at every fourth. Right, the hands of three clocks: the first turns one "
        "radian at every step, the others far more slowly.",
    )
    drawing.panel(130 + 36 * digits, 44 + 30 * length, "binary digits", 60 + 18 * digits)
    for position in range(length):
        top = 28 + 30 * position
        drawing.text(50, top + 17, f"{position}", "small soft", "end")
        for digit, bit in enumerate(f"{position:0{digits}b}"):
            drawing.box(60 + 36 * digit, top, 32, 24, "key" if bit == "1" else "", bit)
    hands = d_model // 2
    drawing.panel(70 + 44 * hands, 44 + 30 * length, "hands of clocks", 56 + 22 * hands)
    for position in range(length):
        top = 28 + 30 * position
        drawing.text(46, top + 17, f"{position}", "small soft", "end")
        for hand in range(hands):
            sine, cosine = table[position, 2 * hand : 2 * hand + 2]
            middle = 72 + 44 * hand, top + 13.0
            drawing.box(middle[0] - 14, middle[1] - 13, 28, 26)
            drawing.rule(*middle, middle[0] + 11 * float(sine), middle[1] - 11 * float(cosine), "key", 2.2)
    return drawing


def heads_left_out(heads: Sequence[Head]) -> Picture:
    """Draw by how much the loss rises without each head, the costliest first; decoder heads as <s> has weight there."""
    figure, (axes,) = panels((7.2, 3.6))
    shade = ScalarMappable(Normalize(0, 1), SHADES)
    colours = [shade.to_rgba(head.habits.mark) if head.use == "decoder" else OTHERS for head in heads]
    places = np.arange(len(heads))
    axes.bar(places, [head.cost for head in heads], color=colours, edgecolor="#48566b", linewidth=0.6)
    axes.set_xticks(places, [f"{head.use} {head.layer}.{head.number}" for head in heads], rotation=90, fontsize=8)
    axes.set_ylabel("loss rises by (nats a token)")
    bar = figure.colorbar(shade, ax=axes, pad=0.01)
    bar.set_label("decoder heads: weight on <s>")
    told = "; ".join(
        f"{head.name} {head.cost:.3f}" + (f", {head.habits.mark:.0%} on <s>" if head.use == "decoder" else "")
        for head in heads
    )
    return Picture(figure, f"How much the loss rises without each head, from the costliest: {told}.")
