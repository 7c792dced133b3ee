"""Mutants of structured's references that compute the same: before the change, after it, and why."""

from solutions.structured.attention import hop_weights, penalization

PARTS = {  # what a reference calls: mutated with it
    "structured.structured_attention": (hop_weights, penalization),
}

EYE = "torch.eye(A.shape[1], dtype=A.dtype, device=A.device)"
PENALTY = {
    ("A.transpose(1, 2)", "A.transpose(2, 1)"): "the same two axes",
    (EYE, "torch.eye(A.shape[1], device=A.device)"): "float32 is what torch.eye makes",
    (EYE, "torch.eye(A.shape[1], dtype=A.dtype)"): "on the CPU",
    ("(1, 2)", "(2, 1)"): "the same two axes",
    ("overlap - identity", "identity - overlap"): "the sign goes with the square",
}
EQUIVALENT = {
    "structured.penalization": PENALTY,
    "structured.structured_attention": PENALTY
    | {
        ("H.transpose(1, 2)", "H.transpose(2, 1)"): "the same two axes",
        ("mask is None", "mask == None"): "no tensor compares equal to None",
        ("mask[:, None].expand_as(scores)", "mask[:, None]"): "masked_fill and the product broadcast",
    },
    "structured.hop_overlap": {
        ("mask is not None", "mask != None"): "no tensor compares equal to None",
        ("rows.transpose(1, 2)", "rows.transpose(2, 1)"): "the same two axes",
    },
    "structured.pruned_output": {("1", "-1"): "the last of two axes"},
    "structured.penalty_backward": {
        ("mask is None", "mask == None"): "no tensor compares equal to None",
        ("mask[:, None].expand_as(scores)", "mask[:, None]"): "masked_fill and the product broadcast",
        ("A.transpose(1, 2)", "A.transpose(2, 1)"): "the same two axes",
        (EYE, "torch.eye(A.shape[1], device=A.device)"): "float32 is what torch.eye makes",
        (EYE, "torch.eye(A.shape[1], dtype=A.dtype)"): "on the CPU",
        (
            "4 * (A @ A.transpose(1, 2) - identity)",
            "(A @ A.transpose(1, 2) - identity) * 4",
        ): "a product's order",
        (
            "A * (G - (A * G).sum(dim=-1, keepdim=True))",
            "(G - (A * G).sum(dim=-1, keepdim=True)) * A",
        ): "a product's order",
        ("A * G", "G * A"): "a product's order",
        ("d_penalty[:, None, None] * of_one", "of_one * d_penalty[:, None, None]"): "a product's order",
    },
}
