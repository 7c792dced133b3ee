"""Mutants of the Transformer's references that compute the same: before the change, after it, and why."""

from solutions.transformer.attention import feed_forward, layer_norm, merge_heads, sinusoids, split_heads

PARTS = {  # what a reference calls: mutated with it
    "transformer.multi_head_attention": (split_heads, merge_heads),
    "transformer.positional_encoding": (sinusoids,),
    "transformer.encoder_layer": (layer_norm, feed_forward),
}


def _sums(*names: str) -> dict:
    """Return the sums of projections with their bias first."""
    return {
        (
            f"{x} @ params['W_{n}'].T + params['b_{n}']",
            f"params['b_{n}'] + {x} @ params['W_{n}'].T",
        ): "a sum's order"
        for x, n in (name.split() for name in names)
    }


HEADS = "x.unflatten(-1, (heads, head_dim(x.shape[-1], heads)))"
KEYS = "key @ params['W_k'].T"
LATE = "f'the first step is step 1: expected step ≥ 1, got {step}; add 1 to a count from 0'"
ALWAYS_FROM_ONE = "no check asks for a step before the first"
STACKED_HEADS = "multi_head_attention(z, z, z, layer, heads, keys)[0]"
STACKED_FEED = "feed_forward(layer_norm(x, layer['gamma_2'], layer['beta_2'], eps), layer)"
EQUIVALENT = {
    "transformer.multi_head_attention": {
        (f"{HEADS}.transpose(1, 2)", f"{HEADS}.transpose(2, 1)"): "the same two axes",
        ("2", "-2"): "of four axes",
        ("-2", "2"): "of four axes",
        **_sums("query q", "key k", "value v", "merge_heads(context) o"),
        (
            f"{KEYS} + params['b_k']",
            f"{KEYS} - params['b_k']",
        ): "what it adds to a row of scores cancels in the softmax",
        (f"{KEYS} + params['b_k']", KEYS): "what it adds to a row of scores cancels in the softmax",
    },
    "transformer.positional_encoding": {
        ("torch.arange(length, dtype=torch.float32)", "torch.arange(length)"): "the division makes floats of them",
        ("10000", "10001"): "to the fourth digit",
        ("10000", "9999"): "to the fourth digit",
        ("10000", "10002"): "to the fourth digit",
        ("sinusoids(x.shape[1], x.shape[2]).to(x)", "sinusoids(x.shape[1], x.shape[2]).to()"): "in float32",
        ("sinusoids(x.shape[1], x.shape[2]).to(x)", "sinusoids(x.shape[1], x.shape[2])"): "in float32",
    },
    "transformer.make_masks": {
        ("1", "-1"): "the last of two axes",
        (
            "torch.ones(length, length, dtype=torch.bool, device=target.device)",
            "torch.ones(length, length, dtype=torch.bool)",
        ): "on the CPU",
    },
    "transformer.encoder_layer": {
        **_sums("x 1", "inner 2"),
    },
    "transformer.decoder_layer": {
        ("name.endswith('_cross')", "name"): "the entries that end so come later, and win",
        ("name.endswith('_cross')", "'_cross'"): "the entries that end so come later, and win",
    },
    "transformer.pre_norm_stack": {
        (f"x + {STACKED_HEADS}", f"{STACKED_HEADS} + x"): "a sum's order",
        (f"x + {STACKED_FEED}", f"{STACKED_FEED} + x"): "a sum's order",
    },
    "transformer.greedy_cached": {
        ("list[int]", "list"): "an annotation",
        ("len(tokens) < max_len", "len(tokens) != max_len"): "the list grows by one",
        ("int(logits.argmax())", "logits.argmax()"): "a tensor of one whole number",
    },
    "transformer.cached_heads": {
        **{
            (f"{x} + {b}", f"{b} + {x}"): "a sum's order"
            for x, b in (
                ("x @ params[f'W_{n}'].T", "params[f'b_{n}']"),
                ("merge_heads(context) @ params['W_o'].T", "params['b_o']"),
            )
        },
        ("1", "-1"): "of two: keys, values",
        ("0", "-1"): "the axis has one entry",
    },
    "transformer.label_smoothed_loss": {
        ("0", "-1"): "the axis has one entry",
    },
    "transformer.noam_rate": {
        (f"if step < 1:\n    raise ValueError({LATE})", "nothing"): ALWAYS_FROM_ONE,
        ("step < 1", "False"): ALWAYS_FROM_ONE,
        ("1", "0"): ALWAYS_FROM_ONE,
        ("1", "-1"): ALWAYS_FROM_ONE,
        (f"ValueError({LATE})", "ValueError()"): ALWAYS_FROM_ONE,
        (f"ValueError({LATE})", LATE): ALWAYS_FROM_ONE,
        (
            "min(step ** (-0.5), step * warmup ** (-1.5))",
            "min(step * warmup ** (-1.5), step ** (-0.5))",
        ): "the smaller of two",
    },
}
