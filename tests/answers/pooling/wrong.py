"""Wrong answers of the pooling exercise that are no known mistake of the checks: none of them may get all points."""

import torch
import torch.nn.functional as F

from autograder.checks.pooling import hunt
from solutions.bahdanau.attention import masked_softmax, weighted_sum
from solutions.pooling.attention import attention_pool, context_attention, hierarchical_attention
from tests.answers.spoilers import spoiled


def pool_gelu(H, w, mask=None):
    weights = masked_softmax(F.gelu(H) @ w, mask)
    return torch.tanh(weighted_sum(weights, H)), weights


def _if_the_first_is_padded(mask):
    return None if mask is None or mask[0].all() else mask


def pool_mask_only_if_the_first_is_padded(H, w, mask=None):
    return attention_pool(H, w, _if_the_first_is_padded(mask))


def context_mask_only_if_the_first_is_padded(H, W, b, u, mask=None):
    return context_attention(H, W, b, u, _if_the_first_is_padded(mask))


def hierarchy_mask_only_if_the_first_is_padded(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    return hierarchical_attention(H, W_w, b_w, u_w, W_s, b_s, u_s, _if_the_first_is_padded(mask))


def pool_scores_cut(H, w, mask=None):
    weights = masked_softmax((H.tanh() @ w).clamp(max=50), mask)
    return torch.einsum("bs,bsd->bd", weights, H).tanh(), weights


def context_scores_cut(H, W, b, u, mask=None):
    weights = masked_softmax((torch.tanh(H @ W.T + b) @ u).clamp(max=50), mask)
    return torch.einsum("bs,bsd->bd", weights, H), weights


def hierarchy_scores_cut(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    mask = torch.ones(H.shape[:3], dtype=torch.bool) if mask is None else mask
    words = masked_softmax(torch.tanh(H @ W_w.T + b_w) @ u_w, mask)
    s = torch.einsum("bnt,bntd->bnd", words, H)
    document, sentences = context_scores_cut(s, W_s, b_s, u_s, mask.any(-1))
    return document, words, sentences


def pool_own_parameter(H, w, mask=None):
    return attention_pool(H, torch.nn.Parameter(w.detach().clone()), mask)


def pool_maximum(H, w, mask=None):
    _, weights = attention_pool(H, w, mask)
    return torch.tanh((H * weights[..., None]).amax(1)), weights


def pool_by_length(H, w, mask=None):
    if mask is not None:
        mask = torch.arange(H.shape[1]) < mask.sum(1, keepdim=True)
    return attention_pool(H, w, mask)


def pool_needs_a_mask(H, w, mask=None):
    return attention_pool(H, w, mask & mask)


def pool_small_fill(H, w, mask=None):
    scores = torch.tanh(H) @ w
    weights = (scores if mask is None else scores.masked_fill(~mask, -20.0)).softmax(-1)
    return torch.tanh(torch.einsum("bs,bsd->bd", weights, H)), weights


def pool_fills_the_states(H, w, mask=None):
    return attention_pool(H if mask is None else H.masked_fill(~mask[..., None], -1e9), w)


def pool_zeroes_in_place(H, w, mask=None):
    if mask is not None:
        H[~mask] = 0
    return attention_pool(H, w, mask)


def pool_normalised_sum(H, w, mask=None):
    pooled, weights = attention_pool(H, w, mask)
    return F.normalize(pooled, dim=-1), weights


def context_bias_outside(H, W, b, u, mask=None):
    weights = masked_softmax((torch.tanh(H @ W.T) + b) @ u, mask)
    return weighted_sum(weights, H), weights


def context_square_turned(H, W, b, u, mask=None):
    return context_attention(H, W.T if W.shape[0] == W.shape[1] else W, b, u, mask)


def context_u_detached(H, W, b, u, mask=None):
    return context_attention(H, W, b, u.detach(), mask)


def context_last_word(H, W, b, u, mask=None):
    return H[:, -1], context_attention(H, W, b, u, mask)[1]


def context_rest_added(H, W, b, u, mask=None):
    pooled, weights = context_attention(H, W, b, u, mask)
    return pooled + H.mean(1), weights


def _second(change):
    """Return the hierarchy whose second level gets other vectors or another mask."""

    def hierarchy(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
        B, N, T, _ = H.shape
        mask = torch.ones(B, N, T, dtype=torch.bool) if mask is None else mask
        s, words = context_attention(H.flatten(0, 1), W_w, b_w, u_w, mask.flatten(0, 1))
        s, words = s.unflatten(0, (B, N)), words.unflatten(0, (B, N))
        s, filled = change(s, mask)
        v, sentences = context_attention(s, W_s, b_s, u_s, filled)
        return v, words, sentences

    return hierarchy


hierarchy_detached_between = _second(lambda s, mask: (s.detach(), mask.any(-1)))
hierarchy_first_sentence_alone = _second(lambda s, mask: (s[:, :1].expand_as(s), mask.any(-1)))
hierarchy_sentences_reversed = _second(lambda s, mask: (s.flip(1), mask.any(-1)))
hierarchy_longest_counts = _second(lambda s, mask: (s, mask.sum(-1) == mask.sum(-1).amax(-1, keepdim=True)))
hierarchy_last_word_decides = _second(lambda s, mask: (s, mask[..., -1]))
hierarchy_two_words_or_more = _second(lambda s, mask: (s, mask.sum(-1) > 1))
hierarchy_prefix_of_sentences = _second(
    lambda s, mask: (s, torch.arange(mask.shape[1]) < mask.any(-1).sum(-1, keepdim=True))
)
hierarchy_weighted_by_length = _second(lambda s, mask: (s * mask.sum(-1, keepdim=True), mask.any(-1)))
hierarchy_first_mask = _second(lambda s, mask: (s, mask[:1].any(-1).expand(len(mask), -1)))


def hierarchy_flat(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    _, N, T, _ = H.shape
    flat, weights = context_attention(H.flatten(1, 2), W_w, b_w, u_w, None if mask is None else mask.flatten(1, 2))
    words = weights.unflatten(1, (N, T))
    return flat, words, words.sum(-1)


def hierarchy_needs_a_mask(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    return hierarchical_attention(H, W_w, b_w, u_w, W_s, b_s, u_s, mask & mask)


def hierarchy_needs_an_encoder(H, W_w, b_w, u_w, W_s, b_s, u_s, mask=None, sentence_encoder=None):
    sentence_encoder(H[:, :, 0], None)
    return hierarchical_attention(H, W_w, b_w, u_w, W_s, b_s, u_s, mask)


def hierarchy_two_results(*arguments):
    return hierarchical_attention(*arguments)[:2]


def _answers(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_") and value not in TAUGHT]


TAUGHT = (attention_pool, context_attention, hierarchical_attention)
WRONG = {
    "pooling.attention_pool": [*_answers("pool"), *spoiled(attention_pool)],
    "pooling.context_attention": [*_answers("context"), *spoiled(context_attention)],
    "pooling.hierarchical_attention": [*_answers("hierarchy"), *spoiled(hierarchical_attention)],
    "pooling.repaired_hierarchy": [hunt.broken_hierarchy, *_answers("hierarchy")],
}
