"""Mutants of bahdanau's references that compute the same: before the change, after it, and why."""

from solutions.bahdanau.attention import additive_scores, weighted_sum

PARTS = {"bahdanau.additive_attention": (additive_scores, weighted_sum)}
EQUIVALENT: dict[str, dict[str, list[tuple[str, str]]]] = {
    "bahdanau.masked_softmax": {"float32 is the default": [("torch.finfo(scores.dtype)", "torch.finfo()")]},
    "bahdanau.additive_attention_backward": {"both axes are added up": [("(0, 1)", "(1, 0)")]},
}
