"""Vaswani et al. (2017): attention is all you need."""

from solutions.transformer.attention import (
    cached_heads,
    decoder_layer,
    encoder_layer,
    feed_forward,
    greedy_cached,
    head_dim,
    label_smoothed_loss,
    layer_norm,
    make_masks,
    merge_heads,
    multi_head_attention,
    noam_rate,
    positional_encoding,
    pre_norm_stack,
    sinusoids,
    split_heads,
)

__all__ = [
    "cached_heads",
    "decoder_layer",
    "encoder_layer",
    "feed_forward",
    "greedy_cached",
    "head_dim",
    "label_smoothed_loss",
    "layer_norm",
    "make_masks",
    "merge_heads",
    "multi_head_attention",
    "noam_rate",
    "positional_encoding",
    "pre_norm_stack",
    "sinusoids",
    "split_heads",
]
