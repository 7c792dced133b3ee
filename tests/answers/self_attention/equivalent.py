"""Mutants of self-attention's references that compute the same: before the change, after it, and why."""

from solutions.self_attention.attention import scaled_dot_product

# What a reference calls: mutated with it.
PARTS = {
    "self_attention.self_attention": (scaled_dot_product,),
    "self_attention.repaired_attention": (scaled_dot_product,),
}
ERROR = "f\"layer_cost: kind must be self_attention, recurrent, convolution or restricted; got '{kind}'. Choose one.\""
NARROW = "f'layer_cost: a convolution must be at least 2 words wide; got k = {k}. Pass a larger k.'"
RAISED = f"ValueError({NARROW})"
REFUSED = "kind == 'convolution'"  # and k < 2
REFUSALS = [
    (f"if {REFUSED} and k < 2:\n    raise {RAISED}", "nothing"),
    (f"{REFUSED} and k < 2", "k < 2"),
    *((REFUSED, f"kind {other} 'convolution'") for other in ("<", "<=", ">", ">=", "!=")),
    *((REFUSED, always) for always in ("True", "False")),
    *(("k < 2", other) for other in ("k <= 2", "k == 2", "False")),
    *((RAISED, other) for other in ("ValueError()", NARROW)),
    *(("2", other) for other in ("3", "1", "4", "-2")),
]
AXES = {("key.transpose(-2, -1)", "key.transpose(-1, -2)"): "the same two axes"}
NONE = {("mask is None", "mask == None"): "None equals only itself here"}
EQUIVALENT = {
    "self_attention.simple_self_attention": {
        **NONE,
    },
    "self_attention.scaled_dot_product": AXES | NONE,
    "self_attention.self_attention": AXES | NONE,
    "self_attention.repaired_attention": AXES | NONE,
    "self_attention.layer_cost": {
        **dict.fromkeys(REFUSALS, "so narrow a window is not tried"),
        (f"ValueError({ERROR})", "ValueError()"): "an unknown kind is not tried",
        (f"ValueError({ERROR})", ERROR): "an unknown kind is not tried",
    },
}
