"""A module, what is counted exactly, rotations and attention in chunks: cases and checks."""

import numpy as np

from autograder.checks import FAR, LOW, MASKED, NO_MASK, PADDING, REPEAT, SHAPE, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, gaps, longest_first, normal, padding, some_positions
from exercises.self_attention import adapters
from exercises.self_attention.attention import (
    KINDS,
    product_arguments,
    product_below_fills,
    product_shifted,
    projected_arguments,
    projected_below_fills,
    projected_shifted,
    shorter_than_windows,
)
from solutions.self_attention.attention import (
    SelfAttention,
    chunked_attention,
    crossing_length,
    exact_layer_cost,
    rotated,
)

DOUBLE, EXACTLY = "in float64", 1e-9  # what float32 does not reach
NEAR, ANY, AXES = "positions from 0", "any positions, any base", "two and four axes"
ONE, SEVERAL, EMPTY, MEMORY = "one chunk", "several chunks", "chunks without a key", "memory"
MOST = 16 << 20  # bytes: a right answer takes 5 MB, all scores at once take 32


def of_module(
    name: str, arguments: list, group: str, dtype: str = "float32", gradients: bool = False, tolerance: float = 1e-4
) -> CaseInput:
    """Return a case from the arguments of self_attention: what padding gets back is not compared."""
    X, W_q, W_k, W_v, mask = arguments
    features = [] if mask is None else [PADDING]
    return CaseInput(name, [X, mask, W_q, W_k, W_v, dtype], group, features, gradients, tolerance, compared=mask)


def module_cases(rng: Rng) -> list[CaseInput]:
    """Draw modules: all sizes different, all sizes equal, one sentence, one word, and in double precision."""
    made, hidden, moved = projected_arguments, padding(rng, 4, 7), {"dtype": "float64", "tolerance": EXACTLY}
    return [
        of_module("no mask", made(rng, (3, 5, 4, 6, 7), None), NO_MASK, gradients=True),
        of_module("padded sentences", made(rng, (4, 7, 6, 3, 5), hidden), MASKED, gradients=True),
        of_module("other padded sentences", made(rng, (4, 6, 3, 7, 5), longest_first(rng, 4, 6)), MASKED),
        of_module("equal sizes", made(rng, (5,) * 5, gaps(rng, 5, 5)), MASKED, gradients=True),
        of_module("one sentence", made(rng, (1, 6, 5, 4, 3), gaps(rng, 1, 6)), MASKED),
        of_module("one word", made(rng, (3, 1, 4, 5, 6), None), NO_MASK),
        of_module("moved to float64", made(rng, (3, 6, 5, 4, 7), None), DOUBLE, **moved),
        of_module("moved to float64, padded", made(rng, (4, 5, 6, 7, 3), gaps(rng, 4, 5)), DOUBLE, **moved),
        of_module("padding that scores higher", projected_shifted(rng, gaps(rng, 4, 7), 60, 100), MASKED),
        of_module(LOW, projected_below_fills(rng, gaps(rng, 4, 7)), MASKED),
    ]


def exact_cases(rng: Rng) -> list[CaseInput]:
    """Draw layers of every kind, longer than wide and wider than long, and windows wider than n."""
    drawn = []
    for kind, group in KINDS.items():
        for where, n, d in (("longer than wide", 61, 17), ("wider than long", 19, 67), ("one word", 1, 8)):
            k, r = int(rng.choice([3, 5, 6, 7])), int(rng.choice([4, 9, 11, 13]))
            n, d = (n if n == 1 else n + int(rng.integers(9))), d + int(rng.integers(9))
            drawn.append(CaseInput(f"{kind}, {where}", [kind, n, d, k, r], group))
    return [*drawn, *shorter_than_windows(rng)]


def crossing_cases(rng: Rng) -> list[CaseInput]:
    """Draw even and odd widths, and layers with one to five gates; with one, self-attention always takes more."""
    even, odd = 2 * int(rng.integers(20, 60)), 2 * int(rng.integers(20, 60)) + 1
    drawn = [
        CaseInput("a GRU, even width", [even, 3], "a GRU"),
        CaseInput("a GRU, odd width", [odd, 3], "a GRU"),
        CaseInput("a GRU of width 1", [1, 3], "a GRU"),
    ]
    for gates in (1, 2, 4, 5):
        for width in (even + 2 * gates, odd + 2 * gates):
            drawn.append(
                CaseInput(f"gates: {gates}, {'odd' if width % 2 else 'even'} width", [width, gates], "other layers")
            )
    for width, gates in ((512, 4), (900 + 2 * int(rng.integers(99)), 6)):  # they cross at 1,281, and above 4,000
        drawn.append(CaseInput(f"gates: {gates}, a wide layer", [width, gates], "other layers"))
    return drawn


def rotated_cases(rng: Rng) -> list[CaseInput]:
    """Draw vectors with two, three and four axes, positions from 0 and from anywhere, one pair and many."""
    base = float(rng.choice([50, 200, 700]))
    return [
        CaseInput("positions from 0", [normal(rng, 3, 5, 8), np.arange(5), 10_000.0], NEAR, gradients=True),
        CaseInput("many positions from 0", [normal(rng, 1, 17, 6), np.arange(17), 10_000.0], NEAR),
        CaseInput("equal sizes", [normal(rng, 6, 6, 6), np.arange(6), 10_000.0], NEAR),
        CaseInput("position 0 alone", [normal(rng, 3, 1, 4), np.arange(1), 10_000.0], NEAR),
        CaseInput("positions with gaps", [normal(rng, 4, 7, 6), some_positions(rng, 7), base], ANY, gradients=True),
        CaseInput("the same position twice", [normal(rng, 3, 4, 10), np.array([9, 2, 9, 31]), base], ANY),
        CaseInput("a single pair", [normal(rng, 3, 5, 2), some_positions(rng, 5), base], ANY),
        CaseInput("two axes", [normal(rng, 7, 4), some_positions(rng, 7), base], AXES),
        CaseInput("four axes", [normal(rng, 2, 3, 5, 8), some_positions(rng, 5), 10_000.0], AXES, gradients=True),
    ]


def in_chunks(name: str, arguments: list, chunk: int, group: str, gradients: bool = False) -> CaseInput:
    """Return a case from the arguments of scaled_dot_product."""
    Q, K, V, mask = arguments
    return CaseInput(name, [Q, K, V, chunk, mask], group, [PADDING] if mask is not None else [], gradients)


def rising(rng: Rng) -> list:
    """Return arguments whose scores rise from chunk to chunk, to far above what exp can hold, or fall as far."""
    Q, K, V, _ = product_arguments(rng, (3, 4, 9, 6, 5), None)
    Q[..., 0] = np.where(np.arange(4) % 2, 1, -1)
    K[..., 0] = np.linspace(-300, 300, 9)
    return [Q, K, V, None]


def empty_chunks(rng: Rng, S: int, chunk: int) -> np.ndarray:
    """Return a mask (3, 4, S) in which whole chunks are hidden: the first of some queries, the last of others."""
    mask = gaps(rng, 3, 4, S)
    mask[:, 0, :chunk], mask[:, 1, -chunk:], mask[:, 2, : 2 * chunk] = False, False, False
    mask[:, 0, chunk], mask[:, 1, 0], mask[:, 2, 2 * chunk], mask[:, 3] = True, True, True, np.arange(S) == S - 1
    return mask


def many_keys(rng: Rng) -> CaseInput:
    """Return a case in which all scores take 32 MB, those of a chunk 256 kB; short numbers, as the kit holds them."""
    T, S, chunk = 128, 65_536, 512
    Q, K, V = (np.round(normal(rng, *shape), 1) for shape in ((T, 1), (S, 1), (S, 2)))
    return CaseInput("128 queries, 65,536 keys, chunk 512", [Q, K, V, chunk, None], MEMORY, peak=MOST)


def chunked_cases(rng: Rng) -> list[CaseInput]:
    """Draw chunks that divide the keys and that do not, of one key and of all, masks of every kind, many keys."""
    made = product_arguments
    causal, heads = np.tril(np.ones((7, 7), bool)), padding(rng, 3, 5)[:, None, None]
    return [
        in_chunks("a chunk as long as the keys", made(rng, (3, 4, 5, 6, 7), None), 5, ONE),
        in_chunks("a chunk longer than the keys", made(rng, (3, 4, 5, 7, 6), None), 9, ONE, gradients=True),
        in_chunks("chunks that divide the keys", made(rng, (2, 5, 12, 4, 3), None), 4, SEVERAL, gradients=True),
        in_chunks("a shorter last chunk", made(rng, (3, 4, 11, 6, 5), None), 3, SEVERAL, gradients=True),
        in_chunks("chunks of one key", made(rng, (3, 6, 5, 4, 7), None), 1, SEVERAL),
        in_chunks("two axes", made(rng, (4, 10, 3, 5), None), 4, SEVERAL),
        in_chunks("one sentence", made(rng, (1, 5, 8, 4, 6), gaps(rng, 1, 5, 8)), 3, MASKED),
        in_chunks("one query", made(rng, (3, 1, 7, 5, 4), None), 3, SEVERAL),
        in_chunks("equal sizes", made(rng, (6,) * 5, gaps(rng, 6, 6, 6)), 4, MASKED, gradients=True),
        in_chunks("a mask for every query", made(rng, (4, 3, 10, 5, 7), gaps(rng, 4, 3, 10)), 4, MASKED),
        in_chunks("one mask for all queries", made(rng, (4, 3, 7, 6, 5), longest_first(rng, 4, 7)[:, None]), 2, MASKED),
        in_chunks("a mask without a batch", made(rng, (3, 7, 7, 4, 5), causal), 3, MASKED),
        in_chunks("four axes", made(rng, (3, 2, 4, 5, 6, 7), heads), 2, MASKED, gradients=True),
        in_chunks(EMPTY, made(rng, (3, 4, 11, 5, 6), empty_chunks(rng, 11, 3)), 3, EMPTY, gradients=True),
        in_chunks("scores that rise and fall", rising(rng), 2, FAR),
        in_chunks("scores around -120", product_shifted(rng, gaps(rng, 3, 4, 6), -120, -120), 4, FAR),
        in_chunks("masked keys that score higher", product_shifted(rng, gaps(rng, 3, 4, 6), 60, 100), 4, FAR),
        in_chunks(LOW, product_below_fills(rng, gaps(rng, 3, 4, 6)), 4, FAR),
        many_keys(rng),
        in_chunks("2 queries, 640 keys, chunk 16", made(rng, (2, 640, 3, 2), None), 16, MEMORY),
    ]


MODULE = Check(
    SelfAttention,
    ("output", "weights"),
    module_cases,
    points={NO_MASK: 2, MASKED: 2, DOUBLE: 1},
    exact=("weights",),
    adapter=adapters.loaded_module,
    may_call=("scaled_dot_product", "self_attention"),
)

EXACT = Check(
    exact_layer_cost,
    ("multiplications",),
    exact_cases,
    points={"self-attention": 1, "recurrent": 1, "convolution": 1, "restricted self-attention": 1},
    also=(SHAPE, REPEAT),
    shape="a whole number",
    exact=("multiplications",),
)

CROSSING = Check(
    crossing_length,
    ("length",),
    crossing_cases,
    points={"a GRU": 1, "other layers": 1},
    also=(SHAPE,),
    shape="a whole number",
    exact=("length",),
    may_call=("exact_layer_cost",),
)

ROTATED = Check(
    rotated,
    ("result",),
    rotated_cases,
    points={NEAR: 2, ANY: 2, AXES: 1},
    stars=1,
)

CHUNKED = Check(
    chunked_attention,
    ("output",),
    chunked_cases,
    points={
        ONE: 1,
        SEVERAL: 3,
        MASKED: 2,
        EMPTY: 1,
        FAR: 1,
        "the memory": Points(4, MEMORY),
    },
    adapter=adapters.few_at_a_time,
    stars=2,
)
