"""The encoder–decoder before attention: a recurrent step, one vector for a sentence, a loss, and how words come out."""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor


def step_and_loss_by_hand() -> tuple[float, float]:
    """Return the state after the GRU step in the text, and the loss of the batch there, each with two decimals."""
    update = 1 / (1 + math.exp(1))
    new = math.tanh(1 + 0.5 * (2 - 1))
    surprise = [2, 1, 3, 2, 1]  # -log2 p of the five real words
    return -update + (1 - update) * new, math.log(2) * sum(surprise) / len(surprise)


def gru_step(
    x: Float[Tensor, "batch embedding_dim"],
    h: Float[Tensor, "batch units"],
    W: Float[Tensor, "gates embedding_dim"],
    R: Float[Tensor, "gates units"],
    b: Float[Tensor, " gates"],
    c: Float[Tensor, " gates"],
) -> Float[Tensor, "batch units"]:
    """Return the next state of a GRU: h' = z ∘ h + (1 − z) ∘ n, with n = tanh(W_n x + b_n + r ∘ (R_n h + c_n)).

    Cho et al. (2014), equations (5) to (8), in the form of torch.nn.GRUCell: `gates` is three times `units`, and the
    rows of the matrices and biases belong to the reset gate r, the update gate z and the new state n, in this order.
    """
    r_of_x, z_of_x, n_of_x = (x @ W.T + b).chunk(3, dim=-1)
    r_of_h, z_of_h, n_of_h = (h @ R.T + c).chunk(3, dim=-1)
    reset = torch.sigmoid(r_of_x + r_of_h)
    update = torch.sigmoid(z_of_x + z_of_h)
    new = torch.tanh(n_of_x + reset * n_of_h)
    return update * h + (1 - update) * new


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


def shift(
    tokens: Int[Tensor, "batch words"], bos: int, eos: int, pad: int
) -> tuple[Int[Tensor, "batch target"], Int[Tensor, "batch target"]]:
    """Return the decoder's inputs and its targets, each with one column more than the sentences.

    Teacher forcing, Williams and Zipser (1989): inputs bos, y_1, …, y_n, targets y_1, …, y_n, eos, filled up with pad.
    """
    inputs = torch.cat([tokens.new_full((len(tokens), 1), bos), tokens], dim=1)
    targets = torch.cat([tokens, tokens.new_full((len(tokens), 1), pad)], dim=1)
    lengths = (tokens != pad).sum(dim=1, keepdim=True)
    return inputs, targets.scatter(1, lengths, eos)


def sequence_loss(
    logits: Float[Tensor, "batch target vocabulary"], targets: Int[Tensor, "batch target"], pad: int
) -> Float[Tensor, ""]:
    """Return the mean over all real targets of the batch: L = −1/N Σ_b Σ_{t: y_bt ≠ pad} log p(y_bt | …, c).

    Bahdanau et al. (2015), equation (2), as a loss: the logarithm of the product, with its sign turned.
    """
    log_p = logits.log_softmax(dim=-1)
    of_targets = log_p.gather(-1, targets[..., None])[..., 0]
    return -of_targets[targets != pad].mean()


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
        total = log_p.new_tensor([score for score, _ in active])[:, None] + log_p
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


def nucleus(logits: Float[Tensor, "batch vocabulary"], p: float) -> Float[Tensor, "batch vocabulary"]:
    """Return the distribution that top-p sampling draws from: the smallest set of most probable words that reaches p.

    Holtzman et al. (2020), equations (2) and (3): their probabilities divided by their sum, and 0 for all other words.
    """
    ranked, words = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    more_probable = ranked.cumsum(dim=-1) - ranked  # what the words before have together
    kept = ranked.masked_fill(more_probable >= p, 0.0)
    return torch.zeros_like(ranked).scatter(-1, words, kept / kept.sum(dim=-1, keepdim=True))


def gru_step_backward(
    gradient: Float[Tensor, "batch units"],
    x: Float[Tensor, "batch embedding_dim"],
    h: Float[Tensor, "batch units"],
    W: Float[Tensor, "gates embedding_dim"],
    R: Float[Tensor, "gates units"],
    b: Float[Tensor, " gates"],
    c: Float[Tensor, " gates"],
) -> tuple[
    Float[Tensor, "batch embedding_dim"],
    Float[Tensor, "batch units"],
    Float[Tensor, "gates embedding_dim"],
    Float[Tensor, "gates units"],
    Float[Tensor, " gates"],
    Float[Tensor, " gates"],
]:
    """Return ∂L/∂x, ∂L/∂h, ∂L/∂W, ∂L/∂R, ∂L/∂b and ∂L/∂c of a GRU step from `gradient` = ∂L/∂h', without autograd.

    The chain rule through the equations of `gru_step`.
    """
    r_of_x, z_of_x, n_of_x = (x @ W.T + b).chunk(3, dim=-1)
    r_of_h, z_of_h, n_of_h = (h @ R.T + c).chunk(3, dim=-1)
    reset, update = torch.sigmoid(r_of_x + r_of_h), torch.sigmoid(z_of_x + z_of_h)
    new = torch.tanh(n_of_x + reset * n_of_h)
    to_new = gradient * (1 - update) * (1 - new**2)
    to_update = gradient * (h - new) * update * (1 - update)
    to_reset = to_new * n_of_h * reset * (1 - reset)
    to_x = torch.cat([to_reset, to_update, to_new], dim=-1)  # the gradient of W x + b
    to_h = torch.cat([to_reset, to_update, to_new * reset], dim=-1)  # the gradient of R h + c
    return to_x @ W, gradient * update + to_h @ R, to_x.T @ x, to_h.T @ h, to_x.sum(dim=0), to_h.sum(dim=0)
