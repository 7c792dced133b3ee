"""The bias of ALiBi and a window with sinks, as torch's FlexAttention takes them: see book/long_context/newer.md."""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

slopes = 2.0 ** (-8 / 4 * torch.arange(1, 5))  # of four heads


def with_alibi(score, batch, head, query, key):
    """A score, with a penalty by distance: one slope a head."""
    return score - slopes[head] * (query - key)


def window_and_sinks(batch, head, query, key):
    """Whether a query sees a key."""
    return (key <= query) & ((query - key < 16) | (key < 4))


def attend(query, key, value):
    """Return attention of (batch, heads, length, head_dim) with both."""
    mask = create_block_mask(window_and_sinks, None, None, query.shape[2], key.shape[2], device=query.device)
    return flex_attention(query, key, value, score_mod=with_alibi, block_mask=mask)
