"""The bug hunt of beam search: what has ended is divided by its length twice. Its model knows the last word only."""

import torch
from jaxtyping import Float
from torch import Tensor

from autograder.checks import UNCHANGED, CaseInput, Check, Hunt, Points
from autograder.checks.random_inputs import Rng, normal
from autograder.kit.verdict.cases import EXACT


def bigram_search(
    table: Float[Tensor, "vocabulary vocabulary"], bos: int, eos: int, beam: int, max_len: int, alpha: float
) -> tuple[list[int], float]:
    """Return the result of beam search with a model that knows the last word only: its logits are a row of `table`."""
    return repaired_search(table, bos, eos, beam, max_len, alpha)


def failing_input():
    """Return arguments on which `broken_search` is wrong: table, bos, eos, beam, max_len, alpha."""
    table = torch.tensor([[0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [0.0, 5.0, 0.0]])
    return table, 0, 1, 1, 4, 1.0  # after bos (0) comes the word 2, and after that eos (1): two tokens


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 10, "c"


def repaired_search(table, bos, eos, beam, max_len, alpha):
    """Return the right result: this is `broken_search` with one statement changed."""
    log_p = table.log_softmax(dim=-1)
    active, pool = [(0.0, [bos])], []
    for _ in range(max_len):
        grown = []
        for total, tokens in active:
            following = log_p[tokens[-1]].tolist()
            grown += [(total + p, [*tokens, word]) for word, p in enumerate(following)]
        grown = sorted(grown, reverse=True)[:beam]
        pool += [(total, tokens) for total, tokens in grown if tokens[-1] == eos]
        active = [(total, tokens) for total, tokens in grown if tokens[-1] != eos]
    pool += active
    score, tokens = max((total / (len(tokens) - 1) ** alpha, tokens) for total, tokens in pool)
    return tokens[1:], score


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
        tokens, score = bigram_search(torch.from_numpy(table), *rest)
        moved = (torch.from_numpy(table + normal(rng, *table.shape, scale=NOISE)) for _ in range(3))
        noisy = [bigram_search(each, *rest)[0] for each in moved]
        other = HUNT.broken(torch.from_numpy(table), *rest)
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
        bigram_search,
        ("tokens", "score"),
        cases,
        points={PLAIN: 1, NORMALISED: 1, UNENDING: 1},
        also=(UNCHANGED,),
    ),
    repaired_search,
    failing_input,
    diagnosis,
    bug="pool += [(total, tokens) => pool += [(total / (len(tokens) - 1) ** alpha, tokens)",
    points={PLAIN: 1, "the tokens and the score": Points(4, (NORMALISED, UNENDING))},
    ranges={
        "bos": (0, "vocabulary"),
        "eos": (0, "vocabulary"),
        "beam": (1, 16),
        "max_len": (1, 24),
        "alpha": (0, 4),
    },
    rests_on="beam_search",
)
