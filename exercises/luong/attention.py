"""Attentional states, local attention and input feeding: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, LARGE, LOW, MASKED, NO_MASK, PADDING, CaseInput, Check, Points, by_mask
from autograder.checks.random_inputs import HALF, Rng, far_below, gaps, lengths, normal, padding
from solutions.luong.attention import attentional_state, input_feeding, local_p_weights

STEPS = "more than one step"
WHOLE, SHORT, EDGES = "no padding", "padded sentences", "windows of every width"  # groups of cases


def score_arguments(rng: Rng, sizes: Sequence[int], scale: float = 1.0) -> list:
    """Return h_t, h_s and the parameters for sizes B, T, S, H of dot, E also of general, and P also of concat."""
    B, T, S, H, *more = sizes
    E, *rest = more or [H]
    states = [normal(rng, B, T, H, scale=scale), normal(rng, B, S, E, scale=scale)]
    matrices = [normal(rng, P, H + E, scale=(H + E) ** -0.5) for P in rest] or [normal(rng, H, E) for E in more]
    return [*states, *matrices, *(normal(rng, P) for P in rest)]


def state_arguments(rng: Rng, sizes: Sequence[int], mask: np.ndarray | None) -> list:
    """Return h_t, h_s, W_a, W_c and the mask for sizes B, S, H, E."""
    B, S, H, E = sizes
    W_a, W_c = normal(rng, H, E, scale=H**-0.5), normal(rng, H, E + H, scale=(E + H) ** -0.5)
    return [normal(rng, B, H), normal(rng, B, S, E), W_a, W_c, mask]


def with_one_feature(arguments: list, per_position: np.ndarray) -> list:
    """Return arguments whose general scores are changed by these numbers: one feature of both states carries them."""
    h_t, h_s, W_a, *rest = arguments
    h_t[:, 0], h_s[..., 0] = 1, per_position / 100
    W_a[0], W_a[:, 0] = 0, 0
    W_a[0, 0] = 100
    return [h_t, h_s, W_a, *rest]


def state_far_from_zero(rng: Rng) -> list:
    return with_one_feature(state_arguments(rng, (4, 7, 6, 8), gaps(rng, 4, 7)), np.full((4, 7), -120))


def state_padding_above(rng: Rng, mask: np.ndarray, gap: float) -> list:
    """Return arguments whose padding scores higher by about gap."""
    return with_one_feature(state_arguments(rng, (*mask.shape, 6, 8), mask), np.where(mask, -gap / 2, gap / 2))


def state_below_fills(rng: Rng, mask: np.ndarray) -> list:
    """Return arguments with scores as `far_below` has them; the state does not hear the feature that carries them."""
    arguments = with_one_feature(state_arguments(rng, (*mask.shape, 6, 8), mask), far_below(mask))
    arguments[3][:, 0] = 0
    return arguments


NEAR = 2e-3  # no position is so near to the edge of a window: the right would not agree there about the last digit


def local_arguments(rng: Rng, sizes: Sequence[int], D: float, true: np.ndarray | None = None) -> list:
    """Return h_t, h_s, W_a, W_p, v_p, lengths and D for sizes B, S, H, P, drawn until no position is on an edge."""
    B, S, H, P = sizes
    true = lengths(rng, B, S) if true is None else true
    while True:
        h_t, W_p, v_p = normal(rng, B, H), normal(rng, P, H), normal(rng, P)
        W_p[0] += 0.2 * np.sign(W_p[0])  # not by chance so small that its tanh is a straight line
        p = true / (1 + np.exp(-np.tanh(h_t.astype(np.float64) @ W_p.T) @ v_p))
        if np.abs(p * 2 - np.round(p * 2)).min() > NEAR:  # edges are at whole and half distances
            break
    h_s, W_a = normal(rng, B, S, H), normal(rng, H, H, scale=H**-0.5)
    return [h_t, h_s, W_a, W_p, v_p, true, D]


def local_on_the_edge(rng: Rng, D: int) -> list:
    """Return arguments with p = S/2 exactly, a whole number: positions at a distance of exactly D are in the window."""
    h_t, h_s, W_a, W_p, *rest = local_arguments(rng, (4, 9, 6, 5), D, np.array([8, 6, 4, 6]))
    return [h_t, h_s, W_a, 0 * W_p, *rest]


def local_shifted(rng: Rng, gap: float, D: int) -> list:
    """Return arguments whose real positions score lower by gap, and with gap 0 whose scores all lie around -120."""
    arguments = local_arguments(rng, (4, 9, 6, 5), D)
    real = np.arange(9) < arguments[5][:, None]
    shift = np.where(real, -gap / 2, gap / 2) if gap else np.full(real.shape, -120)
    h_t, h_s, W_a, W_p, *rest = with_one_feature(arguments, shift)
    W_p[:, 0] = 0  # the feature that carries the shift says nothing about the position
    v_p, true = rest[0], rest[1]
    while True:
        p = true / (1 + np.exp(-np.tanh(h_t.astype(np.float64) @ W_p.T) @ v_p))
        if np.abs(p * 2 - np.round(p * 2)).min() > NEAR:
            return [h_t, h_s, W_a, W_p, v_p, true, D]
        v_p = normal(rng, len(v_p))


def local_below_fills(rng: Rng, D: int) -> list:
    """Return arguments whose windows have scores as `far_below` has them, and what lies outside lower ones."""
    h_t, h_s, W_a, W_p, v_p, true, D = local_shifted(rng, 0, D)
    p = true / (1 + np.exp(-np.tanh(h_t.astype(np.float64) @ W_p.T) @ v_p))
    place = np.arange(h_s.shape[1])
    h_s[..., 0] = far_below((place < true[:, None]) & (np.abs(place - p[:, None]) <= D)) / 100
    return [h_t, h_s, W_a, W_p, v_p, true, D]


def feeding_arguments(rng: Rng, sizes: Sequence[int], mask: np.ndarray | None) -> list:
    """Return emb, h0, enc, W_x, W_h, W_c and the mask for sizes B, T, S, E, H."""
    B, T, S, E, H = sizes
    weights = [
        normal(rng, H, E + H, scale=(E + H) ** -0.5),
        normal(rng, H, H, scale=H**-0.5),
        normal(rng, H, 2 * H, scale=H**-0.5),
    ]
    return [normal(rng, B, T, E), normal(rng, B, H), normal(rng, B, S, H), *weights, mask]


def feeding_shifted(rng: Rng, mask: np.ndarray, scores: np.ndarray | float) -> list:
    """Return arguments whose scores are moved by these numbers.

    One unit of the state is the same at every step, and one feature of the source weighs it so; nothing else hears it.
    """
    emb, h0, enc, W_x, W_h, W_c, _ = feeding_arguments(rng, (*mask.shape[:1], 4, mask.shape[1], 5, 6), mask)
    emb[..., 0] = 1
    W_x[0], W_h[0], W_h[:, 0], W_c[:, 0], W_c[:, 6], W_c[0] = 0, 0, 0, 0, 0, 0
    W_x[0, 0], h0[:, 0] = HALF, np.tanh(HALF)
    enc[..., 0] = scores / np.tanh(HALF)
    return [emb, h0, enc, W_x, W_h, W_c, mask]


def state_cases(rng: Rng) -> list[CaseInput]:
    """Draw attentional states: all sizes different, all sizes equal, one sentence, one position."""
    above = gaps(rng, 4, 7)
    return [
        CaseInput("no mask", state_arguments(rng, (3, 5, 4, 6), None), NO_MASK, gradients=True),
        CaseInput("padded sentences", state_arguments(rng, (4, 7, 6, 5), padding(rng, 4, 7)), MASKED, gradients=True),
        CaseInput("other padded sentences", state_arguments(rng, (4, 7, 5, 6), padding(rng, 4, 7)), MASKED),
        CaseInput("a mask with gaps", state_arguments(rng, (5, 6, 7, 4), gaps(rng, 5, 6)), MASKED, gradients=True),
        CaseInput("equal sizes", state_arguments(rng, (5,) * 4, gaps(rng, 5, 5)), MASKED, gradients=True),
        CaseInput("equal sizes, no mask", state_arguments(rng, (4,) * 4, None), NO_MASK),
        CaseInput("one sentence", state_arguments(rng, (1, 6, 5, 4), gaps(rng, 1, 6)), MASKED),
        CaseInput("one position", state_arguments(rng, (3, 1, 4, 5), None), NO_MASK),
        CaseInput("scores around -120", state_far_from_zero(rng), FAR),
        CaseInput("padding that scores higher", state_padding_above(rng, above, 40), FAR),
        CaseInput(LOW, state_below_fills(rng, above), FAR),
    ]


def local_cases(rng: Rng) -> list[CaseInput]:
    """Draw local attention: windows narrower and wider than the sentences, their edges, one sentence, one position."""
    full = np.full(4, 8)
    return [
        CaseInput("no padding", local_arguments(rng, (4, 8, 5, 6), 3, full), WHOLE, gradients=True),
        CaseInput("no padding, another window", local_arguments(rng, (4, 8, 6, 3), 4, full), WHOLE),
        CaseInput("padded sentences", local_arguments(rng, (5, 9, 4, 6), 3), SHORT, [PADDING], gradients=True),
        CaseInput("other padded sentences", local_arguments(rng, (6, 11, 5, 4), 5), SHORT, [PADDING], gradients=True),
        CaseInput("more padded sentences", local_arguments(rng, (7, 12, 4, 5), 3), SHORT, [PADDING]),
        CaseInput("a narrow window", local_arguments(rng, (6, 10, 7, 4), 1), EDGES, [PADDING], gradients=True),
        CaseInput("equal sizes", local_arguments(rng, (5,) * 4, 3), SHORT, [PADDING]),
        CaseInput("a window wider than the sentences", local_arguments(rng, (4, 7, 6, 5), 20), EDGES, [PADDING], True),
        CaseInput("positions at the window's edge", local_on_the_edge(rng, 2), EDGES, [PADDING]),
        CaseInput("D = 2.5", local_arguments(rng, (5, 10, 4, 6), 2.5), EDGES, [PADDING]),
        CaseInput("one sentence", local_arguments(rng, (1, 8, 4, 6), 3, np.array([6])), SHORT, [PADDING]),
        CaseInput("one position", local_arguments(rng, (3, 1, 4, 5), 3, np.ones(3, np.int64)), WHOLE),
        CaseInput("scores around -120", local_shifted(rng, 0, 3), FAR),
        CaseInput("padding that scores higher", local_shifted(rng, 40, 4), FAR),
        CaseInput(LOW, local_below_fills(rng, 2), FAR),
    ]


def fed(
    rng: Rng, name: str, sizes: Sequence[int], mask: np.ndarray | None, group: str = "", gradients: bool = False
) -> CaseInput:
    """Return a case of input feeding for sizes B, T, S, E, H."""
    features = [PADDING] * (mask is not None) + [STEPS] * (sizes[1] > 1)
    return CaseInput(name, feeding_arguments(rng, sizes, mask), group, features, gradients)


def feeding_cases(rng: Rng) -> list[CaseInput]:
    """Draw decoders with input feeding: all sizes different, all sizes equal, one step, one position."""
    above, special = gaps(rng, 4, 7), [PADDING, LARGE, STEPS]
    return [
        fed(rng, "no mask", (3, 4, 5, 6, 7), None, NO_MASK, True),
        fed(rng, "padded sentences", (4, 3, 7, 6, 5), padding(rng, 4, 7), MASKED, True),
        fed(rng, "other padded sentences", (4, 5, 7, 3, 6), padding(rng, 4, 7), MASKED),
        fed(rng, "a mask with gaps", (5, 3, 6, 7, 4), gaps(rng, 5, 6), MASKED, True),
        fed(rng, "equal sizes", (5,) * 5, gaps(rng, 5, 5), MASKED, True),
        fed(rng, "equal sizes, no mask", (4,) * 5, None, NO_MASK),
        fed(rng, "one sentence", (1, 4, 6, 5, 3), gaps(rng, 1, 6), MASKED),
        fed(rng, "one step", (3, 1, 6, 4, 5), None),
        fed(rng, "one position", (3, 4, 1, 5, 6), None),
        CaseInput("scores around -120", feeding_shifted(rng, above, -120), FAR, special),
        CaseInput("padding that scores higher", feeding_shifted(rng, above, np.where(above, -20, 20)), FAR, special),
        CaseInput(LOW, feeding_shifted(rng, above, far_below(above)), FAR, special),
    ]


STATE = Check(
    attentional_state,
    ("state", "weights"),
    state_cases,
    points={
        **by_mask(("the weights", "weights", 2, 1), ("the state", "state", 2, 1)),
        FAR: 1,
    },
    exact=("weights",),
    may_call=("general_score",),
)

LOCAL = Check(
    local_p_weights,
    ("weights", "p"),
    local_cases,
    points={
        "p without padding": Points(1, WHOLE, part="p"),
        "p in padded sentences": Points(1, (SHORT, EDGES), part="p"),
        "the weights without padding": Points(2, WHOLE, part="weights"),
        "the weights in padded sentences": Points(2, SHORT, part="weights"),
        "windows of every width": Points(2, EDGES, part="weights"),
        FAR: 1,
    },
    exact=("weights",),
    may_call=("general_score",),
)

FEEDING = Check(
    input_feeding,
    ("states", "weights"),
    feeding_cases,
    points={
        "a single step": Points(2, "one step"),
        "a single source position": Points(1, "one position"),
        "several steps": Points(3, NO_MASK),
        "several steps with a mask": Points(2, MASKED),
        FAR: 1,
    },
    exact=("weights",),
    may_call=("dot_score", "attentional_state"),
)
