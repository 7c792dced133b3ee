"""Self-attention as functions, and what layers cost: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, LARGE, LOW, MASKED, NO_MASK, PADDING, REPEAT, CaseInput, Check, by_mask
from autograder.checks.random_inputs import Rng, far_below, gaps, longest_first, normal, padding
from solutions.self_attention.attention import layer_cost, scaled_dot_product, self_attention, simple_self_attention

MASK = "a mask"


def of_words(
    name: str, arguments: list, group: str, features: Sequence[str] = (), gradients: bool = False
) -> CaseInput:
    """Return a case whose last argument is the mask (B, S) of its words: what padding gets back is not compared."""
    mask = arguments[-1]
    return CaseInput(
        name, arguments, group, [*features, *([PADDING] if mask is not None else [])], gradients, compared=mask
    )


def simple_arguments(rng: Rng, sizes: Sequence[int], mask: np.ndarray | None, scale: float = 1.0) -> list:
    """Return X and the mask for sizes B, S, d: a word's score with itself is about 1 for scale 1."""
    return [normal(rng, *sizes, scale=scale * sizes[-1] ** -0.5), mask]


def simple_padding_above(rng: Rng, mask: np.ndarray) -> list:
    """Return arguments in which padding scores higher by about 40 than any word does: one feature carries it."""
    X, _ = simple_arguments(rng, (*mask.shape, 5), mask)
    X[..., 0] = np.where(mask, 0.5, 80)
    return [X, mask]


def simple_cases(rng: Rng) -> list[CaseInput]:
    """Draw sentences: all sizes different, all sizes equal, one sentence, one word."""
    return [
        of_words("no mask", simple_arguments(rng, (3, 5, 4), None), NO_MASK, gradients=True),
        of_words("padded sentences", simple_arguments(rng, (4, 7, 5), padding(rng, 4, 7)), MASKED, gradients=True),
        of_words("other padded sentences", simple_arguments(rng, (4, 6, 7), longest_first(rng, 4, 6)), MASKED),
        of_words("equal sizes", simple_arguments(rng, (5, 5, 5), gaps(rng, 5, 5)), MASKED, gradients=True),
        of_words("one sentence", simple_arguments(rng, (1, 6, 4), gaps(rng, 1, 6)), MASKED),
        of_words("one word", simple_arguments(rng, (3, 1, 4), None), NO_MASK),
        of_words("large words", simple_arguments(rng, (3, 6, 4), gaps(rng, 3, 6), 20), FAR, [LARGE]),
        of_words("padding that scores higher", simple_padding_above(rng, gaps(rng, 4, 7)), FAR, [LARGE]),
    ]


def projected_arguments(rng: Rng, sizes: Sequence[int], mask: np.ndarray | None) -> list:
    """Return X, W_q, W_k, W_v and the mask for sizes B, S, d, k, v."""
    B, S, d, k, v = sizes
    weights = [normal(rng, k, d, scale=1.5 * d**-0.5), normal(rng, k, d, scale=1.5 * d**-0.5), normal(rng, v, d)]
    return [normal(rng, B, S, d), *weights, mask]


def projected_shifted(rng: Rng, mask: np.ndarray, real: np.ndarray | float, padded: np.ndarray | float) -> list:
    """Return arguments whose scores are moved by these numbers, at words and at padding: one feature carries them.

    It is the same for every word that asks, and the first feature of queries and keys alone hears it.
    """
    X, W_q, W_k, W_v, _ = projected_arguments(rng, (*mask.shape, 6, 4, 5), mask)
    X[..., 0], X[..., 1] = 1, np.where(mask, real, padded) / 100
    W_q[:, :2], W_k[:, :2], W_v[:, :2], W_q[0], W_k[0] = 0, 0, 0, 0, 0
    W_q[0, 0], W_k[0, 1] = 10, 10 * 4**0.5
    return [X, W_q, W_k, W_v, mask]


def projected_below_fills(rng: Rng, mask: np.ndarray) -> list:
    """Return arguments with scores as `far_below` has them."""
    scores = far_below(mask)
    return projected_shifted(rng, mask, scores, scores)


def projected_cases(rng: Rng) -> list[CaseInput]:
    """Draw sentences and three matrices: all sizes different, all sizes equal, one sentence, one word."""
    made = projected_arguments
    return [
        of_words("no mask", made(rng, (3, 5, 4, 6, 7), None), NO_MASK, gradients=True),
        of_words("padded sentences", made(rng, (4, 7, 6, 3, 5), padding(rng, 4, 7)), MASKED, gradients=True),
        of_words("other padded sentences", made(rng, (4, 6, 3, 7, 5), longest_first(rng, 4, 6)), MASKED),
        of_words("equal sizes", made(rng, (5,) * 5, gaps(rng, 5, 5)), MASKED, gradients=True),
        of_words("one sentence", made(rng, (1, 6, 5, 4, 3), gaps(rng, 1, 6)), MASKED),
        of_words("one word", made(rng, (3, 1, 4, 5, 6), None), NO_MASK),
        of_words("scores around -120", projected_shifted(rng, gaps(rng, 4, 7), -120, -120), FAR, [LARGE]),
        of_words("padding that scores higher", projected_shifted(rng, gaps(rng, 4, 7), 60, 100), FAR, [LARGE]),
        of_words(LOW, projected_below_fills(rng, gaps(rng, 4, 7)), FAR, [LARGE]),
    ]


def product_arguments(rng: Rng, sizes: Sequence[int], mask: np.ndarray | None, scale: float = 1.0) -> list:
    """Return query, key, value and the mask for sizes …, T, S, k, v."""
    *batch, T, S, k, v = sizes
    return [normal(rng, *batch, T, k, scale=scale), normal(rng, *batch, S, k), normal(rng, *batch, S, v), mask]


def product_below_fills(rng: Rng, mask: np.ndarray) -> list:
    """Return arguments with scores as `far_below` has them."""
    scores = far_below(mask)
    return product_shifted(rng, mask, scores, scores)


def product_shifted(rng: Rng, mask: np.ndarray, kept: np.ndarray | float, masked: np.ndarray | float) -> list:
    """Return arguments whose scores are moved by these numbers where the mask is True and where it is False."""
    B, T, S = mask.shape
    query, key, value, _ = product_arguments(rng, (B, T, S, S + 2, 3), mask)
    query[..., :S] = np.where(mask, kept, masked) / 10
    key[..., :S] = 10 * (S + 2) ** 0.5 * np.eye(S)
    return [query, key, value, mask]


def product_cases(rng: Rng) -> list[CaseInput]:
    """Draw queries, keys and values with two, three and four axes, and a mask for each query, for all, and for none."""
    causal = np.tril(np.ones((6, 6), bool))
    heads = padding(rng, 3, 5)[:, None, None]
    each, shared, axes = "a mask for every query", "a mask that is broadcast", "two and four axes"  # groups

    def case(
        name: str, sizes: Sequence[int], mask: np.ndarray | None, group: str = "no mask", gradients: bool = False
    ) -> CaseInput:
        return CaseInput(name, product_arguments(rng, sizes, mask), group, [MASK] * (mask is not None), gradients)

    drawn = [
        case("no mask", (3, 4, 5, 6, 7), None, gradients=True),
        case("a mask for every query", (4, 3, 6, 5, 7), gaps(rng, 4, 3, 6), each, True),
        case("one mask for all queries", (4, 3, 7, 6, 5), longest_first(rng, 4, 7)[:, None], shared),
        case("a mask without a batch", (3, 6, 6, 4, 5), causal, shared),
        case("two axes", (4, 5, 3, 6), gaps(rng, 1, 5), axes),
        case("four axes", (3, 2, 4, 5, 6, 7), heads, axes, True),
        case("a mask for every head", (1, 3, 4, 5, 6, 7), gaps(rng, 3, 4, 5), axes),
        case("equal sizes", (5,) * 5, gaps(rng, 5, 5, 5), each, True),
        case("one query, one key", (3, 1, 1, 4, 5), None),
    ]
    far = [
        ("scores around -120", product_shifted(rng, gaps(rng, 3, 4, 5), -120, -120)),
        ("masked keys that score higher", product_shifted(rng, gaps(rng, 3, 4, 5), 60, 100)),
        (LOW, product_below_fills(rng, gaps(rng, 3, 4, 5))),
    ]
    return [*drawn, *(CaseInput(name, arguments, FAR, [MASK, LARGE]) for name, arguments in far)]


KINDS = {
    "self_attention": "self-attention",
    "recurrent": "recurrent",
    "convolution": "convolution",
    "restricted": "restricted self-attention",
}  # of layers, and the groups of their cases


def shorter_than_windows(rng: Rng) -> list[CaseInput]:
    """Return the arguments of layers whose windows are wider than n."""
    drawn = []
    for kind in ("convolution", "restricted"):
        n, d, k, r = (int(start + rng.integers(3)) for start in (2, 16, 7, 11))
        drawn.append(CaseInput(f"{kind}, shorter than its window", [kind, n, d, k, r], KINDS[kind]))
    return drawn


def cost_cases(rng: Rng) -> list[CaseInput]:
    """Draw layers of every kind, longer than wide and wider than long, no path whole, and windows wider than n."""
    drawn = []
    for kind, group in KINDS.items():
        for where in ("longer than wide", "wider than long"):
            k, r = int(rng.choice([3, 5, 6, 7])), int(rng.choice([4, 9, 11, 13]))
            few, many = int(r * rng.integers(2, 4) + rng.integers(1, r)), int(rng.integers(61, 90))
            n, d = (many + (many % r == 0), few) if where == "longer than wide" else (few, many)
            drawn.append(CaseInput(f"{kind}, {where}", [kind, n, d, k, r], group))
    return [*drawn, *shorter_than_windows(rng)]


OF_WORDS = {
    **by_mask(("the weights", "weights", 2, 2), ("the context", "context", 1, 1)),
    FAR: 1,
}

SIMPLE = Check(
    simple_self_attention,
    ("context", "weights"),
    simple_cases,
    points=OF_WORDS,
    exact=("weights",),
)

PRODUCT = Check(
    scaled_dot_product,
    ("output", "weights"),
    product_cases,
    points={
        "no mask": 2,
        "a mask for every query": 2,
        "a mask that is broadcast": 1,
        "two and four axes": 1,
        FAR: 1,
    },
    exact=("weights",),
)

PROJECTED = Check(
    self_attention,
    ("context", "weights"),
    projected_cases,
    points=OF_WORDS,
    exact=("weights",),
    may_call=("scaled_dot_product",),
)

COST = Check(
    layer_cost,
    ("cost", "steps", "path"),
    cost_cases,
    points={"self-attention": 1, "recurrent": 1, "convolution": 2, "restricted self-attention": 1},
    also=(REPEAT,),
)
