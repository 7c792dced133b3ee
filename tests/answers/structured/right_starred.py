"""Right answers of how alike hops are, of the pruned layer, of the way back through the penalty, and by hand."""

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import masked_softmax


def _kept(A, mask):
    return A if mask is None else A * mask[:, None]


def overlap_einsum(A, mask=None):
    A = _kept(A, mask)
    products = torch.einsum("bis,bjs->bij", A, A)
    squares = torch.einsum("bii->bi", products)
    return products * (squares[:, :, None] * squares[:, None]).rsqrt()


def overlap_library(A, mask=None):
    if mask is not None:
        A = torch.where(mask.unsqueeze(1), A, torch.tensor(0.0))
    return F.cosine_similarity(A[:, :, None], A[:, None], dim=-1)


def overlap_loops(A, mask=None):
    sentences = []
    for b, rows in enumerate(A):
        kept = rows if mask is None else rows[:, mask[b]]
        cosines = [[torch.dot(i, j) / (i.pow(2).sum().sqrt() * j.pow(2).sum().sqrt()) for j in kept] for i in kept]
        sentences.append(torch.stack([torch.stack(row) for row in cosines]))
    return torch.stack(sentences)


def overlap_in_place_on_a_copy(A, mask=None):
    A = A.clone()
    if mask is not None:
        A.masked_fill_(~mask[:, None], 0)
    rows = A / torch.linalg.vector_norm(A, dim=2, keepdim=True).clamp(min=1e-8)
    return torch.bmm(rows, rows.mT)


def pruned_bmm(M, W_v, W_h):
    of_rows = torch.bmm(M.transpose(0, 1), W_v.transpose(1, 2)).transpose(0, 1)
    of_columns = torch.bmm(M.permute(2, 0, 1), W_h.transpose(1, 2)).transpose(0, 1)
    return torch.cat([of_rows.reshape(len(M), -1), of_columns.reshape(len(M), -1)], 1).clamp(min=0)


def pruned_loops(M, W_v, W_h):
    units = [M[:, i] @ W_v[i].T for i in range(M.shape[1])]
    units += [M[:, :, j] @ W_h[j].T for j in range(M.shape[2])]
    return torch.maximum(torch.cat(units, dim=1), torch.tensor(0.0))


def pruned_as_a_full_layer(M, W_v, W_h):
    r, p, d = W_v.shape
    q = W_h.shape[1]
    table = torch.zeros(r * p + d * q, r, d)
    for i in range(r):
        table[i * p : (i + 1) * p, i] = W_v[i]
    for j in range(d):
        table[r * p + j * q : r * p + (j + 1) * q, :, j] = W_h[j]
    return F.relu(F.linear(M.flatten(1), table.flatten(1)))


def _weights(scores, mask):
    return masked_softmax(scores, None if mask is None else mask[:, None].expand_as(scores))


def _residue(A):
    return A @ A.transpose(1, 2) - torch.eye(A.shape[1])


def backward_words_with_words(d_penalty, scores, mask=None):
    """(AAᵀ - I) A = A (AᵀA - I)."""
    A = _weights(scores, mask)
    d_A = 4 * d_penalty[:, None, None] * (A @ (A.transpose(1, 2) @ A - torch.eye(A.shape[2])))
    return A * (d_A - (A * d_A).sum(-1, keepdim=True))


def backward_loops(d_penalty, scores, mask=None):
    d_scores = torch.zeros_like(scores)
    for b in range(len(scores)):
        keep = torch.ones(scores.shape[2], dtype=torch.bool) if mask is None else mask[b]
        a = scores[b][:, keep].softmax(-1)
        d_a = 4 * d_penalty[b] * (a @ a.T - torch.eye(len(a))) @ a
        d_scores[b, :, keep] = torch.stack([row * (d - row @ d) for row, d in zip(a, d_a, strict=True)])
    return d_scores


def backward_library(d_penalty, scores, mask=None):
    A = _weights(scores, mask)
    d_A = 4 * _residue(A) @ A * d_penalty[:, None, None]
    return torch.ops.aten._softmax_backward_data(d_A, A, 2, torch.float32)


def backward_in_place_on_a_copy(d_penalty, scores, mask=None):
    A = _weights(scores, mask)
    d = (4 * _residue(A) @ A).clone()
    d.mul_(d_penalty[:, None, None])
    d.sub_((A * d).sum(-1, keepdim=True)).mul_(A)
    return d


RIGHT = {
    "structured.hop_overlap": "overlap_",
    "structured.pruned_output": "pruned_",
    "structured.penalty_backward": "backward_",
}
