"""Pictures and tables of the chapter on the Transformer: all heads at a glance, positions, and what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from statistics import fmean

from IPython.display import HTML
from jaxtyping import Float
from matplotlib.figure import Figure
from sacrebleu import corpus_bleu
from torch import Tensor

from book.show.experiments import BLEU, Column, experiment_table, runs_of
from book.show.tables import ROOT, budget, outputs, results, summary, table
from lab import corpora
from lab.evaluation.result_files import read_json
from lab.metrics import as_matrix
from lab.show.plots import Picture, training_curves
from solutions.transformer.ablation import Habits, Head
from solutions.transformer.attention import noam_rate, sinusoids

USES = {  # of attention: queries, keys
    "encoder": "encoder: queries and keys from the source",
    "decoder": "decoder: queries and keys from the target",
    "cross": "cross-attention: queries from the target, keys from the source",
}
FOCUSED = 0.5  # of a head's rows: what it is said to look at is where it looks most


def head_view(
    looks: Mapping[str, Float[Tensor, "layers heads asking answering"]],
    use: str,
    asking: Sequence[str],
    answering: Sequence[str],
) -> Picture:
    """Draw the weights of every layer and head in one use of attention, small, a row of pictures for each layer.

    The words of the queries stand at the left, those of the keys below.
    """
    layers, heads, rows, columns = looks[use].shape
    figure = Figure(figsize=(0.7 + 1.6 * heads, 0.9 + 1.6 * layers * rows / columns), layout="constrained")
    grid = figure.subplots(layers, heads, squeeze=False, sharex=True, sharey=True)
    habits = []
    for i, row in enumerate(grid):
        for j, axes in enumerate(row):
            weights = looks[use][i, j]
            axes.imshow(as_matrix(weights), cmap="Blues", vmin=0, vmax=1)
            axes.set_xticks(range(columns), answering, rotation=90)
            axes.set_yticks(range(rows), asking)
            axes.tick_params(length=0, labelsize=9)
            axes.set_title(f"layer {i + 1}, head {j + 1}", fontsize=9)
            habits.append(f"layer {i + 1}, head {j + 1}: {habit(weights)}")
    return Picture(
        figure,
        f"{USES[use]}. Rows are queries ({', '.join(asking)}), columns keys ({', '.join(answering)}), strong in colour "
        f"where a weight is large{', and empty above the diagonal' if use == 'decoder' else ''}. {'; '.join(habits)}.",
    )


def habit(weights: Float[Tensor, "asking answering"]) -> str:
    """Return in words where most rows look most, counted from their own place."""
    rows, columns = weights.shape
    if rows != columns:
        first = (weights.argmax(dim=-1) == 0).float().mean()
        return "mostly at the first word" if first > FOCUSED else _row_by_row(weights)
    shifts = weights.argmax(dim=-1) - weights.new_tensor(range(rows))
    for shift, words in ((0, "at itself"), (-1, "at the word before"), (1, "at the word after")):
        if (shifts == shift).float().mean() > FOCUSED:
            return f"mostly {words}"
    return _row_by_row(weights)


def _row_by_row(weights: Float[Tensor, "asking answering"]) -> str:
    """Return in words which column is the strongest of each row."""
    return "row by row strongest at columns " + ", ".join(str(column + 1) for column in weights.argmax(dim=-1).tolist())


def positions(length: int = 50, d_model: int = 64) -> Picture:
    """Draw the table of positional encodings, a row for each position, and the dot product of each two rows."""
    pattern = sinusoids(length, d_model)
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.imshow(as_matrix(pattern), cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
    left.set(xlabel="feature", ylabel="position", title="the pattern, from -1 (blue) to 1 (red)")
    image = right.imshow(as_matrix(pattern @ pattern.T), cmap="Blues", aspect="auto")
    right.set(xlabel="position", title="dot product of two positions")
    figure.colorbar(image, ax=right)
    return Picture(
        figure,
        "The pattern of positions, and their dot products. "
        f"Left: the positional encoding of {length} positions, {d_model} features. The features at the left turn from "
        "+1 to -1 and back every few positions; the further right, the longer a turn takes, and at the right edge "
        "sines stay near 0 and cosines near 1. Right: the dot product of each two positions, largest on the diagonal, "
        "the same along each line parallel to it.",
    )


def schedules(steps: int = 20_000) -> dict[str, list[tuple[int, float]]]:
    """Return the paper's learning rate for three widths and two warm-ups, as curves over the steps."""
    kinds = {
        "d_model 512, warmup 4000": (512, 4000),
        "d_model 512, warmup 8000": (512, 8000),
        "d_model 1024, warmup 4000": (1024, 4000),
    }
    return {
        name: [(step, noam_rate(step, d_model, warmup)) for step in range(1, steps, 100)]
        for name, (d_model, warmup) in kinds.items()
    }


def cache_times() -> list[dict[str, float]]:
    """Return the results of `python -m benchmarks.decoding`: milliseconds of a word, by its place."""
    return read_json(ROOT / "solutions" / "transformer" / "results" / "cache.json")["words"]


def cache_plot() -> Picture:
    """Draw the milliseconds of a word by its place in the translation, with the cache and without."""
    words = {"plain": "all words again", "cached": "the newest word alone"}
    curves = {name: [(row["length"], row[way]) for row in cache_times()] for way, name in words.items()}
    return training_curves(curves, "word of the translation", "milliseconds", "What one more word costs")


def heads_table(
    heads: Sequence[Head], equal: Mapping[tuple[str, int, int], Habits] | None = None, which: str = "Every head"
) -> HTML:
    """Return the cost of leaving out each head alone, and its places of attention; below, those of equal weights."""
    rows = [[head.name, f"{head.cost:+.3f}", *_shares(head.habits)] for head in heads]
    rows += [[f"equal weights, {use}", "", *_shares(equal[use, 0, 0])] for use in USES if equal]
    columns = ["head left out", "loss rises by", "<s>, </s>", "word before", "own word", "word after", "linked words"]
    return table(
        f"{which}, left out alone: by how much the validation loss rises (nats a token), and the head's mean attention "
        "weight, %, on the mark (<s> in the decoder, </s> of the source), on neighbours, on words linked by the corpus",
        columns,
        rows,
    )


def _shares(habits: Habits) -> list[str]:
    return ["" if share is None else f"{100 * share:.0f}" for share in astuple(habits)]


def compared(experiment: str, words: Mapping[str, str], caption: str, columns: Sequence[Column] = (BLEU,)) -> HTML:
    """Return the table of an experiment of this chapter."""
    return experiment_table("transformer", experiment, words, columns, caption)


SHORT = "trained on at most 14 words"
POSITIONS = {  # variant of the sweep: what it is called
    "": "sines",
    "learned": "learned",
    "unplaced": "none",
    "short": f"sines, {SHORT}",
    "short-learned": f"learned, {SHORT}",
    "short-unplaced": f"none, {SHORT}",
    "short-shifted": f"sines from a random start, {SHORT}",
}


LENGTHS = ((3, 8), (9, 14), (15, 20), (21, 26), (27, 30))  # words of a source, from the first to the last
FEWEST = 50  # sentences of a group: a BLEU of fewer says little


def has_second_clause(pair: corpora.Pair) -> bool:
    """Return whether a second clause is joined to the first: in English only that has a comma."""
    return "," in pair.target


def second_clauses(first: int, last: int) -> float:
    """Return the share of training pairs, the longer side from `first` to `last` words, that have a second clause."""
    train = corpora.load("phrasebook", "fr", "en").train
    pairs = [pair for pair in train if first <= max(len(pair.source.split()), len(pair.target.split())) <= last]
    return fmean(map(has_second_clause, pairs))


def clause_groups() -> dict[tuple[int, int, int], list[int]]:
    """Return the test sentences of each (first, last) in words and number of clauses, groups of few left out."""
    groups: dict[tuple[int, int, int], list[int]] = {}
    for number, pair in enumerate(corpora.load("phrasebook", "fr", "en").tests["test"]):
        first, last = next(each for each in LENGTHS if each[0] <= len(pair.source.split()) <= each[1])
        groups.setdefault((first, last, 1 + has_second_clause(pair)), []).append(number)
    return {group: rows for group, rows in sorted(groups.items()) if len(rows) >= FEWEST}


def bleu_by_clauses(variant: str) -> dict[tuple[int, int, int], float]:
    """Return a variant's BLEU on each of the `clause_groups`, greedy: the mean over its seeds."""
    test, groups = corpora.load("phrasebook", "fr", "en").tests["test"], clause_groups()
    seeds = outputs("transformer", runs_of("transformer", "positions", variant)[0]["run"])
    translated = [seed["translations"]["test"]["greedy"] for seed in seeds]
    return {
        group: fmean(
            corpus_bleu([lines[i] for i in rows], [[test[i].target for i in rows]]).score for lines in translated
        )
        for group, rows in groups.items()
    }


def positions_by_clauses() -> HTML:
    """Return BLEU by the source's length and clauses, for each kind of positions, trained on all lengths or short."""
    heads = [
        f"{first}–{last} words, {'one clause' if clauses == 1 else 'two'} ({len(rows)})"
        for (first, last, clauses), rows in clause_groups().items()
    ]
    means = {words: bleu_by_clauses(variant) for variant, words in POSITIONS.items()}
    rows = [[words, *(f"{value:.1f}" for value in groups.values())] for words, groups in means.items()]
    return table(
        f"BLEU by length and clauses of the source (in brackets: test sentences; groups of fewer than {FEWEST} are "
        "left out), mean over the seeds",
        ["positions", *heads],
        rows,
    )


RUNS = {  # run: what it is called in the table
    "multi30k-en-de-tiny": "English to German",
    "multi30k-en-de-tiny-published": "English to German, published schedule",
    "multi30k-de-en-tiny": "German to English",
}
SPLITS = ("test2016", "test2017", "mscoco")


def multi30k() -> HTML:
    """Return our scores on Multi30k, lower-cased and tokenised, beside what the results files call peers."""
    rows, others = [], {}
    for run, name in RUNS.items():
        runs = results("transformer", run)
        for decoding in ("greedy", "beam5"):
            cells = [summary(runs, split, decoding, "bleu_lc_tok") for split in SPLITS]
            rows.append([f"{name}, {decoding}{budget(runs)}", *cells])
        direction = name.partition(",")[0]
        peers = [peer for result in runs for peer in result["peers"]]
        others |= {f"{direction}, {peer['system']} ({peer['scale']})": f"{peer['score']}" for peer in peers}
    rows += [[name, value, "–", "–"] for name, value in others.items()]
    return table(
        "Multi30k: BLEU, lower-cased and tokenised, with its 95% bootstrap interval (several seeds: lowest–highest)",
        ["run", *SPLITS],
        rows,
    )


def phrasebook(models: Sequence[tuple[str, str]]) -> HTML:
    """Return translation and alignment of several models on the phrasebook; each is a solution and its run."""
    rows = []
    for solution, run in models:
        runs = results(solution, run)
        rows.append(
            [
                f"{solution}, {run.removeprefix('phrasebook-fr-en-')}{budget(runs)}",
                summary(runs, "test", "greedy", "bleu"),
                summary(runs, "test", "beam5", "bleu"),
                summary(runs, "test", "alignment", "argmax", "aer", digits=3),
                f"{runs[0]['parameters']:,}",
            ]
        )
    columns = ["model, recipe", "BLEU, greedy", "BLEU, beam 5", "AER, argmax", "parameters"]
    return table("Phrasebook French to English, test", columns, rows)
