"""Right answers of the pooling exercise, in the styles that a class hands in."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def _fill_then_mask(scores, mask):
    """Softmax, exact zeros at padding and in empty rows."""
    if mask is None:
        return scores.softmax(-1)
    return scores.masked_fill(~mask, -1e9).softmax(-1) * mask


def _by_exp(scores, mask):
    """Softmax by hand; an empty row is 0 divided by 1."""
    keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    top = scores.masked_fill(~keep, -1e30).amax(-1, keepdim=True)
    grown = torch.where(keep, (scores - top).clamp(max=0).exp(), 0.0)
    total = grown.sum(-1, keepdim=True)
    return grown / torch.where(total == 0, 1.0, total)


def pool_cut(H, w, mask=None):
    pooled, alpha = torch.zeros(H.shape[0], H.shape[2]), torch.zeros(H.shape[:2])
    for b, states in enumerate(H):
        keep = torch.arange(len(states)) if mask is None else mask[b].nonzero().squeeze(1)
        if len(keep):
            weights = F.softmax(torch.tanh(states[keep]).mv(w), dim=0)
            alpha[b] = alpha[b].index_put((keep,), weights)
            pooled[b] = torch.tanh(weights @ states[keep])
    return pooled, alpha


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


def context_einsum(H, W, b, u, mask=None):
    hidden = torch.tanh(torch.einsum("btd,ad->bta", H, W) + b)
    alpha = _by_exp(torch.einsum("bta,a->bt", hidden, u), mask)
    return torch.einsum("bt,btd->bd", alpha, H), alpha


def context_columns(H, W, b, u, mask=None):
    hidden = torch.tanh(W @ H.transpose(1, 2) + b[:, None])
    alpha = _fill_then_mask(torch.matmul(u, hidden), mask)
    return torch.matmul(H.mT, alpha[..., None])[..., 0], alpha


def context_module(H, W, b, u, mask=None):
    layer = nn.Linear(W.shape[1], W.shape[0])
    hidden = torch.func.functional_call(layer, {"weight": W, "bias": b}, (H,))
    alpha = _fill_then_mask(torch.tanh(hidden) @ u, mask)
    return torch.einsum("bt,btd->bd", alpha, H), alpha


def hierarchy_in_four_axes(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    words = _fill_then_mask(torch.tanh(H @ W_w.T + b_w) @ u_w, mask)
    s = torch.einsum("bnt,bntd->bnd", words, H)
    filled = None if mask is None else mask.any(dim=2)
    if sentence_encoder is not None:
        s = sentence_encoder(s, filled)
    sentences = _fill_then_mask(torch.tanh(s @ W_s.T + b_s) @ u_s, filled)
    return torch.einsum("bn,bnd->bd", sentences, s), words, sentences


def hierarchy_full_sentences_alone(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    mask = torch.ones(H.shape[:3], dtype=torch.bool) if mask is None else mask
    filled = mask.any(-1)
    s, words = torch.zeros(*H.shape[:2], H.shape[3]), torch.zeros(H.shape[:3])
    if filled.any():
        vectors, weights = context_einsum(H[filled], W_w, b_w, u_w, mask[filled])
        s, words = s.index_put((filled,), vectors), words.index_put((filled,), weights)
    v, sentences = context_einsum(s, W_s, b_s, u_s, filled)
    return v, words, sentences


def hierarchy_shares(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    _, words, sentences = hierarchy_in_four_axes(H, W_w, b_w, u_w, W_s, b_s, u_s, mask)
    return [torch.einsum("bnt,bntd->bd", words * sentences[..., None], H), words, sentences]


RIGHT = {
    "pooling.attention_pool": "pool_",
    "pooling.context_attention": "context_",
    "pooling.hierarchical_attention": "hierarchy_",
}
