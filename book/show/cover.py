"""The picture on the cover: what each word of a translation attends to, head by head, in a trained Transformer."""

from collections.abc import Sequence
from html import escape

from jaxtyping import Float
from torch import Tensor

from lab.show.plots import STYLES

LEAST = 0.05  # a weight below this is not drawn
LINE, WIDTH, LEFT, RIGHT, TOP = 25, 560, 150, 410, 34  # pixels of the drawing
THICKEST = 9  # a line of weight 1


def arcs(weights: Float[Tensor, "heads target source"], source: Sequence[str], target: Sequence[str]) -> str:
    """Return source words and output words in two columns as SVG, a line for each weight from `LEAST` on.

    Its width is the weight, its colour the head; the thickest lie on top.
    """
    words = [
        f'<text x="{x}" y="{height_of(place) + 5}" text-anchor="{anchor}">{escape(word)}</text>'
        for column, x, anchor in ((source, LEFT, "end"), (target, RIGHT, "start"))
        for place, word in enumerate(column)
    ]
    places, lines, middle = (weights >= LEAST).nonzero().tolist(), [], (LEFT + RIGHT) / 2
    for head, to, at in sorted(places, key=lambda place: float(weights[tuple(place)])):
        start, end, width = height_of(at), height_of(to), THICKEST * float(weights[head, to, at])
        path = f"M{LEFT + 6} {start}C{middle} {start} {middle} {end} {RIGHT - 6} {end}"
        lines.append(f'<path d="{path}" fill="none" stroke="{STYLES[head][0]}" stroke-width="{width:.2f}"/>')
    most = weights.mean(dim=0).argmax(dim=-1).tolist()
    reads = ", ".join(f"{word}: {source[place]}" for word, place in zip(target, most, strict=True))
    height = TOP + LINE * max(len(source), len(target))
    heads = f'<text class="head" x="{LEFT}" y="16" text-anchor="end">French</text>'
    heads += f'<text class="head" x="{RIGHT}" y="16">English</text>'
    return (
        f'<svg class="cover" role="img" aria-labelledby="cover-title cover-text" viewBox="0 0 {WIDTH} {height}">'
        f'<title id="cover-title">What each word of a translation attends to</title>'
        f'<desc id="cover-text">French words at the left, English words at the right, and between them lines of '
        f"{len(weights)} colours, one for each head. Most weight, mean over the heads: {escape(reads)}.</desc>"
        f"{heads}{''.join(lines)}{''.join(words)}</svg>"
    )


def height_of(place: int) -> int:
    """Return where the middle of a word stands in the drawing."""
    return TOP + LINE * place + LINE // 2
