"""Pictures of the chapter on additive attention: error rates by what the query has read, and which links are found."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from book.experiments import AER, seeds_of
from book.figures_bahdanau import QUERIES, THRESHOLD, outputs_of, strongest
from book.seed_plots import dots, seed_curves
from book.tables import PHRASEBOOK, results, score
from lab import corpora
from lab.corpora import Pair
from lab.evaluation.links import diagonal_links
from lab.plots import Picture, Point

READINGS = {"strongest word": AER, "words above a threshold": THRESHOLD}
PLACES = {
    "next": "the source of the next word",
    "previous": "the source of the word before",
    "elsewhere": "elsewhere",
}
FARTHEST = 12  # words off the diagonal: links that lie farther are counted with these


def query_errors() -> Picture:
    """Draw the alignment error rates by the state that asks, seed by seed, both readings, beside a diagonal's."""
    series = {words: seeds_of("bahdanau", "query", QUERIES, column) for words, column in READINGS.items()}
    aligned = score(results("bahdanau", PHRASEBOOK)[0], "test", "alignment", "diagonal", "aer") or {}
    marks = {"a diagonal aligner": aligned["value"]}
    return dots(series, "alignment error rate (lower is better)", "What the query has read", 3, marks)


def wrong_places(word: str = "the") -> Picture:
    """Draw where the wrong strongest weights of a target word point, by the state that asks, seed by seed."""
    series = {}
    for variant, words in QUERIES.items():
        seeds = strongest(variant, word)
        series[words] = {text: [float(seed[place]) for seed in seeds] for place, text in PLACES.items()}
    return dots(series, "words of the test sentences", f"Where wrong weights of “{word}” point", 0)


def found_by_distance(pairs: Sequence[Pair], links: Iterable[Iterable[Sequence[int]]]) -> list[Point]:
    """Return which share of the true links has been found, in per cent, by how far they lie off the diagonal."""
    hits, every = Counter(), Counter()
    for pair, own in zip(pairs, links, strict=True):
        own = set(map(tuple, own))
        expected = {j: i for i, j in diagonal_links(len(pair.source.split()), len(pair.target.split()))}
        for i, j in pair.links or ():
            distance = min(abs(i - expected[j]), FARTHEST)
            every[distance] += 1
            hits[distance] += (i, j) in own
    return [(distance, 100 * hits[distance] / count) for distance, count in sorted(every.items())]


def distances(variant: str = "") -> list[list[Point]]:
    """Return the shares of `found_by_distance` on the test sentences of a variant, seed by seed."""
    pairs = corpora.load("phrasebook").tests["test"]
    return [found_by_distance(pairs, run["links"]["test"]["argmax"]) for run in outputs_of(variant)]


def distances_plot(shares: Mapping[str, Sequence[Sequence[Point]]]) -> Picture:
    """Draw the share of true links that the strongest weights find by how far they lie off the diagonal."""
    x_label = f"distance of the true link from the diagonal (words; {FARTHEST}: or more)"
    picture = seed_curves(shares, x_label, "true links found, %", "Links off the diagonal")
    picture.figure.axes[0].set_ylim(0, 100)
    return picture
