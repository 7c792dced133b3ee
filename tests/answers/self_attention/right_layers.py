"""Right answers to what stands around the formula: numbers by hand, modules, counts, rotations, attention in chunks."""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def _soft(scores, mask):
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask[:, None], -1e9).softmax(-1)


class module_linear(nn.Module):
    def __init__(self, embedding_dim, key_dim, value_dim):
        super().__init__()
        self.W_q = nn.Parameter(torch.empty(key_dim, embedding_dim))
        self.W_k = nn.Parameter(torch.empty(key_dim, embedding_dim))
        self.W_v = nn.Parameter(torch.empty(value_dim, embedding_dim))
        for matrix in self.parameters():
            nn.init.xavier_uniform_(matrix)

    def forward(self, X, mask=None):
        query, key = F.linear(X, self.W_q), F.linear(X, self.W_k)
        weights = _soft(query @ key.mT / math.sqrt(key.shape[-1]), mask)
        return weights @ F.linear(X, self.W_v), weights


class module_in_one_product(module_linear):
    def forward(self, X, mask=None):
        k, v = len(self.W_q), len(self.W_v)
        Q, K, V = (X @ torch.cat([self.W_q, self.W_k, self.W_v]).T).split([k, k, v], dim=-1)
        weights = _soft((Q / k**0.5) @ K.transpose(1, 2), mask)
        return [weights @ V, weights]


class module_with_dropout_off(module_linear):
    def forward(self, X, mask=None):
        output, weights = super().forward(X, mask)
        return F.dropout(output, 0.3, self.training), weights


def exact_loops(kind, n, d, k, r):
    if kind == "recurrent":
        return sum(d * d + d * d for _ in range(n))
    if kind == "convolution":
        return sum(d * d for _ in range(n) for _ in range(k))
    keys = n if kind == "self_attention" else r
    return sum(3 * d * d + keys * d + keys * d for _ in range(n))


def exact_tensor(kind, n, d, k, r):
    return torch.tensor(exact_loops(kind, n, d, k, r))


def exact_numpy(kind, n, d, k, r):
    return np.int64(exact_loops(kind, n, np.int64(d), k, r))


def crossing_searched(d, gates):
    n = 1
    while 3 * n * d * d + 2 * n * n * d <= gates * 2 * n * d * d:
        n += 1
    return n


def crossing_floor(d, gates):
    return max(math.floor((gates - 1.5) * d) + 1, 1)


def crossing_tensor(d, gates):
    return torch.tensor(crossing_searched(d, gates))


def _angles(x, positions, base):
    d = x.shape[-1]
    return positions[:, None] * torch.tensor([base ** (-2 * i / d) for i in range(d // 2)])


def rotated_complex(x, positions, base):
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    angles = _angles(x, positions, base)
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def rotated_in_place_on_a_copy(x, positions, base):
    angles, turned = _angles(x, positions, base), x.clone()
    turned[..., 0::2] = x[..., 0::2] * angles.cos() - x[..., 1::2] * angles.sin()
    turned[..., 1::2] = x[..., 1::2] * angles.cos() + x[..., 0::2] * angles.sin()
    return turned


def rotated_by_matrices(x, positions, base):
    """A block matrix for each position."""
    rows = []
    for s, position in enumerate(positions.tolist()):
        blocks = []
        for i in range(x.shape[-1] // 2):
            angle = position * base ** (-2 * i / x.shape[-1])
            blocks.append(torch.tensor([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]))
        rows.append(x[..., s, :] @ torch.block_diag(*blocks).T)
    return torch.stack(rows, dim=-2)


def _masks(mask, Q, K):
    return None if mask is None else mask.expand(*Q.shape[:-1], K.shape[-2])


def chunked_by_logsumexp(Q, K, V, chunk, mask=None):
    """Each chunk has a softmax of its own; the logarithms of their sums weigh the chunks."""
    outputs, logs, mask = [], [], _masks(mask, Q, K)
    for a in range(0, K.shape[-2], chunk):
        scores = torch.matmul(Q, K[..., a : a + chunk, :].transpose(-1, -2)) / Q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[..., a : a + chunk], -1e9)
        logs.append(scores.logsumexp(-1))
        outputs.append(scores.softmax(-1) @ V[..., a : a + chunk, :])
    shares = torch.stack(logs, -1).softmax(-1)
    return sum(shares[..., i, None] * output for i, output in enumerate(outputs))


def chunked_padded(Q, K, V, chunk, mask=None):
    """Keys and values are padded to whole chunks."""
    S = K.shape[-2]
    more = -S % chunk
    K, V, mask = F.pad(K, (0, 0, 0, more)), F.pad(V, (0, 0, 0, more)), _masks(mask, Q, K)
    real = torch.arange(S + more) < S if mask is None else F.pad(mask, (0, more))
    m = Q.new_full((*Q.shape[:-1], 1), -1e30)
    total, output = torch.zeros_like(m), Q.new_zeros(*Q.shape[:-1], V.shape[-1])
    for a in range(0, S + more, chunk):
        keep = real[..., a : a + chunk]
        scores = (Q @ K[..., a : a + chunk, :].mT / math.sqrt(K.shape[-1])).masked_fill(~keep, -1e30)
        larger = torch.maximum(m, scores.amax(-1, keepdim=True))
        grown, factor = (scores - larger).exp() * keep, (m - larger).exp()
        total, output = factor * total + grown.sum(-1, keepdim=True), factor * output + grown @ V[..., a : a + chunk, :]
        m = larger
    return output / total


def chunked_maximum_first(Q, K, V, chunk, mask=None):
    """The maxima in a pass without gradients, in place; then the sums."""
    mask, starts = _masks(mask, Q, K), range(0, K.shape[-2], chunk)
    with torch.no_grad():
        top = torch.full(Q.shape[:-1], -1e30)
        for a in starts:
            scores = (Q @ K[..., a : a + chunk, :].mT).div_(Q.shape[-1] ** 0.5)
            if mask is not None:
                scores.masked_fill_(~mask[..., a : a + chunk], -1e30)
            torch.maximum(top, scores.amax(-1), out=top)
    total, output = 0, 0
    for a in starts:
        scores = Q @ K[..., a : a + chunk, :].mT / Q.shape[-1] ** 0.5
        scores = scores if mask is None else scores.masked_fill(~mask[..., a : a + chunk], -1e30)
        grown = (scores - top[..., None]).exp()
        total, output = total + grown.sum(-1), output + grown @ V[..., a : a + chunk, :]
    return output / total[..., None]


RIGHT = {
    "self_attention.SelfAttention": "module_",
    "self_attention.exact_layer_cost": "exact_",
    "self_attention.crossing_length": "crossing_",
    "self_attention.rotated": "rotated_",
    "self_attention.chunked_attention": "chunked_",
}
