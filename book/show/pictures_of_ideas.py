"""Drawings of one idea each: what moves, what waits and what is hidden, with numbers of the taught functions."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from book.show.drawn import Drawing, number
from solutions.encoder_decoder.attention import gru_step
from solutions.luong.attention import gaussian, window
from solutions.self_attention.attention import scaled_dot_product, simple_self_attention
from solutions.transformer.attention import sinusoids

Matrix = NDArray[np.float64]


def moving_sum(
    words: Sequence[str], X: Matrix, axes: tuple[int, int], word: int = 0, features: Sequence[str] = ()
) -> Drawing:
    """Draw two features of the words as a plane, and how a word moves when it becomes the weighted sum of all."""
    contexts, weights = (each[0].numpy() for each in simple_self_attention(torch.from_numpy(X)[None]))
    x, y = axes
    right, up = features or [f"feature {axis + 1}" for axis in axes]
    shares = ", ".join(f"{each} {number(share, 2)}" for each, share in zip(words, weights[word], strict=True))
    new = contexts[word, [x, y]]
    drawing = Drawing(
        f"“{words[word]}” moves in the plane",
        f"Each word is a point with {right} to the right and {up} upwards. Lines lead to the sum of "
        f"{words[word]}, as thick as the weights: {shares}. It moves from {X[word, x]:g}, {X[word, y]:g} to "
        f"{new[0]:.2f}, {new[1]:.2f}.",
    )
    drawing.panel(300, 256)

    def place(point: Sequence[float] | Matrix) -> tuple[float, float]:
        return 50 + 150 * float(point[0]), 210 - 90 * float(point[1])

    to = place(new)
    drawing.rule(50, 232, 250, 232)
    drawing.rule(34, 210, 34, 20)
    drawing.text(150, 249, f"{right} →", "small soft")
    drawing.text(30, 12, f"↑ {up}", "small soft", "start")
    for name, point, share in zip(words, X[:, [x, y]], weights[word], strict=True):
        left, top = place(point)
        drawing.rule(left, top, *to, "weights", 0.6 + 9 * float(share))
        drawing.box(left - 4, top - 4, 8, 8, "value")
        drawing.text(left + 9, top + 14, f"{name} {number(float(share), 2)}", anchor="start")
    drawing.arrow(*place(X[word, [x, y]]), *to, "context")
    drawing.box(to[0] - 5, to[1] - 5, 10, 10, "context", hot=True)
    drawing.text(to[0] - 10, to[1] - 6, f"new {words[word]}", anchor="end")
    return drawing


def one_words_way(words: Sequence[str], q: Matrix, K: Matrix, V: Matrix) -> Drawing:
    """Draw the way of one query: keys, scores, scaled scores, weights, weighed values and their sum."""
    context, weights = (
        each[0].numpy() for each in scaled_dot_product(torch.from_numpy(q[None]), *map(torch.from_numpy, (K, V)))
    )
    scores = K @ q
    drawing = Drawing(
        f"The way of “{words[0]}”, box by box",
        f"For each of the words {', '.join(words)}: its key, its score with the query {q[0]:g}, {q[1]:g}, the score "
        f"divided by the root of {len(q)}, its weight, and its value times the weight. The weighed values add up to "
        f"the context {number(context[0], 2)}, {number(context[1], 2)}.",
    )
    column = scores[:, None]
    for name, values, role, digits, hot in (
        ("keys", K, "key", 0, False),
        ("q · k", column, "", 0, False),
        (f"÷ √{len(q)}", column / np.sqrt(len(q)), "", 2, False),
        ("softmax", weights[:, None], "weights", 2, False),
        ("weight × value", weights[:, None] * V, "value", 2, False),
        ("sum", context[None], "context", 2, True),
    ):
        wide = values.shape[1]
        drawing.panel(62 + 40 * wide, 34 + 20 * len(words), name, 50 + 20 * wide, 16)
        drawing.matrix(50, 26, values, role, "", (40, 20), ((), ()) if hot else (words, ()), digits)
    return drawing


def chain_or_at_once(words: Sequence[str]) -> Drawing:
    """Draw a recurrent network, whose steps wait for each other, beside self-attention, which takes one step."""
    n = len(words)
    drawing = Drawing(
        "n steps in a chain against one",
        f"Left, a recurrent network: {n} states in a row, at steps 1 to {n}, each waits for the one before. Right, "
        f"self-attention: lines from each of the {n} words to each of the {n} contexts, all at step 1.",
    )
    for name, chain in ((f"recurrent: {n} steps", True), ("self-attention: 1 step", False)):
        drawing.panel(62 * n, 128, name, 31 * n)
        for i, word in enumerate(words):
            left = 62.0 * i + 4
            for j in range(0 if chain else n):
                drawing.rule(62.0 * j + 28, 90, left + 24, 56, "weights")
            drawing.box(left, 34, 48, 22, "state" if chain else "context", f"step {i + 1 if chain else 1}")
            drawing.box(left, 90, 48, 22, "", word)
            if chain:
                drawing.arrow(left + 24, 90, left + 24, 56)
                if i:
                    drawing.arrow(left - 14, 45, left, 45, "state")
    return drawing


def added_positions(words: Sequence[str], d_model: int = 6) -> Drawing:
    """Draw embeddings and positions as strips, and their sums: the same word differs by its place."""
    generator = np.random.default_rng(1)
    vectors = {word: generator.normal(0, 0.5, d_model).round(1) for word in words}
    embedded = np.stack([vectors[word] for word in words])
    places = sinusoids(len(words), d_model).numpy().astype(float)
    drawing = Drawing(
        "Embedding plus position",
        f"Three strips of {d_model} numbers for each of the words {', '.join(words)}: its embedding, the sines and "
        "cosines of its place, and their sum. A word that comes twice has one embedding and two sums.",
    )
    for name, values, role in (("embedding (· √d)", embedded, ""), ("+ position", places, "key"),
                               ("= what layer 1 reads", embedded + places, "state")):  # fmt: skip
        drawing.panel(52 + 34 * d_model, 28 + 20 * len(words), name, 46 + 17 * d_model)
        drawing.matrix(46, 24, values, role, "", (34, 20), (words, ()))
    return drawing


def all_at_once(words: Sequence[str]) -> Drawing:
    """Draw the target positions one by one, as in translation, beside all of them under the mask, as in training."""
    n, targets = len(words), [*words[1:], "</s>"]
    drawing = Drawing(
        "One by one, or all at once under the mask",
        f"Left, translating: {n} steps, the first reads {words[0]}, each reads one word more. Right, training: the "
        f"same {n} rows in one step; what follows a word is hidden by the mask. Rows predict {', '.join(targets)}.",
    )
    for name, one_step in ((f"translating: {n} steps", False), ("training: 1 step, with the mask", True)):
        drawing.panel(330, 24 + 24 * n, name, 165, 12)
        for t in range(n):
            top = 22.0 + 24 * t
            drawing.text(46, top + 14, "step 1" if one_step else f"step {t + 1}", "small soft", "end")
            for j in range(n if one_step else t + 1):
                role, word, kind = ("state", words[j], "small") if j <= t else ("", "×", "small soft")
                drawing.box(54 + 44 * j, top, 42, 20, role, word, kind=kind, hot=j == t)
            drawing.text(64 + 44 * n, top + 14, f"→ {targets[t]}", anchor="start")
    return drawing


def window_bars(words: Sequence[str], p: float, widths: Sequence[int] = (2, 10)) -> Drawing:
    """Draw the factor of each word's weight, window times bell, as bars beside the words."""
    lengths, centre = torch.tensor([len(words)]), torch.tensor([float(p)])
    factors = [(gaussian(centre, len(words), D) * window(centre, lengths, len(words), D))[0].tolist() for D in widths]
    drawing = Drawing(
        "Local windows over words",
        " ".join(
            f"D = {D}: {', '.join(f'{word} {number(each, 2)}' for word, each in zip(words, row, strict=True))}."
            for D, row in zip(widths, factors, strict=True)
        ),
    )
    for D, row in zip(widths, factors, strict=True):
        drawing.panel(300, 28 + 18 * len(words), f"D = {D}, p = {p:g}", 170)
        for i, (word, each) in enumerate(zip(words, row, strict=True)):
            top = 22.0 + 18 * i
            drawing.text(84, top + 13, word, "small" if each else "small soft", "end")
            if each:
                drawing.box(92, top + 2, 160 * each, 13, "weights")
            drawing.text(284, top + 13, number(each, 2) if each else "outside", "small soft", "end")
    return drawing


def gru_cell(
    x: float = 1.0, h: float = 0.5, W: Sequence[float] = (1, 0, 1), U: Sequence[float] = (-2, 2, 2)
) -> Drawing:
    """Draw a step of a GRU with one feature; W and U belong to reset, update and proposal, in this order."""
    r, z = (float(1 / (1 + np.exp(-(W[i] * x + U[i] * h)))) for i in (0, 1))
    proposal = float(np.tanh(W[2] * x + U[2] * r * h))
    columns = (torch.tensor(each, dtype=torch.float64)[:, None] for each in (W, U))
    none = torch.zeros(3, dtype=torch.float64)
    state = gru_step(torch.full((1, 1), x).double(), torch.full((1, 1), h).double(), *columns, none, none).item()
    drawing = Drawing(
        "The cell of a GRU",
        f"The old state {h:g} goes through the update gate z, {z:.3f}: {z * h:.3f} is kept. The word {x:g} and what "
        f"the reset gate r, {r:.3f}, lets pass of the old state make the proposal {proposal:.3f}; 1 minus z of it, "
        f"{(1 - z) * proposal:.3f}, is written. The sum is the new state, {state:.3f}.",
    )
    drawing.panel(330, 216)
    top, high = 22, 60  # of the lane that h flows through; z is how far its valve is open
    kept = high * z

    def labelled(x: float, y: float, width: float, height: float, name: str, value: float, role: str = "") -> None:
        """Draw a box at (`x`, `y`), `width` by `height`, in the colour of `role`, with `name` and `value` in it."""
        drawing.box(x, y, width, height, role, hot=name == "new h")
        drawing.text(x + width / 2, y + height / 2 - 4, name, "small soft")
        drawing.text(x + width / 2, y + height / 2 + 12, number(value, 3))

    drawing.box(66, top, 66, high, "state")
    drawing.box(132, top, 128, kept, "state", f"z · h = {number(z * h, 3)}")
    drawing.box(132, top + kept, 128, high - kept, "", f"(1 − z) · h̃ = {number((1 - z) * proposal, 3)}")
    drawing.box(129, top - 6, 6, 6 + kept, hot=True)
    drawing.text(132, top - 10, f"valve z = {number(z, 3)}")
    labelled(1, top, 66, high, "old h", h, "state")
    labelled(260, top, 68, high, "new h", state, "state")
    labelled(140, 118, 112, 38, "proposal h̃", proposal)
    labelled(1, 118, 66, 38, "valve r", r)
    labelled(1, 174, 66, 38, "word x", x)
    for line in ((34, top + high, 34, 118), (67, 137, 140, 137), (67, 193, 176, 156), (196, 118, 196, top + high)):
        drawing.arrow(*line)
    drawing.text(103, 131, "r · h", "small soft")
    drawing.text(328, 200, "x and h set both valves", "small soft", "end")
    return drawing


def residual_stream(
    batch: int, lengths: tuple[int, int], d_model: int, heads: int, d_ff: int, vocabulary: int
) -> Drawing:
    """Draw the shapes of a `batch` on its way through an encoder layer and a decoder layer.

    `lengths` are those of source and target; the layers have `d_model` features, so many `heads`, and `d_ff` units
    inside the feed-forward network; the `vocabulary` is that of the target.
    """

    def attention(name: str, queries: int, keys: int) -> tuple[str, ...]:
        return name, f"heads {(batch, heads, queries, d_model // heads)}", f"weights {(batch, heads, queries, keys)}"

    def network(length: int) -> tuple[str, ...]:
        return "feed-forward", f"inside {(batch, length, d_ff)}"

    source, target = lengths
    masked, cross = attention("masked self-attention", target, target), attention("cross-attention", target, source)
    stacks = (
        ("encoder", source, [attention("self-attention", source, source), network(source)], "memory, for the decoder"),
        ("decoder", target, [masked, cross, network(target)], f"scores {(batch, target, vocabulary)}"),
    )
    drawing = Drawing(
        "The residual stream and its shapes",
        "Boxes of one shape above each other, (batch, positions, features); beside them the sublayers that add to "
        "the stream. "
        + " ".join(
            f"{name.capitalize()}, {(batch, length, d_model)}: {'; '.join(map(', '.join, layers))}; at the end {end}."
            for name, length, layers, end in stacks
        ),
    )
    for name, length, layers, end in stacks:
        drawing.panel(330, 96 + 66 * len(layers))
        drawing.text(56, 12, f"{name}: ids {(batch, length)}", anchor="start")
        for i, inside in enumerate([*layers, ()]):
            top = 30.0 + 66 * i
            drawing.arrow(48, top - 14, 48, top)
            drawing.box(1, top, 95, 24, "state")
            drawing.text(48, top + 16, str((batch, length, d_model)))
            if inside:
                drawing.rule(48, top + 24, 48, top + 52, "state", 3)
                drawing.box(140, top + 8, 186, 10 + 15 * len(inside))
                for k, words in enumerate(inside):
                    drawing.text(233, top + 24 + 15 * k, words, "small soft" if k else "small")
                drawing.arrow(96, top + 14, 140, top + 20)
                drawing.arrow(140, top + 34, 52, top + 50)
                drawing.text(56, top + 61, "+, then norm", "small soft", "start")
        drawing.arrow(48, 54 + 66 * len(layers), 48, 76 + 66 * len(layers))
        drawing.text(4, 92 + 66 * len(layers), end, anchor="start")
    return drawing
