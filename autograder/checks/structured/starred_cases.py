"""Arguments of how alike hops are, and of the starred tasks: the pruned layer, and the way back through the penalty."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, LARGE, MASKED, NO_MASK, PADDING, Drawn
from autograder.checks.random_inputs import Rng, gaps, longest_first, normal, padding
from autograder.checks.structured.cases import HOPS, weights

ROWS = "rows that do not add up to 1, one of something"
DIFFERENT, EQUAL, ONE = "sizes that differ", "sizes that are equal", "one sentence, hop, feature or unit"


def even(rng: Rng, *sizes: int) -> np.ndarray:
    """Return weights none of which is tiny: the slope of a short row's length would be rounding and little else."""
    return rng.uniform(0.1, 0.5, size=sizes).astype(np.float32)


def overlap_cases(rng: Rng) -> list[Drawn]:
    """Draw weights of hops, at padding too, and rows of any length."""
    padded = padding(rng, 4, 6)
    scaled = weights(rng, 3, 4, 5) * rng.uniform(0.2, 3, size=(3, 4, 1))
    left = weights(rng, 5, 3, 6) * rng.uniform(0.2, 3, size=(5, 3, 1))
    return [
        Drawn("fewer hops than words", [weights(rng, 3, 4, 6), None], NO_MASK, [HOPS], gradients=True),
        Drawn("more hops than words", [weights(rng, 4, 5, 3), None], NO_MASK, [HOPS], gradients=True),
        Drawn("equal sizes", [weights(rng, 4, 4, 4), None], NO_MASK, [HOPS]),
        Drawn("padded sentences", [(weights(rng, 4, 3, 6) * padded[:, None]).astype(np.float32), padded], MASKED),
        Drawn("weight at padding", [even(rng, 4, 5, 6), longest_first(rng, 4, 6)], MASKED, gradients=True),
        Drawn("a mask with gaps", [even(rng, 5, 3, 6), gaps(rng, 5, 6)], MASKED, gradients=True),
        Drawn("equal sizes and a mask", [even(rng, 5, 5, 5), gaps(rng, 5, 5)], MASKED, gradients=True),
        Drawn("nothing masked", [weights(rng, 3, 4, 5), np.ones((3, 5), bool)], MASKED, [HOPS]),
        Drawn("rows that do not add up to 1", [scaled.astype(np.float32), None], ROWS, [HOPS]),
        Drawn("such rows and a mask", [left.astype(np.float32), gaps(rng, 5, 6)], ROWS, [PADDING, HOPS]),
        Drawn("one sentence", [even(rng, 1, 3, 5), gaps(rng, 1, 5)], ROWS, [PADDING, HOPS], gradients=True),
        Drawn("one hop", [weights(rng, 3, 1, 5), None], ROWS),
        Drawn("one word", [weights(rng, 3, 4, 1), None], ROWS, [HOPS]),
        Drawn("rows that add up to a hundredth", [weights(rng, 4, 3, 5) * np.float32(0.01), None], ROWS, [HOPS]),
    ]


def layer(rng: Rng, sizes: Sequence[int]) -> list:
    """Return M, W_v and W_h for sizes B, r, d, p, q."""
    B, r, d, p, q = sizes
    return [normal(rng, B, r, d), normal(rng, r, p, d, scale=d**-0.5), normal(rng, d, q, r, scale=r**-0.5)]


def pruned_cases(rng: Rng) -> list[Drawn]:
    """Draw pruned layers: all sizes different, some or all of them equal, one of something."""
    return [
        Drawn("fewer hops than features", layer(rng, (3, 4, 6, 2, 5)), DIFFERENT, gradients=True),
        Drawn("more hops than features", layer(rng, (4, 5, 3, 7, 2)), DIFFERENT, gradients=True),
        Drawn("many units of a row", layer(rng, (2, 3, 4, 8, 5)), DIFFERENT),
        Drawn("equal sizes", layer(rng, (4, 4, 4, 4, 4)), EQUAL, gradients=True),
        Drawn("as many hops as features", layer(rng, (3, 5, 5, 2, 4)), EQUAL),
        Drawn("square matrices", layer(rng, (2, 3, 5, 5, 3)), EQUAL),
        Drawn("one sentence", layer(rng, (1, 3, 5, 2, 4)), ONE, gradients=True),
        Drawn("one hop", layer(rng, (3, 1, 4, 5, 2)), ONE),
        Drawn("one feature", layer(rng, (3, 4, 1, 2, 5)), ONE),
        Drawn("one unit of each", layer(rng, (9, 4, 5, 1, 1)), ONE),
    ]


def backward_cases(rng: Rng) -> list[Drawn]:
    """Draw scores of hops, with what arrives at the penalty of each sentence."""

    def drawn(sizes: tuple[int, int, int], mask: np.ndarray | None, scale: float = 1.5) -> list:
        return [normal(rng, sizes[0]), normal(rng, *sizes, scale=scale), mask]

    def moved(sizes: tuple[int, int, int], mask: np.ndarray | None, by: np.ndarray | float) -> list:
        outer, scores, _ = drawn(sizes, mask)
        return [outer, (scores + by).astype(np.float32), mask]

    low, high, above = gaps(rng, 4, 7), gaps(rng, 3, 6), gaps(rng, 4, 7)
    apart = np.array([-300, 0, 300])[:, None]
    return [
        Drawn("fewer hops than words", drawn((3, 2, 5), None), NO_MASK, [HOPS]),
        Drawn("more hops than words", drawn((4, 5, 3), None), NO_MASK, [HOPS]),
        Drawn("equal sizes, no mask", drawn((4, 4, 4), None), NO_MASK, [HOPS]),
        Drawn("one hop", drawn((3, 1, 5), None), NO_MASK),
        Drawn("one word", drawn((3, 4, 1), None), NO_MASK, [HOPS]),
        Drawn("narrow hops", drawn((3, 4, 6), None, 4.0), NO_MASK, [HOPS]),
        Drawn("padded sentences", drawn((4, 3, 6), padding(rng, 4, 6)), MASKED),
        Drawn("other padded sentences", drawn((4, 5, 6), longest_first(rng, 4, 6)), MASKED),
        Drawn("a mask with gaps", drawn((5, 4, 6), gaps(rng, 5, 6)), MASKED),
        Drawn("equal sizes", drawn((5, 5, 5), gaps(rng, 5, 5)), MASKED),
        Drawn("one sentence", drawn((1, 3, 6), gaps(rng, 1, 6)), MASKED),
        Drawn("nothing masked", drawn((3, 2, 6), np.ones((3, 6), bool)), MASKED, [HOPS]),
        Drawn("scores around -800", moved((4, 3, 7), low, -800), FAR),
        Drawn("scores around 800, no mask", moved((4, 3, 7), None, 800), FAR, [LARGE]),
        Drawn("hops far apart", moved((3, 3, 6), high, apart), FAR),
        Drawn("padding that scores higher", moved((4, 3, 7), above, 60 * ~above[:, None]), FAR),
    ]
