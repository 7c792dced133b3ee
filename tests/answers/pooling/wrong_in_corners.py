"""More wrong answers of the pooling exercise: right nearly everywhere, wrong at one size, one number, one gradient."""

import torch

from solutions.bahdanau.attention import masked_softmax, weighted_sum
from solutions.pooling.attention import attention_pool, context_attention, hierarchical_attention


def _slowed(x, factor=0.5):
    """Return x, with a gradient that is too small."""
    return x * factor + (x * (1 - factor)).detach()


def _pool(H, weights):
    return torch.tanh(weighted_sum(weights, H)), weights


def _pool_weights(H, w, mask):
    return attention_pool(H, w, mask)[1]


def _in_place(H, w, mask=None):
    H += 0.01
    result = attention_pool(H - 0.01, w, mask)
    H -= 0.02
    return result


POOL = {
    "small weights cut off": lambda H, w, mask=None: _pool(H, (a := _pool_weights(H, w, mask)) * (a > 0.01)),
    "scores between -50 and 50": lambda H, w, mask=None: _pool(
        H, masked_softmax((torch.tanh(H) @ w).clamp(-50, 50), mask)
    ),
    "fill of -100": lambda H, w, mask=None: _pool(
        H,
        (s := torch.tanh(H) @ w).softmax(-1)
        if mask is None
        else s.masked_fill(~mask, -100.0).softmax(-1) * mask.any(-1, True),
    ),
    "no mask for one sentence": lambda H, w, mask=None: attention_pool(H, w, None if len(H) == 1 else mask),
    "no mask where S is d": lambda H, w, mask=None: attention_pool(H, w, None if H.shape[1] == H.shape[2] else mask),
    "one position gives the state": lambda H, w, mask=None: (
        (H[:, 0], torch.ones(H.shape[:2])) if H.shape[1] == 1 else attention_pool(H, w, mask)
    ),
}


def _context(H, weights):
    return weighted_sum(weights, H), weights


CONTEXT = {
    "no bias for one sentence": lambda H, W, b, u, mask=None: context_attention(
        H, W, 0 * b if len(H) == 1 else b, u, mask
    ),
    "tanh where there is no mask": lambda H, W, b, u, mask=None: (
        (torch.tanh((r := context_attention(H, W, b, u, mask))[0]), r[1])
        if mask is None
        else context_attention(H, W, b, u, mask)
    ),
    "a mask of lengths": lambda H, W, b, u, mask=None: context_attention(
        H, W, b, u, None if mask is None else torch.arange(H.shape[1]) < mask.sum(1, keepdim=True)
    ),
}


def _second(change):
    """Return the hierarchy whose sentences' vectors and mask are changed before the second level."""

    def hierarchy(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
        mask = torch.ones(H.shape[:3], dtype=torch.bool) if mask is None else mask
        vectors, words = context_attention(H.flatten(0, 1), W_w, b_w, u_w, mask.flatten(0, 1))
        vectors, filled = change(vectors.unflatten(0, H.shape[:2]), mask)
        document, sentences = context_attention(vectors, W_s, b_s, u_s, filled)
        return document, words.unflatten(0, H.shape[:2]), sentences

    return hierarchy


def _swapped_if(condition):
    def hierarchy(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
        levels = (W_s, b_s, u_s, W_w, b_w, u_w) if condition(H) else (W_w, b_w, u_w, W_s, b_s, u_s)
        return hierarchical_attention(H, *levels, mask)

    return hierarchy


HIERARCHY = {
    "an empty document reads its first sentence": _second(
        lambda s, mask: (s, mask.any(-1) | (torch.arange(mask.shape[1]) == 0) & ~mask.any((1, 2))[:, None])
    ),
    "levels swapped for one document": _swapped_if(lambda H: len(H) == 1),
    "levels swapped where all sizes are equal": _swapped_if(lambda H: len(set(H.shape)) == 1),
    "levels swapped where words are fewer than sentences": _swapped_if(lambda H: H.shape[1] > H.shape[2]),
}

WRONG = {
    "pooling.attention_pool": POOL,
    "pooling.context_attention": CONTEXT,
    "pooling.hierarchical_attention": HIERARCHY,
}
