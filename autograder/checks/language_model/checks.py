"""The checks of the language model's functions."""

from autograder.checks import (
    FAR,
    MASKED,
    NO_MASK,
    REPEAT,
    SHAPE,
    UNCHANGED,
    Check,
    Hunt,
    Points,
    Written,
)
from autograder.checks.by_hand import by_hand
from autograder.checks.edits import known
from autograder.checks.language_model import cases, choice_cases, examples, hunt
from autograder.checks.language_model.cases import (
    ALL_KV,
    ANYWHERE,
    AXES,
    CACHE,
    EPS,
    FIRST,
    GATES,
    NEAR,
    ONE_KV,
    PAST,
    SPECIAL,
    USUAL,
)
from autograder.checks.language_model.choice_cases import (
    ALL,
    BROKEN,
    LONG,
    NONE,
    ONE_HEAD,
    OTHER,
    SHORT,
    TEMPERATURE,
    THREE,
    TOP_K,
    TOP_P,
    TWO,
)
from autograder.checks.language_model.hunt_cases import BEHIND, ONE, continued_cases
from solutions.language_model.attention import (
    cached_step,
    causal_mean,
    grouped_query_attention,
    induction_score,
    inside,
    latent_attention,
    next_probabilities,
    rms_norm,
    rope,
    swiglu,
)

BY_HAND = by_hand(
    hunt.mean_and_rotation_by_hand,
    {"means": "the four means", "turned": "the turned vector"},
    known(hunt.mean_and_rotation_by_hand),
)

MEAN = Check(
    causal_mean,
    ("mean",),
    cases.mean_cases,
    points={USUAL: 3, "a long text": 1, "one position": 1},
    mistakes=known(causal_mean),
    examples=examples.MEAN,
)

NORM = Check(
    rms_norm,
    ("output",),
    cases.norm_cases,
    points={USUAL: 3, AXES: 1, EPS: 1},
    mistakes=known(rms_norm),
    examples=examples.NORM,
)

SWIGLU = Check(
    swiglu,
    ("output",),
    cases.swiglu_cases,
    points={USUAL: 3, AXES: 1, GATES: 1},
    mistakes=known(swiglu),
    examples=examples.SWIGLU,
)

ROPE = Check(
    rope,
    ("turned",),
    cases.rope_cases,
    points={NEAR: 2, ANYWHERE: 3, AXES: 1},
    shape="the shape",
    mistakes=known(rope),
    examples=examples.ROPE,
)

GROUPED = Check(
    grouped_query_attention,
    ("context", "weights"),
    cases.grouped_cases,
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
    mistakes=known(grouped_query_attention),
    examples=examples.GROUPED,
)

STEP = Check(
    cached_step,
    ("out", "cache"),
    cases.step_cases,
    points={
        "out": Points(2, PAST, part="out"),
        "the cache": Points(2, PAST, part="cache"),
        FIRST: 1,
        MASKED: 2,
        SPECIAL: 1,
        FAR: 1,
    },
    mistakes=known(cached_step),
    examples=examples.STEP,
    may_call=("rope", "grouped_query_attention"),
)

CHOICE = Check(
    next_probabilities,
    ("probabilities",),
    choice_cases.choice_cases,
    points={TEMPERATURE: 1, TOP_K: 1, TOP_P: 2, ALL: 2, AXES: 1, FAR: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    exact=("probabilities",),
    mistakes=known(next_probabilities),
    examples=examples.CHOICE,
)

INDUCTION = Check(
    induction_score,
    ("score",),
    choice_cases.induction_cases,
    points={TWO: 2, THREE: 1, BROKEN: 1, ONE_HEAD: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    mistakes=known(induction_score),
    examples=examples.INDUCTION,
)

LATENT = Check(
    latent_attention,
    ("output", "latent"),
    choice_cases.latent_cases,
    points={
        "the output": Points(3, USUAL, part="output"),
        "the latent": Points(1, USUAL, part="latent"),
        ONE_HEAD: 1,
        FAR: 1,
    },
    mistakes=known(latent_attention),
    examples=examples.LATENT,
    may_call=("grouped_query_attention",),
    stars=1,
)

INSIDE = Check(
    inside,
    ("probability",),
    choice_cases.inside_cases,
    points={SHORT: 1, LONG: 3, OTHER: 1, NONE: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    shape="one number",
    mistakes=known(inside),
    examples=examples.INSIDE,
    stars=2,
)

# What students repair has as many key–value heads as heads and no padding: its right answer is that of their attention.
PLAIN = Check(hunt.continuation, ("context", "weights"), continued_cases, points={BEHIND: 1, ONE: 1, FAR: 1})

HUNT = Hunt(
    PLAIN,
    hunt.broken_continuation,
    hunt.repaired_continuation,
    hunt.failing_input,
    hunt.diagnosis,
    points={"the context and the weights": Points(4, (BEHIND, ONE)), FAR: 1},
    mistakes=known(hunt.continuation, "repaired_continuation"),
    examples=examples.CONTINUED,
    own="grouped_query_attention",
    through=hunt.through,
)

CHECKS = [BY_HAND, MEAN, NORM, SWIGLU, ROPE, GROUPED, STEP, CHOICE, INDUCTION, *HUNT.checks(), LATENT, INSIDE]

BYTES = """\
(a) 2 · L · h_kv · d_head · T · bytes: 2 for keys and values, L layers, h_kv key–value heads of d_head numbers, T
tokens, and the bytes of a number. The number of query heads is not in it: a query is used once, at its own step, and no
later position asks for it.

(b) 2 · 32 · 32 · 128 · 8,192 · 2 bytes = 4,294,967,296 bytes, 4 GiB. With 8 key–value heads a quarter: 1 GiB. Sixteen
texts at once: 64 GiB and 16 GiB.

(c) W_k and W_v become smaller, so the model has fewer parameters, and heads that share keys can no longer look for
different things in the same word: they differ by their queries alone. What is saved besides memory is time: at each
step all of the cache is read, and that, not the multiplications, is what a step waits for. (Half a point for each.)"""

FLOOR = """\
(a) e^1.70 = 5.5 and e^1.62 = 5.1: on average the model is as uncertain as if it chose among 5.5 words evenly, the best
possible among 5.1. In bits: 1.70 / ln 2 = 2.45 and 2.34.

(b) The floor is the entropy of the grammar: even with all rules known, nobody knows which is drawn next. Only the 0.08
above it is the model's, and only this can fall with more parameters, more text or more steps.

(c) Below the floor on average is impossible for sentences that the model has not seen, but a sample of sentences has a
loss of its own, above or below the mean; 1.60 may be chance, and the grammar's own loss on these very sentences says
so. If it is no chance: the sentences were in the training text, or the model sees the word that it predicts (a mask one
too wide). (One point for two of the three.)"""

WRITTEN = {
    "count_the_cache": Written(
        points=3,
        text=BYTES,
        rubric={
            "(a) 2 · layers · key–value heads · width · tokens · bytes": 0.5,
            "(a) queries are used at their own step alone": 0.5,
            "(b) 4 GiB and 1 GiB": 0.5,
            "(b) sixteen times as much for sixteen texts": 0.5,
            "(c) lost: parameters, and separate keys for each head": 0.5,
            "(c) saved besides: the time in which the cache is read": 0.5,
        },
    ),
    "above_the_floor": Written(
        points=3,
        text=FLOOR,
        rubric={
            "(a) perplexities 5.5 and 5.1": 0.5,
            "(a) 2.45 and 2.34 bits": 0.5,
            "(b) 0.08: what is above the entropy": 0.5,
            "(b) nobody can know which rule is drawn": 0.5,
            "(c) two of: chance of the sample, seen in training, a mask that shows the next word": 1,
            "(c) half: one of these": 0.5,
        },
    ),
}
