"""What came after: a learned sink, angles by parts, a chosen few: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, GRADIENTS, LARGE, LOW, REPEAT, SHAPE, UNCHANGED, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, far_below, normal
from exercises.long_context import adapters
from exercises.long_context.tiles import emptied, part
from solutions.long_context.attention import chosen_attention, stretched, with_sink

USUAL, SMALL = "usual sizes", "one head, one query, or one feature of a value"  # groups of cases
EMPTY, NONE = "queries that see no key", "a sink of -∞"
PAIRS, BORDERS, ALL_KEPT = "each pair by its turns", "other borders", "pairs that are all kept or all divided"
FEW, ONE, EVERYTHING, READS = "a few of the past", "one of the past", "as many as there are", "few weights"
EMPTY_PART = "a part without keys"  # a feature
CLEAR = 1e-3  # how far the last that is chosen is above the next
LONG = adapters.LONG_TEXT


def sunk(rng: Rng, sizes: Sequence[int], name: str, group: str, gradients: bool = False) -> CaseInput:
    """Return a case for sizes heads, target, value_dim: what a softmax has of its keys, and a score for each head."""
    heads, target, width = sizes
    return CaseInput(
        name,
        [*part(rng, (heads, target), width), normal(rng, heads, scale=2)],
        group,
        [LARGE] * (group == FAR),
        gradients,
    )


def sink_cases(rng: Rng) -> list[CaseInput]:
    """Draw parts and sinks: above and below the maxima, far away, of -∞, beside queries that see no key."""

    def shifted(name: str, group: str, maxima: float | np.ndarray, sinks: float, gradients: bool = True) -> CaseInput:
        drawn = sunk(rng, (3, 4, 5), name, group, gradients)
        drawn.arguments[0][:] += np.float32(maxima)
        drawn.arguments[3][:] += np.float32(sinks)
        return drawn

    blind, low = (shifted(f"some queries see no key, sinks around {sink}", EMPTY, 0, sink) for sink in (0, -200))
    for drawn in (blind, low):
        emptied(drawn.arguments[:3], np.tile(np.arange(4) % 2 == 0, (3, 1)))
        drawn.features = [EMPTY_PART]
    return [
        sunk(rng, (3, 5, 4), "all sizes different", USUAL, gradients=True),
        sunk(rng, (2, 7, 3), "more queries than features", USUAL, gradients=True),
        sunk(rng, (5, 5, 5), "equal sizes", USUAL),
        sunk(rng, (4, 4, 2), "as many heads as queries", USUAL),
        sunk(rng, (1, 6, 4), "one head", SMALL),
        sunk(rng, (4, 1, 3), "one query", SMALL),
        sunk(rng, (3, 4, 1), "one feature of a value", SMALL),
        shifted("sinks of 300, maxima around 0", FAR, 0, 300),
        shifted("maxima of 300, sinks around 0", FAR, 300, 0),
        shifted("all around -200", FAR, -200, -200),
        shifted("maxima from -300 to 300, by query", FAR, np.linspace(-300, 300, 4), -300),
        blind,
        low,
        shifted("sinks of -∞", NONE, 0, -np.inf, gradients=False),
        shifted("sinks of -∞, maxima around -200", NONE, -200, -np.inf, gradients=False),
    ]


def angle_cases(rng: Rng) -> list[CaseInput]:
    """Draw widths, bases, factors and lengths, by which pairs are kept, divided and between; other borders."""
    trained = int(rng.integers(150, 300))
    return [
        CaseInput("16 features, 4 times as far", [16, 10_000.0, 4.0, trained, 1.0, 32.0], PAIRS),
        CaseInput("64 features, 8 times as far", [64, 10_000.0, 8.0, 2 * trained, 1.0, 32.0], PAIRS),
        CaseInput("another base", [32, 500_000.0, 16.0, 8192, 1.0, 32.0], PAIRS),
        CaseInput("a factor that is no whole number", [24, 10_000.0, 2.5, 1024, 1.0, 32.0], PAIRS),
        CaseInput("borders at 2 and 16", [32, 10_000.0, 4.0, 512, 2.0, 16.0], BORDERS),
        CaseInput("borders at half a turn and 4", [16, 1_000.0, 3.0, trained, 0.5, 4.0], BORDERS),
        CaseInput("one pair, which is kept", [2, 10_000.0, 4.0, 512, 1.0, 32.0], ALL_KEPT),
        CaseInput("too short for a turn", [8, 10_000.0, 4.0, 5, 1.0, 32.0], ALL_KEPT),
        CaseInput("a factor of 1", [16, 10_000.0, 1.0, trained, 1.0, 32.0], ALL_KEPT),
    ]


def is_clear(index: np.ndarray, count: int) -> bool:
    """Return whether nobody could choose others: in each row, the last that is read is well above the next."""
    for t in range(count, len(index)):
        kept = np.sort(index[t, : t + 1])[::-1]
        if kept[count - 1] - kept[count] < CLEAR:
            return False
    return True


def indexed(rng: Rng, length: int, heads: int, width: int, count: int) -> list[np.ndarray]:
    """Return the index's queries, keys and weights of one text, drawn until its choices are clear."""
    while True:
        query, key, weight = normal(rng, length, heads, width), normal(rng, length, width), normal(rng, length, heads)
        fits = np.maximum(np.einsum("tji,si->tjs", query, key), 0)
        if is_clear(np.einsum("tj,tjs->ts", weight, fits), count):
            return [query, key, weight]


def chosen(rng: Rng, sizes: Sequence[int], count: int, name: str, group: str, gradients: bool = False) -> CaseInput:
    """Return a case for sizes B, length, key_dim, value_dim, index_heads, index_dim."""
    B, length, d, v, heads, width = sizes
    of_each = [indexed(rng, length, heads, width, count) for _ in range(B)]
    index = [np.stack(each).astype(np.float32) for each in zip(*of_each, strict=True)]
    query, key = (normal(rng, B, length, d, scale=1.5) for _ in range(2))
    return CaseInput(
        name,
        [query, key, normal(rng, B, length, v), *index, count],
        group,
        [LARGE] * (group == FAR),
        gradients,
    )


def far_chosen(rng: Rng) -> CaseInput:
    """Return a case in which what is not read scores hundreds above what is."""
    drawn = chosen(rng, (3, 9, 5, 4, 2, 3), 2, "scores from -150 to 150", FAR)
    query, key = drawn.arguments[:2]
    query[..., 0], key[..., 0] = 5**0.5, rng.permutation(np.linspace(-150, 150, 9))
    return drawn


def below_fills(rng: Rng) -> CaseInput:
    """Return a case whose scores and index scores are -200,000 and less."""
    B, length = 3, 7
    drawn = chosen(rng, (B, length, 4, 5, 1, 1), 3, f"{LOW}, and so the index's", FAR)
    query, key, _, index_query, index_key, index_weight, _ = drawn.arguments
    query[..., 0], key[..., 0] = 4**0.5, far_below(np.ones((B, length), bool))
    index_query[:], index_weight[:] = 1, -1
    index_key[..., 0] = 200_000 + 500 * np.stack([rng.permutation(length) for _ in range(B)])
    return drawn


def long_text(rng: Rng) -> CaseInput:
    """Return a case of many positions, whose index scores are all different; short numbers, for the kit."""
    ones = np.ones((1, LONG, 1), np.float32)
    key = (rng.permutation(LONG) / 8).astype(np.float32)[None, :, None]
    arguments: list = [np.round(normal(rng, 1, LONG, width), 1) for width in (2, 2, 3)]
    return CaseInput(f"{LONG} positions, 4 read", [*arguments, ones[..., None], key, ones, 4], READS)


def chosen_cases(rng: Rng) -> list[CaseInput]:
    """Draw texts, and how many are read: one, a few, as many as there are and more; what is left out scores high."""
    return [
        chosen(rng, (3, 7, 4, 5, 2, 6), 3, "all sizes different", FEW, gradients=True),
        chosen(rng, (2, 10, 3, 4, 3, 5), 4, "4 of 10", FEW, gradients=True),
        chosen(rng, (5, 5, 5, 5, 5, 5), 2, "equal sizes", FEW),
        chosen(rng, (1, 8, 6, 3, 4, 2), 5, "one text", FEW),
        chosen(rng, (2, 9, 4, 3, 1, 4), 3, "one index head", FEW),
        chosen(rng, (3, 6, 4, 5, 2, 3), 1, "1 of 6", ONE),
        chosen(rng, (2, 6, 5, 3, 2, 4), 6, "6 of 6", EVERYTHING),
        chosen(rng, (3, 5, 4, 6, 2, 3), 9, "9, of a text of 5", EVERYTHING),
        chosen(rng, (4, 2, 3, 5, 2, 4), 4, "two positions", EVERYTHING),
        far_chosen(rng),
        below_fills(rng),
        long_text(rng),
    ]


SINK = Check(
    with_sink,
    ("context",),
    sink_cases,
    points={USUAL: Points(2, (USUAL, SMALL)), EMPTY: 1, NONE: Points(1, NONE, alone=False), FAR: 1},
    also=(GRADIENTS, UNCHANGED),
    adapter=adapters.of_a_part,
    may_call=("merge_softmax",),
)

STRETCHED = Check(
    stretched,
    ("angles", "scale"),
    angle_cases,
    points={
        PAIRS: Points(3, PAIRS, part="angles"),
        BORDERS: Points(1, BORDERS, part="angles"),
        ALL_KEPT: Points(1, ALL_KEPT, part="angles", alone=False),
        "the scale": Points(2, (PAIRS, BORDERS, ALL_KEPT), part="scale"),
    },
    also=(SHAPE, REPEAT),
    shape="the shape of the angles, and one number",
    stars=1,
)

CHOSEN = Check(
    chosen_attention,
    ("context",),
    chosen_cases,
    points={
        FEW: 3,
        ONE: 1,
        EVERYTHING: Points(1, EVERYTHING, alone=False),
        FAR: 1,
        "a softmax over the chosen alone": Points(2, READS),
    },
    adapter=adapters.few_weights,
    stars=1,
)
