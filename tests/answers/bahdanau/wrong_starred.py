"""Gradients of additive attention that are not worked out by hand."""

from solutions.bahdanau.attention import additive_attention
from tests.answers.not_by_hand import not_by_hand

WRONG = {
    "bahdanau.additive_attention_backward": not_by_hand(lambda *given: additive_attention(*given)[0], (0, 1, 2, 5))
}
