"""Attention that pools: Att-BLSTM (Zhou et al., 2016) and hierarchical attention (Yang et al., 2016)."""
