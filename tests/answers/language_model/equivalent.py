"""Mutants of the language model's references that compute the same: before the change, after it, and why."""

FLOAT32, CPU = "in float32", "on the CPU"
RANGE = "torch.arange(ordered.shape[-1], device=logits.device)"
SORTED = "probabilities.sort(dim=-1, descending=True, stable=True)"
ROUNDS = "torch.arange(period, weights.shape[-1], device=weights.device)"
ONES = "torch.ones(target, source, dtype=torch.bool, device=query.device)"
EQUIVALENT = {
    "language_model.causal_mean": {
        ("torch.ones(length, length).to(x)", "torch.ones(length, length).to()"): FLOAT32,
        ("torch.ones(length, length).to(x)", "torch.ones(length, length)"): FLOAT32,
        ("-1", "1"): "the last of two axes",
        ("1", "-1"): "the last of two axes",
    },
    "language_model.rms_norm": {},
    "language_model.swiglu": {},
    "language_model.rope": {
        ("torch.arange(half, device=x.device)", "torch.arange(half)"): CPU,
        **{
            (f"angle.{name}().to(x)", f"angle.{name}(){end}"): FLOAT32
            for name in ("cos", "sin")
            for end in (".to()", "")
        },
    },
    "language_model.grouped_query_attention": {
        ("2", "-2"): "of four axes",
        (ONES, "torch.ones(target, source, dtype=torch.bool)"): CPU,
    },
    "language_model.cached_step": {
        ("torch.tensor([past], device=x.device)", "torch.tensor([past])"): CPU,
        ("1", "-1"): "of two: keys, values",
        ("0", "-1"): "the axis has one entry",
    },
    "language_model.next_probabilities": {
        (SORTED, "probabilities.sort(descending=True, stable=True)"): "the last axis is the default",
        (SORTED, "probabilities.sort(dim=-1, descending=True)"): "no two are equal",
        ("0.0", "-0.0"): "the same number",
        (RANGE, "torch.arange(ordered.shape[-1])"): CPU,
        ("top_p < 1", "top_p <= 1"): "all tokens together have 1, and rounding errors are not drawn",
        ("top_p < 1", "top_p != 1"): "p is at most 1",
        ("top_p < 1", "True"): "all tokens together have 1, and rounding errors are not drawn",
        ("1", "2"): "all tokens together have 1, and rounding errors are not drawn",
        ("1", "3"): "all tokens together have 1, and rounding errors are not drawn",
        ("before < top_p", "before <= top_p"): "no sum is p",
        ("torch.zeros_like(probabilities)", "probabilities"): "every entry is written over",
    },
    "language_model.induction_score": {
        (ROUNDS, "torch.arange(period, weights.shape[-1])"): CPU,
        ("-1", "1"): "the last of two axes, or a side of a square",
        ("1", "-1"): "the last of two axes, or a side of a square",
        ("1", "2"): "a side of a square",
    },
    "language_model.latent_attention": {},
    "language_model.inside": {
        ("1", "2"): "no span is longer than the sentence",
        ("1", "3"): "no span is longer than the sentence",
    },
}
