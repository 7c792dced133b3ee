"""Gradients of a GRU's step that are not worked out by hand."""

from solutions.encoder_decoder.attention import gru_step
from tests.answers.not_by_hand import not_by_hand

WRONG = {"encoder_decoder.gru_step_backward": not_by_hand(gru_step, range(6))}
