"""Attention that pools: Att-BLSTM (Zhou et al., 2016) and hierarchical attention (Yang et al., 2016)."""

from solutions.pooling.attention import (
    adversarial_weights,
    attention_pool,
    context_attention,
    hierarchical_attention,
    leave_one_out,
)

__all__ = [
    "adversarial_weights",
    "attention_pool",
    "context_attention",
    "hierarchical_attention",
    "leave_one_out",
]
