"""Cho et al. (2014) and Sutskever et al. (2014): translation through one vector."""

from solutions.encoder_decoder.attention import (
    beam_search,
    greedy_decode,
    gru_step,
    gru_step_backward,
    last_states,
    nucleus,
    sequence_loss,
    shift,
)

__all__ = [
    "beam_search",
    "greedy_decode",
    "gru_step",
    "gru_step_backward",
    "last_states",
    "nucleus",
    "sequence_loss",
    "shift",
]
