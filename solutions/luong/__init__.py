"""Luong, Pham and Manning (2015): effective approaches to attention-based neural machine translation."""

from solutions.luong.attention import (
    attentional_state,
    concat_score,
    dot_score,
    general_score,
    input_feeding,
    local_p_weights,
)

__all__ = ["attentional_state", "concat_score", "dot_score", "general_score", "input_feeding", "local_p_weights"]
