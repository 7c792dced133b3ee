"""Mutants of windows, distances, states and caches that compute the same: before the change, after it, and why."""

from solutions.long_context.attention import features

CPU, SMALLER, LAST = "on the CPU", "the smaller of two, in either order", "the last of two axes"
BACKWARDS = "torch.arange(window - 1, -1, -1{})"
SINKS = "torch.arange(min(sinks, length){})"
DEVICE = ", device=query.device"
PARTS = {"long_context.linear_attention": (features,), "long_context.linear_step": (features,)}
EQUIVALENT = {
    "long_context.alibi_bias": {},
    "long_context.sliding_window": {
        **{(code.format(DEVICE), code.format("")): CPU for code in ("torch.arange(length{})", BACKWARDS, SINKS)},
        ("min(sinks, length)", "min(length, sinks)"): SMALLER,
        ("1", "-1"): LAST,
        ("0", "-1"): "what stands before the text is hidden, whichever key is read for it",
    },
    "long_context.linear_attention": {},
    "long_context.linear_step": {
        ("0", "-1"): "the axis has one entry",
        ("-1", "1"): LAST,
        ("1", "-1"): LAST,
    },
    "long_context.delta_step": {("0", "-1"): "the axis has one entry"},
    "long_context.kv_bytes": {("min(window, tokens)", "min(tokens, window)"): SMALLER},
}
