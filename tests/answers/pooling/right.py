"""Right answers of the pooling exercise, in the styles that a class hands in."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def _fill_then_mask(scores, mask):
    """Softmax, exact zeros at padding and in empty rows."""
    if mask is None:
        return scores.softmax(-1)
    return scores.masked_fill(~mask, -1e9).softmax(-1) * mask


def _infinity(scores, mask):
    """Softmax with -inf; what is NaN in empty rows becomes 0."""
    return scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num(0.0)


def _by_exp(scores, mask):
    """Softmax by hand; an empty row is 0 divided by 1."""
    keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    top = scores.masked_fill(~keep, -1e30).amax(-1, keepdim=True)
    grown = torch.where(keep, (scores - top).clamp(max=0).exp(), 0.0)
    total = grown.sum(-1, keepdim=True)
    return grown / torch.where(total == 0, 1.0, total)


def pool_matmul(H, w, mask=None):
    M = torch.tanh(H)
    alpha = _fill_then_mask(M @ w, mask)
    return torch.tanh((alpha.unsqueeze(1) @ H).squeeze(1)), alpha


def pool_columns(H, w, mask=None):
    H = H.transpose(1, 2)  # (B, d, S), as in the paper
    alpha = _fill_then_mask(w @ torch.tanh(H), mask)
    r = torch.bmm(H, alpha.unsqueeze(2))
    return torch.tanh(r.squeeze(2)), alpha


def pool_einsum(H, w, mask=None):
    alpha = _infinity(torch.einsum("bsd,d->bs", H.tanh(), w), mask)
    return torch.einsum("bs,bsd->bd", alpha, H).tanh(), alpha


def pool_broadcast(H, w, mask=None):
    alpha = _by_exp((torch.tanh(H) * w).sum(-1), mask)
    return torch.tanh((alpha[..., None] * H).sum(dim=1)), alpha


def pool_additive_mask(H, w, mask=None):
    bias = 0 if mask is None else (1.0 - mask.float()) * -1e9
    alpha = torch.softmax(torch.matmul(torch.tanh(H), w) + bias, dim=1)
    if mask is not None:
        alpha = alpha * mask.any(dim=1, keepdim=True)
    return torch.tanh(torch.einsum("bsd,bs->bd", H, alpha)), alpha


def pool_loops(H, w, mask=None):
    vectors, rows = [], []
    for b in range(H.shape[0]):
        keep = torch.ones(H.shape[1], dtype=torch.bool) if mask is None else mask[b]
        if not keep.any():
            vectors.append(H[b, 0] * 0)
            rows.append(H[b, :, 0] * 0)
            continue
        scores = torch.stack([torch.dot(torch.tanh(h), w) for h in H[b]])
        alpha = scores.masked_fill(~keep, -math.inf).softmax(0)
        rows.append(alpha)
        vectors.append(torch.tanh(sum(alpha[s] * H[b, s] for s in range(H.shape[1]))))
    return torch.stack(vectors), torch.stack(rows)


def pool_cut(H, w, mask=None):
    pooled, alpha = torch.zeros(H.shape[0], H.shape[2]), torch.zeros(H.shape[:2])
    for b, states in enumerate(H):
        keep = torch.arange(len(states)) if mask is None else mask[b].nonzero().squeeze(1)
        if len(keep):
            weights = F.softmax(torch.tanh(states[keep]).mv(w), dim=0)
            alpha[b] = alpha[b].index_put((keep,), weights)
            pooled[b] = torch.tanh(weights @ states[keep])
    return pooled, alpha


def pool_linear(H, w, mask=None):
    alpha = _fill_then_mask(F.linear(torch.tanh(H), w[None]).squeeze(-1), mask)
    return F.tanh(torch.bmm(alpha[:, None], H)[:, 0]), alpha


def pool_tanh_by_exp(H, w, mask=None):
    M = 1 - 2 / ((2 * H).exp() + 1)
    alpha = _fill_then_mask(M @ w, mask)
    r = (H * alpha.unsqueeze(-1)).sum(1)
    return 1 - 2 / ((2 * r).exp() + 1), alpha


def pool_time_major(H, w, mask=None):
    H = H.permute(1, 0, 2)
    scores = torch.tanh(H) @ w
    if mask is not None:
        scores = torch.where(mask.T, scores, torch.tensor(torch.finfo(torch.float32).min))
    alpha = scores.softmax(0)
    if mask is not None:
        alpha = alpha * mask.T
    return torch.tanh((alpha.unsqueeze(-1) * H).sum(0)), alpha.T


def pool_module(H, w, mask=None):
    class Attention(nn.Module):
        def forward(self, states):
            alpha = _fill_then_mask(torch.tanh(states) @ w, mask)
            return torch.tanh(torch.sum(states * alpha[:, :, None], 1)), alpha

    return Attention()(H)


def pool_bias_that_cancels(H, w, mask=None):
    alpha = _fill_then_mask(torch.tanh(H) @ w + 0.3, mask)
    return torch.tanh(torch.einsum("bs,bsd->bd", alpha, H)), alpha


def pool_in_double(H, w, mask=None):
    alpha = _fill_then_mask(torch.tanh(H.double()) @ w.double(), mask)
    return torch.tanh(torch.einsum("bs,bsd->bd", alpha, H.double())), alpha


def context_matmul(H, W, b, u, mask=None):
    alpha = _fill_then_mask(torch.tanh(H @ W.T + b) @ u, mask)
    return (alpha.unsqueeze(1) @ H).squeeze(1), alpha


def context_linear(H, W, b, u, mask=None):
    alpha = _infinity(F.linear(F.linear(H, W, b).tanh(), u.unsqueeze(0)).squeeze(-1), mask)
    return torch.bmm(alpha.unsqueeze(1), H).squeeze(1), alpha


def context_einsum(H, W, b, u, mask=None):
    hidden = torch.tanh(torch.einsum("btd,ad->bta", H, W) + b)
    alpha = _by_exp(torch.einsum("bta,a->bt", hidden, u), mask)
    return torch.einsum("bt,btd->bd", alpha, H), alpha


def context_columns(H, W, b, u, mask=None):
    hidden = torch.tanh(W @ H.transpose(1, 2) + b[:, None])
    alpha = _fill_then_mask(torch.matmul(u, hidden), mask)
    return torch.matmul(H.mT, alpha[..., None])[..., 0], alpha


def context_bias_as_column(H, W, b, u, mask=None):
    with_one = torch.cat([H, torch.ones(*H.shape[:2], 1)], dim=-1)
    alpha = _fill_then_mask(torch.tanh(with_one @ torch.cat([W, b[:, None]], 1).T) @ u, mask)
    return (alpha[:, :, None] * H).sum(1), alpha


def context_loops(H, W, b, u, mask=None):
    vectors, rows = [], []
    for i, states in enumerate(H):
        scores = torch.stack([torch.tanh(W @ h + b) @ u for h in states])
        alpha = _fill_then_mask(scores[None], None if mask is None else mask[i : i + 1])[0]
        rows.append(alpha)
        vectors.append(alpha @ states)
    return torch.stack(vectors), torch.stack(rows)


def context_flat(H, W, b, u, mask=None):
    B, T, d = H.shape
    hidden = torch.addmm(b, H.reshape(B * T, d), W.t()).tanh()
    alpha = _fill_then_mask((hidden @ u).view(B, T), mask)
    return torch.einsum("btd,bt->bd", H, alpha), alpha


def context_module(H, W, b, u, mask=None):
    layer = nn.Linear(W.shape[1], W.shape[0])
    hidden = torch.func.functional_call(layer, {"weight": W, "bias": b}, (H,))
    alpha = _fill_then_mask(torch.tanh(hidden) @ u, mask)
    return torch.einsum("bt,btd->bd", alpha, H), alpha


def context_padded_states_zeroed(H, W, b, u, mask=None):
    alpha = _fill_then_mask(torch.tanh(H @ W.T + b) @ u, mask)
    return torch.einsum("bt,btd->bd", alpha, H if mask is None else H * mask[..., None]), alpha


def context_masks_the_sum(H, W, b, u, mask=None):
    scores = torch.tanh(H @ W.T + b) @ u
    if mask is None:
        mask = torch.ones(H.shape[:2], dtype=torch.bool)
    weights = torch.exp(F.log_softmax(scores + torch.where(mask, 0.0, -1e9), dim=-1)) * mask.float()
    return torch.sum(weights.unsqueeze(2).expand_as(H) * H, dim=1), weights


def hierarchy_folded(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    B, N, T, d = H.shape
    mask = torch.ones(B, N, T, dtype=torch.bool) if mask is None else mask
    s, words = context_matmul(H.reshape(-1, T, d), W_w, b_w, u_w, mask.reshape(-1, T))
    s, words, filled = s.view(B, N, d), words.view(B, N, T), mask.any(-1)
    s = sentence_encoder(s, filled) if sentence_encoder else s
    v, sentences = context_matmul(s, W_s, b_s, u_s, filled)
    return v, words, sentences


def hierarchy_in_four_axes(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    words = _fill_then_mask(torch.tanh(H @ W_w.T + b_w) @ u_w, mask)
    s = torch.einsum("bnt,bntd->bnd", words, H)
    filled = None if mask is None else mask.any(dim=2)
    if sentence_encoder is not None:
        s = sentence_encoder(s, filled)
    sentences = _fill_then_mask(torch.tanh(s @ W_s.T + b_s) @ u_s, filled)
    return torch.einsum("bn,bnd->bd", sentences, s), words, sentences


def hierarchy_over_sentences(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    s, words = [], []
    for n in range(H.shape[1]):
        vector, weights = context_linear(H[:, n], W_w, b_w, u_w, None if mask is None else mask[:, n])
        s.append(vector)
        words.append(weights)
    filled = None if mask is None else mask.sum(-1) > 0
    v, sentences = context_linear(torch.stack(s, 1), W_s, b_s, u_s, filled)
    return v, torch.stack(words, 1), sentences


def hierarchy_over_documents(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    results = []
    for b, document in enumerate(H):
        keep = None if mask is None else mask[b]
        s, words = context_columns(document, W_w, b_w, u_w, keep)
        v, sentences = context_columns(s[None], W_s, b_s, u_s, None if keep is None else keep.any(1)[None])
        results.append((v[0], words, sentences[0]))
    v, words, sentences = (torch.stack(parts) for parts in zip(*results, strict=True))
    return v, words, sentences


def hierarchy_full_sentences_alone(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    mask = torch.ones(H.shape[:3], dtype=torch.bool) if mask is None else mask
    filled = mask.any(-1)
    s, words = torch.zeros(*H.shape[:2], H.shape[3]), torch.zeros(H.shape[:3])
    if filled.any():
        vectors, weights = context_einsum(H[filled], W_w, b_w, u_w, mask[filled])
        s, words = s.index_put((filled,), vectors), words.index_put((filled,), weights)
    v, sentences = context_einsum(s, W_s, b_s, u_s, filled)
    return v, words, sentences


def hierarchy_modules(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    class Level(nn.Module):
        def __init__(self, W, b, u):
            super().__init__()
            self.parts = W, b, u

        def forward(self, x, keep):
            W, b, u = self.parts
            weights = _infinity(torch.tanh(F.linear(x, W, b)) @ u, keep)
            return (weights[..., None] * x).sum(-2), weights

    s, words = Level(W_w, b_w, u_w)(H, mask)
    v, sentences = Level(W_s, b_s, u_s)(s, None if mask is None else torch.any(mask, -1))
    return v, words, sentences


def hierarchy_shares(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    _, words, sentences = hierarchy_in_four_axes(H, W_w, b_w, u_w, W_s, b_s, u_s, mask)
    return torch.einsum("bnt,bntd->bd", words * sentences[..., None], H), words, sentences


def hierarchy_list(*arguments):
    return list(hierarchy_folded(*arguments))


def _styles(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_")]


RIGHT = {
    "pooling.attention_pool": _styles("pool"),
    "pooling.context_attention": _styles("context"),
    "pooling.hierarchical_attention": _styles("hierarchy"),
    "pooling.repaired_hierarchy": _styles("hierarchy")[:4],
}
