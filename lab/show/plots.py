"""Pictures for book, notebooks and terminal: every axis is labelled, every picture has an alternative text.

Colours: none is that of a query, a key, a value or another role in the book's drawings, and each stands out from a
light and from a dark page; marker and line tell the curves apart besides. The ground is white, so that a picture reads
the same in a light and in a dark notebook; the book's pages give it their own colours, and their own letters.
"""

import base64
import io
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeAlias

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lab.metrics import LengthScore
from lab.show.attention_table import alignment_text as alignment_text
from lab.show.attention_table import heat_table as heat_table

Point: TypeAlias = tuple[int | float, int | float]

STYLES = (  # colour, marker, line
    ("#7F62D6", "o", "-"),
    ("#D1365F", "s", "--"),
    ("#0F8F8F", "^", "-."),
    ("#808A1C", "D", ":"),
    ("#000000", "v", (0, (5, 1))),
)
VIOLET, CRIMSON, TEAL, OLIVE, BLACK = STYLES
LETTERS = b"'Source Serif 4', Georgia, 'DejaVu Serif'"  # the book's; Matplotlib measures by its own, a little wider
MODEL_STYLES = {  # a model or layer looks the same in every plot; up to a colon a line's name is that of its model
    "encoder–decoder": VIOLET,
    "additive attention": CRIMSON,
    "Luong, general": TEAL,
    "Transformer": OLIVE,
    "HAN": VIOLET,
    "second HAN": CRIMSON,
    "Att-BLSTM": TEAL,
    "self-attention with W_q, W_k, W_v": VIOLET,
    "the same, fused kernel": ("#7F62D6", "x", ":"),
    "self-attention with W_o too": CRIMSON,
    "recurrent, plain": TEAL,
    "recurrent, GRU": BLACK,
    "recurrent, LSTM": OLIVE,
    "tanh": TEAL,
    "GRU": BLACK,
    "GRU, gate open": ("#000000", "o", "-"),
    "LSTM": OLIVE,
    "LSTM, gate open": ("#808A1C", "s", "-"),
    "convolution": ("#5F6B7A", "P", "--"),
    "restricted, no projections": ("#8C564B", "X", "-"),
}


@dataclass(frozen=True)
class Picture:
    """A figure and its alternative text; a notebook and the book show both."""

    figure: Figure
    alt: str

    def _repr_html_(self) -> str:
        # An <img> of our own: the one that Jupyter makes of a figure has no alternative text.
        data = base64.b64encode(self._svg()).decode()
        image = f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(self.alt)}"'
        return image + ' style="max-width:100%;height:auto;background:#fff">'

    def _svg(self) -> bytes:
        buffer = io.BytesIO()
        # Without a date, and with ids that are no random numbers, the same figure gives the same bytes.
        with rc_context({"svg.hashsalt": "attention", "svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans"]}):
            self.figure.savefig(buffer, format="svg", facecolor="white", bbox_inches="tight", metadata={"Date": None})
        return buffer.getvalue().replace(b"'DejaVu Sans'", LETTERS)


def training_curves(
    curves: Mapping[str, Sequence[Point]],
    x_label: str = "step",
    y_label: str = "loss (nats a token)",
    title: str = "",
) -> Picture:
    """Draw curves, each a list of (x, y) under its name: losses or scores while a model trains."""
    figure, axes = _axes(x_label, y_label, title)
    descriptions = []
    for name, (colour, marker, line) in styled(curves):
        x, y = zip(*curves[name], strict=True)
        # Few markers: they tell the curves apart, they do not mark measurements.
        axes.plot(x, y, color=colour, linestyle=line, marker=marker, markevery=max(1, len(x) // 8), label=name)
        descriptions.append(f"{name} goes from {y[0]:.3g} to {y[-1]:.3g} (lowest {min(y):.3g}, highest {max(y):.3g})")
    axes.legend(frameon=False)
    return Picture(figure, f"{title or 'Curves'}: {y_label} by {x_label}. {'; '.join(descriptions)}.")


def bleu_by_length_plot(
    scores: Mapping[str, Sequence[LengthScore]], title: str = "", intervals: str = "95 % intervals"
) -> Picture:
    """Draw BLEU with its intervals for each bucket of lengths, a line for each model; the axis tells the counts.

    `intervals` says what lies between low and high; only an interval has caps at its ends.
    """
    buckets = {(s.first, s.last): s.score.count for line in scores.values() for s in line}
    caps = 3 if "intervals" in intervals else 0  # a range of seeds has none, as in plots of single seeds
    order = {bucket: place for place, bucket in enumerate(sorted(buckets))}
    figure, axes = _axes("words in the source sentence (n = sentences)", f"BLEU ({intervals})", title)
    descriptions = []
    for shift, (name, (colour, marker, dash)) in enumerate(styled(scores)):
        line = scores[name]
        # Side by side, so that one interval does not hide another.
        x = [order[s.first, s.last] + 0.06 * (shift - (len(scores) - 1) / 2) for s in line]
        look = {"color": colour, "marker": marker, "linestyle": dash, "capsize": caps, "label": name}
        ends = [(s.score.low, s.score.high) for s in line]
        ranges(axes, x, ends, [s.score.value for s in line], **look)
        values = ", ".join(f"{s.first} to {s.last} words {s.score.value:.1f}" for s in line)
        descriptions.append(f"{name}: {values}")
    axes.set_xticks(list(order.values()), [f"{a}–{b}\nn = {buckets[a, b]}" for a, b in order])
    axes.set_ylim(0, 102)
    axes.legend(frameon=False)
    return Picture(figure, f"{title or 'BLEU by sentence length'}, {intervals}. {'. '.join(descriptions)}.")


def panels(
    size: tuple[float, float], columns: int = 1, rows: int = 1, grid: Any = "y", **shared: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure of this size in inches and its axes, open at the top and the right, with a grid or none ("")."""
    figure = Figure(figsize=size, layout="constrained")
    every = list(figure.subplots(rows, columns, squeeze=False, **shared).flat)
    for axes in every:
        axes.spines[["top", "right"]].set_visible(False)
        if grid:
            axes.grid(axis=grid, color="#dddddd")
            axes.set_axisbelow(True)
    return figure, every


def legend_below(figure: Figure, columns: int, **look: Any) -> None:
    """Put the legend of the first axes below the figure."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, **look)


def ranges(axes: Axes, x: Sequence[float], groups: Sequence[Any], middles: Sequence[float], **look: Any) -> None:
    """Draw a line through the middles, and at each a bar from the least to the greatest of its group."""
    reach = np.array([[m - min(group), max(group) - m] for m, group in zip(middles, groups, strict=True)])
    axes.errorbar(x, middles, yerr=reach.T.reshape(2, -1), **look)


def _axes(x_label: str, y_label: str, title: str) -> tuple[Figure, Axes]:
    figure, (axes,) = panels((6.4, 3.8))
    axes.set(xlabel=x_label, ylabel=y_label, title=title)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    return figure, axes


def styled(names: Collection[str]) -> list[tuple[str, tuple[str, str, Any]]]:
    """Return each name with its colour, marker and line: those of its model, or the first free ones."""
    if not 0 < len(names) <= len(STYLES):
        raise ValueError(f"A plot takes 1 to {len(STYLES)} lines that can be told apart; got {len(names)}.")
    own = {name: MODEL_STYLES.get(name.partition(":")[0]) for name in names}
    taken = {style[0] for style in own.values() if style}
    free = iter([style for style in STYLES if style[0] not in taken])
    return [(name, style or next(free)) for name, style in own.items()]
