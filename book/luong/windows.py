"""Pictures of the windows of Luong's local attention: their bells, where they stand, what they cost."""

from collections.abc import Sequence
from statistics import fmean, median
from typing import Any

from matplotlib.axes import Axes

from book.luong.figures import aim, costs
from book.show.experiments import BLEU, values
from book.show.seed_plots import lines
from book.show.tables import PHRASEBOOK, outputs
from lab import corpora
from lab.corpora import Pair
from lab.evaluation.window_positions import counted
from lab.kinds.runs import joined
from lab.show.plots import STYLES, Picture, Point, legend_below, panels, ranges

PREDICTIVE = {"local-p": "local-p, D = 2", "local-p-10": "local-p, D = 10"}
FORMS = {"masked": "all scores, masked", "alone": "the window alone"}
MEASURES = {"milliseconds": "milliseconds, both passes", "multiplications": "million multiplications"}
FARTHEST = 8  # words: how far the shares are drawn


def predicted() -> dict[str, list[list[float]]]:
    """Return the positions that each variant has predicted for the test sentences."""
    return {
        words: outputs("luong", joined(PHRASEBOOK, variant))[0]["positions"]["test"]
        for variant, words in PREDICTIVE.items()
    }


def within(pairs: Sequence[Pair], positions: Sequence[Sequence[float]]) -> list[tuple[int, float]]:
    """Return the share of the true links, in per cent, with the source word within 1, 2, … words of the position."""
    misses = [
        abs(of[j] - i) for pair, of in zip(pairs, positions, strict=True) for i, j in pair.links or () if j < len(of)
    ]
    return [(k, 100 * sum(miss <= k for miss in misses) / len(misses)) for k in range(1, FARTHEST + 1)]


def links_within() -> Picture:
    """Draw which share of the true links lies within some words of the centre of the window."""
    pairs = corpora.load("phrasebook").tests["test"]
    every = predicted() | {
        "p = t": counted(pairs, in_proportion=False),
        "p = t · S/T": counted(pairs, in_proportion=True),
    }
    curves = {words: within(pairs, positions) for words, positions in every.items()}
    return lines(curves, "distance |p − true position| at most (words)", "links, %", "Where the windows stand")


def example(words: int = 14) -> int:
    """Return the number of the first test sentence of so many words whose order changes most."""
    pairs = corpora.load("phrasebook").tests["test"]
    fitting = [n for n, pair in enumerate(pairs) if len(pair.source.split()) == words]
    return max(fitting, key=lambda n: sum(abs(i - j) for i, j in pairs[n].links or ()))


def predicted_positions(number: int) -> Picture:
    """Draw the predicted positions of one test sentence over its target words, with the true links."""
    pair = corpora.load("phrasebook").tests["test"][number]
    source, target = pair.source.split(), pair.target.split()
    figure, (axes,) = panels((6.4, 4.6), grid="")
    links = sorted((j, i) for i, j in pair.links or ())
    axes.plot(*zip(*links, strict=True), ls="", marker="s", ms=13, mfc="none", color="#888888", label="true link")
    texts = []
    for (words, every), (colour, marker, line) in zip(predicted().items(), STYLES, strict=False):
        p = every[number][: len(target)]
        axes.plot(range(len(p)), p, color=colour, marker=marker, ms=5, ls=line, label=words)
        texts.append(f"{words}: {', '.join(f'{word} {at:.1f}' for word, at in zip(target, p, strict=False))}")
    axes.plot(range(len(target)), range(len(target)), color="#000000", ls=":", lw=1, label="p = t")
    axes.set_xticks(range(len(target)), target, rotation=60, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(source)), [f"{word} {s}" for s, word in enumerate(source)])
    axes.set(xlabel="target word", ylabel="source word and its position", ylim=(len(source) - 0.4, -0.6))
    legend_below(figure, 4, fontsize=9.5)
    true = ", ".join(f"{target[j]} {i}" for j, i in links)
    return Picture(figure, f"Predicted positions of one sentence. True: {true}. {'. '.join(texts)}.")


def aims() -> dict[str, list[Point]]:
    """Return (links within one word of the predicted position, in %; BLEU) of each seed, by the window's width."""
    return {
        words: list(zip(*(values("luong", "windows", variant, column) for column in (aim(), BLEU)), strict=True))
        for variant, words in PREDICTIVE.items()
    }


def aims_plot() -> Picture:
    """Draw BLEU against how well each window aims, a point a seed, beside the mean without a window."""
    figure, (axes,) = panels((4.2, 3.8), grid="both")
    texts = []
    for (words, points), (colour, marker, _) in zip(aims().items(), STYLES, strict=False):
        x, y = zip(*points, strict=True)
        axes.plot(x, y, ls="", color=colour, marker=marker, ms=9, mfc="none", mew=1.6, label=words)
        texts.append(f"{words}: {', '.join(f'{b:.1f} BLEU at {a:.0f} %' for a, b in points)}")
    whole = fmean(values("luong", "windows", "", BLEU))
    axes.axhline(whole, color="#888888", lw=1.2, ls="--", label="no window")
    axes.set(xlabel="links within one word of the centre, %", ylabel="BLEU", xlim=(35, 65), ylim=(70, 100))
    legend_below(figure, 2)
    return Picture(
        figure, f"BLEU by how well a window aims, a point a seed. {'; '.join(texts)}; no window: {whole:.1f}."
    )


def worse_aim_wins() -> str:
    """Return the chapter's answer to its guess; raise ValueError where the seeds say something else."""
    (narrow_aim, narrow), (wide_aim, wide) = (zip(*points, strict=True) for points in aims().values())
    (counted, *_) = values("luong", "windows", "local-p", aim("t"))
    if not (min(narrow_aim) > max(wide_aim) and max(narrow) + 10 < min(wide) and abs(fmean(wide_aim) - counted) < 2):
        raise ValueError(
            f"the lesson says that D = 2 aims better and translates far worse, D = 10 as p = t, but: {aims()}"
        )
    return "In all its three trainings the narrow window translates far worse."


def window_times() -> Picture:
    """Draw what a masked window and a window alone cost by length: time, and multiplications."""
    kept = costs()
    figure, both = panels((7.2, 3.8), 2, grid="both")
    texts = []
    for axes, (measure, label) in zip(both, MEASURES.items(), strict=True):
        for (form, words), style in zip(FORMS.items(), STYLES, strict=False):
            texts.append(f"{words}, {label}: {_cost(axes, kept['windows'], form, measure, words, style)}")
        axes.set(xscale="log", yscale="log", xlabel="words S of source and target", title=label)
        axes.set_xticks([row["length"] for row in kept["windows"]][::2])
        axes.set_xticklabels([f"{row['length']}" for row in kept["windows"]][::2])
        axes.minorticks_off()
    legend_below(figure, 2)
    sizes = kept["window_sizes"]
    about = f"D = {sizes['D']}, width {sizes['width']}, {sizes['sentences']} sentences, {kept['device']}"
    return Picture(figure, f"Local attention by length, both axes logarithmic ({about}). {'; '.join(texts)}.")


def _cost(axes: Axes, rows: Sequence[Any], form: str, measure: str, words: str, style: tuple[Any, ...]) -> str:
    """Draw the line of a `measure` of one `form` of attention from `rows` on `axes`; return its ends in words.

    `words` label it, and `style` is its colour, marker and line.
    """
    colour, marker, line = style
    n = [row["length"] for row in rows]
    passes = [row[form]["milliseconds"] if measure == "milliseconds" else [row[form][measure] / 1e6] for row in rows]
    middle = [median(each) for each in passes]
    ranges(axes, n, passes, middle, color=colour, marker=marker, ls=line, ms=5, capsize=2, label=words)
    return f"{middle[0]:.3g} at {n[0]} words, {middle[-1]:.3g} at {n[-1]}"
