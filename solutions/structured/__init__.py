"""Lin et al. (2017): a structured self-attentive sentence embedding."""

from solutions.structured.attention import (
    hop_overlap,
    hop_weights,
    penalization,
    penalty_backward,
    pruned_output,
    structured_attention,
)

__all__ = [
    "hop_overlap",
    "hop_weights",
    "penalization",
    "penalty_backward",
    "pruned_output",
    "structured_attention",
]
