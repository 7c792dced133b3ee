"""A decoder step, the links of a matrix, the alignment error rate, and numbers by hand: cases and checks."""

import numpy as np

from autograder.checks import (
    FAR,
    LARGE,
    LOW,
    MASKED,
    NO_MASK,
    PADDING,
    REPEAT,
    UNCHANGED,
    CaseInput,
    Check,
    Points,
    by_hand,
)
from autograder.checks.random_inputs import HALF, Rng, gaps, longest_first, normal, padding, places
from autograder.kit.verdict.cases import EXACT
from exercises.bahdanau import adapters
from exercises.bahdanau.attention import SPECIAL
from solutions.bahdanau.attention import alignment_error_rate, attention_by_hand, links_of, rnnsearch_step

LARGEST, EQUAL, THRESHOLD, BOUNDS = "the largest weight", "equal weights", "a threshold", "thresholds at the edge"
AMONG, BESIDE, NOTHING = "sure links among the possible ones", "sure links that P does not hold", "empty sets"


def step_arguments(rng: Rng, sizes: tuple[int, ...], mask: np.ndarray | None) -> list:
    """Return word, state, annotations, projected, W_q, v, the cell's W_x and W_h and the mask for B, S, E, U, A, H."""
    B, S, E, U, A, H = sizes
    inputs = [normal(rng, B, E), normal(rng, B, U), normal(rng, B, S, A), normal(rng, B, S, H)]
    weights = [normal(rng, H, U, scale=U**-0.5), normal(rng, H)]
    cell = [normal(rng, U, E + A, scale=(E + A) ** -0.5), normal(rng, U, U, scale=U**-0.5)]
    return [*inputs, *weights, *cell, mask]


def _one_unit(rng: Rng, mask: np.ndarray | None, of_state: float, of_keys: np.ndarray | float, of_v: float) -> list:
    """Return arguments in which the first unit of the score is given."""
    arguments = step_arguments(rng, (4, 7, 5, 6, 8, 9), mask)
    _, state, _, projected, W_q, v, *_ = arguments
    state[:, 0], W_q[0], v[0] = 1, 0, of_v
    W_q[0, 0], projected[..., 0] = of_state, of_keys
    return arguments


def step_cases(rng: Rng) -> list[CaseInput]:
    """Draw steps of every shape, and scores where exp or a small fill fails."""
    many, mask, high = (4, 7, 5, 6, 8, 9), gaps(rng, 4, 7), gaps(rng, 4, 7)
    signs = rng.choice([-100, 100], size=(4, 7))
    spread = step_arguments(rng, (3, 9, 4, 6, 7, 8), gaps(rng, 3, 9))
    spread[5] *= 2
    above = np.where(high, -HALF, HALF)
    return [
        CaseInput("no mask", step_arguments(rng, (3, 5, 4, 6, 7, 8), None), NO_MASK, gradients=True, tolerance=EXACT),
        CaseInput("padded sentences", step_arguments(rng, many, padding(rng, 4, 7)), MASKED, gradients=True),
        CaseInput("other padded sentences", step_arguments(rng, many, longest_first(rng, 4, 7)), MASKED),
        CaseInput("nothing masked", step_arguments(rng, many, np.ones((4, 7), bool)), SPECIAL),
        CaseInput("a mask with gaps", step_arguments(rng, (5, 6, 7, 4, 3, 8), gaps(rng, 5, 6)), MASKED, gradients=True),
        CaseInput("equal sizes", step_arguments(rng, (5,) * 6, gaps(rng, 5, 5)), MASKED, gradients=True),
        CaseInput("equal sizes, no mask", step_arguments(rng, (5,) * 6, None), NO_MASK),
        CaseInput("one sentence", step_arguments(rng, (1, 6, 5, 4, 3, 7), gaps(rng, 1, 6)), MASKED, gradients=True),
        CaseInput("one position", step_arguments(rng, (3, 1, 4, 5, 6, 7), None), NO_MASK),
        CaseInput("one feature of everything", step_arguments(rng, (3, 4, 1, 1, 1, 1), gaps(rng, 3, 4)), SPECIAL),
        CaseInput("weights of all sizes", spread, SPECIAL, [PADDING], tolerance=EXACT),
        CaseInput("scores around -120", _one_unit(rng, mask, HALF, 0, -120 / np.tanh(HALF)), FAR),
        CaseInput("scores around -120, no mask", _one_unit(rng, None, HALF, 0, -120 / np.tanh(HALF)), FAR, [LARGE]),
        CaseInput("projections around 100", _one_unit(rng, mask, 0, signs, 1.0), FAR, [PADDING]),
        CaseInput("padding that scores higher", _one_unit(rng, high, 0, above, 20 / np.tanh(HALF)), FAR),
        CaseInput(LOW, _one_unit(rng, high, 0, HALF * (1 + places(high) / 5), -200_000 / np.tanh(HALF)), FAR),
    ]


def soft(rng: Rng, target: int, source: int) -> np.ndarray:
    """Return a matrix of weights whose rows add up to 1, some of them spread and some not."""
    grown = np.exp(rng.normal(size=(target, source)) * rng.uniform(0.5, 3, size=(target, 1)))
    return (grown / grown.sum(axis=1, keepdims=True)).astype(np.float32)


def eighths(rng: Rng, target: int, source: int) -> np.ndarray:
    """Return rows of eight eighths thrown on the positions: float32 holds them exactly."""
    return (rng.multinomial(8, np.full(source, 1 / source), size=target) / 8).astype(np.float32)


def ties(rng: Rng, target: int, source: int) -> np.ndarray:
    """Return rows whose largest weight stands in two places, or in three, and in no row in the last one alone."""
    weights = np.full((target, source), 0.0625, np.float32)
    for row in weights:
        row[rng.choice(source, size=rng.integers(2, 4), replace=False)] = 0.25
    return weights


def nearly(rng: Rng, threshold: float) -> np.ndarray:
    """Return weights of which a third are a little below the threshold, and as many a little above."""
    weights = soft(rng, 6, 7)
    sides = rng.integers(-1, 2, size=weights.shape)
    gaps = 10 ** rng.uniform(-6, -2.4, weights.shape)  # decimals or a float16 do not hold them
    return np.where(sides, threshold + sides * gaps, weights).astype(np.float32)


def link_cases(rng: Rng) -> list[CaseInput]:
    """Draw matrices of weights, with and without a threshold."""
    low = soft(rng, 4, 6) * rng.uniform(0.3, 0.8, size=(4, 1)).astype(np.float32)  # as local attention leaves them
    wide = np.abs(soft(rng, 3, 9))
    return [
        CaseInput("more source words", [soft(rng, 5, 7), None], LARGEST),
        CaseInput("more target words", [soft(rng, 8, 4), None], LARGEST),
        CaseInput("as many of both", [soft(rng, 6, 6), None], LARGEST),
        CaseInput("rows that add up to less than 1", [low, None], LARGEST),
        CaseInput("one target word", [soft(rng, 1, 6), None], LARGEST),
        CaseInput("one source word", [soft(rng, 5, 1), None], LARGEST),
        CaseInput("several equal largest weights", [ties(rng, 9, 5), None], EQUAL),
        CaseInput("nothing but equal weights", [np.full((3, 4), 0.25, np.float32), None], EQUAL),
        CaseInput("a low threshold", [soft(rng, 5, 7), 0.12], THRESHOLD),
        CaseInput("a middle threshold", [soft(rng, 9, 4), 0.3], THRESHOLD),
        CaseInput("a high threshold", [soft(rng, 6, 6), 0.55], THRESHOLD),
        CaseInput("low rows and a threshold", [low, 0.2], THRESHOLD),
        CaseInput("one target word and a threshold", [soft(rng, 1, 8), 0.1], THRESHOLD),
        CaseInput("weights that are the threshold", [eighths(rng, 9, 5), 0.25], BOUNDS),
        CaseInput("other weights that are the threshold", [eighths(rng, 5, 7), 0.125], BOUNDS),
        CaseInput("a threshold of 0", [soft(rng, 4, 5), 0.0], BOUNDS),
        CaseInput("a threshold above every weight", [np.minimum(wide, 0.875), 0.9], BOUNDS),
        CaseInput("weights near the threshold", [nearly(rng, 0.2), 0.2], BOUNDS),
        CaseInput("nearly equal weights", [nearly(rng, 0.9), None], EQUAL),
    ]


def linked(rng: Rng, counts: dict[str, int], joined: bool = True) -> list[np.ndarray]:
    """Return links, sure and possible ones: `counts` says how many pairs are in A, S and P by these letters.

    With `joined`, the sure links stand among the possible ones too.
    """
    total = sum(counts.values())
    cells = rng.permutation([(t, s) for t in range(9) for s in range(7)])[:total]
    sets: dict[str, list] = {"A": [], "S": [], "P": []}
    for letters, count in counts.items():
        for letter in {*letters, *("P" if joined and "S" in letters else "")}:
            sets[letter] += cells[:count].tolist()
        cells = cells[count:]
    return [np.array(rng.permutation(np.reshape(each, (-1, 2))), np.int64).reshape(-1, 2) for each in sets.values()]


def rate_cases(rng: Rng) -> list[CaseInput]:
    """Draw sets of links with every kind of overlap."""

    def some(least: int = 1) -> int:
        return int(rng.integers(least, least + 4))

    def mixed() -> dict[str, int]:
        return {"AS": some(), "AP": some(), "A": some(), "S": some(2), "P": some()}

    return [
        CaseInput("links of every kind", linked(rng, mixed()), AMONG),
        CaseInput("other links of every kind", linked(rng, mixed()), AMONG),
        CaseInput("no possible links but the sure ones", linked(rng, {"AS": some(), "A": some(), "S": some()}), AMONG),
        CaseInput("all sure links and no other", linked(rng, {"AS": some(3)}), AMONG),
        CaseInput("nothing right", linked(rng, {"A": some(), "S": some(), "P": some()}), AMONG),
        CaseInput("only possible links", linked(rng, {"AP": some(2), "S": some(2), "P": some()}), AMONG),
        CaseInput("sure links apart from P", linked(rng, mixed(), joined=False), BESIDE),
        CaseInput("some sure links in P", linked(rng, mixed() | {"ASP": some(), "SP": some()}, joined=False), BESIDE),
        CaseInput("P is empty", linked(rng, {"AS": some(), "A": some(), "S": some()}, joined=False), BESIDE),
        CaseInput("no links", linked(rng, {"S": some(2), "P": some()}), NOTHING),
        CaseInput("no sure links", linked(rng, {"AP": some(), "A": some(2), "P": some()}), NOTHING),
        CaseInput("neither links nor sure ones", linked(rng, {"P": some(2)}), NOTHING),
        CaseInput("three empty sets", linked(rng, {}), NOTHING),
    ]


BY_HAND = by_hand(
    attention_by_hand,
    {"context": "the context of (a)", "score": "the score of (b)"},
)

STEP = Check(
    rnnsearch_step,
    ("state", "context", "weights"),
    step_cases,
    points={
        "the context without a mask": Points(1, NO_MASK, part="context"),
        "the state without a mask": Points(2, NO_MASK, part="state"),
        "the weights": Points(1, (NO_MASK, MASKED, SPECIAL), part="weights"),
        "the context with a mask": Points(1, (MASKED, SPECIAL), part="context"),
        "the state with a mask": Points(1, (MASKED, SPECIAL), part="state"),
        FAR: 1,
    },
    exact=("weights",),
    adapter=adapters.with_tanh_cell,
    may_call=("masked_softmax", "additive_attention"),
)

LINKS = Check(
    links_of,
    ("links",),
    link_cases,
    points={LARGEST: 2, EQUAL: 1, THRESHOLD: 2, BOUNDS: 1},
    also=(UNCHANGED, REPEAT),
    adapter=adapters.sorted_links,
)

RATE = Check(
    alignment_error_rate,
    ("rate",),
    rate_cases,
    points={AMONG: 3, BESIDE: 1, NOTHING: 1},
    also=(UNCHANGED, REPEAT),
    adapter=adapters.given_sets,
)
