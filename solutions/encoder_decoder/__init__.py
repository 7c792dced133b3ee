"""Cho et al. (2014) and Sutskever et al. (2014): translation through one vector."""
