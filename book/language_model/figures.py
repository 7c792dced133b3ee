"""What the chapter on language models shows of its runs: sweeps above the floor, real text, heads that copy."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from IPython.display import HTML

from book.show.experiments import Column, experiment_table, runs_of, seeds_plot, sweep_of, validations, values
from book.show.seed_plots import lines, seed_curves
from book.show.tables import results, summary, table
from lab.evaluation.result_files import read_json, results_folder
from lab.show.plots import Picture
from solutions.language_model.recipe import PEERS

NAME = "language_model"
EXCESS = Column("above the floor, thousandths of a nat a word", ("test", "excess"), digits=1, scale=1000)
LOSS = Column("loss, nats a word", ("test", "loss"), digits=3)
BLOCK = {  # variant of the sweep: what it is called
    "2017": "the block of 2017",
    "pre": "2017, norm before the sublayer",
    "rms": "2017, RMSNorm",
    "swiglu": "2017, SwiGLU",
    "rope": "2017, rotary positions",
    "no-places": "2017, no positions",
    "unbiased": "2017, no biases",
    "": "all of today's parts",
    "untied": "today's, readout of its own",
    "qk-norm": "today's, queries and keys normalised",
}
POSITIONS = {"": "rotary", "sine": "sines", "learned": "learned", "unplaced": "none"}
KV_HEADS = {
    "": "4 key–value heads",
    "gqa": "2, each for two heads",
    "mqa": "1, for all four",
    "mla": "a latent vector of 24",
}
DRAWN = {  # experiment: its variants, and what they are
    "block": (BLOCK, "Blocks of 2017 and of today"),
    "positions": (POSITIONS, "Kinds of positions"),
    "kv-heads": (KV_HEADS, "Keys and values for four query heads"),
}
SIZES = {  # experiment: what a run has more of or less, and its words
    "sizes": (lambda run: run["parameters"], "parameters"),
    "tokens": (lambda run: run["training"]["tokens"], "tokens read in the training"),
}
LAYERS = {1: "one layer", 2: "two layers"}
SHAKESPEARE = {"shakespeare-nano": "ours, nano", "shakespeare-shakespeare": "ours, shakespeare"}


def above(variant: str) -> float:
    """Return the distance of a variant of the block from the floor, in thousandths of a nat: the mean of its seeds."""
    return fmean(values(NAME, "block", variant, EXCESS))


def above_floor(experiment: str) -> Picture:
    """Draw how far each variant of an experiment is above the floor, seed by seed."""
    words, what = DRAWN[experiment]
    return seeds_plot(NAME, experiment, words, EXCESS, what)


def sweep_table(experiment: str, words: Mapping[str, str], caption: str) -> HTML:
    """Return an experiment as a table: loss and distance from the floor."""
    return experiment_table(NAME, experiment, words, (LOSS, EXCESS), caption)


def widths() -> dict[str, str]:
    """Return the variants of the sweep over sizes, in words."""
    return {name: name.replace("width-", "d_model ") or "d_model 64" for name in sweep_of(NAME, "sizes").variants}


def amounts() -> dict[str, str]:
    """Return the variants of the sweep over steps, from few to many, in words."""
    variants = sweep_of(NAME, "tokens").variants
    return {variant: f"{runs_of(NAME, 'tokens', variant)[0]['training']['steps']:,} steps" for variant in variants}


def scaling(experiment: str, column: Column = LOSS) -> Picture:
    """Draw the loss over the number of parameters or of tokens that were read, or how far it is above the floor."""
    points, floor, (x, x_label) = [], 0.0, SIZES[experiment]
    for variant in sweep_of(NAME, experiment).variants:
        run = runs_of(NAME, experiment, variant)[0]
        points.append((x(run), fmean(values(NAME, experiment, variant, column))))
        floor = run["scores"]["test"]["floor"]
    over, y = column is EXCESS, [value for _, value in points]
    return lines(
        {"mean of the seeds": sorted(points)},
        x_label,
        column.heading,
        f"{'Distance from the floor' if over else 'Loss'} by {x_label.partition(' ')[0]}",
        log="xy",
        marks=None if over else {"the floor": floor},
        # One tick below the floor, so that it is a line of its own and not the axis.
        y_ticks=_within(y) if over else (2.0, floor, *_within(y, (2.2, 2.4, 2.6, 2.8))),
    )


def _within(values: Sequence[float], ticks: Sequence[float] = (10, 20, 50, 100, 200, 500, 1000)) -> list[float]:
    """Return the ticks that are between the least and the largest value, or just beyond."""
    return [tick for tick in ticks if 0.8 * min(values) <= tick <= 1.2 * max(values)]


def numbers_a_token(recipe: Mapping[str, Any]) -> int:
    """Return the count of numbers that a model keeps for each token: keys and values, or a latent and a turned part."""
    width = recipe["d_model"] // recipe["heads"]
    if recipe.get("latent"):
        return recipe["layers"] * (recipe["latent"] + width // 2)
    return recipe["layers"] * 2 * (recipe["kv_heads"] or recipe["heads"]) * width


def cached_heads() -> HTML:
    """Return the sweep over key-value heads: parameters, distance from the floor, bytes that are kept of a token."""
    rows = []
    for variant, words in KV_HEADS.items():
        runs = runs_of(NAME, "kv-heads", variant)
        excess = summary(runs, *EXCESS.path, digits=EXCESS.digits, scale=EXCESS.scale)
        kept = f"{2 * numbers_a_token(runs[0]['recipe']):,}"
        rows.append([words, f"{runs[0]['parameters']:,}", excess, kept, f"{len(runs)}"])
    columns = ["keys and values", "parameters", EXCESS.heading, "bytes a token", "seeds"]
    return table("Grammar: what four query heads share, at about as many parameters; 2 bytes a number", columns, rows)


def shakespeare(*, brief: bool = False) -> HTML:
    """Return the losses on tiny Shakespeare, ours and those of nanoGPT.

    In brief: what was read and the loss in nats, no more.
    """
    rows = []
    for run, words in SHAKESPEARE.items():
        runs = results(NAME, run)
        cells = [summary(runs, "validation", name, digits=digits) for name, digits in (("loss", 3), ("bits", 3))]
        size, read = f"{runs[0]['parameters']:,}", f"{runs[0]['training']['tokens'] / 1e6:.2f}"
        rows.append([words, size, read, *cells, summary(runs, "validation", "perplexity", digits=2), f"{len(runs)}"])
    rows += [
        [each["system"].partition(":")[0], "–", "–", f"{each['score']}", "–", "–", "–"] for each in PEERS["shakespeare"]
    ]
    columns = ["model", "parameters", "million characters read", "nats a character", "bits", "perplexity", "seeds"]
    kept_columns = [0, 2, 3] if brief else range(len(columns))
    columns, *rows = ([row[column] for column in kept_columns] for row in (columns, *rows))
    return table("Tiny Shakespeare, the last tenth of the file", columns, rows)


def shakespeare_curves() -> Picture:
    """Draw the loss on the last tenth of tiny Shakespeare by epoch, a line for each seed."""
    kept = {words: validations(results(NAME, run)) for run, words in SHAKESPEARE.items()}
    series = {words: [[(x, -y) for x, y in seed] for seed in seeds] for words, seeds in kept.items()}
    return seed_curves(series, "epoch", "nats a character", "Tiny Shakespeare, while it is learned")


def kept() -> list[dict[str, Any]]:
    """Return the runs that `python -m solutions.language_model.induction` has written."""
    return read_json(results_folder(NAME) / "induction.json")["runs"]


def copying(what: str) -> Picture:
    """Draw what one layer and two make of text that repeats itself: the "loss", or the best head's "score"."""
    value: Callable[[dict[str, Any]], float] = (
        (lambda row: row["again"]) if what == "loss" else (lambda row: max(map(max, row["scores"])))
    )
    words = {"loss": "nats a token that was seen before", "score": "best head's induction score"}
    return _by_layers(
        lambda run: [(row["step"], value(row)) for row in run["history"]],
        "step of training",
        words[what],
        f"Text that repeats itself: the {what} over the training",
    )


def recall() -> Picture:
    """Draw which share of the values is recalled, over the number of pairs, for one layer and two, seed by seed."""
    return _by_layers(
        lambda run: [(int(count), 100 * share) for count, share in run["history"][-1]["pairs"].items()],
        "pairs",
        "values recalled, %",
        "Recall of pairs at the end of the training",
    )


def _by_layers(
    curve: Callable[[dict[str, Any]], list[tuple[float, float]]], x_label: str, y_label: str, title: str
) -> Picture:
    """Draw a curve for each run on repeated text, those of one number of layers alike."""
    series = {words: [curve(run) for run in kept() if run["layers"] == layers] for layers, words in LAYERS.items()}
    return seed_curves(series, x_label, y_label, title)
