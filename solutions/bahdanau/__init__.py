"""Bahdanau, Cho and Bengio (2015): neural machine translation by jointly learning to align and translate."""

from solutions.bahdanau.attention import (
    additive_attention,
    additive_attention_backward,
    additive_scores,
    alignment_error_rate,
    coverage_penalty,
    links_of,
    masked_softmax,
    rnnsearch_step,
    weighted_sum,
)

__all__ = [
    "additive_attention",
    "additive_attention_backward",
    "additive_scores",
    "alignment_error_rate",
    "coverage_penalty",
    "links_of",
    "masked_softmax",
    "rnnsearch_step",
    "weighted_sum",
]
