"""Long texts: exact attention in less memory, positions beyond training, windows, states in place of a cache."""

from solutions.long_context.attention import (
    alibi_bias,
    delta_step,
    flash_backward,
    flash_forward,
    kv_bytes,
    linear_attention,
    linear_step,
    merge_softmax,
    sliding_window,
)

__all__ = [
    "merge_softmax",
    "flash_forward",
    "alibi_bias",
    "sliding_window",
    "linear_attention",
    "linear_step",
    "kv_bytes",
    "delta_step",
    "flash_backward",
]
