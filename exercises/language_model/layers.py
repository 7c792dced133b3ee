"""The parts of today's block, from the causal mean to a step with a cache: cases and checks."""

from collections.abc import Sequence

import numpy as np
import torch

from autograder.checks import FAR, GRADIENTS, LARGE, LOW, MASKED, NO_MASK, PADDING, UNCHANGED, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, far_below, gaps, normal, padding, some_positions
from solutions.language_model.attention import cached_step, causal_mean, grouped_query_attention, rms_norm, rope, swiglu

USUAL, AXES, EPS = "usual sizes", "any number of axes", "other values of eps"  # groups of cases
GATES = "gates far from 0"
NEAR, ANYWHERE = "positions from 0", "positions from anywhere"
CACHE, ONE_KV, ALL_KV = "fewer queries than keys", "one key–value head", "as many key–value heads as heads"
PAST, FIRST, SPECIAL = "a cache with positions in it", "the first step", "one key–value head, or as many as heads"
GROUPS = "heads that share keys"  # a feature
EASY = (GRADIENTS, UNCHANGED)  # what a function of a few minutes is asked for besides its values


def mean_cases(rng: Rng) -> list[CaseInput]:
    """Draw texts for the causal mean: all sizes different and equal, one position, one text, a long one, zeros."""
    with_zeros = normal(rng, 2, 6, 4)
    with_zeros[:, 1] = 0
    return [
        CaseInput("all sizes different", [normal(rng, 3, 5, 4)], USUAL, gradients=True),
        CaseInput("more positions than features", [normal(rng, 2, 7, 3)], USUAL, gradients=True),
        CaseInput("equal sizes", [normal(rng, 5, 5, 5)], USUAL),
        CaseInput("one text", [normal(rng, 1, 6, 4)], USUAL),
        CaseInput("one feature", [normal(rng, 4, 6, 1)], USUAL),
        CaseInput("zeros at a position", [with_zeros], USUAL),
        CaseInput("a long text", [normal(rng, 2, 60, 3)]),
        CaseInput("one position", [normal(rng, 4, 1, 3)]),
    ]


def scales(rng: Rng, width: int) -> np.ndarray:
    """Return γ: numbers of both signs, none near 1 or 0."""
    return (rng.choice([-1, 1], width) * rng.choice([rng.uniform(0.4, 0.8), rng.uniform(1.3, 2)], width)).astype(
        np.float32
    )


def norm_cases(rng: Rng) -> list[CaseInput]:
    """Draw vectors for RMSNorm: two to four axes, one feature, a large ε, small numbers beside the usual one."""
    tiny = normal(rng, 3, 4, 5, scale=1e-3)
    tiny[1, 2] = 0
    shifted = normal(rng, 4, 3, 6) + np.float32(2)
    return [
        CaseInput("all sizes different", [normal(rng, 3, 5, 4), scales(rng, 4), 1e-6], USUAL, gradients=True),
        CaseInput("numbers whose mean is not 0", [shifted, scales(rng, 6), 1e-6], USUAL, gradients=True),
        CaseInput("equal sizes", [normal(rng, 5, 5, 5), scales(rng, 5), 1e-6], USUAL),
        CaseInput("large numbers", [normal(rng, 2, 3, 7, scale=300), scales(rng, 7), 1e-6], USUAL),
        CaseInput("two axes", [normal(rng, 6, 4), scales(rng, 4), 1e-6], AXES, gradients=True),
        CaseInput("four axes", [normal(rng, 2, 3, 4, 5), scales(rng, 5), 1e-6], AXES),
        CaseInput("one feature", [normal(rng, 3, 4, 1), scales(rng, 1), 1e-6], AXES),
        CaseInput("eps = 0.5", [normal(rng, 3, 4, 6), scales(rng, 6), 0.5], EPS, gradients=True),
        CaseInput("one text, eps = 0.4", [normal(rng, 1, 6, 4), scales(rng, 4), 0.4], EPS),
        CaseInput("small numbers, and only zeros at a position", [tiny, scales(rng, 5), 1e-6], EPS),
    ]


def gated(rng: Rng, shape: Sequence[int], inner: int, scale: float = 1.5) -> list:
    """Return x of a shape, W_1, W_gate and W_2."""
    width = shape[-1]
    ups = [normal(rng, inner, width, scale=each * width**-0.5) for each in (1.5, scale)]
    return [normal(rng, *shape), *ups, normal(rng, width, inner, scale=1.5 * inner**-0.5)]


def swiglu_cases(rng: Rng) -> list[CaseInput]:
    """Draw SwiGLU's arguments: two to four axes, wider inside and narrower, one unit, gates far from 0."""
    return [
        CaseInput("all sizes different", gated(rng, (3, 5, 4), 7), USUAL, gradients=True),
        CaseInput("narrower inside", gated(rng, (2, 4, 6), 3), USUAL, gradients=True),
        CaseInput("equal sizes", gated(rng, (5, 5, 5), 5), USUAL),
        CaseInput("one text, one unit inside", gated(rng, (1, 4, 2), 1), USUAL),
        CaseInput("two axes", gated(rng, (6, 4), 5), AXES, gradients=True),
        CaseInput("four axes", gated(rng, (2, 3, 4, 5), 6), AXES),
        CaseInput("gates in the hundreds", gated(rng, (3, 4, 5), 8, scale=200), GATES, gradients=True),
    ]


def rope_cases(rng: Rng) -> list[CaseInput]:
    """Draw vectors with two, three and four axes, positions from 0 and from anywhere, one pair and many."""
    base, usual = float(rng.choice([50, 200, 700])), 10_000.0
    # One pair turns by the position itself, which float32 holds exactly; other angles would be off by 0.1.
    distant = rng.permutation([5, 5_000, 40_000, 1_200_000]) + int(rng.integers(1, 90))
    return [
        CaseInput("positions from 0", [normal(rng, 3, 5, 8), np.arange(5), usual], NEAR, gradients=True),
        CaseInput("many positions from 0", [normal(rng, 1, 17, 6), np.arange(17), usual], NEAR),
        CaseInput("equal sizes", [normal(rng, 6, 6, 6), np.arange(6), usual], NEAR),
        CaseInput("position 0 alone", [normal(rng, 3, 1, 4), np.arange(1), usual], NEAR),
        CaseInput("positions from 17", [normal(rng, 2, 5, 6), 17 + np.arange(5), usual], ANYWHERE, gradients=True),
        CaseInput("positions with gaps", [normal(rng, 4, 7, 6), some_positions(rng, 7), base], ANYWHERE, [], True),
        CaseInput("the same position twice", [normal(rng, 3, 4, 10), np.array([9, 2, 9, 31]), base], ANYWHERE),
        CaseInput("one new position", [normal(rng, 3, 1, 8), some_positions(rng, 1), usual], ANYWHERE),
        CaseInput("positions in the hundreds", [normal(rng, 3, 4, 8), 520 + rng.permutation(200)[:4], usual], ANYWHERE),
        CaseInput("a single pair, positions up to a million", [normal(rng, 2, 4, 2), distant, usual], ANYWHERE),
        CaseInput("a single pair", [normal(rng, 3, 5, 2), some_positions(rng, 5), base], ANYWHERE),
        CaseInput("two axes", [normal(rng, 7, 4), some_positions(rng, 7), base], AXES),
        CaseInput("four axes", [normal(rng, 2, 3, 5, 8), some_positions(rng, 5), usual], AXES, gradients=True),
    ]


def left_padding(rng: Rng, batch: int, longest: int, least: int = 1) -> np.ndarray:
    """Return the mask (batch, longest) of texts padded on the left, each at least so long, one of them whole."""
    while True:
        mask = padding(rng, batch, longest)[:, ::-1].copy()
        mask[:, longest - least :] = True
        if not mask.all():
            return mask


def grouped(
    rng: Rng, sizes: Sequence[int], name: str, group: str, mask: np.ndarray | None = None, gradients: bool = False
) -> CaseInput:
    """Return a case for sizes B, heads, kv_heads, T, S, head_dim, and value_dim where it is another.

    A query that may see nothing is not compared.
    """
    B, H, KV, T, S, width, *other = sizes
    query, key = normal(rng, B, H, T, width), normal(rng, B, KV, S, width)
    arguments = [query, key, normal(rng, B, KV, S, *(other or [width])), mask]
    causal = np.tril(np.ones((T, S), bool), S - T)
    sees = np.asarray((causal if mask is None else causal & mask[:, None]).any(axis=-1))  # (T,), or (B, T)
    features = [GROUPS] * (1 < KV < H) + [PADDING] * (mask is not None) + [LARGE] * (group == FAR)
    compared = np.broadcast_to(sees if mask is None else sees[:, None], (B, H, T))
    return CaseInput(name, arguments, group, features, gradients, compared=None if compared.all() else compared)


def far(rng: Rng, sizes: Sequence[int], mask: np.ndarray) -> CaseInput:
    """Return a case whose scores lie around -120, and far above at padding and in the future."""
    drawn = grouped(rng, sizes, "scores around -120, padding and future higher", FAR, mask)
    query, key, *_ = drawn.arguments
    width, (T, S) = query.shape[-1], (query.shape[2], key.shape[2])
    query[..., 0], key[..., 0] = width**0.5, np.where(mask[:, None], -120, -60)
    query[..., 1], key[..., 1] = np.arange(T) / T * width**0.5, 3 * np.arange(S)
    return drawn


def below_fills(rng: Rng, sizes: Sequence[int], mask: np.ndarray) -> CaseInput:
    """Return a case with scores as `far_below` has them, lower in the future and at padding."""
    drawn = grouped(rng, sizes, LOW, FAR, mask)
    query, key, *_ = drawn.arguments
    query[..., 0], key[..., 0] = query.shape[-1] ** 0.5, far_below(mask)[:, None]
    return drawn


def grouped_cases(rng: Rng) -> list[CaseInput]:
    """Draw grouped-query attention: one key–value head to all, with a cache and without, padding on both sides."""
    left = "padding on the left"
    return [
        grouped(rng, (3, 6, 2, 5, 5, 4), "two groups of three", NO_MASK, gradients=True),
        grouped(rng, (2, 6, 3, 4, 4, 5), "three groups of two", NO_MASK),
        grouped(rng, (4, 4, 2, 4, 4, 4), "equal sizes", NO_MASK),
        grouped(rng, (3, 4, 2, 1, 1, 6), "one position", NO_MASK),
        grouped(rng, (2, 6, 3, 3, 7, 4), "the newest three of seven", CACHE, gradients=True),
        grouped(rng, (3, 4, 2, 1, 6, 5), "the newest alone", CACHE),
        grouped(rng, (1, 8, 2, 2, 5, 3), "one text", CACHE),
        grouped(rng, (3, 5, 1, 4, 4, 6), "one key–value head", ONE_KV, gradients=True),
        grouped(rng, (2, 3, 1, 2, 6, 4), "one key–value head, with a cache", ONE_KV),
        grouped(rng, (3, 4, 4, 5, 5, 2), "heads = kv_heads", ALL_KV),
        grouped(rng, (4, 6, 2, 6, 6, 4), "padding on the left", MASKED, left_padding(rng, 4, 6)),
        grouped(rng, (4, 6, 3, 3, 7, 4), "padding on the left, a cache", MASKED, left_padding(rng, 4, 7, 3), True),
        grouped(rng, (3, 4, 2, 1, 6, 5), "the newest alone, padding on the left", MASKED, left_padding(rng, 3, 6)),
        grouped(rng, (6, 4, 2, 3, 6, 5), f"as many texts as keys, {left}", MASKED, left_padding(rng, 6, 6, 3)),
        grouped(rng, (3, 4, 2, 5, 5, 4), "padding on the right", MASKED, padding(rng, 3, 5), gradients=True),
        grouped(rng, (3, 4, 4, 5, 5, 3), "padding, heads = kv_heads", MASKED, padding(rng, 3, 5)),
        grouped(rng, (3, 4, 2, 3, 6, 5), "padding anywhere", MASKED, gaps(rng, 3, 6)),
        far(rng, (3, 4, 2, 4, 6, 5), left_padding(rng, 3, 6, 4)),
        below_fills(rng, (3, 4, 2, 4, 6, 5), left_padding(rng, 3, 6, 4)),
        grouped(rng, (2, 6, 2, 4, 4, 5, 3), "values narrower than keys", NO_MASK, gradients=True),
    ]


def step_params(rng: Rng, d: int, heads: int, kv_heads: int, width: int) -> dict[str, np.ndarray]:
    """Return the matrices of grouped-query attention, whose heads together may be wider than the model."""
    rows = {"W_q": heads * width, "W_k": kv_heads * width, "W_v": kv_heads * width}
    params = {name: normal(rng, count, d, scale=1.5 * d**-0.5) for name, count in rows.items()}
    return params | {"W_o": normal(rng, d, heads * width, scale=(heads * width) ** -0.5)}


def step(
    rng: Rng, sizes: Sequence[int], name: str, group: str, mask: np.ndarray | None = None, gradients: bool = False
) -> CaseInput:
    """Return a case for sizes B, d, heads, kv_heads, head_dim, past."""
    B, d, heads, kv_heads, width, past = sizes
    cache = normal(rng, 2, B, kv_heads, past, width)
    if group == FAR:
        cache[0] *= 60
    features = [GROUPS] * (1 < kv_heads < heads) + [PADDING] * (mask is not None) + [LARGE] * (group == FAR)
    arguments = [normal(rng, B, d), cache, step_params(rng, d, heads, kv_heads, width), mask]
    return CaseInput(name, arguments, group, features, gradients)


def step_below_fills(rng: Rng, sizes: Sequence[int], mask: np.ndarray) -> CaseInput:
    """Return a step with scores as `far_below` has them; that of the newest key is the lowest.

    The heads of a group ask alike, and keys point away from what they ask.
    """
    _, _, heads, kv_heads, width, past = sizes
    drawn = step(rng, sizes, LOW, FAR, mask)
    x, cache, params, _ = drawn.arguments
    one = params["W_q"][: kv_heads * width].reshape(kv_heads, width, -1)
    queries = np.einsum("kwd,bd->bkw", one, x)
    length = np.sqrt((queries**2).sum(axis=-1, keepdims=True))
    params["W_q"] = np.repeat(one, heads // kv_heads, axis=0).reshape(heads * width, -1)
    params["W_k"] = (-300_000 * width**0.5 / length.min() ** 2 * one).reshape(kv_heads * width, -1)
    turned = rope(torch.tensor(queries[:, :, None] / length[:, :, None]), torch.tensor([past])).numpy()
    cache[0] = turned * (far_below(mask)[:, None, :past, None] * width**0.5 / length[..., None])
    return drawn


def step_cases(rng: Rng) -> list[CaseInput]:
    """Draw steps: with a cache and with an empty one, any number of key–value heads, padding on the left."""
    left = "padding on the left"
    return [
        step(rng, (3, 7, 4, 2, 6, 5), "all sizes different", PAST, gradients=True),
        step(rng, (2, 9, 6, 3, 4, 8), "heads wider than the model", PAST, gradients=True),
        step(rng, (3, 24, 6, 2, 4, 4), "heads as wide as the model", PAST),
        step(rng, (4, 4, 4, 2, 4, 4), "equal sizes", PAST),
        step(rng, (3, 8, 4, 2, 2, 1), "one position in the cache", PAST),
        step(rng, (1, 8, 4, 2, 4, 30), "one text, thirty positions", PAST),
        step(rng, (3, 8, 4, 2, 4, 0), "an empty cache", FIRST),
        step(rng, (3, 6, 3, 1, 2, 6), "one key–value head", SPECIAL),
        step(rng, (2, 8, 4, 4, 2, 5), "heads = kv_heads", SPECIAL),
        step(rng, (4, 6, 4, 2, 4, 5), "padding on the left", MASKED, left_padding(rng, 4, 6, 2), True),
        step(rng, (6, 8, 4, 2, 4, 5), f"as many texts as positions, {left}", MASKED, left_padding(rng, 6, 6)),
        step(rng, (3, 8, 6, 2, 2, 7), "more padding on the left", MASKED, left_padding(rng, 3, 8)),
        step(rng, (3, 8, 4, 2, 4, 5), "scores far from 0", FAR),
        step_below_fills(rng, (3, 8, 4, 2, 4, 5), left_padding(rng, 3, 6, 3)),
    ]


MEAN = Check(
    causal_mean,
    ("mean",),
    mean_cases,
    points={USUAL: 2, "a long text": 1, "one position": 1},
    also=EASY,
)

NORM = Check(
    rms_norm,
    ("output",),
    norm_cases,
    points={USUAL: 2, AXES: 1, EPS: 1},
    also=EASY,
)

SWIGLU = Check(
    swiglu,
    ("output",),
    swiglu_cases,
    points={USUAL: 2, AXES: 1, GATES: 1},
    also=EASY,
)

ROPE = Check(
    rope,
    ("turned",),
    rope_cases,
    points={NEAR: 3, ANYWHERE: 4, AXES: 2},
    shape="the shape",
)

GROUPED = Check(
    grouped_query_attention,
    ("context", "weights"),
    grouped_cases,
    points={
        "the weights": Points(2, NO_MASK, part="weights"),
        "the context": Points(1, NO_MASK, part="context"),
        CACHE: 2,
        MASKED: 2,
        ONE_KV: 1,
        ALL_KV: 1,
        FAR: 1,
    },
    exact=("weights",),
)

STEP = Check(
    cached_step,
    ("out", "cache"),
    step_cases,
    points={
        "out": Points(2, PAST, part="out"),
        "the cache": Points(2, PAST, part="cache"),
        FIRST: 1,
        MASKED: 2,
        SPECIAL: 1,
        FAR: 1,
    },
    may_call=("rope", "grouped_query_attention"),
)
