"""Arcs from words of a translation to those that they attend to, head by head: the cover's picture, and lessons'."""

from collections.abc import Sequence
from html import escape

from jaxtyping import Float
from torch import Tensor

from lab.kinds.translation import Trained
from lab.show.plots import STYLES

LEAST = 0.05  # a weight below this is not drawn
LINE, WIDTH, LEFT, RIGHT, TOP = 25, 560, 150, 410, 34  # pixels of the drawing
THICKEST = 9  # a line of weight 1


def arcs(weights: Float[Tensor, "heads target source"], source: Sequence[str], target: Sequence[str]) -> str:
    """Return source words and output words in two columns as SVG, a line for each weight from `LEAST` on.

    Its width is the weight, its colour the head, of one head that of all weights; the thickest lie on top.
    """
    one = ['style="stroke: var(--weights, #bd7a00)"']
    strokes = [f'stroke="{colour}"' for colour, *_ in STYLES] if len(weights) > 1 else one
    words = [
        f'<text x="{x}" y="{height_of(place) + 5}" text-anchor="{anchor}">{escape(word)}</text>'
        for column, x, anchor in ((source, LEFT, "end"), (target, RIGHT, "start"))
        for place, word in enumerate(column)
    ]
    places, lines, middle = (weights >= LEAST).nonzero().tolist(), [], (LEFT + RIGHT) / 2
    for head, to, at in sorted(places, key=lambda place: float(weights[tuple(place)])):
        start, end, width = height_of(at), height_of(to), THICKEST * float(weights[head, to, at])
        path = f"M{LEFT + 6} {start}C{middle} {start} {middle} {end} {RIGHT - 6} {end}"
        lines.append(f'<path d="{path}" fill="none" {strokes[head]} stroke-width="{width:.2f}"/>')
    most = weights.mean(dim=0).argmax(dim=-1).tolist()
    reads = ", ".join(f"{word}: {source[place]}" for word, place in zip(target, most, strict=True))
    lined, mean = "lines as wide as the weights", ""
    if len(weights) > 1:
        lined, mean = f"lines of {len(weights)} colours, one for each head", ", mean over the heads"
    height = TOP + LINE * max(len(source), len(target))
    heads = f'<text class="head" x="{LEFT}" y="16" text-anchor="end">French</text>'
    heads += f'<text class="head" x="{RIGHT}" y="16">English</text>'
    return (
        f'<svg class="cover" role="img" aria-labelledby="cover-title cover-text" viewBox="0 0 {WIDTH} {height}">'
        f'<title id="cover-title">What each word of a translation attends to</title>'
        f'<desc id="cover-text">French words at the left, English words at the right, and between them '
        f"{lined}. Most weight{mean}: {escape(reads)}.</desc>"
        f"{heads}{''.join(lines)}{''.join(words)}</svg>"
    )


def of_translation(trained: Trained, sentence: str) -> str:
    """Return the arcs of a model's own translation of a sentence."""
    output = trained.translate([sentence])[0]
    return arcs(trained.attention(sentence, output)[None], [*sentence.split(), "</s>"], output.split())


def height_of(place: int) -> int:
    """Return where the middle of a word stands in the drawing."""
    return TOP + LINE * place + LINE // 2
