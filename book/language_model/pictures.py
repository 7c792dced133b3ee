"""Drawings of the chapter on language models: a learned mean, turned arrows, gates, shared keys, caches, circuits."""

from collections.abc import Sequence
from math import cos, radians, sin
from typing import cast

import torch

from book.show.drawn import Drawing, number
from lab.kinds.language import Trained, framed
from lab.show.plots import Picture, training_curves
from solutions.language_model.attention import causal_mean, next_probabilities
from solutions.language_model.model import Decoder


def learned_weights(model: Trained, sentence: str) -> torch.Tensor:
    """Return the attention weights of a trained model on a sentence: (layers, heads, length, length)."""
    trained = cast("Decoder", model.model)
    plain = Decoder(trained.recipe, len(model.text))  # which has weights to show
    plain.load_state_dict(trained.state_dict())
    with torch.no_grad():
        return plain.attention_weights(torch.tensor([framed(model.text, sentence)[:-1]]))[:, 0]


def strongest(weights: torch.Tensor, row: int, column: int) -> tuple[int, int]:
    """Return the layer and the head that have the most weight of a row on a column."""
    layer, head = divmod(int(weights[:, :, row, column].argmax()), weights.shape[1])
    return layer, head


def mean_and_learned(model: Trained, sentence: str, asks: str, about: str) -> Drawing:
    """Draw the matrix of the causal mean beside the head of a trained model in which `asks` looks most at `about`."""
    words = ["<s>", *sentence.split()]
    weights, row, column = learned_weights(model, sentence), words.index(asks), words.index(about)
    layer, head = strongest(weights, row, column)
    equal = causal_mean(torch.eye(len(words))[None])[0]
    name = f"head {head + 1} of layer {layer + 1}"
    drawing = Drawing(
        "Weights of the mean, and weights that were learned",
        f"Two triangles of weights for the words {', '.join(words)}; a row is a position, and what is right of it is "
        f"hidden. Left each row has equal weights, down to {equal[-1, 0]:.2f}. Right, {name}: the row of {asks} gives "
        f"{weights[layer, head, row, column]:.2f} to {about}.",
    )
    for title, matrix in (("the mean: equal weights", equal), (f"learned: {name}", weights[layer, head])):
        drawing.panel(48 + 35 * len(words), 46 + 22 * len(words), title, 44 + 17.5 * len(words))
        drawing.matrix(44, 40, matrix.numpy(), "weights", "", (35, 22), (words, words), digits=2, hot=row)
    return drawing


def turned_arrows(places: Sequence[tuple[int, int]] = ((5, 3), (7, 5)), step: float = 30.0) -> Drawing:
    """Draw a query and a key of one pair of features, turned by their positions: the angle between is of m - n."""
    drawing = Drawing(
        "A query and a key, turned by their positions",
        f"Both begin at the right, and are turned {step:g} degrees a position. "
        + " ".join(
            f"Query at {m}: {step * m:g} degrees, key at {n}: {step * n:g}; between them {step * (m - n):g}, "
            f"the product is {_turned_product(m, n, step):.2f}."
            for m, n in places
        ),
    )
    x, y, radius = 115.0, 122.0, 74.0

    def at(angle: float, reach: float) -> tuple[float, float]:
        return x + reach * cos(radians(angle)), y - reach * sin(radians(angle))

    for m, n in places:
        drawing.panel(2 * x, 232, f"query at {m}, key at {n}", x)
        for angle in range(0, 360, 10):
            drawing.rule(*at(angle, radius), *at(angle + 10, radius))
        for angle in range(int(step * n), int(step * m), 5):
            drawing.rule(*at(angle, 24), *at(angle + 5, 24), "weights", 2)
        drawing.rule(x, y, *at(0, radius))
        drawing.arrow(x, y, *at(step * m, radius), "query")
        drawing.arrow(x, y, *at(step * n, radius), "key")
        for name, place in (("q", m), ("k", n)):
            left, top = at(step * place, radius + 14)
            drawing.text(left, top + 4, name)
        drawing.text(
            x,
            226,
            f"{step * m:g}° − {step * n:g}° = {step * (m - n):g}°, product {number(_turned_product(m, n, step), 2)}",
        )
    return drawing


def _turned_product(m: int, n: int, step: float) -> float:
    """Return the product of two arrows of length 1, turned by so many degrees a position."""
    (a, b), (c, d) = ((cos(radians(step * place)), sin(radians(step * place))) for place in (m, n))
    return a * c + b * d


def gates(reach: float = 5.0) -> Picture:
    """Draw what becomes of a hidden unit's sum z: ReLU, sigmoid, and their soft relative z times sigmoid of z."""
    z = torch.linspace(-reach, reach, 101)
    curves = {"ReLU: max(0, z)": z.relu(), "silu: z · σ(z)": z * z.sigmoid(), "σ(z) alone": z.sigmoid()}
    points = {name: list(zip(z.tolist(), values.tolist(), strict=True)) for name, values in curves.items()}
    return training_curves(points, "z, the gate's sum", "what comes out", "A gate that bends instead of breaking")


KEPT = {  # name: key-value heads for four query heads; none for one latent vector
    "multi-head": 4,
    "grouped-query": 2,
    "multi-query": 1,
    "latent": 0,
}


def shared_heads(heads: int = 4) -> Drawing:
    """Draw which query head reads which keys and values, in four kinds of attention, and what is kept of a token."""
    says = {
        name: f"{count} keys and {count} values are kept"
        if count
        else "one narrow vector c is kept, and keys and values are made of it"
        for name, count in KEPT.items()
    }
    drawing = Drawing(
        "Who reads which keys and values",
        f"{heads} query heads four times. "
        + " ".join(f"{name.capitalize()}: {words}." for name, words in says.items()),
    )
    for name, count in KEPT.items():
        drawing.panel(158, 176, name, 79)
        for head in range(heads):
            left = 3 + 39.0 * head
            source = head // (heads // count) if count else head
            pitch = 39.0 * heads / (count or heads)
            drawing.rule(left + 17, 48, 3 + pitch * source + pitch / 2 - 2, 82, "weights", 1.4)
            drawing.box(left, 26, 34, 22, "query", f"q{'₀₁₂₃₄₅₆₇₈₉'[head]}")
        for i in range(count or heads):
            pitch = 39.0 * heads / (count or heads)
            middle = 3 + pitch * i + pitch / 2 - 2
            for shift, role, letter in ((-18, "key", "k"), (0, "value", "v")):
                if count:
                    drawing.box(middle + shift, 82, 17, 22, role, letter, hot=True)
                else:
                    drawing.text(middle + shift + 8.5, 97, letter, "small soft")
            if not count:
                drawing.rule(middle, 104, 79, 128, "context", 1.0)
        if not count:
            drawing.box(56, 128, 46, 20, "context", "c", hot=True)
        kept = f"kept: {2 * count} vectors" if count else "kept: c alone"
        drawing.text(79, 170, kept, "small soft")
    return drawing


def kept_words(
    probabilities: Sequence[float], words: Sequence[str], temperature: float, top_k: int, top_p: float
) -> Drawing:
    """Draw the probabilities of next words as bars: as they are, after temperature, then top k, then top p."""
    logits = torch.tensor(probabilities).log()
    given = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    names = "as they are", f"temperature {temperature:g}", f"then top k = {top_k}", f"then top p = {number(top_p, 2)}"
    settings = {name: dict(list(given.items())[:count]) for count, name in enumerate(names)}
    left = {name: next_probabilities(logits, **each).tolist() for name, each in settings.items()}
    listed = {
        name: ", ".join(f"{word} {number(share, 2)}" for word, share in zip(words, shares, strict=True))
        for name, shares in left.items()
    }
    drawing = Drawing(
        "Probabilities of the next word, and what three settings leave of them",
        " ".join(f"{name.capitalize()}: {shares}." for name, shares in listed.items()),
    )
    for name, shares in left.items():
        drawing.panel(160, 28 + 20 * len(words), name, 80)
        for i, (word, share) in enumerate(zip(words, shares, strict=True)):
            top = 22.0 + 20 * i
            drawing.text(48, top + 14, word, "small" if share else "small soft", "end")
            if share:
                drawing.box(54, top + 3, 70 * share / max(max(each) for each in left.values()), 14, "weights")
            drawing.text(158, top + 14, number(share, 2) if share else "–", "small soft", "end")
    return drawing


def filling_cache(words: Sequence[str], per_token: int) -> Drawing:
    """Draw the cache step by step: a key and a value more for each word, and the bytes of all; `per_token` of one."""
    drawing = Drawing(
        "The cache, step by step",
        f"{len(words)} rows. In each a new key and value are computed, those of all words before are kept. "
        + " ".join(f"After {word}: {per_token * (t + 1):,} bytes." for t, word in enumerate(words)),
    )
    drawing.panel(330, 24 + 26 * len(words))
    drawing.text(0, 12, "new word", "small soft", "start")
    drawing.text(329, 12, "bytes kept", "small soft", "end")
    for t, word in enumerate(words):
        top = 22.0 + 26 * t
        drawing.text(46, top + 14, word, anchor="end")
        for j in range(t + 1):
            for left, role in ((54, "key"), (73, "value")):
                kind = "small" if j == t else "small soft"
                drawing.box(left + 42 * j, top, 18, 20, role, role[0], kind=kind, hot=j == t)
        drawing.text(330, top + 14, f"{per_token * (t + 1):,}", "small soft", "end")
    return drawing


def induction_circuit(words: Sequence[str]) -> Drawing:
    """Draw how two heads, one above the other, find what followed the last word when it came before."""
    n, last = len(words), len(words) - 1
    first = words.index(words[last])
    drawing = Drawing(
        "Two heads that copy what followed last time",
        f"The words {', '.join(words)}. In layer 1 each position adds the word before it: {words[first + 1]} now "
        f"holds “behind {words[first]}”, too. In layer 2 the last {words[last]} looks for what is behind a "
        f"{words[last]}, finds {words[first + 1]}, and copies it.",
    )
    pitch = 330 / n

    def middle(i: int) -> float:
        return pitch * (i + 0.5)

    drawing.panel(330, 204)
    drawing.text(0, 12, f"layer 2: “who is behind {words[last]}?”", "small soft", "start")
    drawing.text(0, 196, "layer 1: “what is one place to my left?”", "small soft", "start")
    for i, word in enumerate(words):
        left, wide = middle(i) - pitch / 2 + 3, pitch - 6
        drawing.box(left, 152, wide, 24, "", word)
        drawing.box(left, 60, wide, 32, "state", hot=i in (first + 1, last))
        if i:
            drawing.arrow(middle(i - 1), 152, middle(i), 92, "key" if i == first + 1 else "")
            drawing.text(middle(i), 73, "behind", "small soft")
            drawing.text(middle(i), 87, words[i - 1], "small")
    drawing.rule(middle(last), 60, middle(last), 36, "query", 2)
    drawing.rule(middle(last), 36, middle(first + 1), 36, "query", 2)
    drawing.arrow(middle(first + 1), 36, middle(first + 1), 60, "query")
    drawing.text((middle(last) + middle(first + 1)) / 2, 30, f"copies “{words[first + 1]}”")
    return drawing
