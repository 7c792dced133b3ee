"""What the cells of the chapter on the encoder–decoder show beside the common tables: BLEU by length of variants."""

import json
import statistics
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from IPython.display import HTML

from book.show.experiments import runs_of, sweep_of
from book.show.tables import by_length, results, table
from lab.metrics import LengthScore, Score
from lab.show.plots import Picture, bleu_by_length_plot

UNITS = {"units-64": "64 units", "": "128 units", "units-256": "256 units", "units-512": "512 units"}
ORDERS = {"oneway": "source as it is", "oneway-reversed": "source reversed"}


def bucket(run: str, first: int, search: str = "greedy", solution: str = "encoder_decoder") -> str:
    """Return the BLEU of the bucket of lengths that begins at `first` words, as the mean over the seeds."""
    lines = [by_length(result, search) for result in results(solution, run)]
    values = [each.score.value for line in lines for each in line if each.first == first]
    return f"{statistics.fmean(values):.1f}"


def lengths_table(experiment: str, words: Mapping[str, str]) -> HTML:
    """Return a row for each bucket of lengths and a column for each variant.

    A cell is the mean over the seeds with the lowest and the highest, of one seed its bootstrap interval.
    """
    runs = variants(experiment, words)
    lines = {name: over_seeds(seeds) for name, seeds in runs.items()}
    rows = [
        [f"{buckets[0].first}–{buckets[0].last} words", f"{buckets[0].score.count}", *[cell(b.score) for b in buckets]]
        for buckets in zip(*lines.values(), strict=True)
    ]
    rows.append(["numbers in the vector", "", *[f"{vector(seeds[0]):,}" for seeds in runs.values()]])
    rows.append(["parameters", "", *[f"{seeds[0]['parameters']:,}" for seeds in runs.values()]])
    rows.append(["seeds", "", *[f"{len(seeds)}" for seeds in runs.values()]])
    question = sweep_of("encoder_decoder", experiment).question
    caption = f"{question} BLEU on the test sentences, greedy: mean (lowest–highest)"
    command = f"python -m solutions.encoder_decoder sweep {experiment}"
    return table(f"{caption} ({command})", ["source length", "sentences", *runs], rows)


def lengths_plot(experiment: str, words: Mapping[str, str], title: str) -> Picture:
    """Return the same as lines, from the lowest to the highest seed at each bucket."""
    lines = {name: over_seeds(seeds) for name, seeds in variants(experiment, words).items()}
    return bleu_by_length_plot(lines, title=title, intervals="lowest to highest seed")


def variants(experiment: str, words: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    """Return the results of each variant, under its words, seed by seed."""
    return {text: runs_of("encoder_decoder", experiment, variant) for variant, text in words.items()}


def over_seeds(runs: Sequence[dict[str, Any]], search: str = "greedy") -> list[LengthScore]:
    """Return BLEU by length: the mean over the seeds between the lowest and the highest; of one seed its interval."""
    if len(runs) == 1:
        return by_length(runs[0], search)
    joined = []
    for same in zip(*(by_length(run, search) for run in runs), strict=True):
        first, values = same[0], [each.score.value for each in same]
        mean = statistics.fmean(values)
        score = Score("BLEU", mean, min(values), max(values), first.score.signature, first.score.count)
        joined.append(LengthScore(first.first, first.last, score))
    return joined


def vector(result: Mapping[str, Any]) -> int:
    """Return how many numbers the encoder hands over: the last state of each direction."""
    recipe = result["recipe"]
    return recipe["units"] * (2 if recipe["bidirectional"] else 1)


def cell(score: Score) -> str:
    return f"{score.value:.1f} ({score.low:.1f}–{score.high:.1f})"


def beam(tree: Mapping[tuple[str, ...], Mapping[str, float]], otherwise: float) -> HTML:
    """Return beam search on a tree as a figure with a slider for the width; `_static/beam.js` searches and draws.

    The tree gives for a beginning the probabilities of the next word; one that it lacks ends with the probability
    `otherwise`.
    """
    by_text = {" ".join(beginning): dict(following) for beginning, following in tree.items()}
    data = escape(json.dumps({"tree": by_text, "otherwise": otherwise}, ensure_ascii=False))
    plain = "<p>The drawing above shows the search with a beam of two.</p>"
    return HTML(f'<div class="moved beam" data-recording="{data}">{plain}</div>')
