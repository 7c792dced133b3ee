"""Cho et al. (2014) and Sutskever et al. (2014): translation through one vector."""

from solutions.encoder_decoder.attention import beam_search, greedy_decode, last_states

__all__ = ["beam_search", "greedy_decode", "last_states"]
