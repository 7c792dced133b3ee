"""Mutants of structured's references that compute the same: before the change, after it, and why."""

from solutions.structured.attention import hop_weights, penalization

PARTS = {"structured.structured_attention": (hop_weights, penalization)}
EQUIVALENT: dict[str, dict[str, list[tuple[str, str]]]] = {
    "structured.penalization": {
        "float32 is what torch.eye makes": [
            ("torch.eye(A.shape[1], dtype=A.dtype, device=A.device)", "torch.eye(A.shape[1], device=A.device)")
        ],
        "the same two axes": [("(1, 2)", "(2, 1)")],
        "the sign goes with the square": [("overlap - identity", "identity - overlap")],
    },
    "structured.structured_attention": {
        "float32 is what torch.eye makes": [
            ("torch.eye(A.shape[1], dtype=A.dtype, device=A.device)", "torch.eye(A.shape[1], device=A.device)")
        ],
        "the same two axes": [("(1, 2)", "(2, 1)")],
        "the sign goes with the square": [("overlap - identity", "identity - overlap")],
    },
    "structured.penalty_backward": {
        "float32 is what torch.eye makes": [
            ("torch.eye(A.shape[1], dtype=A.dtype, device=A.device)", "torch.eye(A.shape[1], device=A.device)")
        ]
    },
}
