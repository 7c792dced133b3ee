"""Mutants of the language model's references that compute the same: before the change, after it, and why."""

EQUIVALENT: dict[str, dict[str, list[tuple[str, str]]]] = {
    "language_model.next_probabilities": {
        "a softmax does not change with what is subtracted": [
            ("logits - logits.amax(dim=-1, keepdim=True)", "logits + logits.amax(dim=-1, keepdim=True)"),
            ("logits - logits.amax(dim=-1, keepdim=True)", "logits"),
            ("logits.amax(dim=-1, keepdim=True)", "logits.amax(keepdim=True)"),
        ],
        "no temperature is near 0": [
            ("max(temperature, torch.finfo(scores.dtype).tiny)", "temperature"),
            ("torch.finfo(scores.dtype)", "torch.finfo()"),
        ],
        "the last axis is the default": [
            (
                "probabilities.sort(dim=-1, descending=True, stable=True)",
                "probabilities.sort(descending=True, stable=True)",
            )
        ],
        "no two are equal": [
            ("probabilities.sort(dim=-1, descending=True, stable=True)", "probabilities.sort(dim=-1, descending=True)")
        ],
        "all tokens together have 1, and rounding errors are not drawn": [
            ("top_p < 1", "top_p <= 1"),
            ("top_p < 1", "True"),
            ("1", "2"),
            ("1", "3"),
        ],
        "p is at most 1": [("top_p < 1", "top_p != 1")],
        "no sum is p": [("before < top_p", "before <= top_p")],
        "every entry is written over": [("torch.zeros_like(probabilities)", "probabilities")],
    },
    "language_model.induction_score": {"a side of a square": [("1", "2")]},
    "language_model.latent_step": {
        "one axis for all heads is repeated by itself": [("mask[:, None].expand_as(scores)", "mask[:, None]")],
    },
    "language_model.accept": {"a sum of what is not negative": [("total > 0", "total != 0")]},
}
