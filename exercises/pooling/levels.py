"""One level of attention that pools, or two: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, LARGE, LOW, MASKED, NO_MASK, PADDING, CaseInput, Check, Points, by_mask
from autograder.checks.random_inputs import HALF, Rng, gaps, longest_first, normal, padding, places
from solutions.pooling.attention import attention_pool, context_attention, hierarchical_attention

EMPTY = "a sentence without words"
WHOLE, PADDED = "documents without padding", "documents with padded sentences"  # groups of cases


def pool_arguments(rng: Rng, sizes: Sequence[int], mask: np.ndarray | None) -> list:
    """Return H, w and the mask for sizes B, S, d."""
    B, S, d = sizes
    return [normal(rng, B, S, d), normal(rng, d, scale=1.5), mask]


def pool_shifted(rng: Rng, mask: np.ndarray, score: float, above: bool) -> list:
    """Return arguments whose words score around this number, and their padding too, or, if above, twice as much."""
    H, w, _ = pool_arguments(rng, (*mask.shape, 5), mask)
    H[..., 0] = np.where(mask, HALF, 3 * HALF) if above else HALF
    w[0] = score / np.tanh(HALF)
    return [H, w, mask]


def pool_below_fills(rng: Rng, mask: np.ndarray) -> list:
    """Return arguments with scores as `far_below` has them."""
    H, w, _ = pool_shifted(rng, mask, -200_000, above=False)
    H[..., 0] = HALF * (1 + places(mask) / 5)
    return [H, w, mask]


def level(rng: Rng, d: int, a: int) -> list[np.ndarray]:
    """Return W, b and u of one level."""
    return [normal(rng, a, d, scale=d**-0.5), normal(rng, a), normal(rng, a, scale=1.5)]


def context_arguments(rng: Rng, sizes: Sequence[int], mask: np.ndarray | None) -> list:
    """Return H, W, b, u and the mask for sizes B, T, d, a."""
    B, T, d, a = sizes
    return [normal(rng, B, T, d), *level(rng, d, a), mask]


def one_unit(W: np.ndarray, b: np.ndarray, u: np.ndarray, from_states: float, bias: float, score: float) -> None:
    """Let unit 0 of a level hear feature 0 alone, and weigh so much."""
    W[0], b[0], u[0] = 0, bias, score / np.tanh(HALF)
    W[0, 0] = from_states


def context_shifted(rng: Rng, mask: np.ndarray, score: float, above: bool) -> list:
    """Return arguments whose words score around this number, and their padding too, or, if above, twice as much."""
    H, W, b, u, _ = context_arguments(rng, (*mask.shape, 5, 6), mask)
    H[..., 0] = np.where(mask, HALF, 3 * HALF)
    one_unit(W, b, u, 1.0 if above else 0.0, 0.0 if above else HALF, score)
    return [H, W, b, u, mask]


def context_below_fills(rng: Rng, mask: np.ndarray) -> list:
    """Return arguments with scores as `far_below` has them."""
    H, *rest = context_shifted(rng, mask, -200_000, above=True)
    H[..., 0] = HALF * (1 + places(mask) / 5)
    return [H, *rest]


def hierarchy_arguments(rng: Rng, sizes: Sequence[int], mask: np.ndarray | None) -> list:
    """Return H, both levels, the mask and no encoder for sizes B, N, T, d, a."""
    B, N, T, d, a = sizes
    return [normal(rng, B, N, T, d), *level(rng, d, a), *level(rng, d, a), mask, None]


def hierarchy_shifted(rng: Rng, mask: np.ndarray, score: float, above: bool) -> list:
    """Return arguments whose words score around this number, and their padding too, or, if above, twice as much.

    The vector of an empty sentence is zero, so only its own score can be high: it is the one that bias and u make. All
    words of real sentences bear -1 in feature 0, and so does the vector of their sentence, whatever the weights.
    """
    H, W_w, b_w, u_w, W_s, b_s, u_s, *rest = hierarchy_arguments(rng, (*mask.shape, 5, 6), mask)
    H[..., 0] = np.where(mask, -1, 0)
    for W, b, u in ((W_w, b_w, u_w), (W_s, b_s, u_s)):
        one_unit(W, b, u, 2 * HALF if above else 0.0, 3 * HALF if above else HALF, score)
    return [H, W_w, b_w, u_w, W_s, b_s, u_s, *rest]


def hierarchy_below_fills(rng: Rng, mask: np.ndarray) -> list:
    """Return arguments whose scores are as `far_below` has them, on both levels.

    A sentence's vector bears what its first word bears in feature 0, and an empty one's bears 0: both levels score a
    large feature higher, and each sentence's words have other features than the next one's.
    """
    H, W_w, b_w, u_w, W_s, b_s, u_s, *rest = hierarchy_arguments(rng, (*mask.shape, 5, 6), mask)
    H[..., 0] = HALF * (2.5 - places(mask) / 5 - np.arange(mask.shape[1])[:, None] / 4)
    for W, b, u in ((W_w, b_w, u_w), (W_s, b_s, u_s)):
        one_unit(W, b, u, -1.0, 3 * HALF, -200_000)
    return [H, W_w, b_w, u_w, W_s, b_s, u_s, *rest]


def documents(rng: Rng, batch: int, sentences: int, words: int) -> np.ndarray:
    """Return the mask of documents padded at both levels; the first one has all sentences."""
    mask = np.stack([padding(rng, sentences, words) for _ in range(batch)])
    return mask & longest_first(rng, batch, sentences)[..., None]


def scattered(rng: Rng, batch: int, sentences: int, words: int) -> np.ndarray:
    """Return a mask with holes among the words, and in every document an empty sentence, not always the last."""
    mask = gaps(rng, batch, sentences, words)
    mask[np.arange(batch), np.arange(batch) % sentences] = False
    return mask


def without_a_place(mask: np.ndarray, place: int) -> np.ndarray:
    """Return the mask of documents with no word at this place in any sentence of the first document."""
    mask[0, :, place] = False
    return mask


def emptied(rng: Rng, mask: np.ndarray) -> np.ndarray:
    """Return the mask with one row of the batch without any True."""
    mask[rng.integers(len(mask))] = False
    return mask


def pool_cases(rng: Rng) -> list[CaseInput]:
    """Draw sentences to be pooled: all sizes different, all equal, one sentence, one position."""
    return [
        CaseInput("no mask", pool_arguments(rng, (3, 5, 4), None), NO_MASK, gradients=True),
        CaseInput("padded sentences", pool_arguments(rng, (4, 7, 5), padding(rng, 4, 7)), MASKED, gradients=True),
        CaseInput("other padded sentences", pool_arguments(rng, (4, 6, 3), longest_first(rng, 4, 6)), MASKED),
        CaseInput("a mask with gaps", pool_arguments(rng, (5, 6, 7), gaps(rng, 5, 6)), MASKED),
        CaseInput("equal sizes", pool_arguments(rng, (5, 5, 5), gaps(rng, 5, 5)), MASKED, gradients=True),
        CaseInput("equal sizes, no mask", pool_arguments(rng, (5, 5, 5), None), NO_MASK),
        CaseInput("one sentence", pool_arguments(rng, (1, 6, 4), gaps(rng, 1, 6)), MASKED),
        CaseInput("one position", pool_arguments(rng, (3, 1, 4), None), NO_MASK),
        CaseInput("scores around -120", pool_shifted(rng, gaps(rng, 4, 7), -120, above=False), FAR),
        CaseInput("padding that scores higher", pool_shifted(rng, gaps(rng, 4, 7), 60, above=True), FAR),
        CaseInput(LOW, pool_below_fills(rng, gaps(rng, 4, 7)), FAR),
    ]


def context_cases(rng: Rng) -> list[CaseInput]:
    """Draw one level of a hierarchy: all sizes different, all equal, one sentence, one word."""
    return [
        CaseInput("no mask", context_arguments(rng, (3, 5, 4, 6), None), NO_MASK, gradients=True),
        CaseInput("padded sentences", context_arguments(rng, (4, 7, 6, 5), padding(rng, 4, 7)), MASKED, gradients=True),
        CaseInput("other padded sentences", context_arguments(rng, (4, 6, 3, 5), longest_first(rng, 4, 6)), MASKED),
        CaseInput("a mask with gaps", context_arguments(rng, (5, 6, 7, 4), gaps(rng, 5, 6)), MASKED),
        CaseInput("equal sizes", context_arguments(rng, (5,) * 4, gaps(rng, 5, 5)), MASKED, gradients=True),
        CaseInput("equal sizes, no mask", context_arguments(rng, (5,) * 4, None), NO_MASK),
        CaseInput("one sentence", context_arguments(rng, (1, 6, 4, 5), gaps(rng, 1, 6)), MASKED),
        CaseInput("one position", context_arguments(rng, (3, 1, 4, 5), None), NO_MASK),
        CaseInput("scores around -120", context_shifted(rng, gaps(rng, 4, 7), -120, above=False), FAR),
        CaseInput("padding that scores higher", context_shifted(rng, gaps(rng, 4, 7), 60, above=True), FAR),
        CaseInput(LOW, context_below_fills(rng, gaps(rng, 4, 7)), FAR),
    ]


def hierarchy_cases(rng: Rng) -> list[CaseInput]:
    """Draw documents: whole ones, padded at both levels, with holes, all sizes equal, one alone, an empty one."""
    words = np.stack([padding(rng, 4, 5) for _ in range(3)])
    words[0] = True
    full = documents(rng, 4, 3, 6)
    square = without_a_place(scattered(rng, 5, 5, 5), 2)  # where words are, and which sentences have some, differ

    def case(
        name: str, sizes: Sequence[int], mask: np.ndarray | None, group: str = "", gradients: bool = False
    ) -> CaseInput:
        features = [] if mask is None else [PADDING, EMPTY][: 1 + (not mask.any(axis=-1).all())]
        return CaseInput(name, hierarchy_arguments(rng, sizes, mask), group, features, gradients)

    drawn = [
        case("no mask", (2, 3, 4, 5, 6), None, WHOLE, True),
        case("padded sentences", (3, 4, 5, 6, 7), words, gradients=True),
        case("padded documents", (4, 3, 6, 5, 7), full, PADDED, True),
        case("masks with gaps", (3, 5, 4, 6, 5), scattered(rng, 3, 5, 4), PADDED),
        case("equal sizes", (5,) * 5, square, PADDED),
        case("equal sizes, no mask", (4,) * 5, None, WHOLE),
        case("one document", (1, 4, 5, 3, 6), scattered(rng, 1, 4, 5), PADDED),
        case("one word in one sentence", (3, 1, 1, 4, 5), None, WHOLE),
        case("an empty document", (3, 4, 5, 6, 4), emptied(rng, documents(rng, 3, 4, 5))),
    ]
    shifted = [
        ("scores around -120", hierarchy_shifted(rng, scattered(rng, 3, 4, 5), -120, above=False)),
        ("padding that scores higher", hierarchy_shifted(rng, scattered(rng, 3, 4, 5), 60, above=True)),
        (LOW, hierarchy_below_fills(rng, scattered(rng, 3, 4, 5))),
    ]
    return [*drawn, *(CaseInput(name, arguments, FAR, [PADDING, EMPTY, LARGE]) for name, arguments in shifted)]


POOL = Check(
    attention_pool,
    ("h", "weights"),
    pool_cases,
    points={
        **by_mask(("the weights", "weights", 2, 1), ("the vector", "h", 2, 1)),
        FAR: 1,
    },
    shape="the shapes of vector and weights",
    exact=("weights",),
)

CONTEXT = Check(
    context_attention,
    ("s", "weights"),
    context_cases,
    points={
        **by_mask(("the weights", "weights", 2, 1), ("the vector", "s", 1, 1)),
        FAR: 1,
    },
    shape="the shapes of vector and weights",
    exact=("weights",),
)

HIERARCHY = Check(
    hierarchical_attention,
    ("document", "words", "sentences"),
    hierarchy_cases,
    points={
        "the weights of the words without a mask": Points(1, WHOLE, part="words"),
        "the weights of the sentences without a mask": Points(1, WHOLE, part="sentences"),
        "the document without a mask": Points(1, WHOLE, part="document"),
        "padded words": Points(2, "padded sentences"),
        "padded sentences: the words": Points(1, PADDED, part="words"),
        "padded sentences: the sentences": Points(2, PADDED, part="sentences"),
        "padded sentences: the document": Points(1, PADDED, part="document"),
        "a document without words": Points(1, "an empty document"),
        FAR: 1,
    },
    exact=("words", "sentences"),
    may_call=("context_attention",),
)
