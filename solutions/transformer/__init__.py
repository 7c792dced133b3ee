"""Vaswani et al. (2017): attention is all you need."""

from solutions.transformer.attention import (
    decoder_layer,
    encoder_layer,
    feed_forward,
    head_dim,
    label_smoothed_loss,
    layer_norm,
    make_masks,
    merge_heads,
    multi_head_attention,
    noam_rate,
    positional_encoding,
    sinusoids,
    split_heads,
)

__all__ = [
    "decoder_layer",
    "encoder_layer",
    "feed_forward",
    "head_dim",
    "label_smoothed_loss",
    "layer_norm",
    "make_masks",
    "merge_heads",
    "multi_head_attention",
    "noam_rate",
    "positional_encoding",
    "sinusoids",
    "split_heads",
]
