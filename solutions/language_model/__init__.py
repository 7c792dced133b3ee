"""The language model: the Transformer's decoder alone, in the form that is in use today."""

from solutions.language_model.attention import (
    absorbed_scores,
    cached_step,
    causal_mean,
    grouped_query_attention,
    induction_score,
    inside,
    latent_attention,
    next_probabilities,
    rms_norm,
    rope,
    swiglu,
)

__all__ = [
    "causal_mean",
    "rms_norm",
    "swiglu",
    "rope",
    "grouped_query_attention",
    "cached_step",
    "next_probabilities",
    "induction_score",
    "latent_attention",
    "absorbed_scores",
    "inside",
]
