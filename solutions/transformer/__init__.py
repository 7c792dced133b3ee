"""Vaswani et al. (2017): attention is all you need."""
