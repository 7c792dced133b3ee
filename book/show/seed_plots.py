"""Plots of many trainings: every seed is drawn, so that the eye can compare variants with their spread."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lab.show.plots import STYLES, Picture, Point, legend_below, panels, styled

Rows = Mapping[str, Sequence[float]]  # the words of a variant: its score, seed by seed
Marks = Mapping[str, float]  # the words of a line to compare with: where it stands
GREY = "#888888"
KEY = "small: one seed; large: the mean"
MOST_LISTED = 16  # points of a curve that the alternative text lists


def dots(
    series: Mapping[str, Rows],
    x_label: str,
    title: str = "",
    digits: int = 1,
    marks: Marks | None = None,
    of: str = "seed",
) -> Picture:
    """Draw a row for each variant: a small mark for each seed, a large one for their mean; a colour for each series.

    The marks may be `of` texts in place of seeds; the text for screen readers has `digits` behind the point. `x_label`
    and `title` stand at the axes, and the words of a row above its marks, so that the plot stays narrow. `marks` are
    upright lines to compare with (words: value).
    """
    series = {name: {row: seeds for row, seeds in rows.items() if seeds} for name, rows in series.items()}
    names = list(dict.fromkeys(row for rows in series.values() for row in rows))
    pitch = 1.6 + len(series)  # in lines of a row: its words, then a line for each series
    figure, (axes,) = panels((5.8, 1.5 + 0.21 * pitch * len(names)), grid="x")
    axes.set(xlabel=x_label, title=title)
    texts = []
    for place, row in enumerate(names):
        top = place * pitch
        axes.text(0.01, top, row, transform=axes.get_yaxis_transform(), va="center", fontsize=9.5)
        for line, (name, style) in enumerate(styled(series), start=1):
            if seeds := series[name].get(row):
                _seeds(axes, seeds, top + line, style, name if name and row == next(iter(series[name])) else None)
                texts.append(f"{', '.join(filter(None, (row, name)))}: {spread(seeds, digits, of)}")
    axes.set(yticks=[], ylim=(pitch * len(names) - 0.6, -0.8))
    axes.spines["left"].set_visible(False)
    if any(len(seeds) > 1 for rows in series.values() for seeds in rows.values()):
        axes.set_xlabel(f"{x_label}\n{KEY.replace('seed', of)}")
    # Beside the marks of each row, not through its words.
    tops = [place * pitch + 0.6 for place in range(len(names))]
    for (words, x), line in _lines_of(marks):
        axes.vlines([x] * len(tops), tops, [top + len(series) - 0.2 for top in tops], GREY, line, label=words, lw=1.2)
    _legend(figure)
    return Picture(figure, f"{title or x_label}, {x_label}, every {of} drawn{_in_words(marks)}. {'; '.join(texts)}.")


def bars(groups: Mapping[str, Rows], x_label: str, title: str = "", digits: int = 0) -> Picture:
    """Draw a bar for each variant, as long as its mean, with a mark for each seed; groups have words above them."""
    lines = [(group, row) for group, rows in groups.items() for row in ("", *rows)]
    figure, (axes,) = panels((5.8, 0.8 + 0.3 * len(lines)), grid="x")
    axes.set(xlabel=x_label, title=title)
    texts, (colour, *_) = [], STYLES[0]
    for y, (group, row) in enumerate(lines):
        if not row:
            axes.text(0, y + 0.1, group, va="center", fontsize=9.5, weight="bold")
            continue
        seeds = groups[group][row]
        mean = statistics.fmean(seeds)
        axes.barh(y, mean, 0.7, color=colour, alpha=0.35)
        axes.plot(seeds, [y] * len(seeds), ls="", color=colour, marker="o", ms=3.5, clip_on=False)
        left = 1 if mean > 50 else max(seeds) + 2  # inside a long bar, behind a short one
        axes.text(left, y, f"{row}: {mean:.{digits}f}", va="center", fontsize=9.5)
        texts.append(f"{group}, {row}: {spread(seeds, digits)}")
    axes.set(yticks=[], ylim=(len(lines) - 0.4, -0.6), xlim=(0, 100))
    axes.spines["left"].set_visible(False)
    return Picture(figure, f"{title or x_label}, {x_label}. {'; '.join(texts)}.")


def spread(seeds: Sequence[float], digits: int = 1, of: str = "seed") -> str:
    """Return in words what the seeds have: "mean 93.8 (93.6 to 93.9, 3 seeds)"."""
    mean, low, high = (f"{each:.{digits}f}" for each in (statistics.fmean(seeds), min(seeds), max(seeds)))
    return f"{mean} (one {of})" if len(seeds) == 1 else f"mean {mean} ({low} to {high}, {len(seeds)} {of}s)"


def between(seeds: Sequence[float], digits: int = 1) -> str:
    """Return mean and range as a narrow cell of a table: "93.8 (93.6–93.9)"."""
    mean, low, high = (f"{each:.{digits}f}" for each in (statistics.fmean(seeds), min(seeds), max(seeds)))
    return f"{mean} ({low}–{high})"


def cloud(
    series: Mapping[str, Sequence[Point]], x_label: str, y_label: str, title: str = "", marks: Marks | None = None
) -> Picture:
    """Draw two scores against each other, a point for each training; `marks` are upright lines."""
    figure, (axes,) = panels((6.4, 4.2), grid="both")
    axes.set(xlabel=x_label, ylabel=y_label, title=title)
    texts = []
    for name, (colour, marker, _) in styled(series):
        if points := series[name]:
            x, y = zip(*points, strict=True)
            axes.plot(x, y, ls="", color=colour, marker=marker, ms=8, mfc="none", mew=1.6, label=name, clip_on=False)
            texts.append(f"{name}: {', '.join(f'{b:.1f} at {a:.1f}' for a, b in sorted(points))}")
    _marked(axes, marks, upright=True)
    _legend(figure)
    return Picture(
        figure, f"{title}: {y_label} by {x_label}, a point a training{_in_words(marks)}. {'; '.join(texts)}."
    )


def seed_curves(
    series: Mapping[str, Sequence[Sequence[Point]]],
    x_label: str,
    y_label: str,
    title: str = "",
    marks: Marks | None = None,
    ticks: Sequence[float] = (),
) -> Picture:
    """Draw a `series` of curves of single seeds for each variant, in one colour; `marks` are level lines.

    `x_label`, `y_label` and `title` stand at the axes. With `ticks` the axis of x is logarithmic, and has these.
    """
    figure, (axes,) = panels((6.4, 4.0))
    axes.set(xlabel=x_label, ylabel=y_label, title=title)
    texts = []
    for name, (colour, marker, line) in styled(series):
        for number, points in enumerate(series[name]):
            x, y = zip(*points, strict=True)
            few = {"marker": marker, "markevery": max(1, len(x) // 6), "ms": 5, "mfc": "none"}
            axes.plot(x, y, color=colour, ls=line, lw=1.3, label=None if number else name, **few)
        if series[name]:
            ends = ", ".join(f"{points[0][1]:.3g} to {points[-1][1]:.3g}" for points in series[name])
            texts.append(f"{name}, first to last of each seed: {ends}")
    _marked(axes, marks, upright=False)
    if ticks:
        axes.set_xscale("log")
        _ticked(axes, ticks)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    _legend(figure)
    return Picture(figure, f"{title}: {y_label} by {x_label}, a line a seed{_in_words(marks)}. {'; '.join(texts)}.")


def lines(
    curves: Mapping[str, Sequence[Point]],
    x_label: str,
    y_label: str,
    title: str = "",
    log: str = "",
    ticks: Sequence[float] = (),
    marks: Marks | None = None,
    y_ticks: Sequence[float] = (),
) -> Picture:
    """Draw curves with a mark at each point; `log` names the logarithmic axes ("", "x", "y", "xy").

    `x_label`, `y_label` and `title` stand at the axes, `ticks` and `y_ticks` on them; `marks` are level lines.
    """
    figure, (axes,) = panels((6.4, 4.0), grid="both" if log else "y")
    axes.set(xlabel=x_label, ylabel=y_label, title=title)
    texts = []
    for name, (colour, marker, line) in styled(curves):
        x, y = zip(*curves[name], strict=True)
        axes.plot(x, y, color=colour, ls=line, marker=marker, ms=5, label=name)
        points = curves[name] if len(x) <= MOST_LISTED else (curves[name][0], curves[name][-1])
        texts.append(f"{name}: {', '.join(f'{b:.3g} at {a:g}' for a, b in points)}")
    for axis in log:
        getattr(axes, f"set_{axis}scale")("log")
    if ticks:
        _ticked(axes, ticks)
    if y_ticks:
        axes.set_yticks(y_ticks, [f"{tick:,.4g}" for tick in y_ticks])
        axes.set_yticks([], minor=True)
    _marked(axes, marks, upright=False)
    _legend(figure)
    scale = f" ({' and '.join(log)} logarithmic)" if log else ""
    what = y_label.replace("\n", " ")
    return Picture(figure, f"{title}: {what} by {x_label}{scale}{_in_words(marks)}. {'; '.join(texts)}.")


def _ticked(axes: Axes, ticks: Sequence[float]) -> None:
    axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])
    axes.minorticks_off()


def _seeds(axes: Axes, seeds: Sequence[float], y: float, style: tuple[Any, ...], label: str | None) -> None:
    colour, marker, _ = style
    mean = statistics.fmean(seeds)
    axes.plot([min(seeds), max(seeds)], [y, y], color=colour, lw=1, clip_on=False)
    axes.plot(seeds, [y] * len(seeds), ls="", color=colour, marker=marker, ms=3.5, clip_on=False)
    large = {"marker": marker, "ms": 10, "mfc": "none", "mew": 1.6, "clip_on": False}
    axes.plot([mean], [y], ls="", color=colour, label=label, **large)


def _marked(axes: Axes, marks: Marks | None, upright: bool) -> None:
    for (words, place), line in _lines_of(marks):
        draw = axes.axvline if upright else axes.axhline
        draw(place, color=GREY, lw=1.2, ls=line, label=words)


def _lines_of(marks: Marks | None):
    return zip((marks or {}).items(), ("--", ":", "-."), strict=False)


def _in_words(marks: Marks | None) -> str:
    return "".join(f"; {words}: {place:.3g}" for words, place in (marks or {}).items())


def _legend(figure: Figure) -> None:
    _, labels = figure.axes[0].get_legend_handles_labels()
    if labels:
        columns = 1 if max(map(len, labels)) > 34 else min(len(labels), 2 if max(map(len, labels)) > 16 else 4)
        legend_below(figure, columns, fontsize=9.5)
