"""The bug hunt of beam search: what has ended is divided by its length twice. Its model knows the last word only."""

import torch
from jaxtyping import Float
from torch import Tensor


def bigram_search(
    table: Float[Tensor, "vocabulary vocabulary"], bos: int, eos: int, beam: int, max_len: int, alpha: float
) -> tuple[list[int], float]:
    """Return what beam search gives with a model that knows the last word only: its logits are a row of the table."""
    return repaired_search(table, bos, eos, beam, max_len, alpha)


def broken_search(table, bos, eos, beam, max_len, alpha):
    """What has ended is divided by its length when it joins the pool, and once more when the best is chosen."""
    log_p = table.log_softmax(dim=-1)
    active, pool = [(0.0, [bos])], []
    for _ in range(max_len):
        grown = []
        for total, tokens in active:
            following = log_p[tokens[-1]].tolist()
            grown += [(total + p, [*tokens, word]) for word, p in enumerate(following)]
        grown = sorted(grown, reverse=True)[:beam]
        pool += [(total / (len(tokens) - 1) ** alpha, tokens) for total, tokens in grown if tokens[-1] == eos]
        active = [(total, tokens) for total, tokens in grown if tokens[-1] != eos]
    pool += active
    score, tokens = max((total / (len(tokens) - 1) ** alpha, tokens) for total, tokens in pool)
    return tokens[1:], score


def failing_input():
    """Return arguments on which `broken_search` is wrong: table, bos, eos, beam, max_len, alpha."""
    table = torch.tensor([[0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [0.0, 5.0, 0.0]])
    return table, 0, 1, 1, 4, 1.0  # after bos (0) comes the word 2, and after that eos (1): two tokens


def diagnosis():
    """Return the number of the line that is wrong, and the letter of its kind."""
    return 10, "c"


def repaired_search(table, bos, eos, beam, max_len, alpha):
    """Return what `broken_search` should return: one statement is another, the rest is as it was."""
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
