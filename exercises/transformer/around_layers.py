"""Positions, masks, the smoothed loss, the rate, and decoding with a cache: cases and checks."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autograder.checks import DIFFERENTIABLE, FAR, REPEAT, SHAPE, UNCHANGED, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, lengths, normal
from autograder.kit.known.table_models import CachedSteps, state_after
from autograder.kit.verdict.cases import EXACT
from exercises.transformer import adapters
from exercises.transformer.layers import ANYWHERE, HEADS, LARGE, PADDING, attention_params
from solutions.transformer.attention import (
    cached_heads,
    greedy_cached,
    label_smoothed_loss,
    make_masks,
    noam_rate,
    positional_encoding,
)

ENDS, LIMIT = "translations that end", "max_len"  # groups of cases
PAST, FIRST = "a cache with positions in it", "the first step"
COUNT = 101  # states of a model: so many that a translation meets none of them twice, or is drawn again


def model(rng: Rng, length: int | None, sizes: tuple[int, int], shift: float = 0.0, ends: Sequence[int] = ()) -> list:
    """Return state, table, bos, eos and max_len of a model that says so many tokens, eos included; None: without end.

    `sizes` are those of the vocabulary and max_len, `ends` bos and eos, by default drawn. If there is room, the model
    says bos, which ends nothing, and then twice a small number, 0 unless that is bos or eos.
    """
    vocabulary, max_len = sizes
    while True:
        bos, eos = ends or [int(token) for token in rng.choice(vocabulary, size=2, replace=False)]
        word = min({0, 1, 2} - {bos, eos})
        start, table = int(rng.integers(COUNT)), normal(rng, COUNT, vocabulary)
        table[:, eos] -= 20
        state, token, seen = start, bos, []
        for place in range(1, (length or max_len) + 1):
            state = int(state_after(state, token, COUNT))
            wanted = {2: bos, 3: word, 4: word}.get(place)
            wanted = eos if place == length else wanted
            if wanted is not None:
                table[state, wanted] = 9.0
            token = int(table[state].argmax())
            seen.append(state)
        if len(set(seen)) == len(seen):
            return [start, table + np.float32(shift), bos, eos, max_len]


def decoding_cases(rng: Rng) -> list[CaseInput]:
    """Draw models that end early, late, at once, with the last token that max_len allows, and not at all."""
    first = model(rng, int(rng.integers(5, 8)), (9, 20))
    return [
        CaseInput("a translation that ends", first, ENDS),
        CaseInput("another sentence, the same bos and eos", model(rng, 8, (9, 20), ends=first[2:4]), ENDS),
        CaseInput("a longer one", model(rng, int(rng.integers(9, 12)), (13, 30)), ENDS),
        CaseInput("logits around 300", model(rng, 5, (7, 10), 300.0), ENDS),
        CaseInput("logits around -300", model(rng, 6, (8, 11), -300.0), ENDS),
        CaseInput("eos at once", model(rng, 1, (6, 9)), ENDS),
        CaseInput("no end", model(rng, None, (10, int(rng.integers(6, 9)))), LIMIT),
        CaseInput("eos as the last of max_len tokens", model(rng, 5, (8, 5)), LIMIT),
        CaseInput("max_len = 1", model(rng, None, (7, 1)), LIMIT),
    ]


def step_arguments(rng: Rng, sizes: Sequence[int], scale: float = 1.0) -> list:
    """Return x, cache, parameters and heads for sizes B, d, h and the number of positions that are there already."""
    B, d, h, past = sizes
    cache = normal(rng, 2, B, h, past, d // h)
    cache[0] *= np.float32(scale)
    return [normal(rng, B, d), cache, attention_params(rng, d), h]


def step_cases(rng: Rng) -> list[CaseInput]:
    """Draw steps: with a cache and with an empty one, one head, one sentence, equal sizes, scores far from 0."""
    return [
        CaseInput("all sizes different", step_arguments(rng, (3, 8, 2, 5)), PAST, [HEADS], gradients=True),
        CaseInput("more heads", step_arguments(rng, (2, 12, 6, 4)), PAST, [HEADS], gradients=True),
        CaseInput("equal sizes", step_arguments(rng, (3, 9, 3, 3)), PAST, [HEADS]),
        CaseInput("one position in the cache", step_arguments(rng, (4, 6, 3, 1)), PAST, [HEADS]),
        CaseInput("one sentence", step_arguments(rng, (1, 6, 2, 7)), PAST, [HEADS]),
        CaseInput("one head", step_arguments(rng, (5, 5, 1, 5))),
        CaseInput("an empty cache", step_arguments(rng, (3, 6, 2, 0)), FIRST, [HEADS]),
        CaseInput("an empty cache, one head", step_arguments(rng, (2, 4, 1, 0)), FIRST),
        CaseInput("scores far from 0", step_arguments(rng, (3, 8, 4, 5), 80.0), FAR, [HEADS, LARGE]),
    ]


GREEDY = Check(
    greedy_cached,
    ("tokens", "steps"),
    decoding_cases,
    points={
        ENDS: Points(2, ENDS, part="tokens"),
        LIMIT: Points(1, LIMIT, part="tokens"),
        "one step for each token": Points(2, (ENDS, LIMIT), part="steps"),
    },
    also=(REPEAT,),
    adapter=adapters.counted_decoding,
    steps=lambda arguments: CachedSteps(*arguments[:2]),
)

STEP = Check(
    cached_heads,
    ("out", "cache"),
    step_cases,
    points={
        "out": Points(2, PAST, part="out"),
        "the cache": Points(2, (PAST, FIRST), part="cache"),
        FIRST: Points(1, FIRST, part="out"),
        "one head": 1,
        FAR: 1,
    },
    adapter=adapters.one_cache,
    may_call=("multi_head_attention",),
    stars=2,
)


USUAL, SPECIAL = "usual sentences", "sentences with something special"  # groups of cases


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
        CaseInput("a larger epsilon", loss_arguments(rng, (4, 5, 7), 0.4, 3), "with padding", [PADDING], True),
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
        # A rate below 1e-4.
        CaseInput("the paper's numbers", [int(rng.integers(200, 450)), 512, 4000, 1.0], "while it rises", [early]),
        CaseInput("one step before the last of the warm-up", arguments(1, more=-1), "where it turns", [early]),
        CaseInput("the last step of the warm-up", arguments(1), "where it turns"),
        CaseInput("the step after the warm-up", arguments(1, more=1), "where it turns", [late]),
        CaseInput("a late step", arguments(30), "while it falls", [late]),
    ]
    return [replace(one, tolerance=EXACT) for one in drawn]


POSITIONS = Check(
    positional_encoding,
    ("x + PE",),
    position_cases,
    points={
        "the shape": Points(1, "even widths", SHAPE),
        "even widths": 3,
        "a long sentence": 1,
        "odd widths": 1,
    },
    also=DIFFERENTIABLE,
)

MASKS = Check(
    make_masks,
    ("source", "causal", "target"),
    mask_cases,
    points={
        "the source's mask": Points(1, USUAL, part="source"),
        "the causal mask": Points(2, USUAL, part="causal"),
        "the target's mask": Points(2, USUAL, part="target"),
        "pad is 0, padding anywhere, no padding, one position": Points(1, ("pad is 0", SPECIAL)),
    },
    also=(SHAPE, UNCHANGED, REPEAT),
    shape="the shapes of the three masks",
)

LOSS = Check(
    label_smoothed_loss,
    ("loss",),
    loss_cases,
    points={"without padding": 1, "with padding": 2, "padding anywhere": 1, "epsilon = 0": 1, "large logits": 1},
    shape="one number",
)

RATE = Check(
    noam_rate,
    ("rate",),
    rate_cases,
    points={"while it rises": 2, "where it turns": 1, "while it falls": 2},
    also=(SHAPE, REPEAT),
    shape="one number",
)
