"""Lin et al. (2017): a structured self-attentive sentence embedding."""

from solutions.structured.attention import structured_attention

__all__ = ["structured_attention"]
