"""What the cells of the chapter on the encoder–decoder show beside the common tables: BLEU by length of variants."""

import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from IPython.display import HTML

from book.show.experiments import runs_of, sweep_of
from book.show.long_sentence import SHORT, long_sentence
from book.show.tables import PHRASEBOOK, by_length, outputs, results, table
from lab import corpora
from lab.kinds.translation import Trained
from lab.metrics import LengthScore, Score
from lab.show.plots import Picture, bleu_by_length_plot

UNITS = {"units-64": "64 units", "": "128 units", "units-256": "256 units", "units-512": "512 units"}
WIDTHS = {"units-64": "128 numbers in c", "": "256 numbers in c", "units-512": "1,024 numbers in c"}
ORDERS = {"oneway": "source as it is", "oneway-reversed": "source reversed"}


def bucket(run: str, first: int, search: str = "greedy", solution: str = "encoder_decoder") -> str:
    """Return the BLEU of the bucket of lengths that begins at `first` words, as the mean over the seeds."""
    lines = [by_length(result, search) for result in results(solution, run)]
    values = [each.score.value for line in lines for each in line if each.first == first]
    return f"{statistics.fmean(values):.1f}"


@dataclass(frozen=True)
class Survivors:
    """How many words a true translation has, how many of them a model finds, and how many are in another sentence."""

    sentences: int
    words: float
    found: float
    by_chance: float


def survivors(length: int, run: str = PHRASEBOOK) -> Survivors:
    """Return the mean over the test sentences of so many source words, and over the seeds of a run.

    A word counts at most as often as the true translation has it. By chance: with the true translation of each other
    sentence of the same length in place of the model's.
    """
    pairs = corpora.load("phrasebook").tests["test"]
    chosen = [(place, pair.target.split()) for place, pair in enumerate(pairs) if len(pair.source.split()) == length]
    seeds = [each["translations"]["test"]["greedy"] for each in outputs("encoder_decoder", run)]
    counts = [matches(seed[place].split(), true) for seed in seeds for place, true in chosen]
    chance = [matches(other, true) for at, true in chosen for place, other in chosen if place != at]
    words = statistics.fmean(len(true) for _, true in chosen)
    return Survivors(len(chosen), words, statistics.fmean(counts), statistics.fmean(chance))


def matches(output: Sequence[str], true: Sequence[str]) -> int:
    """Return the number of words of an output in the true one, each at most as often as there, wherever they stand."""
    return (Counter(output) & Counter(true)).total()


def of_thirty() -> str:
    """Return the chapter's answer to its guess; raise ValueError where the results no longer say about half."""
    count = survivors(30).found
    if not 12 <= count <= 18:
        raise ValueError(f"the lesson's guess is answered with about half of 30 words, but {count:.1f} are found")
    return f"With 256 numbers, of a true translation's 30 words {count:.0f} come out again, somewhere in the sentence."


TOLD = {  # what the lesson says of its model's translation of the eighteen words
    "your sister is gone": lambda output: "sister" not in output,
    "a pie has come from nowhere": lambda output: "pie" in output,
    "the frame is there": lambda output: output.startswith("he is going to ") and "next week , then" in output,
}


def as_told(model: Trained) -> str:
    """Return a model's translation of the eighteen words; raise ValueError where the lesson says another thing."""
    output, short = model.translate([long_sentence().source, SHORT])
    wrong = [words for words, is_so in TOLD.items() if not is_so(output)]
    if wrong or short != "he hit me with a pie":
        claims = ", ".join(wrong) or "the short sentence is right"
        raise ValueError(
            f"the first chapter says “{claims}”, but its model now says “{output}” and “{short}”: rewrite the text"
        )
    return output


def quoted() -> dict[str, str]:
    """Return the numbers that the chapter's text quotes from the runs with three widths."""
    wide = f"{PHRASEBOOK}-units-512"
    return {
        "chance": f"{survivors(30).by_chance:.0f}",
        "shortest": bucket(PHRASEBOOK, 3),
        "middle": bucket(PHRASEBOOK, 9),
        "longest": bucket(PHRASEBOOK, 27),
        "wide_shortest": bucket(wide, 3),
        "wide_longest": bucket(wide, 27),
    }


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
    """Return the count of numbers that the encoder hands over: the last state of each direction."""
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
