"""Pictures of the chapter on the Transformer: three masks of one batch, a counter beside clocks, heads left out."""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from book.show.drawn import Drawing, number
from solutions.transformer.ablation import USES, Head
from solutions.transformer.attention import make_masks, sinusoids


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


def heads_left_out(heads: Sequence[Head], seen: Mapping[str, Float[Tensor, "layers heads queries keys"]]) -> Drawing:
    """Draw each head's weights on one sentence, and below it how much the loss rises without the head."""
    description = "; ".join(
        f"{head.name} {head.cost:.3f}" + (f", {head.habits.mark:.0%} on <s>" if head.use == "decoder" else "")
        for head in heads
    )
    drawing = Drawing(
        f"{len(heads)} heads on one sentence; shares in the text are means over 100. Below each, in nats a token, how "
        "much the loss rises without it: the thicker its frame, the more. Rows ask, columns are asked; the first "
        "column of the decoder is <s>",
        f"From the costliest: {description}.",
    )
    most = max(head.cost for head in heads)
    cell, left = 9.5, 20
    wide, high = cell * max(each.shape[-1] for each in seen.values()) + 10, cell * seen["decoder"].shape[-2] + 28
    for use in USES:
        layers, count, queries, keys = seen[use].shape
        drawing.panel(left + wide * count, 34 + high * layers, use, left + wide * count / 2)
        for head in (head for head in heads if head.use == use):
            x, y = left + wide * (head.number - 1), 28 + high * (head.layer - 1)
            weights = seen[use][head.layer - 1, head.number - 1]
            drawing.matrix(x, y, weights.numpy(), "weights", size=(cell, cell), digits=None)
            corners = [(x, y), (x + cell * keys, y), (x + cell * keys, y + cell * queries), (x, y + cell * queries)]
            for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
                drawing.rule(x1, y1, x2, y2, width=0.5 + 5 * max(head.cost, 0) / most)
            drawing.text(x + cell * keys / 2, y + cell * queries + 17, number(head.cost, 3))
        for layer in range(layers):
            drawing.text(left - 8, 28 + high * layer + cell * queries / 2 + 4, f"{layer + 1}", "small soft", "end")
    return drawing
