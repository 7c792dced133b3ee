"""Decoding with a cache: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, REPEAT, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, normal
from autograder.checks.transformer import adapters
from autograder.checks.transformer.layers import HEADS, LARGE, attention_params
from autograder.kit.table_models import CachedSteps, state_after
from solutions.transformer.attention import cached_heads, greedy_cached

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
