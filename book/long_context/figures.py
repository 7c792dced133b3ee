"""What the chapter on long texts shows of its runs: costs, lengths, a stream, windows, states."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import exp
from statistics import fmean
from typing import Any

from IPython.display import HTML

from book.show.seed_plots import between, lines, seed_curves
from book.show.tables import table
from lab.evaluation.result_files import read_json, results_folder
from lab.show.plots import Picture
from solutions.long_context.costs import TILE, WIDTH, moved_in_tiles, moved_whole
from solutions.long_context.lengths import LENGTH, PLACES

NAME = "long_context"
POSITIONS = {"sine": "sines", "learned": "learned", "none": "none", "rope": "rotary", "alibi": "ALiBi"}
STRETCHED = {
    "excess": "as trained",
    "interpolated": "all angles divided by 8",
    "rebased": "a larger base",
    "by parts": "by parts, borders 1 and 32",
    "by near parts": "by parts, borders 1 and 4",
    "by near parts, unscaled": "the same without the factor",
}
STREAMS = {"everything": "everything", "window": "the last 64", "sinks": "4 sinks and the last 60"}
LAYERS = {
    "full, full": "both see everything",
    "window, full": "first a window, then everything",
    "full, window": "first everything, then a window",
    "window, window": "two windows",
    "four windows": "four windows",
}
WAYS = {"whole": "the whole matrix", "tiles": "tiles, our loop", "torch": "PyTorch's own"}
RULES = {
    "softmax 16": "softmax attention, all pairs kept",
    "delta 16": "16 × 16, delta rule",
    "gated 16": "16 × 16, sum behind a gate",
    "linear 16": "16 × 16, linear attention",
    "gru 256": "GRU of 256",
}
EASIER = {"gru 256, at most 2": "GRU of 256, trained on at most 2 pairs, 3,000 steps"}
SIZES = {
    f"{rule} {size}": f"{words} {of}"
    for rule, words in {"delta": "delta rule,", "linear": "linear attention,"}.items()
    for size, of in {"8": "8 × 8", "16": "16 × 16", "32": "32 × 32"}.items()
} | {"gru 64": "GRU of 64", "gru 256": "GRU of 256"}


def kept(experiment: str, variant: str | None = None) -> list[dict[str, Any]]:
    """Return the runs of an experiment, or those of one variant."""
    runs = read_json(results_folder(NAME) / f"{experiment}.json")["runs"]
    return [run for run in runs if variant in (None, run["variant"])]


def mean(experiment: str, variant: str, value: Callable[[dict[str, Any]], float]) -> float:
    """Return the mean over the seeds of a number of each run."""
    return fmean(value(run) for run in kept(experiment, variant))


def moved_table() -> HTML:
    """Return the numbers moved between two memories, whole and in tiles, for one head, by the model of costs.py."""
    rows = []
    for length in (1024, 4096, 16384):
        whole, tiles = moved_whole(length, WIDTH), moved_in_tiles(length, WIDTH, TILE)
        rows.append([f"{length:,}", f"{whole / 1e6:,.1f}", f"{tiles / 1e6:,.1f}", f"{whole / tiles:.1f}"])
    caption = f"Millions of numbers moved: one head of {WIDTH} features, tiles of {TILE} queries and keys"
    return table(caption, ["tokens", "the whole matrix", "tiles", "times fewer"], rows)


def costs_plot(what: str) -> Picture:
    """Draw the "bytes" that a process takes for exact attention, or the "seconds", over the length, by three ways."""
    unit, label, title = {
        "bytes": (2**20, "MiB", "Exact attention: memory of the process"),
        "seconds": (1, "seconds", "Exact attention: time on one core"),
    }[what]
    rows = costs()
    curves = {
        words: [(row["length"], row[what] / unit) for row in rows if row["way"] == way] for way, words in WAYS.items()
    }
    ticks = sorted({row["length"] for row in rows})
    return lines(curves, "tokens", label, title, log="xy", ticks=ticks)


def costs() -> list[dict[str, Any]]:
    """Return the rows that `python -m solutions.long_context.costs` has written."""
    return read_json(results_folder(NAME) / "costs.json")["rows"]


def _places(numbers: Sequence[float]) -> list[tuple[float, float]]:
    """Return each place in the text, where it ends, with its number in thousandths."""
    return [(end, 1000 * number) for end, number in zip(PLACES[1:], numbers, strict=True)]


def lengths() -> Picture:
    """Draw the loss above the floor over the place in the text, for each kind of positions, seed by seed."""
    return seed_curves(
        {words: [_places(run["excess"]) for run in kept("lengths", variant)] for variant, words in POSITIONS.items()},
        "sentences that end by this token",
        "above the floor, thousandths of a nat",
        f"Trained on {LENGTH} tokens, read further",
        ticks=PLACES[1:],
    )


def lengths_table() -> HTML:
    """Return the loss above the floor at each place, for each kind of positions."""
    rows = [[words, *_cells("lengths", variant, "excess")] for variant, words in POSITIONS.items()]
    columns = [f"tokens {start} to {end}" for start, end in pairwise(PLACES)]
    caption = f"Above the floor, thousandths of a nat a word, mean and range of three seeds; trained on {LENGTH} tokens"
    return table(caption, ["positions", *columns], rows)


def stretched_table(places: Sequence[int] = (1, 2, 4)) -> HTML:
    """Return the same for rotary positions, as trained and with other angles, at three places."""
    rows = []
    for name, words in STRETCHED.items():
        seeds = [[1000 * run[name][place] for run in kept("lengths", "rope")] for place in places]
        rows.append([words, *(between(each, 0) for each in seeds)])
    columns = [f"tokens {PLACES[place]} to {PLACES[place + 1]}" for place in places]
    caption = f"Above the floor, thousandths of a nat a word, mean and range of three seeds; trained on {LENGTH} tokens"
    return table(caption, ["angles", *columns], rows)


def _cells(experiment: str, variant: str, name: str) -> list[str]:
    runs = [[1000 * number for number in run[name]] for run in kept(experiment, variant)]
    return [between(seeds) for seeds in zip(*runs, strict=True)]


def stream() -> Picture:
    """Draw the loss of a stream, tenth by tenth, with a full cache and with two that roll, seed by seed."""
    return seed_curves(
        {
            words: [
                [(2000 * (tenth + 1), loss) for tenth, loss in enumerate(run["stream"][name])]
                for run in kept("lengths", "rope")
            ]
            for name, words in STREAMS.items()
        },
        "tokens read",
        "loss, nats a word",
        "A stream of 20,000 tokens",
    )


def stream_table() -> HTML:
    """Return the mean loss and the perplexity of the stream for each way to keep it, seed by seed."""
    rows = []
    for name, words in STREAMS.items():
        losses = [fmean(run["stream"][name]) for run in kept("lengths", "rope")]
        rows.append([words, between(losses, 3), between([exp(loss) for loss in losses], 2)])
    caption = "A stream of 20,000 tokens, trained on 64; mean and range of three seeds"
    return table(caption, ["what is kept", "nats a word", "perplexity"], rows)


def distance() -> Picture:
    """Draw the loss on tokens that were seen before over how far away they are, for layers with windows and without."""
    return seed_curves(
        {
            words: [[(int(period), loss) for period, loss in run["again"].items()] for run in kept("distance", variant)]
            for variant, words in LAYERS.items()
        },
        "tokens back",
        "nats a token that was seen before",
        "What windows of 24 find again",
    )


def recall(variants: Mapping[str, str] = RULES, text: str = "once") -> Picture:
    """Draw the share of values recalled over the number of pairs, each written once, or half of them twice (again)."""
    return seed_curves(
        {
            words: [
                [(int(count), 100 * share) for count, share in run[text].items()] for run in kept("recall", variant)
            ]
            for variant, words in variants.items()
        },
        "pairs",
        "values recalled, %",
        {"once": "Every pair written once", "again": "Half of the keys written a second time"}[text],
    )


def recall_table() -> HTML:
    """Return the share recalled for each rule and size, of pairs written once, and with half of the keys twice."""
    rows = []
    for variant, words in (RULES | SIZES | EASIER).items():
        runs = kept("recall", variant)
        cells = [
            ("once", "2"),
            ("once", "8"),
            ("once", "16"),
            ("once", "32"),
            ("once", "48"),
            ("again", "8"),
            ("again", "16"),
        ]
        shares = [between([100 * run[text][count] for run in runs]) for text, count in cells]
        rows.append([words, *shares])
    columns = ["state", "2 pairs, %", "8", "16", "32", "48", "8, half of them twice", "16, half of them twice"]
    return table("Values recalled, mean and range of the seeds", columns, rows)
