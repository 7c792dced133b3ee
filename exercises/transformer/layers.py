"""Multi-head attention and the layers around it: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, LARGE, LOW, MASKED, NO_MASK, PADDING, CaseInput, Check, by_mask
from autograder.checks.random_inputs import Rng, far_below, gaps, normal, padding
from solutions.transformer.attention import decoder_layer, encoder_layer, multi_head_attention, pre_norm_stack

MASK, HEADS = "a mask", "more than one head"
ANYWHERE = "padding before a word"
MASKS, NO_MASKS = "with masks", "without masks"  # groups of cases
TINY = 1e-5  # LayerNorm's usual ε


def attention_params(rng: Rng, d: int, end: str = "") -> dict[str, np.ndarray]:
    """Return the matrices of multi-head attention, and biases that nobody can overlook."""
    names = "qkvo"
    matrices = {f"W_{name}{end}": normal(rng, d, d, scale=d**-0.5) for name in names}
    return matrices | {f"b_{name}{end}": normal(rng, d, scale=0.5) for name in names}


def layer_params(rng: Rng, d: int, f: int, norms: int) -> dict[str, np.ndarray]:
    """Return the parameters of a layer: no norm is the identity, no bias is 0. A decoder layer has three norms."""
    params = attention_params(rng, d) | (attention_params(rng, d, "_cross") if norms > 2 else {})
    params |= {"W_1": normal(rng, f, d, scale=d**-0.5), "b_1": normal(rng, f, scale=0.5)}
    params |= {"W_2": normal(rng, d, f, scale=f**-0.5), "b_2": normal(rng, d, scale=0.5)}
    for i in range(1, norms + 1):
        sign = rng.choice([-1, 1], size=d)
        params |= {f"gamma_{i}": (sign * rng.uniform(0.5, 1.5, d)).astype(np.float32), f"beta_{i}": normal(rng, d)}
    return params


def heads_arguments(rng: Rng, sizes: Sequence[int], mask: np.ndarray | None) -> list:
    """Return query, key, value, parameters, heads and the mask for sizes B, T, S, d, h."""
    B, T, S, d, h = sizes
    inputs = [normal(rng, B, T, d), normal(rng, B, S, d), normal(rng, B, S, d)]
    return [*inputs, attention_params(rng, d), h, mask]


def far_scores(rng: Rng, mask: np.ndarray, d: int, h: int, scores: np.ndarray) -> list:
    """Return arguments whose scores are moved by these numbers (B, S), in every head."""
    B, T, S = mask.shape
    query, key, value, params, *rest = heads_arguments(rng, (B, T, S, d, h), mask)
    key[..., 0] = scores
    hear_first_feature(params, h, 1)
    return [query, key, value, params, *rest]


def hear_first_feature(params: dict[str, np.ndarray], h: int, weight: float, end: str = "") -> None:
    """Let the keys' first feature, times this weight, be a part of all scores of every head, and of nothing else."""
    d = len(params[f"W_q{end}"])
    params[f"W_k{end}"][:, 0] = 0
    for first in range(0, d, d // h):
        params[f"W_q{end}"][first], params[f"b_q{end}"][first] = 0, 1
        params[f"W_k{end}"][first], params[f"b_k{end}"][first] = 0, 0
        params[f"W_k{end}"][first, 0] = weight * (d // h) ** 0.5


def causal(T: int) -> np.ndarray:
    return np.tril(np.ones((T, T), dtype=bool))


def heads_case(
    rng: Rng, name: str, sizes: Sequence[int], mask: np.ndarray | None, group: str = "", **more
) -> CaseInput:
    """Return a case for sizes B, T, S, d, h."""
    features = [MASK] * (mask is not None) + [HEADS] * (sizes[-1] > 1)
    return CaseInput(name, heads_arguments(rng, sizes, mask), group, features, **more)


def heads_cases(rng: Rng) -> list[CaseInput]:
    """Draw multi-head attention: masks of every shape, one head, one sentence, one position, equal sizes."""
    square = gaps(rng, 5, 5, 5)
    far = np.repeat(padding(rng, 4, 5)[:, None], 3, axis=1)
    low = np.repeat(padding(rng, 3, 6)[:, None], 2, axis=1)
    higher, special = np.where(far[:, 0], -120, -80), [MASK, HEADS, LARGE]
    return [
        heads_case(rng, "padded keys", (4, 5, 7, 6, 2), padding(rng, 4, 7)[:, None], MASKED, gradients=True),
        heads_case(rng, "no mask", (2, 5, 3, 8, 4), None, NO_MASK, gradients=True),
        heads_case(rng, "a mask for each query", (3, 4, 5, 6, 2), gaps(rng, 3, 4, 5), MASKED),
        heads_case(rng, "one mask for all", (2, 4, 4, 9, 3), causal(4), MASKED),
        heads_case(rng, "equal sizes", (5, 5, 5, 10, 5), square, MASKED),
        heads_case(rng, "one head", (3, 4, 6, 5, 1), padding(rng, 3, 6)[:, None]),
        heads_case(rng, "one sentence, one query", (1, 1, 4, 6, 2), gaps(rng, 1, 1, 4), MASKED),
        CaseInput("scores far from 0", far_scores(rng, far, 6, 2, higher), FAR, special),
        heads_case(rng, "one mask for all, a head for each query", (2, 4, 5, 8, 4), gaps(rng, 4, 5), MASKED),
        CaseInput(LOW, far_scores(rng, low, 9, 3, far_below(low[:, 0])), FAR, special),
    ]


def encoder_case(
    rng: Rng, name: str, sizes: Sequence[int], mask: np.ndarray | None, eps: float = TINY, **more
) -> CaseInput:
    """Return a case of the encoder layer for sizes B, S, d, h, f; what comes out at padding is not compared."""
    B, S, d, h, f = sizes
    params = layer_params(rng, d, f, 2)
    if h == 1:
        params["b_1"][0] += 12  # a ReLU has no upper end: above 6 on every draw
    arguments = [normal(rng, B, S, d), params, h, mask, eps]
    features = [PADDING] * (mask is not None) + [HEADS] * (h > 1)
    return CaseInput(name, arguments, features=features, compared=mask, **more)


def encoder_below_fills(rng: Rng, mask: np.ndarray) -> CaseInput:
    """Return a case of the encoder layer with scores as `far_below` has them."""
    drawn = encoder_case(rng, LOW, (*mask.shape, 6, 2, 7), mask, group=MASKED)
    x, params, *_ = drawn.arguments
    x[..., 0] = far_below(mask) / -200_000
    hear_first_feature(params, 2, -200_000)
    return drawn


def encoder_cases(rng: Rng) -> list[CaseInput]:
    """Draw encoder layers: with and without a mask, a large ε, one head, equal sizes, one position."""
    return [
        encoder_case(rng, "padded sentences", (4, 5, 6, 2, 7), padding(rng, 4, 5), group=MASKED, gradients=True),
        encoder_case(rng, "no mask", (3, 4, 8, 4, 5), None, group=NO_MASK, gradients=True),
        encoder_case(rng, "eps = 0.5", (3, 5, 4, 2, 6), gaps(rng, 3, 5), 0.5),
        encoder_case(rng, "one head", (2, 4, 6, 1, 5), gaps(rng, 2, 4)),
        encoder_case(rng, "equal sizes", (5, 5, 10, 5, 10), gaps(rng, 5, 5), group=MASKED),
        encoder_case(rng, "one sentence, one position", (1, 1, 6, 2, 4), None, group=NO_MASK),
        encoder_below_fills(rng, padding(rng, 3, 7)),
    ]


def decoder_case(rng: Rng, name: str, sizes: Sequence[int], masks: Sequence, eps: float = TINY, **more) -> CaseInput:
    """Return a case of the decoder layer for sizes B, T, S, d, h, f."""
    B, T, S, d, h, f = sizes
    states, params = [normal(rng, B, T, d), normal(rng, B, S, d)], layer_params(rng, d, f, 3)
    if h == 1:
        params["b_1"][0] += 12  # a ReLU has no upper end: above 6 on every draw
    features = [MASK] * (masks[1] is not None) + [HEADS] * (h > 1)
    return CaseInput(name, [*states, params, h, *masks, eps], features=features, **more)


def decoder_masks(rng: Rng, B: int, T: int, S: int) -> list[np.ndarray]:
    """Return the masks of a decoder: causal and key padding, and the source's padding."""
    return [causal(T) & padding(rng, B, T)[:, None], padding(rng, B, S)[:, None]]


def decoder_below_fills(rng: Rng, masks: Sequence[np.ndarray]) -> CaseInput:
    """Return a case of the decoder layer with scores as `far_below` has them, in both attentions."""
    (B, T, _), S = masks[0].shape, masks[1].shape[-1]
    drawn = decoder_case(rng, LOW, (B, T, S, 6, 2, 7), masks, group=MASKS)
    states, memory, params, *_ = drawn.arguments
    for given, mask, end in ((states, masks[0][:, -1], ""), (memory, masks[1][:, 0], "_cross")):
        given[..., 0] = far_below(mask) / -200_000
        hear_first_feature(params, 2, -200_000, end)
    return drawn


def decoder_cases(rng: Rng) -> list[CaseInput]:
    """Draw decoder layers: with and without masks, a large ε, one head, equal sizes, one position."""
    with_gaps = [causal(4) & (gaps(rng, 2, 4, 4) | np.eye(4, dtype=bool)), gaps(rng, 2, 1, 5)]
    return [
        decoder_case(
            rng, "padded sentences", (4, 3, 5, 6, 2, 7), decoder_masks(rng, 4, 3, 5), group=MASKS, gradients=True
        ),
        decoder_case(rng, "no masks", (3, 5, 4, 8, 4, 6), [None, None], group=NO_MASKS, gradients=True),
        decoder_case(rng, "eps = 0.5", (2, 4, 5, 4, 2, 6), with_gaps, 0.5),
        decoder_case(rng, "one head", (2, 3, 4, 6, 1, 5), decoder_masks(rng, 2, 3, 4)),
        decoder_case(rng, "equal sizes", (5, 5, 5, 10, 5, 10), decoder_masks(rng, 5, 5, 5), group=MASKS),
        decoder_case(rng, "one sentence, one position", (1, 1, 4, 6, 2, 5), [None, None], group=NO_MASKS),
        decoder_below_fills(rng, decoder_masks(rng, 3, 5, 6)),
    ]


ATTENTION = Check(
    multi_head_attention,
    ("out", "weights"),
    heads_cases,
    points={
        **by_mask(("the weights", "weights", 2, 2), ("out", "out", 2, 2)),
        "one head": 1,
        FAR: 1,
    },
    exact=("weights",),
)

ENCODER = Check(
    encoder_layer,
    ("output",),
    encoder_cases,
    points={NO_MASK: 3, MASKED: 3, "one head": 1, "eps = 0.5": 1},
    shape="the shape",
    may_call=("multi_head_attention",),
)

DECODER = Check(
    decoder_layer,
    ("output",),
    decoder_cases,
    points={NO_MASKS: 3, MASKS: 3, "one head": 1, "eps = 0.5": 1},
    shape="the shape",
    may_call=("multi_head_attention", "encoder_layer"),
)

LAYERS, DEPTH = "several layers", "more than one layer"


def stack_case(
    rng: Rng, name: str, sizes: Sequence[int], mask: np.ndarray | None, eps: float = TINY, **more
) -> CaseInput:
    """Return a case of the stack for sizes L, B, S, d, h, f; what comes out at padding is not compared."""
    L, B, S, d, h, f = sizes
    layers = [layer_params(rng, d, f, 2) for _ in range(L)]
    params = {key: np.stack([layer[key] for layer in layers]) for key in layers[0]}
    sign = rng.choice([-1, 1], size=d)
    gamma, beta = (sign * rng.uniform(0.5, 1.5, d)).astype(np.float32), normal(rng, d)
    features = [PADDING] * (mask is not None) + [HEADS] * (h > 1) + [DEPTH] * (L > 1)
    arguments = [normal(rng, B, S, d, scale=2.0) + np.float32(0.5), params, gamma, beta, h, mask, eps]
    return CaseInput(name, arguments, features=features, compared=mask, **more)


def stack_cases(rng: Rng) -> list[CaseInput]:
    """Draw stacks of one, two and three layers: with and without a mask, a large ε, equal sizes, one position."""
    return [
        stack_case(rng, "one layer", (1, 3, 4, 6, 2, 7), None, gradients=True),
        stack_case(rng, "two layers", (2, 3, 5, 8, 4, 6), None, group=NO_MASK, gradients=True),
        stack_case(rng, "three layers", (3, 2, 4, 6, 3, 5), None, group=NO_MASK),
        stack_case(rng, "padded sentences", (2, 4, 5, 6, 2, 7), padding(rng, 4, 5), group=MASKED, gradients=True),
        stack_case(rng, "a mask with holes", (3, 3, 6, 4, 2, 5), gaps(rng, 3, 6), group=MASKED),
        stack_case(rng, "equal sizes", (2, 5, 5, 5, 5, 5), gaps(rng, 5, 5), group=MASKED),
        stack_case(rng, "eps = 0.5", (2, 3, 5, 4, 2, 6), gaps(rng, 3, 5), 0.5),
        stack_case(rng, "one head", (2, 2, 4, 6, 1, 5), gaps(rng, 2, 4), group=MASKED),
        stack_case(rng, "one sentence, one position", (2, 1, 1, 6, 2, 4), None, group=NO_MASK),
    ]


STACK = Check(
    pre_norm_stack,
    ("output",),
    stack_cases,
    points={"one layer": 1, NO_MASK: 2, MASKED: 2, "eps = 0.5": 1},
    shape="the shape",
    may_call=("multi_head_attention",),
    stars=1,
)
