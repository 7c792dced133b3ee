"""Mutants of self-attention's references that compute the same: before the change, after it, and why."""

from solutions.self_attention.attention import scaled_dot_product

PARTS = {
    "self_attention.self_attention": (scaled_dot_product,),
    "self_attention.repaired_attention": (scaled_dot_product,),
}
EQUIVALENT: dict[str, dict[str, list[tuple[str, str]]]] = {
    "self_attention.layer_cost": {
        "so narrow a window is not tried": [
            ("kind == 'convolution' and k < 2", "k < 2"),
            ("kind == 'convolution'", "kind < 'convolution'"),
            ("kind == 'convolution'", "kind <= 'convolution'"),
            ("kind == 'convolution'", "kind > 'convolution'"),
            ("kind == 'convolution'", "kind >= 'convolution'"),
            ("kind == 'convolution'", "kind != 'convolution'"),
            ("kind == 'convolution'", "True"),
            ("kind == 'convolution'", "False"),
            ("k < 2", "k <= 2"),
            ("k < 2", "k == 2"),
            ("k < 2", "False"),
            ("2", "3"),
            ("2", "1"),
            ("2", "4"),
        ]
    },
}
