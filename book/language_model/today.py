"""Drawings of what has changed since 2017: the two blocks side by side, and rotary positions at several speeds."""

from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, sin

from book.show.drawn import Drawing

BLOCKS = {  # its name: norm, attention, network; sum after the norm, or before it
    "2017": ("LayerNorm", "attention", "ReLU network", "x = norm(x + f(x))"),
    "today": ("RMSNorm", "attention, q and k turned", "SwiGLU network", "x = x + f(norm(x))"),
}
STREAM, SIDE, STEP = 42.0, 176.0, 138.0  # x of the stream, x of the sublayers, height of a sublayer


def two_blocks() -> Drawing:
    """Draw a block of 2017 and one of today: which way the stream takes, and what stands beside it."""
    drawing = Drawing(
        "A block of 2017 and a block of today",
        "Two blocks, read from the bottom to the top. In both the stream x runs up on the left, and attention and a "
        "feed-forward network stand beside it. 2017: each sublayer reads the stream as it is, its output is added, and "
        "LayerNorm stands on the stream after each sum. Today: the stream passes straight; RMSNorm stands on the way "
        "into each sublayer, queries and keys are turned, and the network is a SwiGLU.",
    )
    for name, (norm, attention, network, formula) in BLOCKS.items():
        drawing.panel(276, 350, name, 138)
        for bottom, words in ((306.0, attention), (306.0 - STEP, network)):
            sublayer(drawing, bottom, words, norm, on_stream=name == "2017")
        drawing.text(STREAM, 322, "x")
        drawing.text(138, 344, f"twice: {formula}")
    return drawing


def sublayer(drawing: Drawing, bottom: float, words: str, norm: str, *, on_stream: bool) -> None:
    """Draw one sublayer beside the stream, from y = bottom upwards, with its norm on the stream or before it."""
    top, leaves, plus = bottom - STEP, bottom - 8, bottom - (88 if on_stream else 118)
    drawing.rule(STREAM, bottom, STREAM, plus + 9, "state", 2)
    drawing.rule(STREAM, leaves, SIDE, leaves, "state", 2)
    into = bottom - (24 if on_stream else 62)
    if on_stream:
        drawing.arrow(SIDE, leaves, SIDE, into)
    else:
        drawing.arrow(SIDE, leaves, SIDE, bottom - 18)
        drawing.box(SIDE - 50, bottom - 44, 100, 26, "weights", norm)
        drawing.arrow(SIDE, bottom - 44, SIDE, into)
    drawing.box(SIDE - 90, into - 34, 180, 34, "context", words)
    drawing.rule(SIDE, into - 34, SIDE, plus, "state", 2)
    drawing.arrow(SIDE, plus, STREAM + 9, plus, "state")
    drawing.box(STREAM - 9, plus - 9, 18, 18, "state", "+")
    if on_stream:
        drawing.arrow(STREAM, plus - 9, STREAM, top + 30, "state")
        drawing.box(STREAM - 40, top + 6, 80, 24, "weights", norm)
        drawing.rule(STREAM, top + 6, STREAM, top, "state", 2)
    else:
        drawing.rule(STREAM, plus - 9, STREAM, top, "state", 2)


def speeds(head_dim: int = 8, base: float = 10000.0, positions: Sequence[int] = (0, 1, 2, 10, 100, 1000)) -> Drawing:
    """Draw the pairs of features of a head as clocks, each at its own speed, at several positions."""
    angles = [base ** (-2 * pair / head_dim) for pair in range(head_dim // 2)]
    turns = "; ".join(f"pair {pair}: {angle:g} radians a position" for pair, angle in enumerate(angles))
    drawing = Drawing(
        "Pairs that turn at different speeds",
        f"A row for each pair of a head with {head_dim} features, a column for each of the positions "
        f"{', '.join(map(str, positions))}; in each a clock with its hand. {turns}.",
    )
    pitch, left, radius = 44.0, 66.0, 15.0
    drawing.panel(330, 34 + 38 * len(angles))
    drawing.text(0, 12, "position", "small soft", "start")
    for column, position in enumerate(positions):
        drawing.text(left + pitch * (column + 0.5), 12, f"{position:,}", "small soft")
    for row, angle in enumerate(angles):
        y = 38.0 + 38 * row
        turned = f"{angle:g}".removeprefix("0")
        drawing.text(0, y + 4, f"θ{'₀₁₂₃₄₅₆₇'[row]} = {turned}", "small", "start")
        for column, position in enumerate(positions):
            x = left + pitch * (column + 0.5)
            clock(drawing, x, y, radius, angle * position)
    return drawing


def clock(drawing: Drawing, x: float, y: float, radius: float, angle: float) -> None:
    """Draw a circle with a hand that began at the right and was turned to the left by an angle in radians."""
    steps = [pi / 6 * step for step in range(13)]
    for begin, end in pairwise(steps):
        drawing.rule(x + radius * cos(begin), y - radius * sin(begin), x + radius * cos(end), y - radius * sin(end))
    drawing.arrow(x, y, x + radius * cos(angle), y - radius * sin(angle), "query")
