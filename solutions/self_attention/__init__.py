"""Self-attention: without parameters, with three projections, and what it costs (Vaswani et al., 2017)."""
