"""A step and loss by hand, a GRU's step and its gradients, teacher forcing, the loss, a nucleus: cases and checks."""

import numpy as np

from autograder.checks import PADDING, REPEAT, SHAPE, UNCHANGED, CaseInput, Check, Points, by_hand
from autograder.checks.random_inputs import Rng, lengths, normal, softmax
from autograder.kit.verdict.by_hand import without_autograd
from solutions.encoder_decoder.attention import (
    gru_step,
    gru_step_backward,
    nucleus,
    sequence_loss,
    shift,
    step_and_loss_by_hand,
)

SIZES, EQUAL, SMALL, SATURATED = (
    "the new state",
    "sizes that are equal",
    "one sentence, one unit",
    "gates near 0 and 1",
)  # groups of a step's cases
FULL, RAGGED, EMPTY = "rows of one length", "rows of different lengths", "a row without words"  # groups of shift's
UNPADDED, PADDED, LARGE = "without padding", "with padding", "logits far from 0"  # groups of the loss's cases

HAND = by_hand(
    step_and_loss_by_hand,
    {"state": "the state after the step", "loss": "the loss of the batch"},
)


def step_arguments(rng: Rng, batch: int, width: int, units: int, scale: float = 1.0) -> list:
    """Return x, h, W, R, b and c; the two biases are far from each other and from 0."""
    matrices = [
        normal(rng, 3 * units, width, scale=scale * width**-0.5),
        normal(rng, 3 * units, units, scale=scale * units**-0.5),
    ]
    biases = [normal(rng, 3 * units) + np.float32(sign * 0.4) for sign in (1, -1)]
    return [normal(rng, batch, width), normal(rng, batch, units), *matrices, *biases]


def step_cases(rng: Rng) -> list[CaseInput]:
    """Draw steps: all sizes different, all equal, one sentence, one unit, gates that are nearly open or shut."""
    without, (x, h, *weights) = step_arguments(rng, 4, 6, 3), step_arguments(rng, 5, 3, 4)
    return [
        CaseInput("all sizes different", step_arguments(rng, 4, 5, 3), SIZES, gradients=True),
        CaseInput("other sizes", step_arguments(rng, 3, 2, 6), SIZES, gradients=True),
        CaseInput("no biases", [*without[:4], 0 * without[4], 0 * without[5]], SIZES, gradients=True),
        CaseInput("a first state of zeros", [x, 0 * h, *weights], SIZES),
        CaseInput("equal sizes", step_arguments(rng, 5, 5, 5), EQUAL, gradients=True),
        CaseInput("a batch of three times the units", step_arguments(rng, 6, 6, 2), EQUAL),
        CaseInput("one sentence", step_arguments(rng, 1, 4, 3), SMALL, gradients=True),
        CaseInput("one unit", step_arguments(rng, 4, 3, 1), SMALL, gradients=True),
        CaseInput("large weights", step_arguments(rng, 4, 5, 6, scale=6.0), SATURATED),
    ]


STEP = Check(
    gru_step,
    ("state",),
    step_cases,
    points={SIZES: 3, EQUAL: 1, SMALL: 1, SATURATED: 1},
)


def sentences(rng: Rng, words: np.ndarray, longest: int, vocabulary: int = 13, pad: int | None = None) -> list:
    """Return tokens with so many words in each row, and the numbers bos, eos and pad, which are no words."""
    while True:
        special = [int(token) for token in rng.permutation(np.arange(1, vocabulary))[:3]]
        special = special if pad is None else [*special[:2], pad]
        ordinary = np.setdiff1d(np.arange(vocabulary), special)
        if pad is not None or (ordinary.min() < special[2] < ordinary.max()):
            break
    tokens = rng.choice(ordinary, size=(len(words), longest))
    if pad is None:  # the number 0 is a word in these sentences
        tokens[np.arange(len(words)), rng.integers(0, np.maximum(words, 1))] = 0
    tokens[np.arange(longest) >= words[:, None]] = special[2]
    return [tokens.astype(np.int64), *special]


def shift_cases(rng: Rng) -> list[CaseInput]:
    """Draw sentences of one length and of many, with padding behind all of them, of one word, of none."""
    with_none = lengths(rng, 5, 6)
    with_none[rng.permutation(5)[:2]] = 0
    return [
        CaseInput("no padding", sentences(rng, np.full(4, 5), 5), FULL),
        CaseInput("one sentence", sentences(rng, np.array([4]), 4), FULL),
        CaseInput("one word in each row", sentences(rng, np.ones(3, np.int64), 1), FULL),
        CaseInput("rows of different lengths", sentences(rng, lengths(rng, 4, 7), 7), RAGGED, [PADDING]),
        CaseInput("other lengths", sentences(rng, lengths(rng, 6, 5), 5), RAGGED, [PADDING]),
        CaseInput("equal sizes", sentences(rng, lengths(rng, 6, 6), 6), RAGGED, [PADDING]),
        CaseInput("pad is 0", sentences(rng, lengths(rng, 5, 6), 6, pad=0), RAGGED, [PADDING]),
        CaseInput("padding in every row", sentences(rng, lengths(rng, 4, 5), 8), RAGGED, [PADDING]),
        CaseInput("a row without words", sentences(rng, with_none, 6), EMPTY, [PADDING]),
    ]


SHIFT = Check(
    shift,
    ("inputs", "targets"),
    shift_cases,
    points={
        "the inputs": Points(2, (FULL, RAGGED), part="inputs"),
        "the targets of rows of one length": Points(1, FULL, part="targets"),
        "the targets of rows of different lengths": Points(2, RAGGED, part="targets"),
        EMPTY: 1,
    },
    also=(SHAPE, UNCHANGED, REPEAT),
    exact=("inputs", "targets"),
)


def loss_arguments(
    rng: Rng, words: np.ndarray, longest: int, vocabulary: int, scale: float = 1.5, pad: int | None = None
) -> list:
    """Return logits, targets and pad; every number of the vocabulary may be a target, and pad is one of them."""
    pad = int(rng.integers(1, vocabulary - 1)) if pad is None else pad
    targets = rng.choice(np.setdiff1d(np.arange(vocabulary), [pad]), size=(len(words), longest))
    if pad:  # the number 0 is a real target in these batches
        targets[np.arange(len(words)), rng.integers(0, words)] = 0
    targets[np.arange(longest) >= words[:, None]] = pad
    return [normal(rng, len(words), longest, vocabulary, scale=scale), targets.astype(np.int64), pad]


def far_from_zero(rng: Rng, level: float) -> list:
    """Return arguments whose logits lie around a level, with differences of a hundred, and padding's further off."""
    logits, targets, pad = loss_arguments(rng, lengths(rng, 4, 6), 6, 7, scale=60.0)
    logits = np.where((targets != pad)[..., None], logits + level, logits + 20 * level)
    return [logits.astype(np.float32), targets, pad]


def infinite_at_padding(rng: Rng) -> list:
    """Return arguments whose logits are infinite, of either sign, wherever the target is padding."""
    logits, targets, pad = loss_arguments(rng, lengths(rng, 4, 6), 6, 7)
    signs = rng.choice([-np.inf, np.inf], size=logits.shape)
    return [np.where((targets == pad)[..., None], signs, logits).astype(np.float32), targets, pad]


def loss_cases(rng: Rng) -> list[CaseInput]:
    """Draw losses: all sizes different, all equal, padding in any row, one sentence, logits far from 0."""
    full = np.full(3, 4)
    return [
        CaseInput("no padding", loss_arguments(rng, full, 4, 7), UNPADDED, gradients=True),
        CaseInput("no padding, other sizes", loss_arguments(rng, np.full(5, 3), 3, 4), UNPADDED, gradients=True),
        CaseInput("one word of one sentence", loss_arguments(rng, np.array([1]), 1, 5), UNPADDED, gradients=True),
        CaseInput("padded sentences", loss_arguments(rng, lengths(rng, 4, 6), 6, 8), PADDED, gradients=True),
        CaseInput("other padded sentences", loss_arguments(rng, lengths(rng, 5, 7), 7, 6), PADDED, gradients=True),
        CaseInput("equal sizes", loss_arguments(rng, lengths(rng, 5, 5), 5, 5), PADDED, gradients=True),
        CaseInput("pad is 0", loss_arguments(rng, lengths(rng, 4, 5), 5, 9, pad=0), PADDED),
        CaseInput("one sentence", loss_arguments(rng, np.array([3]), 5, 6), PADDED, gradients=True),
        CaseInput("padding in every row", loss_arguments(rng, lengths(rng, 4, 5), 8, 6), PADDED),
        CaseInput("logits around 800", far_from_zero(rng, 800.0), LARGE),
        CaseInput("logits around -800", far_from_zero(rng, -800.0), LARGE),
        CaseInput("infinite logits at padding", infinite_at_padding(rng), LARGE, [PADDING]),
    ]


LOSS = Check(
    sequence_loss,
    ("loss",),
    loss_cases,
    points={UNPADDED: 2, PADDED: 3, LARGE: 1},
)


NEAR = 2e-3  # no sum is so near to p, and no two words at the edge of a nucleus so near to each other
ONE, ROWS, ENDS = "one row", "several rows", "p near 0, and p = 1"  # groups of cases
PARTS = ("d_x", "d_h", "d_W", "d_R", "d_b", "d_c")
DIFFERENT, EQUAL_OR_1 = "sizes that differ", "sizes that are equal, or 1"  # groups of the cases of a step's gradients


def nucleus_arguments(rng: Rng, rows: int, vocabulary: int, p: float, level: float = 0.0) -> list:
    """Return logits and p, drawn until the rows' nuclei are clear, and of several sizes where there are several."""
    while True:
        logits = normal(rng, rows, vocabulary, scale=1.3) + np.float32(level)
        ranked = np.sort(softmax(logits), axis=-1)[:, ::-1]
        sums = ranked.cumsum(axis=-1)
        sizes = 1 + (sums[:, :-1] < p).sum(axis=-1)
        edge = np.take_along_axis(ranked, sizes[:, None] - 1, 1)[:, 0]
        following = np.take_along_axis(ranked, np.minimum(sizes, vocabulary - 1)[:, None], 1)[:, 0]
        clear = np.abs(sums[:, :-1] - p).min() > NEAR and ((edge - following > NEAR) | (sizes == vocabulary)).all()
        several = rows < 3 or not 0.1 < p < 1 or len(set(sizes.tolist()) | {int(sizes[0])}) > 1
        if clear and several and ranked.min() > 1e-4:
            return [logits, p]


def nucleus_cases(rng: Rng) -> list[CaseInput]:
    """Draw rows whose nuclei have different sizes; p near 0 and p = 1; logits far from 0."""
    return [
        CaseInput("one row", nucleus_arguments(rng, 1, 7, 0.7), ONE),
        CaseInput("another row", nucleus_arguments(rng, 1, 9, 0.5), ONE),
        CaseInput("several rows", nucleus_arguments(rng, 4, 7, 0.75), ROWS),
        CaseInput("more rows", nucleus_arguments(rng, 6, 8, 0.6), ROWS),
        CaseInput("rows and words of one number", nucleus_arguments(rng, 6, 6, 0.8), ROWS),
        CaseInput("two words", nucleus_arguments(rng, 3, 2, 0.7), ROWS),
        CaseInput("p = 0.9", nucleus_arguments(rng, 5, 9, 0.9), ROWS),
        CaseInput("p near 0", nucleus_arguments(rng, 4, 6, 0.01), ENDS),
        CaseInput("p = 1", nucleus_arguments(rng, 3, 5, 1.0), ENDS),
        CaseInput("logits around 800", nucleus_arguments(rng, 4, 8, 0.7, level=800.0), LARGE),
        CaseInput("logits around -800", nucleus_arguments(rng, 4, 6, 0.6, level=-800.0), LARGE),
    ]


NUCLEUS = Check(
    nucleus,
    ("distribution",),
    nucleus_cases,
    points={ONE: 1, ROWS: 2, ENDS: 1, LARGE: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    stars=1,
)


def backward_arguments(rng: Rng, batch: int, width: int, units: int) -> list:
    """Return the gradient of the new state, and the arguments of the step."""
    return [normal(rng, batch, units), *step_arguments(rng, batch, width, units)]


def backward_cases(rng: Rng) -> list[CaseInput]:
    """Draw steps and what comes back to their new state."""
    return [
        CaseInput("all sizes different", backward_arguments(rng, 4, 5, 3), DIFFERENT),
        CaseInput("other sizes", backward_arguments(rng, 3, 2, 6), DIFFERENT),
        CaseInput("equal sizes", backward_arguments(rng, 5, 5, 5), EQUAL_OR_1),
        CaseInput("one sentence", backward_arguments(rng, 1, 4, 3), EQUAL_OR_1),
        CaseInput("one unit", backward_arguments(rng, 4, 3, 1), EQUAL_OR_1),
    ]


BACKWARD = Check(
    gru_step_backward,
    PARTS,
    backward_cases,
    points={
        "the gradient of x": Points(1, DIFFERENT, part="d_x"),
        "the gradient of h": Points(2, DIFFERENT, part="d_h"),
        "the gradient of W": Points(1, DIFFERENT, part="d_W"),
        "the gradient of R": Points(2, DIFFERENT, part="d_R"),
        "the gradient of b": Points(1, DIFFERENT, part="d_b"),
        "the gradient of c": Points(1, DIFFERENT, part="d_c"),
        EQUAL_OR_1: 1,
    },
    also=(SHAPE, UNCHANGED, REPEAT),
    shape="the shapes of the six gradients",
    adapter=without_autograd,
    stars=2,
)
