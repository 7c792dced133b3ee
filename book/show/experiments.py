"""Tables of the experiments: a row for each variant of a sweep, from the result files that it wrote."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from IPython.display import HTML

from book.show.seed_plots import Marks, dots
from book.show.tables import results, score, summary, table
from lab.evaluation.sweeps import Step, Sweep
from lab.kinds.runs import joined
from lab.show.plots import Picture, Point, training_curves


@dataclass(frozen=True)
class Column:
    """A score that a table shows: its heading, where it stands in a result, how it is written."""

    heading: str
    path: tuple[str, ...]
    digits: int = 1
    scale: float = 1.0


BLEU = Column("BLEU", ("test", "greedy", "bleu"))
AER = Column("AER (lower is better)", ("test", "alignment", "argmax", "aer"), digits=3)
ACCURACY = Column("accuracy, %", ("test", "accuracy"), scale=100)
MACRO_F1 = Column("macro-F1, %", ("test", "macro_f1"), scale=100)
EVIDENCE = Column("weight on the evidence, %", ("test", "evidence"), scale=100)
EQUAL = Column("with equal weights, %", ("test", "evidence_uniform"), scale=100)


def sweep_of(solution: str, experiment: str) -> Sweep:
    """Return an experiment of a chapter."""
    return import_module(f"solutions.{solution}.sweeps").SWEEPS[experiment]


def runs_of(solution: str, experiment: str, variant: str) -> list[dict[str, Any]]:
    """Return the results of one variant, seed by seed."""
    sweep = sweep_of(solution, experiment)
    package = import_module(f"solutions.{solution}.model").SOLUTION
    return results(solution, Step(package, sweep, variant, sweep.seeds[0]).run.name)


def values(solution: str, experiment: str, variant: str, column: Column) -> list[float]:
    """Return a score of one variant, seed by seed, on the column's scale."""
    scores = [score(result, *column.path) for result in runs_of(solution, experiment, variant)]
    return [column.scale * each["value"] for each in scores if each]


def points(solution: str, series: Mapping[str, Sequence[tuple[str, str]]], column: Column) -> dict[str, list[Point]]:
    """Return (weight on the evidence, a score) of each training of some (experiment, variant), in per cent."""
    return {
        words: [
            point
            for each in trained
            for point in zip(*(values(solution, *each, axis) for axis in (EVIDENCE, column)), strict=True)
        ]
        for words, trained in series.items()
    }


def span(solution: str, experiment: str, *variants: str, column: Column = ACCURACY) -> str:
    """Return the lowest and the highest score of some variants, over all seeds that have been run: "97.1 to 98.4"."""
    scores = [value for variant in variants for value in values(solution, experiment, variant, column)]
    low, high = (f"{end:.{column.digits}f}" for end in (min(scores), max(scores)))
    return low if low == high else f"{low} to {high}"


def mean(solution: str, experiment: str, variant: str, column: Column = ACCURACY) -> str:
    """Return the mean of a variant's score over all seeds that have been run."""
    return f"{statistics.fmean(values(solution, experiment, variant, column)):.{column.digits}f}"


def seeds_of(
    solution: str, experiment: str, words: Mapping[str, str], column: Column = ACCURACY
) -> dict[str, list[float]]:
    """Return a score of each variant (variant: its words), under its words, seed by seed."""
    return {text: values(solution, experiment, variant, column) for variant, text in words.items()}


def longer(words: Mapping[str, str]) -> dict[str, str]:
    """Return the variants of the same experiment with more epochs, and their words."""
    return {joined(variant, "long"): text for variant, text in words.items()}


def seeds_plot(
    solution: str, experiment: str, words: Mapping[str, str], column: Column, title: str, marks: Marks | None = None
) -> Picture:
    """Draw the score in a `column` of a `solution`'s `experiment`, with a `title`: a row for each variant in `words`.

    A row has a mark for each seed and one for the mean. `marks` are upright lines to compare with (words: value).
    """
    return dots({"": seeds_of(solution, experiment, words, column)}, column.heading, title, column.digits, marks)


def validations(runs: Sequence[dict[str, Any]]) -> list[list[Point]]:
    """Return (epoch, validation score) of each run that has kept it."""
    histories = [history for run in runs if (history := run["training"].get("history"))]
    return [[(entry["epoch"], entry["validation"]) for entry in each if "validation" in entry] for each in histories]


def learning_curve(runs: Sequence[dict[str, Any]], epochs: int = 0) -> list[Point]:
    """Return (epoch, validation score), the mean over the runs that have kept it; `epochs` ends it, 0 does not."""
    return [
        (points[0][0], statistics.fmean(value for _, value in points))
        for points in zip(*validations(runs), strict=False)
        if not epochs or points[0][0] <= epochs
    ]


def learning_curves(
    solution: str, experiment: str, words: Mapping[str, str], score: str, title: str, epochs: int = 0
) -> Picture:
    """Draw the validation `score` of a `solution`'s `experiment` by epoch, up to `epochs` (0: all), with a `title`.

    There is a line for each variant in `words` (variant: its words), the mean over its seeds.
    """
    curves = {text: learning_curve(runs_of(solution, experiment, variant), epochs) for variant, text in words.items()}
    return training_curves(curves, "epoch", score, title)


def experiment_table(
    solution: str, experiment: str, words: Mapping[str, str], columns: Sequence[Column], caption: str
) -> HTML:
    """Return the scores of an experiment: a row for each variant (variant: its words).

    A score of several seeds is their mean with the lowest and the highest, of one seed its bootstrap interval.
    """
    rows = []
    for variant, text in words.items():
        runs = runs_of(solution, experiment, variant)
        cells = [summary(runs, *each.path, digits=each.digits, scale=each.scale) for each in columns]
        rows.append([text, *cells, f"{len(runs)}"])
    command = f"python -m solutions.{solution} sweep {experiment}"
    return table(f"{caption} ({command})", ["variant", *[each.heading for each in columns], "seeds"], rows)
