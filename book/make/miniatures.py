"""The pictures on the cover's cards, one a chapter: `python -m book.make.miniatures` draws them.

Each is of the chapter's pinned model, or of its taught functions, and has no words: the card below it has them. It
lies in the chapter's drawings/ as NAME_card.svg. A chapter without one has a card without a picture.
"""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from book.language_model.pictures import learned_weights, strongest
from book.pooling.readings import COUSIN
from book.show.drawn import COLOURS as OF_PANELS
from book.show.long_sentence import SHORT, long_sentence
from lab.dependencies import ROOT
from lab.files import atomic_write
from lab.kinds.language import framed
from lab.kinds.pinned import pinned
from lab.text.batches import source_batch
from solutions.bahdanau.model import SOLUTION as BAHDANAU
from solutions.encoder_decoder.model import SOLUTION as ENCODER_DECODER
from solutions.language_model.model import SOLUTION as LANGUAGE_MODEL
from solutions.luong.attention import gaussian, window
from solutions.pooling.model import SOLUTION as POOLING
from solutions.self_attention.translator import TRANSLATOR, reading_weights
from solutions.structured.model import SOLUTION as STRUCTURED
from solutions.transformer.fast import SOLUTION as TRANSFORMER
from solutions.transformer.model import attention_weights

Matrix = Float[Tensor, "rows columns"] | Bool[Tensor, "rows columns"]

WIDE, HIGH = 240, 120  # of a picture, in its own units
COLOURS = OF_PANELS | {"weights": ("#bd7a00", "#fdf1d8")}  # as book.css has them
LEAST = 0.03  # a weight below this is not drawn
AGREEING = "the cats that the dog sees sleep"
ENGLISH = "he hit me with a pie"


def at(**numbers: float) -> str:
    """Return attributes with a tenth of a pixel, on which all machines agree."""
    return " ".join(f'{name}="{round(number, 1):g}"' for name, number in numbers.items())


def box(x: float, y: float, wide: float, high: float, role: str) -> str:
    line, fill = COLOURS[role]
    kind = f"box {role}".strip()
    return f'<rect class="{kind}" {at(x=x, y=y, width=wide, height=high, rx=2)} fill="{fill}" stroke="{line}"/>'


def filled(x: float, y: float, wide: float, high: float, role: str, share: float = 1) -> str:
    """Return a square at (`x`, `y`), `wide` by `high`, in the colour of `role`, as opaque as its `share` is large."""
    place = at(x=x, y=y, width=wide, height=high)
    return f'<rect class="tip {role}" {place} fill="{COLOURS[role][0]}" opacity="{share:.2f}"/>'


def line(x1: float, y1: float, x2: float, y2: float, role: str, width: float) -> str:
    """Return a line from (`x1`, `y1`) to (`x2`, `y2`), in the colour of `role` and of this `width`."""
    place = at(x1=x1, y1=y1, x2=x2, y2=y2)
    return f'<line class="beam {role}" {place} stroke="{COLOURS[role][0]}" stroke-width="{width:.1f}"/>'


def curve(path: str, role: str, width: float) -> str:
    kind = f"beam {role}".strip()
    return f'<path class="{kind}" d="{path}" fill="none" stroke="{COLOURS[role][0]}" stroke-width="{width:.1f}"/>'


def cells(weights: Matrix, x: float, y: float, wide: float, high: float, role: str = "weights") -> list[str]:
    """Return `weights` as squares from (`x`, `y`) on, each `wide` by `high`, coloured by `role`, opaque by weight."""
    gap = 1 if min(wide, high) > 4 else 0
    return [
        filled(x + wide * column, y + high * row, wide - gap, high - gap, role, float(weights[row, column]))
        for row, column in torch.nonzero(weights.float() >= LEAST).tolist()
    ]


def spread(count: int, left: float, right: float) -> list[float]:
    """Return the middles of so many boxes side by side."""
    step = (right - left) / count
    return [left + step * (place + 0.5) for place in range(count)]


def one_vector() -> list[str]:
    """Return words, the vector c of a trained model as squares of its sign and size, and words again."""
    trained = pinned(ENCODER_DECODER)
    with torch.no_grad():
        encoded = trained.model.encode(*source_batch([trained.source_text.encode(SHORT)]))
    c = encoded[0]["context"][0].reshape(16, 16).clamp(-1, 1)
    parts = [line(8, 60, 228, 60, "", 1)]
    parts += [box(x - 7, 50, 14, 20, "state") for x in spread(4, 4, 80)]
    parts += [box(x - 5, 50, 10, 20, "state") for x in spread(6, 160, 238)]
    parts.append('<rect class="ground" x="86" y="26" width="68" height="68" fill="#fff"/>')
    parts += cells(c.clamp(min=0), 88, 28, 4, 4) + cells((-c).clamp(min=0), 88, 28, 4, 4, "state")
    return parts


def looking_back() -> list[str]:
    """Return source words above, output words below, and lines between as thick as the weights."""
    weights = pinned(BAHDANAU).attention(SHORT, ENGLISH)
    above, below = spread(weights.shape[1], 14, 226), spread(weights.shape[0], 4, 236)
    parts = [
        line(above[of], 30, below[to], 92, "weights", 0.6 + 9 * float(weights[to, of]))
        for to, of in torch.nonzero(weights >= LEAST).tolist()
    ]
    parts += [box(x - 14, 12, 28, 18, "state") for x in above]
    return parts + [box(x - 12, 92, 24, 18, "context") for x in below]


def a_window(source: int = 15, p: float = 8.3, D: int = 4) -> list[str]:
    """Return a score for each word, the same for all, and what a window and its bell leave of their weights."""
    middle = torch.tensor([p])
    bell = gaussian(middle, source, D)[0]
    inside = window(middle, torch.tensor([source]), source, D)[0]
    places = spread(source, 6, 234)
    left, right = (places[int(torch.nonzero(inside)[end])] for end in (0, -1))
    parts = [box(left - 8, 8, right - left + 16, 96, "")]
    for x, is_in, share in zip(places, inside.tolist(), bell.tolist(), strict=True):
        high = 72 * share if is_in else 0
        parts.append(box(x - 5, 96 - high, 10, 8 + high, "weights" if is_in else "key"))
    fine = [p - D + D * step / 12 for step in range(25)]
    heights = torch.exp(-((torch.tensor(fine) - p) ** 2) / (2 * (D / 2) ** 2)).tolist()
    step = places[1] - places[0]
    points = [f"{places[0] + step * s:.1f} {92 - 72 * high:.1f}" for s, high in zip(fine, heights, strict=True)]
    return [*parts, curve(f"M{'L'.join(points)}", "query", 2)]


def nobody_asks() -> list[str]:
    """Return the words of a sentence and one vector below, joined by lines as thick as a trained model's weights."""
    weights = pinned(POOLING).attention_weights([(COUSIN,)])[0].words[0]
    places = spread(len(weights), 2, 238)
    parts = [line(x, 34, 120, 88, "weights", 0.6 + 12 * float(w)) for x, w in zip(places, weights, strict=True)]
    parts += [box(x - 6, 14, 12, 20, "state") for x in places]
    return [*parts, box(84, 88, 72, 18, "context")]


def several_looks() -> list[str]:
    """Return the hops of a trained model over the eighteen words, a row each."""
    weights = pinned(STRUCTURED).attention_weights([(long_sentence().source,)])[0].words
    rows, columns = weights.shape
    wide, high = 228 / columns, 96 / rows
    ground = [
        box(6 + wide * column, 12 + high * row, wide - 1.5, high - 4, "")
        for row in range(rows)
        for column in range(columns)
    ]
    bands = [
        filled(6 + wide * column, 12 + high * row, wide - 1.5, high - 4, "weights", float(weights[row, column]))
        for row, column in torch.nonzero(weights >= LEAST).tolist()
    ]
    return ground + bands


def each_asks() -> list[str]:
    """Return the words of a sentence in a row, and an arc from each to each, as thick as it reads it."""
    (weights,) = reading_weights(pinned(TRANSLATOR, "translator"), long_sentence().source)
    weights = weights.detach()
    places = spread(len(weights), 4, 236)
    order = sorted(torch.nonzero(weights >= 2 * LEAST).tolist(), key=lambda each: float(weights[tuple(each)]))
    arcs = []
    for to, of in order:
        start, end, reach = places[to], places[of], abs(places[to] - places[of])
        path = f"M{start:.1f} 100A{reach / 2:.1f} {0.85 * reach:.1f} 0 0 {int(of > to)} {end:.1f} 100"
        arcs += [curve(path, "weights", 5 * float(weights[to, of]))] if to != of else []
    return [*arcs, *(box(x - 4.5, 100, 9, 16, "query") for x in places)]


def eight_heads() -> list[str]:
    """Return the heads of the last layer of a trained Transformer: those of the encoder above, of the decoder below."""
    weights = attention_weights(pinned(TRANSFORMER), SHORT, ENGLISH)
    parts = []
    for row, use in enumerate(("encoder", "cross")):
        heads = weights[use][-1][:4]
        for column, head in enumerate(heads):
            x, y, (high, wide) = 12 + 56 * column, 8 + 56 * row, head.shape
            parts += [box(x, y, 48, 48, ""), *cells(head, x, y, 48 / wide, 48 / high)]
    return parts


def next_words() -> list[str]:
    """Return the weights of a head of a trained language model, and how probable it finds the next words."""
    trained = pinned(LANGUAGE_MODEL)
    words = ["<s>", *AGREEING.split()]
    weights = learned_weights(trained, AGREEING)
    row, column = words.index("sees"), words.index("cats")
    layer, head = strongest(weights, row, column)
    size, count = 104 / len(words), len(words)
    tokens = framed(trained.text, " ".join(words[1 : row + 1]))[:-1]
    with torch.no_grad():
        chances = trained.model(torch.tensor([tokens]))[0, -1].softmax(dim=-1).sort(descending=True).values[:6]
    ground = [box(12 + size * j, 8 + size * i, size - 1, size - 1, "") for i in range(count) for j in range(i + 1)]
    bars = [
        filled(140, 14 + 16 * place, 4 + 84 * float(chance / chances[0]), 11, "query")
        for place, chance in enumerate(chances)
    ]
    return [*ground, *cells(weights[layer, head], 12, 8, size, size), *bars]


def who_pays(length: int = 26, near: int = 6, sinks: int = 2) -> list[str]:
    """Return a picture of the words that each word reads: the first ones, and the nearest before it."""
    place = torch.arange(length)
    past = place[:, None] >= place
    window_of = past & (place[:, None] - place < near)
    first = past & (place < sinks) & ~window_of
    wide, high = 228 / length, 108 / length
    ground = curve(f"M6 6L6 114L234 114L234 {114 - high:.1f}L{6 + wide:.1f} 6Z", "", 1)
    return [
        ground,
        *cells(window_of, 6, 6, wide, high),
        *cells(first, 6, 6, wide, high, "state"),
    ]


DRAWN: dict[str, tuple[Callable[[], list[str]], str]] = {
    "encoder_decoder": (one_vector, "Four words, a vector of 256 numbers as squares, and six words on one line."),
    "bahdanau": (looking_back, "Five states above, six output words below, and lines as thick as the weights."),
    "luong": (a_window, "A row of words, a window over nine of them, and a bell that says how much each may have."),
    "pooling": (nobody_asks, "Fourteen words above one vector, joined by lines as thick as the weights."),
    "structured": (several_looks, "Four rows of eighteen squares: each row has its weight on other words."),
    "self_attention": (each_asks, "A row of nineteen words, and arcs between them as thick as the weights."),
    "transformer": (eight_heads, "Eight small matrices of weights: four heads that read, and four that look back."),
    "language_model": (next_words, "A triangle of weights, for no word sees the next one, and bars of next words."),
    "long_context": (who_pays, "Of all words before it, each reads the nearest six and the first two."),
}  # fmt: skip


def drawing(name: str, parts: Iterable[str], says: str) -> str:
    """Return the picture of a chapter as a file."""
    about = f'id="{name}_card-title">The chapter in a picture</title>'
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-labelledby="{name}_card-title {name}_card-desc"'
        ' xmlns="http://www.w3.org/2000/svg" fill="#222832" font-family="serif" font-size="14"'
        f' text-anchor="middle">\n<title {about}\n<desc id="{name}_card-desc">{escape(says)}</desc>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def file_of(name: str) -> Path:
    return ROOT / "book" / name / "drawings" / f"{name}_card.svg"


def drawn(names: Sequence[str] = tuple(DRAWN)) -> dict[Path, str]:
    """Return the pictures as they have to be."""
    return {file_of(name): drawing(name, DRAWN[name][0](), DRAWN[name][1]) for name in names}


if __name__ == "__main__":
    for file, text in drawn().items():
        atomic_write(file, text.encode())
