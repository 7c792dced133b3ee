"""Mutants of bahdanau's references that compute the same: before the change, after it, and why."""

from solutions.bahdanau.attention import additive_scores, weighted_sum

PARTS = {"bahdanau.additive_attention": (additive_scores, weighted_sum)}  # what a reference calls: mutated with it
EQUIVALENT = {
    "bahdanau.masked_softmax": {
        ("torch.finfo(scores.dtype)", "torch.finfo()"): "float32 is the default",
    },
    "bahdanau.additive_attention": {
        ("0", "-1"): "the axis has one entry",
    },
    "bahdanau.rnnsearch_step": {
        ("-1", "1"): "two axes: the last is axis 1",
        ("1", "-1"): "two axes: the last is axis 1",
    },
    "bahdanau.links_of": {("1", "-1"): "two axes: the last is axis 1"},
    "bahdanau.alignment_error_rate": {("0.0", "-0.0"): "the same number"},
    "bahdanau.coverage_penalty": {
        ("-1", "1"): "two axes: the last is axis 1",
        ("1", "-1"): "two axes: the last is axis 1",
    },
    "bahdanau.additive_attention_backward": {("(0, 1)", "(1, 0)"): "both axes are added up"},
}
