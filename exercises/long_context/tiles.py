"""Attention in tiles: parts of a softmax, tiles that do not divide, padding, gradients: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, LARGE, LOW, MASKED, PADDING, REPEAT, SHAPE, UNCHANGED, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, far_below, gaps, normal, padding
from autograder.kit.verdict.cases import TOLERANCE
from exercises.long_context import adapters
from solutions.long_context.attention import flash_backward, flash_forward, merge_softmax

TWO, AXES, EMPTY = "two parts", "any number of axes", "parts without keys"  # groups of cases
ONE, SEVERAL, RAGGED = "one tile for all", "tiles that divide the text", "a last tile that is smaller"
CAUSAL, CACHE, HIDDEN = "causal", "causal, fewer queries than keys", "tiles that are wholly padding"
MEMORY, ROWS, LONG = "a long text", "many queries", 65_536
EMPTY_PART, SHORTER = "a part without keys", "a smaller last tile"  # features
MOST = 6 << 20  # bytes: right answers take 2 MB or less, all scores at once 46


def part(rng: Rng, rows: Sequence[int], width: int) -> list[np.ndarray]:
    """Return a maximum, a sum and a weighted sum for each row."""
    drawn = 2 * rng.normal(size=rows), rng.uniform(1, 5, rows), 2 * rng.normal(size=(*rows, width))
    return [np.asarray(each, np.float32) for each in drawn]


def emptied(given: list[np.ndarray], rows: np.ndarray) -> list[np.ndarray]:
    """Return a part that has no keys in these rows."""
    given[0][rows], given[1][rows], given[2][rows] = -np.inf, 0, 0
    return given


def merged(rng: Rng, sizes: Sequence[int], name: str, group: str, gradients: bool = False) -> CaseInput:
    """Return a case of two parts; the last of the sizes is that of a value."""
    *rows, width = sizes
    return CaseInput(name, [*part(rng, rows, width), *part(rng, rows, width)], group, gradients=gradients)


def merge_cases(rng: Rng) -> list[CaseInput]:
    """Draw two parts of a softmax: no rows to three axes of them, rows without keys in one part, the other, both."""
    first, second, both = (part(rng, (5,), 3) for _ in range(3))
    numbers = np.arange(5)
    mixed = [part(rng, (4, 5), 3) for _ in range(2)]
    emptied(mixed[0], np.tile(numbers % 2 == 0, (4, 1)))
    emptied(mixed[1], np.tile(numbers > 2, (4, 1)))  # row 4 has keys in neither
    nothing = emptied(both, numbers >= 0)
    far = [part(rng, (4, 3), 5) for _ in range(2)]
    far[0][0] += np.array([300, -300, 200], np.float32)
    far[1][0] += np.array([310, -305, -200], np.float32)
    low = [part(rng, (4, 3), 5) for _ in range(2)]
    emptied(low[0], np.tile(np.arange(3) == 1, (4, 1)))[0][:] -= 200  # exp(0 - m) overflows where m is far below 0
    low[1][0] -= 200
    return [
        merged(rng, (3, 5, 4), "all sizes different", TWO, gradients=True),
        merged(rng, (2, 7, 3), "other sizes", TWO, gradients=True),
        merged(rng, (5, 5, 5), "equal sizes", TWO),
        merged(rng, (4, 3, 1), "values of one number", TWO),
        merged(rng, (1, 6, 4), "one text", TWO),
        merged(rng, (6, 4), "one axis of rows", AXES, gradients=True),
        merged(rng, (4,), "one row, without an axis", AXES),
        merged(rng, (2, 3, 4, 5), "three axes of rows", AXES),
        CaseInput("the second part has no keys", [*first, *nothing], EMPTY, [EMPTY_PART]),
        CaseInput("the first part has no keys", [*nothing, *second], EMPTY, [EMPTY_PART]),
        CaseInput("some rows without keys, one in both parts", [*mixed[0], *mixed[1]], EMPTY, [EMPTY_PART]),
        CaseInput("a row without keys in one part, maxima around -200", [*low[0], *low[1]], EMPTY, [EMPTY_PART]),
        CaseInput("maxima hundreds away from 0", [*far[0], *far[1]], FAR, [LARGE]),
    ]


def attended(
    rng: Rng,
    sizes: Sequence[int],
    name: str,
    group: str,
    causal: bool = False,
    mask: np.ndarray | None = None,
    gradients: bool = False,
) -> CaseInput:
    """Return a case for sizes B, T, S, d, v, tile, in which every query sees a key."""
    B, T, S, d, v, tile = sizes
    arguments = [normal(rng, B, T, d), normal(rng, B, S, d), normal(rng, B, S, v), tile, causal, mask]
    features = [PADDING] * (mask is not None) + [SHORTER] * (S % tile > 0 and tile < S) + [LARGE] * (group == FAR)
    return CaseInput(name, arguments, group, features, gradients)


def far(rng: Rng, sizes: Sequence[int], slope: float) -> CaseInput:
    """Return a case whose scores rise or fall by hundreds from the first key to the last."""
    made = attended(rng, sizes, f"scores that {'rise' if slope > 0 else 'fall'} by {abs(slope):g}", FAR)
    query, key = made.arguments[:2]
    query[..., 0] = query.shape[-1] ** 0.5
    key[..., 0] = np.linspace(-slope / 2, slope / 2, key.shape[1])
    return made


def low(rng: Rng, sizes: Sequence[int], mask: np.ndarray) -> CaseInput:
    """Return a case whose scores lie around 0 for some queries, and around -250 for those between them."""
    made = attended(rng, sizes, "scores around 0 and around -250, tiles without a key", FAR, mask=mask)
    query, key = made.arguments[:2]
    query[..., 0], key[..., 0] = np.arange(query.shape[1]) % 2 * query.shape[-1] ** 0.5, -250
    return made


def below_fills(rng: Rng, sizes: Sequence[int], causal: bool, mask: np.ndarray) -> CaseInput:
    """Return a case with scores as `far_below` has them, tile after tile; in the future they are lower."""
    made = attended(rng, sizes, f"{LOW}{', causal' * causal}", FAR, causal, mask)
    query, key = made.arguments[:2]
    query[..., 0], key[..., 0] = query.shape[-1] ** 0.5, far_below(mask)
    return made


def hidden(S: int, tile: int) -> np.ndarray:
    """Return the mask (4, S) in which whole tiles are padding: the first, the last, both, one in between."""
    tiles = np.arange(S) // tile
    return np.stack([tiles > 0, tiles < tiles[-1], (tiles > 0) & (tiles < tiles[-1]), tiles != 1])


def many_keys(rng: Rng, queries: int, sizes: tuple[int, int], tile: int, causal: bool) -> CaseInput:
    """Return a case whose whole matrix of scores takes 16 MB, a tile ¼ MB; short numbers, for the kit."""
    shapes = ((queries, sizes[0]), (LONG, sizes[0]), (LONG, sizes[1]))
    drawn = [np.round(normal(rng, 1, *shape), 1) for shape in shapes]
    name = f"{queries} queries, {LONG:,} keys, tiles of {tile}"
    return CaseInput(name, [*drawn, tile, causal, None], MEMORY, peak=MOST)


def many_queries(rng: Rng, sizes: tuple[int, int], tile: int) -> CaseInput:
    """Return a case in which all queries' scores of one tile of keys take 16 MB, those of a tile of them ¼ MB.

    The queries repeat themselves, which keeps what the kit records of the outputs small.
    """
    queries, keys = sizes
    query = np.tile(np.round(normal(rng, 1, 16, 1), 1), (1, queries // 16, 1))
    key, value = (np.round(normal(rng, 1, keys, width), 1) for width in (1, 2))
    name = f"{queries:,} queries, {keys} keys, tiles of {tile}"
    return CaseInput(name, [query, key, value, tile, False, None], ROWS, peak=MOST)


def forward_cases(rng: Rng) -> list[CaseInput]:
    """Draw tiles of one key to more than all, causal with a cache and without, padding, scores far from 0."""
    anywhere = gaps(rng, 3, 8)
    behind = anywhere | (np.arange(8) == 1)  # a key for the first of causal queries
    ends = padding(rng, 4, 9)
    return [
        attended(rng, (3, 4, 5, 6, 2, 5), "a tile as long as the text", ONE),
        attended(rng, (2, 5, 3, 4, 6, 9), "a tile longer than the text", ONE, gradients=True),
        attended(rng, (3, 4, 8, 5, 6, 2), "tiles that divide all sizes", SEVERAL, gradients=True),
        attended(rng, (2, 6, 9, 4, 5, 3), "other tiles that do", SEVERAL),
        attended(rng, (2, 3, 5, 6, 4, 1), "tiles of one", SEVERAL),
        attended(rng, (4, 4, 4, 4, 4, 2), "equal sizes", SEVERAL),
        attended(rng, (3, 4, 11, 6, 5, 3), "tiles that do not divide", RAGGED, gradients=True),
        attended(rng, (2, 7, 5, 3, 4, 2), "more queries than keys", RAGGED),
        attended(rng, (1, 5, 7, 2, 6, 4), "one text", RAGGED),
        attended(rng, (3, 8, 8, 5, 4, 4), "causal", CAUSAL, True, gradients=True),
        attended(rng, (2, 7, 7, 4, 6, 3), "causal, tiles that do not divide", CAUSAL, True),
        attended(rng, (3, 5, 5, 4, 3, 9), "causal, one tile for all", CAUSAL, True),
        attended(rng, (3, 3, 8, 4, 5, 2), "the newest three of eight", CACHE, True, gradients=True),
        attended(rng, (2, 1, 7, 6, 4, 3), "the newest alone", CACHE, True),
        attended(rng, (2, 5, 9, 4, 3, 4), "the newest five of nine", CACHE, True),
        attended(rng, (4, 5, 9, 6, 4, 4), "padding on the right", MASKED, mask=ends),
        attended(rng, (4, 9, 9, 5, 4, 4), "padding on the right, causal", MASKED, True, ends),
        attended(rng, (5, 4, 5, 6, 3, 2), "as many texts as keys, padding on the left", MASKED, mask=np.tri(5).T > 0),
        attended(rng, (3, 4, 8, 5, 6, 8), "padding anywhere", MASKED, mask=anywhere, gradients=True),
        attended(rng, (3, 4, 8, 5, 6, 3), "padding anywhere, causal", MASKED, True, behind),
        attended(rng, (4, 5, 9, 6, 4, 3), "tiles without a key", HIDDEN, mask=hidden(9, 3)),
        attended(rng, (4, 5, 10, 4, 6, 4), "tiles without a key, causal", HIDDEN, True, hidden(10, 4)),
        attended(rng, (1, 4, 9, 5, 6, 3), "one text, no key in its first tile", HIDDEN, mask=hidden(9, 3)[2:3]),
        far(rng, (3, 4, 9, 6, 5, 2), 600),
        far(rng, (2, 5, 8, 4, 6, 3), -600),
        low(rng, (4, 5, 9, 6, 4, 3), hidden(9, 3)),
        below_fills(rng, (4, 5, 9, 6, 4, 3), False, ends),
        below_fills(rng, (3, 4, 8, 5, 6, 3), True, behind),
        many_keys(rng, 64, (1, 2), 1024, True),
        many_queries(rng, (16_384, 512), 256),
    ]


def backwards(rng: Rng, name: str, group: str, given: list[np.ndarray], tile: int) -> CaseInput:
    """Return a case from query, key and value: what attention makes of them, and a gradient that arrives there."""
    query, key, value = given
    scores = query.astype(float) @ key.astype(float).transpose(0, 2, 1) / query.shape[-1] ** 0.5
    highest = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - highest)
    total = weights.sum(axis=-1, keepdims=True)
    context, logsumexp = weights / total @ value, (highest + np.log(total))[..., 0]
    made = [context.astype(np.float32), logsumexp.astype(np.float32), normal(rng, *context.shape)]
    features = [SHORTER] * (key.shape[1] % tile > 0 and tile < key.shape[1]) + [LARGE] * (group == FAR)
    tolerance = 10 * TOLERANCE if group == FAR else TOLERANCE  # rounding errors of scores become larger in exponentials
    return CaseInput(name, [*given, *made, tile], group, features, tolerance=tolerance)


def backward_cases(rng: Rng) -> list[CaseInput]:
    """Draw gradients in tiles: one tile, many, smaller last ones, scores far from 0, a long text."""

    def drawn(B: int, T: int, S: int, d: int, v: int, tile: int, name: str, group: str) -> CaseInput:
        return backwards(rng, name, group, [normal(rng, B, T, d), normal(rng, B, S, d), normal(rng, B, S, v)], tile)

    # All six features carry the -120 between them: one alone would make a gradient of rounding errors.
    far_query, far_key = normal(rng, 3, 4, 6, scale=0.5) + 7, normal(rng, 3, 7, 6, scale=0.5) - 7
    queries, keys, width, tile = 32, 640, 6, 16
    long = [np.round(normal(rng, 1, length, width), 1) for length in (queries, keys, keys)]
    return [
        drawn(3, 4, 5, 6, 2, 5, "a tile as long as the text", ONE),
        drawn(2, 5, 3, 4, 6, 9, "a tile longer than the text", ONE),
        drawn(1, 3, 4, 5, 5, 4, "one text", ONE),
        drawn(3, 4, 8, 5, 6, 2, "tiles that divide all sizes", SEVERAL),
        drawn(2, 6, 9, 4, 5, 3, "other tiles that do", SEVERAL),
        drawn(4, 4, 4, 4, 4, 2, "equal sizes", SEVERAL),
        drawn(2, 3, 5, 6, 4, 1, "tiles of one", SEVERAL),
        drawn(3, 4, 11, 6, 5, 3, "tiles that do not divide", RAGGED),
        drawn(2, 7, 5, 3, 4, 2, "more queries than keys", RAGGED),
        backwards(rng, "scores around -120", FAR, [far_query, far_key, normal(rng, 3, 7, 5)], 3),
        backwards(rng, f"{queries} queries, {keys:,} keys, tiles of {tile}", MEMORY, long, tile),
    ]


MERGE = Check(
    merge_softmax,
    ("maximum", "sum", "weighted"),
    merge_cases,
    points={
        "the maximum": Points(1, TWO, part="maximum"),
        "the sum": Points(2, TWO, part="sum"),
        "the weighted sum of values": Points(2, TWO, part="weighted"),
        AXES: 1,
        EMPTY: 2,
        FAR: 1,
    },
    shape="the shapes of the three",
    adapter=adapters.of_two_parts,
)

FORWARD = Check(
    flash_forward,
    ("context", "logsumexp"),
    forward_cases,
    points={
        "the context": Points(3, (ONE, SEVERAL, RAGGED), part="context"),
        "the context, causal": Points(2, (CAUSAL, CACHE), part="context"),
        "the context, with a mask": Points(2, (MASKED, HIDDEN), part="context"),
        "the context, scores far from 0": Points(1, FAR, part="context"),
        "logsumexp": Points(2, (ONE, SEVERAL, RAGGED), part="logsumexp"),
        "logsumexp in all other cases": Points(1, (CAUSAL, CACHE, MASKED, HIDDEN, FAR), part="logsumexp"),
        "the memory: few keys at a time": Points(5, MEMORY, part="context"),
        "the memory: few queries at a time": Points(4, ROWS, part="context"),
        "logsumexp of long texts": Points(1, (MEMORY, ROWS), part="logsumexp"),
    },
    may_call=("merge_softmax",),
)

BACKWARD = Check(
    flash_backward,
    ("query", "key", "value"),
    backward_cases,
    points={
        ONE: 1,
        "∂ query": Points(2, SEVERAL, part="query"),
        "∂ key": Points(2, SEVERAL, part="key"),
        "∂ value": Points(1, SEVERAL, part="value"),
        RAGGED: 1,
        FAR: 1,
        "few weights at a time": Points(2, MEMORY),
    },
    also=(SHAPE, UNCHANGED, REPEAT),
    adapter=adapters.tiles_by_hand,
    stars=2,
)
