"""Links between the words of two sentences: read off attention, and scored by the alignment error rate.

The functions that a student writes give the same for one sentence: this module is not in the kit.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import numpy as np

from lab.metrics import Score, Weights, as_matrix, corpus_score, demand_same_number, share

Links: TypeAlias = AbstractSet[tuple[int, int]]  # (source word, target word), from 0


def aer(predicted: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None) -> Score:
    """Return the alignment error rate (0 to 1): 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), summed over the corpus.

    Och and Ney (2003), section 5; sure links S count as possible ones P too, and without P it is S.
    """
    return alignment_scores(predicted, sure, possible)["aer"]


def alignment_scores(
    predicted: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> dict[str, Score]:
    """Return aer, precision |A ∩ P| / |A| and recall |A ∩ S| / |S|, of the corpus as a whole (Och and Ney, 2003)."""
    possible = sure if possible is None else possible
    demand_same_number("predicted alignments", predicted, "gold alignments", sure)
    demand_same_number("sure alignments", sure, "possible alignments", possible)
    rows = np.array(
        [(len(a), len(s), len(a & s), len(a & (p | s))) for a, s, p in zip(predicted, sure, possible, strict=True)],
        dtype=float,
    )
    readings = {
        "aer": lambda t: 1 - share(t[2] + t[3], t[0] + t[1]),
        "precision": lambda t: share(t[3], t[0]),
        "recall": lambda t: share(t[2], t[1]),
    }
    return {name: corpus_score(name, rows, reading, "words|Och-Ney-2003") for name, reading in readings.items()}


def argmax_links(weights: Weights, source_len: int | None = None, target_len: int | None = None) -> frozenset:
    """Link each target word with the source position that it attends to most.

    Rows are target words, columns source words. The lengths leave the end marks out: a row after target_len is not
    read, and a word that attends most to a column after source_len stays without a link.
    """
    rows = as_matrix(weights)[:target_len]
    best = rows.argmax(axis=1)
    return frozenset((int(i), j) for j, i in enumerate(best) if source_len is None or i < source_len)


def threshold_links(
    weights: Weights, tau: float, source_len: int | None = None, target_len: int | None = None
) -> frozenset:
    """Link each target word with every source word that gets at least tau of its attention."""
    return frozenset((int(i), int(j)) for j, i in np.argwhere(as_matrix(weights)[:target_len, :source_len] >= tau))


def diagonal_links(source_len: int, target_len: int) -> frozenset:
    """Link each target word with the source word at the same relative place: the aligner that reads no words."""
    last = max(target_len - 1, 1)  # the first words are linked with each other, and so are the last
    return frozenset((round(j * (source_len - 1) / last), j) for j in range(target_len))
