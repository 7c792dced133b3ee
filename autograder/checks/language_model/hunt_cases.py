"""Random arguments for the bug hunt of the language model: new positions behind those in a cache."""

from collections.abc import Sequence

from autograder.checks import FAR, CaseInput
from autograder.checks.random_inputs import Rng, normal

BEHIND, ONE = "several new positions", "one new position"  # groups of cases


def continued(rng: Rng, sizes: Sequence[int], name: str, group: str, gradients: bool = False) -> CaseInput:
    """Return a case for sizes B, heads, new, past, head_dim."""
    B, heads, new, past, width = sizes
    arguments = [normal(rng, B, heads, length, width) for length in (new, new, new, past, past)]
    if group == FAR:
        arguments[0][..., 0], arguments[1][..., 0], arguments[3][..., 0] = width**0.5, -100, -100
    return CaseInput(name, arguments, group, [], gradients)


def continued_cases(rng: Rng) -> list[CaseInput]:
    """Draw new positions, fewer and more than those in the cache; one alone; scores far from 0."""
    return [
        continued(rng, (3, 2, 4, 6, 5), "four behind six", BEHIND, gradients=True),
        continued(rng, (2, 4, 5, 3, 6), "five behind three", BEHIND),
        continued(rng, (4, 3, 4, 1, 2), "four behind one", BEHIND),
        continued(rng, (3, 3, 3, 3, 3), "equal sizes", BEHIND),
        continued(rng, (3, 2, 1, 5, 4), "one behind five", ONE, gradients=True),
        continued(rng, (1, 2, 1, 1, 4), "one behind one", ONE),
        continued(rng, (2, 3, 3, 5, 4), "scores around -100", FAR),
    ]
