"""Bahdanau, Cho and Bengio (2015): neural machine translation by jointly learning to align and translate."""

from solutions.bahdanau.attention import additive_attention, additive_scores, masked_softmax, weighted_sum

__all__ = ["additive_attention", "additive_scores", "masked_softmax", "weighted_sum"]
