"""What is far away: penalties by distance, windows with sinks, the bytes of a cache, states: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, LARGE, LOW, REPEAT, SHAPE, CaseInput, Check, Points
from autograder.checks.random_inputs import Rng, far_below, normal
from exercises.long_context import adapters
from solutions.long_context.attention import (
    alibi_bias,
    delta_step,
    kv_bytes,
    linear_attention,
    linear_step,
    sliding_window,
)

POWER, OTHER, ONE = "a power of two", "another number of heads", "one head, or one position"  # groups of cases
WINDOW, SINKS, ALL = "a window", "a window and sinks", "a window that holds the text"
MEMORY = "memory"
MOST = 8 << 20  # bytes: a right answer takes 3 MB or less, all scores at once take 16
EVERYWHERE, LOCAL, SHORT, BYTES = "all tokens in all layers", "local layers", "a text within the window", "other bytes"
SINK = "sinks"  # a feature


def alibi_cases(rng: Rng) -> list[CaseInput]:
    """Draw heads, a power of two and not, and lengths: more heads than positions and fewer."""
    few, more = int(rng.choice([3, 5])), int(rng.choice([9, 10, 11]))
    return [
        CaseInput("8 heads, 5 positions", [8, 5], POWER),
        CaseInput("2 heads", [2, int(rng.integers(6, 10))], POWER),
        CaseInput("32 heads", [32, int(rng.integers(3, 7))], POWER),
        CaseInput("as many heads as positions", [4, 4], POWER),
        CaseInput("6 heads", [6, int(rng.integers(7, 10))], OTHER),
        CaseInput("12 heads", [12, int(rng.integers(4, 8))], OTHER),
        CaseInput("7 heads: only one slope is left out", [7, 3], OTHER),
        CaseInput(f"{few} heads", [few, 6], OTHER),
        CaseInput(f"{more} heads", [more, 4], OTHER),
        CaseInput("one head", [1, int(rng.integers(4, 8))], ONE),
        CaseInput("one position", [8, 1], ONE),
    ]


def windowed(
    rng: Rng, sizes: Sequence[int], window: int, sinks: int, name: str, group: str, gradients: bool = False
) -> CaseInput:
    """Return a case for sizes B, length, key_dim, value_dim."""
    B, length, width, value_dim = sizes
    arguments = [normal(rng, B, length, width, scale=1.5) for _ in range(2)]
    arguments += [normal(rng, B, length, value_dim), window, sinks]
    return CaseInput(name, arguments, group, [LARGE] * (group == FAR) + [SINK] * (sinks > 0), gradients)


def far(rng: Rng, window: int, sinks: int) -> CaseInput:
    """Return a case whose scores fall from around 120 to around -120, so that what is out of sight is far above."""
    drawn = windowed(rng, (3, 14, 5, 4), window, sinks, f"scores from 120 to -120, {sinks} sinks", FAR)
    query, key, *_ = drawn.arguments
    query[..., 0] = 5**0.5
    key[..., 0] = np.where(np.arange(14) < 5, 120, -120)
    if sinks:
        key[:, :sinks, 0] = -120
    return drawn


def below_fills(rng: Rng) -> CaseInput:
    """Return a case with scores of -200,000 and less, from position to position higher."""
    drawn = windowed(rng, (3, 9, 5, 4), 3, 0, LOW, FAR)
    query, key, *_ = drawn.arguments
    query[..., 0], key[..., 0] = 5**0.5, far_below(np.ones((1, 9), bool))[:, ::-1]
    return drawn


def rising(rng: Rng) -> CaseInput:
    """Return a case whose sinks' scores rise from -120 to 120, so that a sink in the future is far above."""
    drawn = windowed(rng, (3, 9, 5, 4), 2, 4, "4 sinks whose scores rise from -120 to 120", FAR)
    query, key, *_ = drawn.arguments
    query[..., 0], key[:, :4, 0] = 5**0.5, np.linspace(-120, 120, 4)
    return drawn


def long_text(rng: Rng) -> CaseInput:
    """Return a case in which all scores take 16 MB, those of the window next to none; numbers are short in the kit."""
    sizes, length = (2, 2, 3), 2048
    arguments: list = [np.round(normal(rng, 1, length, width), 1) for width in sizes]
    return CaseInput("2,048 positions, window 6, 2 sinks", [*arguments, 6, 2], MEMORY, [SINK], peak=MOST)


def window_cases(rng: Rng) -> list[CaseInput]:
    """Draw windows of one position to more than the text has, no sinks to more than there are, a long text."""
    return [
        windowed(rng, (3, 9, 4, 5), 3, 0, "window 3 of 9", WINDOW, gradients=True),
        windowed(rng, (2, 11, 6, 3), 4, 0, "window 4 of 11", WINDOW, gradients=True),
        windowed(rng, (6, 6, 6, 6), 2, 0, "equal sizes", WINDOW),
        windowed(rng, (1, 8, 3, 4), 5, 0, "one text", WINDOW),
        windowed(rng, (3, 5, 4, 2), 1, 0, "window 1", WINDOW),
        windowed(rng, (2, 12, 3, 5), 3, 2, "window 3 and 2 sinks", SINKS, gradients=True),
        windowed(rng, (3, 10, 5, 4), 4, 1, "window 4 and 1 sink", SINKS),
        windowed(rng, (4, 8, 3, 6), 1, 3, "window 1 and 3 sinks", SINKS),
        windowed(rng, (2, 9, 4, 3), 2, 5, "more sinks than the window holds", SINKS, gradients=True),
        windowed(rng, (3, 5, 4, 6), 2, 8, "more sinks than positions", SINKS),
        windowed(rng, (3, 6, 4, 5), 6, 0, "window as long as the text", ALL),
        windowed(rng, (2, 5, 3, 4), 9, 0, "window longer than the text", ALL),
        windowed(rng, (3, 6, 5, 2), 8, 2, "window longer than the text, 2 sinks", ALL),
        windowed(rng, (4, 1, 3, 5), 3, 1, "one position", ALL),
        far(rng, 3, 0),
        far(rng, 3, 2),
        rising(rng),
        below_fills(rng),
        long_text(rng),
    ]


def sizes(rng: Rng) -> list[int]:
    """Return layers, key–value heads and features of a head, all different."""
    return [int(rng.integers(20, 60)), int(rng.choice([2, 3, 5, 8])), int(rng.choice([64, 96, 128]))]


def odd(rng: Rng) -> list[int]:
    """Return tokens, layers and key–value heads whose product float32 has to round."""
    return [2 * int(rng.integers(600_000, 700_000)) + 1, 2 * int(rng.integers(12, 30)) + 1, int(rng.choice([3, 5, 7]))]


def bytes_cases(rng: Rng) -> list[CaseInput]:
    """Draw models and texts: without local layers, with some, with these alone, texts shorter than the window."""
    tokens = [int(rng.integers(2_000, 9_000)) for _ in range(6)]
    return [
        CaseInput("no local layers", [tokens[0], *sizes(rng), 0, 0, 2], EVERYWHERE),
        CaseInput("no local layers, but a window", [tokens[1], *sizes(rng), 0, 512, 2], EVERYWHERE),
        CaseInput("a long text", [*odd(rng), 128, 0, 0, 2], EVERYWHERE),
        CaseInput("one token, one layer, one head", [1, 1, 1, int(rng.integers(20, 90)), 0, 0, 2], EVERYWHERE),
        CaseInput("some local layers", [tokens[2], *sizes(rng), 15, int(rng.integers(300, 900)), 2], LOCAL),
        CaseInput("one local layer", [tokens[3], *sizes(rng), 1, int(rng.integers(300, 900)), 2], LOCAL),
        CaseInput("local layers alone", [tokens[4], 24, 4, 80, 24, int(rng.integers(300, 900)), 2], LOCAL),
        CaseInput("fewer tokens than the window", [int(rng.integers(100, 900)), *sizes(rng), 12, 1024, 2], SHORT),
        CaseInput("as many tokens as the window", [1024, *sizes(rng), 12, 1024, 2], SHORT),
        CaseInput("4 bytes", [tokens[5], *sizes(rng), 0, 0, 4], BYTES),
        CaseInput("1 byte, some local layers", [tokens[0], *sizes(rng), 12, 700, 1], BYTES),
    ]


ALIBI = Check(
    alibi_bias,
    ("bias", "future"),
    alibi_cases,
    points={
        POWER: Points(2, POWER, part="bias"),
        OTHER: Points(2, OTHER, part="bias"),
        ONE: Points(1, ONE, part="bias"),
        "-∞ for the future": Points(1, (POWER, OTHER, ONE), part="future"),
    },
    also=(SHAPE, REPEAT),
    shape="the shape of the bias",
    adapter=adapters.future_apart,
)

WINDOWED = Check(
    sliding_window,
    ("context",),
    window_cases,
    points={
        WINDOW: 2,
        SINKS: 2,
        f"{ALL}, {FAR}": Points(1, (ALL, FAR)),
        "the memory": Points(5, MEMORY),
    },
)

CACHE = Check(
    kv_bytes,
    ("bytes",),
    bytes_cases,
    points={
        EVERYWHERE: Points(1, EVERYWHERE, alone=False),
        LOCAL: 2,
        SHORT: Points(1, SHORT, alone=False),
        BYTES: 1,
    },
    also=(SHAPE,),
    shape="a whole number",
    exact=("bytes",),
)


USUAL, LONG, ONE_POSITION = "usual sizes", "a long text", "one position"  # groups of cases
PAST, FIRST, SMALL = "a state that holds something", "the first step", "one feature, or one text"
EMPTY, EDGES, GATED = "an empty state", "β of 0, of 1 and beyond", "with a gate"


def text(
    rng: Rng, sizes: Sequence[int], name: str, group: str, gradients: bool = False, scale: float = 1.5
) -> CaseInput:
    """Return a case of linear attention for sizes B, length, key_dim, value_dim."""
    B, length, width, value_dim = sizes
    arguments = [*(normal(rng, B, length, width, scale=scale) for _ in range(2)), normal(rng, B, length, value_dim)]
    return CaseInput(name, arguments, group, gradients=gradients)


def linear_cases(rng: Rng) -> list[CaseInput]:
    """Draw texts: more positions than features and fewer, equal sizes, a long one, one position."""
    large = text(rng, (2, 6, 5, 3), "large queries and keys", USUAL, scale=6.0)
    for drawn in large.arguments[:2]:
        np.maximum(drawn, -6, out=drawn)  # further down elu(x) + 1 is off by 1e-4 and more
    return [
        text(rng, (3, 5, 4, 6), "all sizes different", USUAL, gradients=True),
        text(rng, (2, 9, 3, 4), "more positions than features", USUAL, gradients=True),
        text(rng, (4, 3, 7, 5), "fewer positions than features", USUAL),
        text(rng, (5, 5, 5, 5), "equal sizes", USUAL),
        text(rng, (1, 6, 4, 3), "one text", USUAL),
        text(rng, (3, 7, 1, 4), "one feature of a key", USUAL),
        large,
        text(rng, (2, 80, 4, 3), "80 positions", LONG),
        text(rng, (4, 1, 5, 3), "one position", ONE_POSITION),
    ]


def stepped(rng: Rng, sizes: Sequence[int], name: str, group: str, gradients: bool = False) -> CaseInput:
    """Return a case of one step for sizes B, key_dim, value_dim; before the first one, state and sum are zeros."""
    B, width, value_dim = sizes
    state, total = normal(rng, B, width, value_dim, scale=2), rng.uniform(1, 5, (B, width)).astype(np.float32)
    if group == FIRST:
        state[:], total[:] = 0, 0
    newest = [normal(rng, B, width, scale=1.5), normal(rng, B, width, scale=1.5), normal(rng, B, value_dim)]
    return CaseInput(name, [state, total, *newest], group, gradients=gradients)


def step_cases(rng: Rng) -> list[CaseInput]:
    """Draw steps: states of any shape that hold something, empty ones, one feature and one text."""
    small = stepped(rng, (4, 3, 5), "state and sum are zeros, features near 0", FIRST)
    for features in small.arguments[2:4]:
        features[:] = -2 - abs(features)  # a divisor far below 1
    return [
        stepped(rng, (3, 4, 6), "all sizes different", PAST, gradients=True),
        stepped(rng, (2, 7, 3), "more features of keys than of values", PAST, gradients=True),
        stepped(rng, (5, 5, 5), "equal sizes", PAST),
        stepped(rng, (4, 4, 3), "as many texts as features", PAST),
        stepped(rng, (3, 5, 4), "state and sum are zeros", FIRST),
        small,
        stepped(rng, (1, 4, 5), "one text", SMALL),
        stepped(rng, (3, 1, 4), "one feature of a key", SMALL),
        stepped(rng, (4, 3, 1), "one feature of a value", SMALL),
    ]


def written(
    rng: Rng, sizes: Sequence[int], name: str, group: str, beta: float | None = None, gradients: bool = False
) -> CaseInput:
    """Return a case of the delta rule for sizes B, key_dim, value_dim; each text has a β of its own, or this one."""
    B, width, value_dim = sizes
    state, betas = normal(rng, B, width, value_dim), rng.uniform(0.2, 0.9, B)
    if group == EMPTY:
        state[:] = 0
    if beta is not None:
        betas[:] = beta
    gate = rng.uniform(0.1, 0.9, B).astype(np.float32) if group == GATED else None
    arguments = [state, normal(rng, B, width), normal(rng, B, value_dim), betas.astype(np.float32), gate]
    return CaseInput(name, arguments, group, gradients=gradients)


def delta_cases(rng: Rng) -> list[CaseInput]:
    """Draw states, keys of any length and of length 1, β between 0 and 1, at both ends and beyond."""
    unit = written(rng, (4, 5, 3), "keys of length 1, β = 1", EDGES, 1.0)
    key = unit.arguments[1]
    key /= np.linalg.norm(key, axis=-1, keepdims=True)
    return [
        written(rng, (3, 4, 6), "all sizes different", USUAL, gradients=True),
        written(rng, (2, 7, 3), "more features of keys than of values", USUAL, gradients=True),
        written(rng, (5, 5, 5), "equal sizes", USUAL),
        written(rng, (4, 4, 3), "as many texts as features", USUAL),
        written(rng, (1, 4, 5), "one text", SMALL),
        written(rng, (3, 1, 4), "one feature of a key", SMALL),
        written(rng, (4, 3, 1), "one feature of a value", SMALL),
        written(rng, (3, 5, 4), "the state is zeros", EMPTY),
        written(rng, (3, 4, 5), "β = 0", EDGES, 0.0),
        written(rng, (4, 3, 6), "β = 1", EDGES, 1.0),
        written(rng, (3, 5, 2), "β = 3", EDGES, 3.0),
        unit,
        written(rng, (3, 4, 6), "a gate, all sizes different", GATED, gradients=True),
        written(rng, (4, 4, 3), "a gate, as many texts as features", GATED),
        written(rng, (1, 5, 2), "a gate, one text", GATED),
        written(rng, (3, 2, 5), "a gate, and β = 1", GATED, 1.0),
    ]


LINEAR = Check(
    linear_attention,
    ("context",),
    linear_cases,
    points={USUAL: 3, LONG: 1, ONE_POSITION: 1},
)

STEP = Check(
    linear_step,
    ("output", "state", "total"),
    step_cases,
    points={
        "the output": Points(2, PAST, part="output"),
        "the state": Points(1, PAST, part="state"),
        "the sum of keys": Points(1, PAST, part="total"),
        FIRST: 1,
        SMALL: 1,
    },
)

DELTA = Check(
    delta_step,
    ("state",),
    delta_cases,
    points={USUAL: 2, EDGES: 1, EMPTY: Points(1, EMPTY, alone=False), SMALL: 1, GATED: 2},
    stars=1,
)
