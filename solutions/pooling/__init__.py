"""Attention that pools: Att-BLSTM (Zhou et al., 2016) and hierarchical attention (Yang et al., 2016)."""

from solutions.pooling.attention import attention_pool, context_attention, hierarchical_attention

__all__ = ["attention_pool", "context_attention", "hierarchical_attention"]
