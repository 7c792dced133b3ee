"""Drawings of one computation from its input to its output, with the numbers of a chapter's example."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from book.show.drawn import Drawing, number
from solutions.self_attention.attention import scaled_dot_product

Matrix = NDArray[np.float64]
LOWERED = dict(zip("0123456789", "₀₁₂₃₄₅₆₇₈₉", strict=True))  # digits below the line


def self_attention_steps(X: Matrix, W_q: Matrix, W_k: Matrix, W_v: Matrix, words: Sequence[str]) -> Drawing:
    """Draw X -> Q, K, V -> scores -> weights -> context for all words at once; the row of the first has a frame."""
    Q, K, V = X @ W_q.T, X @ W_k.T, X @ W_v.T
    scores = Q @ K.T / np.sqrt(K.shape[1])
    context, weights = (each.numpy() for each in scaled_dot_product(*map(torch.from_numpy, (Q, K, V))))
    n = len(words)
    drawing = Drawing(
        "Self-attention as products of matrices",
        f"Step by step: the matrix X, a row for each of the words {', '.join(words)}; its products with W q, W k "
        "and W v, the queries, keys and values, two features each; the scores of all queries with all keys, divided by "
        f"the root of two; the softmax of each row, the weights; and the context, the weights times the values. The "
        f"row of {words[0]} is framed: its largest weight, {number(weights[0].max(), 2)}, is on "
        f"{words[int(weights[0].argmax())]}.",
    )
    high, top = 20.0 * n, 42.0
    names = [word[:5] for word in words]
    drawing.panel(214, 3 * (high + 36))
    right, middle = drawing.matrix(40, high + 36, X, "", "X", (22, 20), words=(words, ()), digits=0, hot=0)
    parts = ((Q, "query", "queries, Q"), (K, "key", "keys, K"), (V, "value", "values, V"))
    for i, (values, role, name) in enumerate(parts):
        place = 2 + i * (high + 34)
        drawing.arrow(right + 5, middle, 145, place + high / 2, role)
        drawing.matrix(150, place, values, role, name, (24, 20), digits=0, hot=0 if role == "query" else None)
    for values, role, name, digits in ((scores, "", "Q Kᵀ / √2", 1), (weights, "weights", "softmax of each row", 2)):
        drawing.panel(62 + 30 * n, top + high + 22)
        drawing.arrow(0, 12, 16, 12)
        drawing.text(58 + 15 * n, 16, name)
        drawing.matrix(58, top, values, role, words=(words, names), digits=digits, hot=0)
    drawing.panel(150, top + high + 22)
    drawing.arrow(0, 12, 16, 12)
    drawing.text(100, 16, "weights · V")
    drawing.matrix(58, top, context, "context", size=(42, 20), words=(words, ()), digits=2, hot=0)
    return drawing


def growing_squares(lengths: Sequence[int] = (4, 8, 16, 32)) -> Drawing:
    """Draw the square of scores for some lengths, each twice the one before, a cell for each pair of words."""
    drawing = Drawing(
        "Scores by the number of words",
        "Squares of cells, each twice as wide as the one before: "
        + "; ".join(f"{n} words, {n * n:,} scores" for n in lengths)
        + ".",
    )
    left = 8.0
    for n in lengths:
        base = 4.6 * n + 4
        drawing.panel(max(4.6 * n, 60) + 20, base + 38)
        drawing.box(left, base - 4.6 * n, 4.6 * n, 4.6 * n, "weights")
        for i in range(1, n):
            drawing.rule(left + 4.6 * i, base - 4.6 * n, left + 4.6 * i, base, "weights")
            drawing.rule(left, base - 4.6 * i, left + 4.6 * n, base - 4.6 * i, "weights")
        drawing.text(left + max(2.3 * n, 30), base + 16, f"n = {n}")
        drawing.text(left + max(2.3 * n, 30), base + 32, f"n² = {n * n:,}", "small soft")
    return drawing


def padded_batch(sentences: Sequence[str]) -> Drawing:
    """Draw a batch of sentences, filled up to the longest, and its mask below the words."""
    rows = [sentence.split() for sentence in sentences]
    longest = max(map(len, rows))
    words = [[*row, *["<pad>"] * (longest - len(row))] for row in rows]
    drawing = Drawing(
        "A batch with padding, and its mask",
        f"{len(rows)} rows of {longest} words. "
        + " ".join(f"Row {i}: {' '.join(row)}; {len(row)} of them count." for i, row in enumerate(rows, 1)),
    )
    drawing.panel(47 * longest, 68 * len(rows))
    for i, row in enumerate(words):
        drawing.text(0, 14 + 68 * i, f"row {i + 1}; its mask below", "small soft", "start")
        for j, word in enumerate(row):
            role, kind, mask = ("state", "small", "1") if j < len(rows[i]) else ("", "small soft", "0")
            drawing.box(1 + 47 * j, 20 + 68 * i, 45, 22, role, word, kind=kind)
            drawing.text(23.5 + 47 * j, 57 + 68 * i, mask, "small soft")
    return drawing


def kept_and_new(words: Sequence[str], steps: Sequence[int] = (0, 1, 2)) -> Drawing:
    """Draw what a decoder's step takes from the cache and what it computes: keys and values grow by a row."""
    drawing = Drawing(
        "What the cache keeps and what is new",
        "For each step the rows of keys and values: those of earlier words are kept, that of the newest word is "
        f"computed; its query alone attends to all of them. Words: {', '.join(words[: max(steps) + 1])}.",
    )
    left = 40.0
    for t in steps:
        drawing.panel(200, 42 + 22 * (max(steps) + 1), f"step {t + 1}: reads “{words[t]}”", left + 60, 16)
        for i in range(t + 1):
            new, top = i == t, 40.0 + 22 * i
            drawing.text(left - 4, top + 14, words[i], "small" if new else "small soft", "end")
            for right, role in ((0, "key"), (42, "value")):
                drawing.box(left + right, top, 38, 18, role, hot=new)
        drawing.text(left + 19, 34, "K", "small soft")
        drawing.text(left + 61, 34, "V", "small soft")
        drawing.box(left + 110, 40 + 22.0 * t, 38, 18, "query", hot=True)
        drawing.text(left + 129, 34, "q", "small soft")
        drawing.arrow(left + 108, 49 + 22.0 * t, left + 84, 49 + 22.0 * t, "query")
    return drawing


def two_norms(sentences: int = 2, words: int = 3, features: int = 6) -> Drawing:
    """Draw which numbers layer norm and batch norm take a mean over: a word's features, or a feature's words."""
    drawing = Drawing(
        "What layer norm and batch norm average over",
        f"The same batch twice, {sentences} sentences of {words} words with {features} features each. Layer norm: one "
        "row is marked, the features of a single word. Batch norm: one column is marked, a single feature of all words "
        "of all sentences.",
    )
    left = 78.0
    for name, marked in (
        ("layer norm: one word", lambda row, column: row == 1),
        ("batch norm: one feature", lambda row, column: column == 2),
    ):
        drawing.panel(left + 24 * features + 30, 52 + 17 * sentences * words + 10 * sentences)
        drawing.text(left + 12 * features, 18, name)
        for row in range(sentences * words):
            top = 30.0 + 17 * row + 10 * (row // words)
            for column in range(features):
                chosen = marked(row, column)
                drawing.box(left + 24 * column, top, 22, 15, "query" if chosen else "", hot=chosen)
            if row % words == 0:
                drawing.text(left - 8, top + 28, f"sentence {row // words + 1}", "small soft", "end")
        drawing.text(left + 12 * features, 46 + 17 * sentences * words + 10 * sentences, "features", "small soft")
    return drawing


def smoothed_target(words: Sequence[str], right: int, epsilon: float = 0.1) -> Drawing:
    """Draw the distribution that the loss asks for, without label smoothing and with it."""
    n = len(words)
    hard = [float(i == right) for i in range(n)]
    soft = [(1 - epsilon) * each + epsilon / n for each in hard]
    drawing = Drawing(
        "What the loss asks for, without and with label smoothing",
        f"Bars for the words {', '.join(words)}. Without smoothing {words[right]} has 1 and the others 0; with "
        f"{epsilon:g} of smoothing it has {max(soft):.3f} and each of the others {min(soft):.3f}.",
    )
    left = 0.0
    for name, bars in (("without smoothing", hard), (f"smoothing {epsilon:g}", soft)):
        drawing.panel(48 * n + 12, 124, name, 24 * n, 16)
        for i, value in enumerate(bars):
            if value:
                drawing.box(left + 48 * i + 6, 100 - 60 * value, 34, 60 * value, "weights")
            drawing.text(left + 48 * i + 23, 94 - 60 * value, number(value, 3 if 0 < value < 1 else 0))
            drawing.text(left + 48 * i + 23, 116, words[i], "small soft")
    return drawing


def unrolled_feeding(words: Sequence[str] = ("<s>", "he", "hit", "me")) -> Drawing:
    """Draw Luong's decoder with input feeding, a column a step: its attentional state is half of the next input."""
    steps = [(f"{t}", *pair) for t, pair in enumerate(pairwise(words), 1)]
    drawing = Drawing(
        "Input feeding, unrolled",
        f"{len(steps)} steps from left to right. In each the input is the attentional state of the step before beside "
        "the word before; with the state before it makes the new state h, which is the query; the context c and h make "
        "the attentional state h tilde, which gives the word and goes into the input of the next step. "
        + " ".join(f"Step {t}: reads {read}, gives {output}." for t, read, output in steps),
    )
    fed, x, width = "0", 100.0, 208.0
    for t, read, output in steps:
        drawing.panel(width, 162)
        for left, top, wide, role, name in (
            (x - 54, 138, 54, "state", fed),
            (x, 138, 54, "", read),
            (x - 26, 92, 52, "query", f"h{LOWERED[t]}"),
            (x - 78, 52, 48, "context", f"c{LOWERED[t]}"),
            (x - 32, 18, 64, "state", f"h\u0303{LOWERED[t]}"),
        ):
            drawing.box(left, top, wide, 22, role, name)
        drawing.text(x, 12, output)
        drawing.arrow(x, 137, x, 115)
        drawing.arrow(x - 8, 91, x - 42, 75, "query")
        drawing.arrow(x - 38, 51, x - 24, 41)
        drawing.arrow(x, 91, x, 41)
        if t != steps[0][0]:
            drawing.arrow(0, 103, x - 27, 103, "state")
            drawing.arrow(0, 88, x - 28, 137, "state")
        if t != steps[-1][0]:
            drawing.rule(x + 27, 103, width, 103, "state", 1.5)
            drawing.rule(x + 33, 31, width, 88, "state", 1.5)
        fed = f"h\u0303{LOWERED[t]}"
    return drawing
