"""How translations of the phrasebook fail: words twice, words left out. Its sentences have one true translation."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from IPython.display import HTML

from book.show.tables import spread, table
from lab import corpora

KINDS = {
    "wrong": "not the true one",
    "twice": "a word twice in a row",
    "pair": "a pair of its words too often",
    "left out": "words left out, else right",
}
Outputs = Sequence[Mapping[str, Any]]  # what the runs of a variant put out, seed by seed: book.show.tables.outputs


def errors(runs: Outputs) -> list[Counter[str]]:
    """Return the numbers of wrong test translations (greedy), in all and of each plain kind, seed by seed.

    "twice": a word stands twice in a row, and none does in the true translation; "pair": two neighbouring words of the
    true translation come together more often than there; "left out": the true translation without some of its words.
    """
    targets = [pair.target.split() for pair in corpora.load("phrasebook").tests["test"]]
    seeds = []
    for run in runs:
        counts = Counter()
        for true, text in zip(targets, run["translations"]["test"]["greedy"], strict=True):
            words = text.split()
            counts["wrong"] += words != true
            counts["twice"] += has_repeats(words) and not has_repeats(true)
            counts["pair"] += has_pair_too_often(words, true)
            counts["left out"] += words != true and is_part(words, true)
        seeds.append(counts)
    return seeds


def has_repeats(words: Sequence[str]) -> bool:
    """Return whether a word stands twice in a row."""
    return any(first == second for first, second in pairwise(words))


def has_pair_too_often(words: Sequence[str], true: Sequence[str]) -> bool:
    """Return whether two neighbouring words of the true ones stand together more often than there."""
    ours, theirs = Counter(pairwise(words)), Counter(pairwise(true))
    return any(ours[pair] > count for pair, count in theirs.items())


def is_part(words: Sequence[str], whole: Sequence[str]) -> bool:
    """Return whether the words stand in the whole in this order, with or without others between them."""
    rest = iter(whole)
    return all(word in rest for word in words)


def errors_table(runs: Mapping[str, Outputs], head: str, caption: str) -> HTML:
    """Return the kinds of failed translations, a row for each variant (its words: its runs) that has been run."""
    rows = [
        [words, *[spread([seed[kind] for seed in errors(every)], 0) for kind in KINDS]]
        for words, every in runs.items()
        if every
    ]
    columns = [head, *KINDS.values()]
    return table(f"{caption}: mean (lowest–highest seed)", columns, rows)


def mean(counts: Sequence[float]) -> str:
    """Return the mean of counts, as a whole number."""
    return f"{statistics.fmean(counts):,.0f}"
