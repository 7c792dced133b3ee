"""The links of one sentence, as the model's strongest weights have them and as they should be: drawn, and counted."""

from collections.abc import Mapping

from book.bahdanau.figures import outputs_of
from book.show.drawn import Drawing
from lab import corpora
from lab.corpora import Pair
from solutions.bahdanau.attention import alignment_error_rate

WORDS = range(6, 9)  # of the example, in both languages
COLUMN = 46.0  # pixels from one word to the next
Links = frozenset[tuple[int, int]]  # (source word, target word)


def example() -> tuple[Pair, Links]:
    """Return the first test sentence of six to eight words with wrong links and missing ones, and the first seed's."""
    pairs, links = corpora.load("phrasebook").tests["test"], outputs_of("")[0]["links"]["test"]["argmax"]
    for pair, own in zip(pairs, links, strict=True):
        ours, gold = frozenset((at, to) for at, to in own), gold_of(pair)
        if all(len(text.split()) in WORDS for text in (pair.source, pair.target)) and ours - gold and gold - ours:
            return pair, ours
    raise LookupError("no test sentence of six to eight words has wrong links: take longer ones")


def gold_of(pair: Pair) -> Links:
    return frozenset((source, target) for source, target in pair.links or ())


def quoted(pair: Pair, links: Links) -> Mapping[str, str]:
    """Return the numbers that the page quotes of the example."""
    gold = gold_of(pair)
    aer = alignment_error_rate(set(links), set(gold), set())
    counts = {"ours": len(links), "right": len(links & gold), "gold": len(gold), "missing": len(gold - links)}
    return {"aer": f"{aer:.2f}", **{name: f"{count}" for name, count in counts.items()}}


def links_drawing(pair: Pair, links: Links) -> Drawing:
    """Draw both sentences and lines between their words: true links of ours, wrong ones, and true ones that we lack."""
    source, target, gold = pair.source.split(), pair.target.split(), gold_of(pair)
    groups = {"true": links & gold, "wrong": links - gold, "missing": gold - links}
    description = "; ".join(
        f"{name}: {', '.join(f'{source[i]} to {target[j]}' for i, j in sorted(group)) or 'none'}"
        for name, group in groups.items()
    )
    drawing = Drawing("Links of one sentence", f"“{pair.source}” above “{pair.target}”, with lines. {description}.")
    drawing.panel(COLUMN * max(len(source), len(target)), 158)
    for name, group in groups.items():
        for i, j in sorted(group):
            ends = (COLUMN * (i + 0.5), 28.0, COLUMN * (j + 0.5), 112.0)
            if name == "true":
                drawing.rule(*ends, "weights", 4)
            elif name == "wrong":
                drawing.rule(*ends, "query", 2)
            else:
                drawing.dotted(*ends)
    for words, y in ((source, 20.0), (target, 126.0)):
        for place, word in enumerate(words):
            drawing.text(COLUMN * (place + 0.5), y, word)
    drawing.text(0, 152, "wide: true; narrow: wrong; dotted: missing", "small soft", "start")
    return drawing
