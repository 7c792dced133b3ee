"""The checks of what is far away: penalties by distance, windows with sinks, the bytes of a cache."""

from autograder.checks import FAR, REPEAT, SHAPE, Check, Points
from autograder.checks.edits import known
from autograder.checks.long_context import adapters, far_cases, far_examples
from autograder.checks.long_context.far_cases import (
    ALL,
    BYTES,
    EVERYWHERE,
    LOCAL,
    MEMORY,
    ONE,
    OTHER,
    POWER,
    SHORT,
    SINKS,
    WINDOW,
)
from solutions.long_context.attention import alibi_bias, kv_bytes, sliding_window

ALIBI = Check(
    alibi_bias,
    ("bias", "future"),
    far_cases.alibi_cases,
    points={
        POWER: Points(2, POWER, part="bias"),
        OTHER: Points(2, OTHER, part="bias"),
        ONE: Points(1, ONE, part="bias"),
        "-∞ for the future": Points(1, (POWER, OTHER, ONE), part="future"),
    },
    also=(SHAPE, REPEAT),
    shape="the shape of the bias",
    mistakes=known(alibi_bias),
    examples=far_examples.ALIBI,
    adapter=adapters.future_apart,
)

WINDOWED = Check(
    sliding_window,
    ("context",),
    far_cases.window_cases,
    points={WINDOW: 3, SINKS: 3, ALL: 1, FAR: 1, "the memory": Points(2, MEMORY)},
    mistakes=known(sliding_window),
    examples=far_examples.WINDOWED,
)

CACHE = Check(
    kv_bytes,
    ("bytes",),
    far_cases.bytes_cases,
    points={EVERYWHERE: 1, LOCAL: 2, SHORT: 1, BYTES: 1},
    also=(SHAPE,),
    shape="a whole number",
    exact=("bytes",),
    mistakes=known(kv_bytes),
    examples=far_examples.CACHE,
)

CHECKS = [ALIBI, WINDOWED, CACHE]
