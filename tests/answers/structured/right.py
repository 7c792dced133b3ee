"""Right answers of the structured self-attention exercise, in the styles that a class hands in."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def penalty_matmul(A):
    difference = A @ A.transpose(1, 2) - torch.eye(A.shape[1])
    return (difference**2).sum(dim=(-2, -1))


def penalty_bmm(A):
    r = A.size(1)
    identity = torch.eye(r).unsqueeze(0).repeat(A.size(0), 1, 1)
    return torch.norm(torch.bmm(A, A.permute(0, 2, 1)) - identity, p="fro", dim=(1, 2)) ** 2


def penalty_einsum(A):
    overlap = torch.einsum("brs,bqs->brq", A, A) - torch.eye(A.shape[1])
    return torch.einsum("brq,brq->b", overlap, overlap)


def penalty_linalg(A):
    return torch.linalg.matrix_norm(A @ A.mT - torch.eye(A.shape[-2])).pow(2)


def penalty_loop(A):
    result = []
    for a in A:
        total = 0.0
        for i in range(len(a)):
            for j in range(len(a)):
                total = total + (a[i] @ a[j] - (1.0 if i == j else 0.0)) ** 2
        result.append(total)
    return torch.stack(result)


def penalty_sentences(A):
    return torch.stack([(a @ a.T - torch.eye(len(a))).square().sum() for a in A])


def penalty_trace(A):
    difference = torch.eye(A.shape[1]) - A @ A.transpose(1, 2)
    return (difference @ difference.transpose(1, 2)).diagonal(dim1=1, dim2=2).sum(-1)


def penalty_expanded(A):
    overlap = A @ A.transpose(1, 2)
    return overlap.square().sum((1, 2)) - 2 * A.square().sum((1, 2)) + A.shape[1]


def penalty_words_with_words(A):
    """‖AAᵀ - I_r‖² and ‖AᵀA - I_S‖² differ by r - S: the singular values are the same."""
    words = (A.transpose(1, 2) @ A - torch.eye(A.shape[2])).square().sum((1, 2))
    return words + A.shape[1] - A.shape[2]


def penalty_diagonal_apart(A):
    overlap = A @ A.transpose(1, 2)
    own = overlap.diagonal(dim1=1, dim2=2)
    return overlap.square().sum((1, 2)) - own.square().sum(1) + (own - 1).square().sum(1)


def penalty_singular_values(A):
    return (torch.linalg.svdvals(A @ A.mT - torch.eye(A.shape[1])) ** 2).sum(-1)


def penalty_in_double(A):
    A = A.double()
    return (A @ A.transpose(1, 2) - torch.eye(A.shape[1], dtype=torch.float64)).square().sum((1, 2))


def penalty_broadcast(A):
    overlap = (A[:, :, None] * A[:, None]).sum(-1)
    return ((overlap - torch.eye(A.shape[1])) ** 2).flatten(1).sum(1)


def penalty_list(A):
    return [((a @ a.t()) - torch.eye(a.shape[0])).norm() ** 2 for a in A]


def _finish(A, H, penalty=penalty_matmul):
    return A @ H, A, penalty(A)


def attention_as_in_the_paper(H, W_s1, W_s2, mask=None):
    scores = W_s2 @ torch.tanh(W_s1 @ H.transpose(1, 2))
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None, :], -1e9)
    return _finish(torch.softmax(scores, dim=-1), H)


def attention_linear(H, W_s1, W_s2, mask=None):
    scores = F.linear(torch.tanh(F.linear(H, W_s1)), W_s2).permute(0, 2, 1)
    if mask is not None:
        scores = torch.where(mask.unsqueeze(1), scores, torch.tensor(-torch.inf))
    A = F.softmax(scores, dim=2)
    return torch.bmm(A, H), A, penalty_bmm(A)


def attention_einsum(H, W_s1, W_s2, mask=None):
    hidden = torch.einsum("bsd,ad->bsa", H, W_s1).tanh()
    scores = torch.einsum("bsa,ra->brs", hidden, W_s2)
    if mask is not None:
        scores = scores + torch.zeros(mask.shape).masked_fill(~mask, -1e9)[:, None]
    A = scores.softmax(-1)
    return torch.einsum("brs,bsd->brd", A, H), A, penalty_einsum(A)


def attention_softmax_before_transpose(H, W_s1, W_s2, mask=None):
    scores = torch.tanh(H @ W_s1.T) @ W_s2.T
    if mask is not None:
        scores = scores.masked_fill(~mask.unsqueeze(-1), torch.finfo(scores.dtype).min)
    return _finish(scores.softmax(dim=1).transpose(1, 2), H, penalty_linalg)


def attention_hop_by_hop(H, W_s1, W_s2, mask=None):
    hidden = torch.tanh(H @ W_s1.T)
    rows = []
    for w in W_s2:
        e = hidden @ w
        if mask is not None:
            e = e.masked_fill(mask == False, -1e9)  # noqa: E712 — as students write it
        rows.append(torch.softmax(e, dim=1))
    return _finish(torch.stack(rows, dim=1), H, penalty_loop)


def attention_sentence_by_sentence(H, W_s1, W_s2, mask=None):
    M, A = [], []
    for b in range(len(H)):
        keep = torch.ones(H.shape[1], dtype=torch.bool) if mask is None else mask[b]
        words = H[b][keep]
        a = torch.softmax(W_s2 @ torch.tanh(W_s1 @ words.T), dim=-1)
        row = torch.zeros(len(W_s2), H.shape[1])
        row[:, keep] = a
        M.append(a @ words)
        A.append(row)
    A = torch.stack(A)
    return torch.stack(M), A, penalty_sentences(A)


def attention_exp_and_renormalise(H, W_s1, W_s2, mask=None):
    scores = torch.matmul(W_s2, torch.tanh(torch.matmul(W_s1, H.mT)))
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None], -torch.inf)
    grown = (scores - scores.amax(-1, keepdim=True)).exp()
    return _finish(grown / grown.sum(-1, keepdim=True), H, penalty_expanded)


def attention_additive_mask(H, W_s1, W_s2, mask=None):
    scores = (torch.tanh(H @ W_s1.t()) @ W_s2.t()).transpose(1, 2).contiguous()
    if mask is not None:
        scores = scores + (1.0 - mask.float()).unsqueeze(1) * -1e9
    return _finish(nn.Softmax(dim=-1)(scores), H, penalty_trace)


def attention_modules(H, W_s1, W_s2, mask=None):
    def first(x):
        return nn.functional.linear(x, W_s1)

    network = nn.Sequential(nn.Tanh())
    scores = nn.functional.linear(network(first(H)), W_s2)
    scores = scores if mask is None else scores.masked_fill(torch.logical_not(mask)[..., None], float("-inf"))
    A = torch.softmax(scores, 1).permute(0, 2, 1)
    return A.bmm(H), A, penalty_diagonal_apart(A)


def attention_time_major(H, W_s1, W_s2, mask=None):
    states = H.transpose(0, 1)
    scores = torch.tanh(states @ W_s1.T) @ W_s2.T
    if mask is not None:
        scores = scores.masked_fill(~mask.T[..., None], -1e30)
    A = scores.softmax(0)
    M = torch.einsum("sbr,sbd->brd", A, states)
    return M, A.permute(1, 2, 0), penalty_broadcast(A.permute(1, 2, 0))


def attention_log_domain(H, W_s1, W_s2, mask=None):
    scores = W_s2 @ torch.tanh(W_s1 @ H.transpose(-1, -2))
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None], -1e30)
    return _finish(torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True)), H, penalty_words_with_words)


def attention_masked_twice(H, W_s1, W_s2, mask=None):
    scores = W_s2 @ torch.tanh(W_s1 @ H.transpose(1, 2))
    if mask is None:
        mask = torch.ones(H.shape[:2], dtype=torch.bool)
    A = scores.masked_fill(~mask[:, None], -1e9).softmax(-1) * mask[:, None]
    return (A[..., None] * H[:, None]).sum(2), A, penalty_matmul(A)


def attention_list(H, W_s1, W_s2, mask=None):
    return list(attention_as_in_the_paper(H, W_s1, W_s2, mask))


def attention_bias_that_cancels(H, W_s1, W_s2, mask=None):
    scores = W_s2 @ torch.tanh(W_s1 @ H.transpose(1, 2)) + 0.3
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None], -1e9)
    return _finish(scores.softmax(-1), H)


PENALTY = [value for name, value in globals().items() if name.startswith("penalty_")]
ATTENTION = [value for name, value in globals().items() if name.startswith("attention_")]
RIGHT = {
    "structured.penalization": PENALTY,
    "structured.structured_attention": ATTENTION,
    "structured.repaired_attention": ATTENTION,
}
