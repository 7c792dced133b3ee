"""Self-attention: without parameters, with three projections, and what it costs (Vaswani et al., 2017)."""

from solutions.self_attention.attention import (
    layer_cost,
    scaled_dot_product,
    self_attention,
    simple_self_attention,
)

__all__ = ["simple_self_attention", "self_attention", "scaled_dot_product", "layer_cost"]
