"""Self-attention: without parameters, with three projections, and what it costs (Vaswani et al., 2017)."""

from solutions.self_attention.attention import (
    SelfAttention,
    chunked_attention,
    crossing_length,
    exact_layer_cost,
    layer_cost,
    rotated,
    scaled_dot_product,
    self_attention,
    simple_self_attention,
)

__all__ = [
    "simple_self_attention",
    "self_attention",
    "SelfAttention",
    "scaled_dot_product",
    "rotated",
    "chunked_attention",
    "layer_cost",
    "exact_layer_cost",
    "crossing_length",
]
