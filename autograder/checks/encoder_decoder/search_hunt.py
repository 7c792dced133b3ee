"""The checks of the bug hunt: a beam search over a model that knows the last word only."""

import torch

from autograder.checks import UNCHANGED, CaseInput, Check, Hunt, Points
from autograder.checks.edits import known
from autograder.checks.encoder_decoder import examples, hunt
from autograder.checks.random_inputs import Rng, normal
from autograder.kit.cases import EXACT

NOISE, TRIES = 1e-3, 500
PLAIN, NORMALISED, UNENDING = "alpha 0", "alpha above 0", "hypotheses without end"  # groups of cases


def table_arguments(rng: Rng, vocabulary: int, beam: int, max_len: int, alpha: float, eos_bonus: float = 0.5) -> list:
    """Return arguments whose answer small noise leaves as it is; with alpha, the broken function gives another one."""
    for _ in range(TRIES):
        bos, eos = (int(token) for token in rng.permutation(vocabulary)[:2])
        table = normal(rng, vocabulary, vocabulary, scale=1.5)
        table[:, eos] += eos_bonus
        table[:, bos] -= 20
        rest = (bos, eos, beam, max_len, alpha)
        tokens, score = hunt.bigram_search(torch.from_numpy(table), *rest)
        moved = (torch.from_numpy(table + normal(rng, *table.shape, scale=NOISE)) for _ in range(3))
        noisy = [hunt.bigram_search(each, *rest)[0] for each in moved]
        other = hunt.broken_search(torch.from_numpy(table), *rest)
        shows = alpha == 0 or (other[0] != tokens and abs(other[1] - score) > 0.01)
        if shows and len(tokens) > 1 and all(each == tokens for each in noisy):
            return [table, *rest]
    raise RuntimeError(f"no table of {TRIES} shows the bug with beam {beam}, max_len {max_len}, alpha {alpha}")


def cases(rng: Rng) -> list[CaseInput]:
    """Draw models on which the broken search chooses another sentence, and some on which it does not."""
    drawn = [
        CaseInput("alpha 0", table_arguments(rng, 6, 3, 7, 0.0, 0.0), PLAIN),
        CaseInput("alpha 1", table_arguments(rng, 7, 3, 8, 1.0), NORMALISED),
        CaseInput("a small alpha", table_arguments(rng, 8, 4, 7, 0.6), NORMALISED),
        CaseInput("a large alpha", table_arguments(rng, 6, 2, 9, 1.4), NORMALISED),
        CaseInput("a wide beam", table_arguments(rng, 5, 9, 6, 1.0), NORMALISED),
        CaseInput("few ends", table_arguments(rng, 7, 3, 4, 1.0, -0.5), UNENDING),
        CaseInput("fewer ends", table_arguments(rng, 9, 4, 5, 0.7, -0.7), UNENDING),
    ]
    for each in drawn:
        each.tolerance = EXACT
    return drawn


HUNT = Hunt(
    Check(
        hunt.bigram_search,
        ("tokens", "score"),
        cases,
        points={PLAIN: 1, NORMALISED: 1, UNENDING: 1},
        also=(UNCHANGED,),
    ),
    hunt.broken_search,
    hunt.repaired_search,
    hunt.failing_input,
    hunt.diagnosis,
    points={PLAIN: 1, "the tokens and the score": Points(4, (NORMALISED, UNENDING))},
    ranges={
        "bos": (0, "vocabulary"),
        "eos": (0, "vocabulary"),
        "beam": (1, 16),
        "max_len": (1, 24),
        "alpha": (0, 4),
    },
    mistakes=known(hunt.bigram_search, "repaired_search"),
    examples=examples.REPAIRED,
    rests_on="beam_search",
)
