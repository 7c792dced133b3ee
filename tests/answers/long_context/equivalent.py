"""Mutants of the references of long context that compute the same: before the change, after it, and why."""

from solutions.long_context.attention import features

PARTS = {"long_context.linear_attention": (features,), "long_context.linear_step": (features,)}
PHI = {
    "both are 1 at 0": [("x >= 0", "x > 0")],
    "what is above 0 is not taken, and nothing overflows": [("x.clamp(max=0)", "x"), ("0", "1"), ("0", "2")],
}
EQUIVALENT: dict[str, dict[str, list[tuple[str, str]]]] = {
    "long_context.linear_attention": PHI,
    "long_context.linear_step": PHI,
    "long_context.merge_softmax": {
        "nothing is less": [("m == -torch.inf", "m <= -torch.inf")],
        "any number that is finite": [("0.0", "1.0"), ("0.0", "-1.0"), ("0.0", "2.0")],
    },
    "long_context.with_sink": {"any number that is finite": [("0", "1")]},
    "long_context.stretched": {"arange rounds up": [("head_dim // 2", "head_dim / 2")]},
    "long_context.chosen_attention": {
        "the last axis is the usual one": [("index.topk(min(count, length), dim=-1)", "index.topk(min(count, length))")]
    },
    "long_context.flash_forward": {
        "what is not skipped is hidden": [
            ("if causal and column > place[-1]:\n    break", "nothing"),
            ("break", "nothing"),
            ("column > place[-1]", "False"),
        ],
        "nothing is less": [("m == -torch.inf", "m <= -torch.inf")],
        "any number that is finite": [("0.0", "1.0"), ("0.0", "-1.0"), ("0.0", "2.0")],
        "what has no keys is multiplied by 0": [
            ("q.new_zeros(*q.shape[:2], value.shape[-1])", "q.new_zeros(value.shape[-1])"),
            ("q.new_zeros(*q.shape[:2], value.shape[-1])", "*q.shape[:2]"),
            ("q.new_zeros(*q.shape[:2], value.shape[-1])", "value.shape[-1]"),
        ],
    },
    "long_context.alibi_bias": {
        "there are more slopes than heads then, and they are cut": [
            ("2 * power + 1", "2 * power - 1"),
            ("2 * power + 1", "2 * power * 1"),
            ("2 * power + 1", "2 * power / 1"),
            ("2 * power + 1", "2 * power // 1"),
            ("2 * power + 1", "(2 * power) ** 1"),
            ("2 * power + 1", "2 * power"),
            ("2 * power", "2 + power"),
            ("1", "2"),
            ("1", "0"),
            ("1", "3"),
            ("2", "3"),
            ("2", "4"),
        ]
    },
}
