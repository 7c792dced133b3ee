"""Random arguments for the bug hunt of a text that is read in chunks: chunks of one position, of several, of all."""

from collections.abc import Sequence

from autograder.checks import FAR, CaseInput
from autograder.checks.random_inputs import Rng, normal

SEVERAL, ALONE, WIDE = "chunks of several positions", "chunks of one position", "a window as long as the text"  # groups


def chunked(rng: Rng, sizes: Sequence[int], name: str, group: str, gradients: bool = False) -> CaseInput:
    """Return a case for sizes B, S, d, v, window, chunk."""
    B, S, d, v, window, chunk = sizes
    arguments = [normal(rng, B, S, d), normal(rng, B, S, d), normal(rng, B, S, v), window, chunk]
    if group == FAR:
        arguments[0][..., 0], arguments[1][..., 0] = d**0.5, -100
    return CaseInput(name, arguments, group, [], gradients)


def chunk_cases(rng: Rng) -> list[CaseInput]:
    """Draw texts in chunks: shorter and longer than the window, a last one that breaks off, one chunk for all."""
    return [
        chunked(rng, (3, 11, 4, 5, 3, 4), "chunks longer than the window", SEVERAL, gradients=True),
        chunked(rng, (2, 9, 5, 3, 4, 2), "chunks shorter than the window", SEVERAL, gradients=True),
        chunked(rng, (1, 10, 3, 4, 3, 3), "chunks as long as the window", SEVERAL),
        chunked(rng, (4, 7, 3, 6, 2, 9), "one chunk for all", SEVERAL),
        chunked(rng, (2, 8, 4, 3, 1, 3), "a window of one", SEVERAL),
        chunked(rng, (3, 8, 4, 2, 3, 1), "chunks of one", ALONE, gradients=True),
        chunked(rng, (2, 5, 3, 5, 1, 1), "chunks of one, a window of one", ALONE),
        chunked(rng, (3, 6, 4, 6, 6, 4), "a window as long as the text", WIDE),
        chunked(rng, (2, 5, 5, 4, 8, 2), "a longer one", WIDE),
        chunked(rng, (2, 9, 4, 3, 3, 4), "scores around -100", FAR),
    ]
