"""Mutants of structured's references that compute the same: before the change, after it, and why."""

from solutions.structured.attention import hop_weights, penalization

PARTS = {  # what a reference calls: mutated with it
    "structured.structured_attention": (hop_weights, penalization),
}

EYE = "torch.eye(A.shape[1], dtype=A.dtype, device=A.device)"
PENALTY = {
    (EYE, "torch.eye(A.shape[1], device=A.device)"): "float32 is what torch.eye makes",
    (EYE, "torch.eye(A.shape[1], dtype=A.dtype)"): "on the CPU",
    ("(1, 2)", "(2, 1)"): "the same two axes",
    ("overlap - identity", "identity - overlap"): "the sign goes with the square",
}
EQUIVALENT = {
    "structured.penalization": PENALTY,
    "structured.structured_attention": PENALTY
    | {
        ("mask[:, None].expand_as(scores)", "mask[:, None]"): "masked_fill and the product broadcast",
    },
    "structured.hop_overlap": {},
    "structured.pruned_output": {("1", "-1"): "the last of two axes"},
    "structured.penalty_backward": {
        ("mask[:, None].expand_as(scores)", "mask[:, None]"): "masked_fill and the product broadcast",
        (EYE, "torch.eye(A.shape[1], device=A.device)"): "float32 is what torch.eye makes",
        (EYE, "torch.eye(A.shape[1], dtype=A.dtype)"): "on the CPU",
    },
}
