"""Random arguments for the checks of the Transformer's functions: sentences, parameters, masks, logits, steps."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autograder.checks import MASKED, NO_MASK, CaseInput
from autograder.checks.random_inputs import Rng, gaps, lengths, normal, padding
from autograder.kit.cases import EXACT

PADDING, MASK, HEADS, LARGE = "padding", "a mask", "more than one head", "a score far from 0"
ANYWHERE = "padding before a word"
USUAL, SPECIAL = "usual sentences", "sentences with something special"  # groups of cases
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


def far_scores(rng: Rng, mask: np.ndarray, d: int, h: int) -> list:
    """Return arguments whose scores lie around -120, and around -80 where the mask is False, in every head.

    One feature of each head is 1 for every query; the keys' first feature is what meets it.
    """
    B, T, S = mask.shape
    query, key, value, params, *rest = heads_arguments(rng, (B, T, S, d, h), mask)
    key[..., 0] = np.where(mask[:, 0], -120, -80)
    params["W_k"][:, 0] = 0
    for first in range(0, d, d // h):
        params["W_q"][first], params["b_q"][first] = 0, 1
        params["W_k"][first], params["b_k"][first] = 0, 0
        params["W_k"][first, 0] = (d // h) ** 0.5
    return [query, key, value, params, *rest]


def causal(T: int) -> np.ndarray:
    return np.tril(np.ones((T, T), dtype=bool))


def heads_cases(rng: Rng) -> list[CaseInput]:
    """Draw multi-head attention: masks of every shape, one head, one sentence, one position, equal sizes."""
    square = gaps(rng, 5, 5, 5)
    far = np.repeat(padding(rng, 4, 5)[:, None], 3, axis=1)
    return [
        CaseInput(
            "padded keys",
            heads_arguments(rng, (4, 5, 7, 6, 2), padding(rng, 4, 7)[:, None]),
            MASKED,
            [MASK, HEADS],
            gradients=True,
        ),
        CaseInput("no mask", heads_arguments(rng, (2, 5, 3, 8, 4), None), NO_MASK, [HEADS], gradients=True),
        CaseInput(
            "a mask for each query", heads_arguments(rng, (3, 4, 5, 6, 2), gaps(rng, 3, 4, 5)), MASKED, [MASK, HEADS]
        ),
        CaseInput("one mask for all", heads_arguments(rng, (2, 4, 4, 9, 3), causal(4)), MASKED, [MASK, HEADS]),
        CaseInput("equal sizes", heads_arguments(rng, (5, 5, 5, 10, 5), square), MASKED, [MASK, HEADS]),
        CaseInput("one head", heads_arguments(rng, (3, 4, 6, 5, 1), padding(rng, 3, 6)[:, None]), features=[MASK]),
        CaseInput(
            "one sentence, one query", heads_arguments(rng, (1, 1, 4, 6, 2), gaps(rng, 1, 1, 4)), MASKED, [MASK, HEADS]
        ),
        CaseInput("scores far from 0", far_scores(rng, far, 6, 2), features=[MASK, HEADS, LARGE]),
        CaseInput(
            "one mask for all, a head for each query",
            heads_arguments(rng, (2, 4, 5, 8, 4), gaps(rng, 4, 5)),
            MASKED,
            [MASK, HEADS],
        ),
    ]


def position_cases(rng: Rng) -> list[CaseInput]:
    """Draw sentences for the positional encoding: even and odd widths, long ones, one position, one feature."""
    odd = "an odd number of features"
    with_zeros = normal(rng, 6, 6, 6)
    with_zeros[1, 2:] = 0  # not padding: every word gets its position
    return [
        CaseInput("all sizes different", [normal(rng, 3, 5, 8)], "even widths", gradients=True),
        CaseInput("an odd width", [normal(rng, 4, 6, 7)], "odd widths", [odd], gradients=True),
        CaseInput("equal sizes", [with_zeros], "even widths"),
        CaseInput("a long sentence", [normal(rng, 2, 300, 4)]),
        CaseInput("one sentence", [normal(rng, 1, 4, 10)], "even widths"),
        CaseInput("one position", [normal(rng, 3, 1, 5)], "odd widths", [odd]),
        CaseInput("one feature", [normal(rng, 2, 4, 1)], "odd widths", [odd]),
    ]


def tokens(rng: Rng, batch: int, longest: int, pad: int, vocabulary: int) -> np.ndarray:
    """Return sentences padded at their end: numbers below and above pad's, and pad's own nowhere else."""
    words = rng.choice([word for word in range(vocabulary) if word != pad], size=(batch, longest))
    below, above = rng.integers(0, pad) if pad else 1, rng.integers(pad + 1, vocabulary)
    words[:, 0] = np.where(np.arange(batch) % 2, below, above)
    return np.where(np.arange(longest) < lengths(rng, batch, longest)[:, None], words, pad)


def scattered(rng: Rng, sentences: np.ndarray) -> np.ndarray:
    """Return the sentences with padding between their words, and the first one with padding before them all."""
    return np.concatenate([sentences[:1, ::-1], rng.permuted(sentences[1:], axis=1)])


def mask_arguments(rng: Rng, sizes: Sequence[int], pad: int) -> list:
    """Return source, target and pad for sizes B, S, T."""
    B, S, T = sizes
    return [tokens(rng, B, S, pad, 9), tokens(rng, B, T, pad, 9), pad]


def mask_cases(rng: Rng) -> list[CaseInput]:
    """Draw sentences to be masked: other numbers for pad, padding anywhere and nowhere, equal sizes, one position."""
    full = [rng.integers(4, 9, size=(2, 4)), rng.integers(4, 9, size=(2, 3)), 3]
    source, target, pad = mask_arguments(rng, (5, 4, 7), int(rng.integers(4, 8)))
    return [
        CaseInput("padded sentences", mask_arguments(rng, (4, 6, 5), 3), USUAL, [PADDING]),
        CaseInput(
            "padding anywhere", [scattered(rng, source), scattered(rng, target), pad], SPECIAL, [PADDING, ANYWHERE]
        ),
        CaseInput("equal sizes", mask_arguments(rng, (5, 5, 5), 2), USUAL, [PADDING]),
        CaseInput("pad is 0", mask_arguments(rng, (4, 6, 5), 0), features=[PADDING]),
        CaseInput("no padding", full, SPECIAL),
        CaseInput("one sentence", mask_arguments(rng, (1, 5, 6), 4), USUAL, [PADDING]),
        CaseInput("one target position", [tokens(rng, 3, 4, 5, 9), rng.integers(0, 5, size=(3, 1)), 5], SPECIAL),
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
    features = [word for word, there in ((PADDING, mask is not None), (HEADS, h > 1)) if there]
    return CaseInput(name, arguments, features=features, compared=mask, **more)


def encoder_cases(rng: Rng) -> list[CaseInput]:
    """Draw encoder layers: with and without a mask, a large ε, one head, equal sizes, one position."""
    return [
        encoder_case(rng, "padded sentences", (4, 5, 6, 2, 7), padding(rng, 4, 5), group="with a mask", gradients=True),
        encoder_case(rng, "no mask", (3, 4, 8, 4, 5), None, group="without a mask", gradients=True),
        encoder_case(rng, "eps = 0.5", (3, 5, 4, 2, 6), gaps(rng, 3, 5), 0.5),
        encoder_case(rng, "one head", (2, 4, 6, 1, 5), gaps(rng, 2, 4)),
        encoder_case(rng, "equal sizes", (5, 5, 10, 5, 10), gaps(rng, 5, 5), group="with a mask"),
        encoder_case(rng, "one sentence, one position", (1, 1, 6, 2, 4), None, group="without a mask"),
    ]


def decoder_case(rng: Rng, name: str, sizes: Sequence[int], masks: Sequence, eps: float = TINY, **more) -> CaseInput:
    """Return a case of the decoder layer for sizes B, T, S, d, h, f."""
    B, T, S, d, h, f = sizes
    states, params = [normal(rng, B, T, d), normal(rng, B, S, d)], layer_params(rng, d, f, 3)
    if h == 1:
        params["b_1"][0] += 12  # a ReLU has no upper end: above 6 on every draw
    features = [word for word, there in ((MASK, masks[1] is not None), (HEADS, h > 1)) if there]
    return CaseInput(name, [*states, params, h, *masks, eps], features=features, **more)


def decoder_masks(rng: Rng, B: int, T: int, S: int) -> list[np.ndarray]:
    """Return the masks of a decoder: causal and key padding, and the source's padding."""
    return [causal(T) & padding(rng, B, T)[:, None], padding(rng, B, S)[:, None]]


def decoder_cases(rng: Rng) -> list[CaseInput]:
    """Draw decoder layers: with and without masks, a large ε, one head, equal sizes, one position."""
    with_gaps = [causal(4) & (gaps(rng, 2, 4, 4) | np.eye(4, dtype=bool)), gaps(rng, 2, 1, 5)]
    return [
        decoder_case(
            rng, "padded sentences", (4, 3, 5, 6, 2, 7), decoder_masks(rng, 4, 3, 5), group="with masks", gradients=True
        ),
        decoder_case(rng, "no masks", (3, 5, 4, 8, 4, 6), [None, None], group="without masks", gradients=True),
        decoder_case(rng, "eps = 0.5", (2, 4, 5, 4, 2, 6), with_gaps, 0.5),
        decoder_case(rng, "one head", (2, 3, 4, 6, 1, 5), decoder_masks(rng, 2, 3, 4)),
        decoder_case(rng, "equal sizes", (5, 5, 5, 10, 5, 10), decoder_masks(rng, 5, 5, 5), group="with masks"),
        decoder_case(rng, "one sentence, one position", (1, 1, 4, 6, 2, 5), [None, None], group="without masks"),
    ]


def loss_arguments(rng: Rng, sizes: Sequence[int], epsilon: float, pad: int, shift: float = 0.0) -> list:
    """Return logits, targets, ε and pad for sizes B, T, V; some targets are number 0, which is not padding."""
    B, T, V = sizes
    target = tokens(rng, B, T, pad, V)
    target[:, 0] = np.where(np.arange(B) % 2 == 0, 0 if pad else 1, target[:, 0])
    return [normal(rng, B, T, V, scale=2.0) + np.float32(shift), target, epsilon, pad]


def loss_cases(rng: Rng) -> list[CaseInput]:
    """Draw logits and targets: ε of several sizes and none, large logits, equal sizes, one target."""
    whole = loss_arguments(rng, (2, 3, 5), 0.2, 3)
    whole[1] = rng.integers(0, 3, size=(2, 3))
    anywhere = loss_arguments(rng, (5, 5, 5), 0.3, 2)
    anywhere[1] = scattered(rng, anywhere[1])
    large = loss_arguments(rng, (3, 4, 5), 0.1, 3, 800.0)
    large[0][..., 1] -= 150  # softmax gives it 0 in float32, log_softmax does not
    return [
        CaseInput("padded targets", loss_arguments(rng, (3, 4, 6), 0.1, 2), "with padding", [PADDING], gradients=True),
        CaseInput(
            "a larger epsilon", loss_arguments(rng, (4, 5, 7), 0.4, 3), "with padding", [PADDING], gradients=True
        ),
        CaseInput("no padding", whole, "without padding"),
        CaseInput("epsilon = 0", loss_arguments(rng, (3, 5, 4), 0.0, 1), features=[PADDING]),
        CaseInput("padding anywhere", anywhere, features=[PADDING, ANYWHERE]),
        CaseInput("logits of 650 and 800", large, "large logits", [PADDING, "a large logit"]),
        CaseInput("one target", [normal(rng, 1, 1, 5), np.array([[2]]), 0.1, 4], "without padding"),
    ]


def rate_cases(rng: Rng) -> list[CaseInput]:
    """Draw steps before, at and after the end of the warm-up; the factor makes rates of about 1."""

    def arguments(step_of: float, more: int = 0, part: float = 0) -> list:
        d_model, warmup = int(rng.choice([6, 10, 24, 40])), int(rng.integers(20, 60)) + part
        factor = float(np.round(rng.uniform(1.5, 3) * (d_model * warmup) ** 0.5, 2))
        return [max(1, int(step_of * warmup) + more), d_model, warmup, factor]

    early, late = "a step of the warm-up", "a step after the warm-up"
    drawn = [
        CaseInput("a step of the warm-up", arguments(0.6, part=0.5), "while it rises", [early]),
        CaseInput("a step after the warm-up", arguments(5.3), "while it falls", [late]),
        CaseInput("the first step", arguments(0), "while it rises", [early]),
        CaseInput(
            "the paper's numbers", [int(rng.integers(200, 450)), 512, 4000, 1.0], "while it rises", [early]
        ),  # a rate below 1e-4
        CaseInput("one step before the last of the warm-up", arguments(1, more=-1), "where it turns", [early]),
        CaseInput("the last step of the warm-up", arguments(1), "where it turns"),
        CaseInput("the step after the warm-up", arguments(1, more=1), "where it turns", [late]),
        CaseInput("a late step", arguments(30), "while it falls", [late]),
    ]
    return [replace(one, tolerance=EXACT) for one in drawn]
