"""The encoder–decoder before attention: one vector for a sentence, and how words come out."""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor


def last_states(
    outputs: Float[Tensor, "batch source both_units"], lengths: Int[Tensor, " batch"]
) -> Float[Tensor, "batch both_units"]:
    """Return the final states of both directions: [→h at the last real token ; ←h at token 0].

    c = q({h_1, …, h_S}): Bahdanau et al. (2015), section 2.1. Cho et al. (2014) take
    c = tanh(V h_S).
    """
    units = outputs.shape[-1] // 2
    rows = torch.arange(len(outputs), device=outputs.device)
    forward = outputs[rows, lengths - 1, :units]
    backward = outputs[:, 0, units:]
    return torch.cat([forward, backward], dim=-1)


def greedy_decode(
    step: Callable[[Int[Tensor, "batch prefix"]], Float[Tensor, "batch prefix vocabulary"]],
    batch_size: int,
    bos: int,
    eos: int,
    pad: int,
    max_len: int,
) -> Int[Tensor, "batch length"]:
    """Return the most probable next word, again and again: y_t = argmax p(y | y_1, …, y_{t-1}).

    Sutskever et al. (2014), section 3.2, with a beam of 1. No bos in the result; eos, and
    after it only pad; at most max_len tokens.
    """
    prefix = torch.full((batch_size, 1), bos)
    ended = torch.zeros(batch_size, dtype=torch.bool)
    while prefix.shape[1] <= max_len and not ended.all():
        word = step(prefix)[:, -1].argmax(dim=-1)
        word = word.masked_fill(ended, pad)  # a row that has ended says nothing more
        prefix = torch.cat([prefix, word[:, None]], dim=1)
        ended = ended | (word == eos)
    return prefix[:, 1:]


def beam_search(
    step: Callable[[Int[Tensor, "hypotheses prefix"]], Float[Tensor, "hypotheses vocabulary"]],
    bos: int,
    eos: int,
    beam: int,
    max_len: int,
    alpha: float,
) -> tuple[list[int], float]:
    """Return the best finished hypothesis and its score: log p(y) / |y|^α, |y| counting eos.

    Sutskever et al. (2014), section 3.2: keep the `beam` most probable beginnings, set aside
    those that end. The division by the length is not in that paper.
    """
    active: list[tuple[float, list[int]]] = [(0.0, [bos])]
    finished: list[tuple[float, list[int]]] = []
    for _ in range(max_len):
        log_p = step(torch.tensor([tokens for _, tokens in active]))
        total = torch.tensor([score for score, _ in active])[:, None] + log_p.detach().cpu()
        best, index = total.flatten().topk(min(beam, total.numel()))
        came_from, word = index // log_p.shape[1], index % log_p.shape[1]
        grown = [
            (score, [*active[i][1], y])
            for score, i, y in zip(best.tolist(), came_from.tolist(), word.tolist(), strict=True)
        ]
        finished += [hypothesis for hypothesis in grown if hypothesis[1][-1] == eos]
        active = [hypothesis for hypothesis in grown if hypothesis[1][-1] != eos]
        if not active:
            break
    scored = [(score / (len(tokens) - 1) ** alpha, tokens[1:]) for score, tokens in finished + active]
    score, tokens = max(scored)
    return tokens, score
