"""Mutants of luong's references that compute the same: before the change, after it, and why."""

from solutions.luong.attention import gaussian, predicted_position, window, window_positions

PARTS = {
    "luong.local_p_weights": (predicted_position, window, gaussian),
    "luong.windowed_attention": (window_positions,),
}
EQUIVALENT: dict[str, dict[str, list[tuple[str, str]]]] = {
    "luong.local_p_weights": {"the distance, without its sign": [("s - p[..., None]", "p[..., None] - s")]},
    "luong.windowed_attention": {
        "more slots, which are masked": [
            ("int(2 * D) + 2", "int(2 * D) * 2"),
            ("int(2 * D) + 2", "int(2 * D) ** 2"),
            ("2", "3"),
            ("2", "4"),
        ],
        "long() cuts down too; below 0 there are no positions": [("(p.detach() - D).floor()", "p.detach() - D")],
        "as many slots, or more": [("2 * D", "2 ** D")],
        "whole numbers have no gradient": [("p.detach()", "p")],
        "p is not below 0": [("p.detach", "p.abs")],
        "the distance, without its sign": [("s - p[..., None]", "p[..., None] - s")],
    },
}
