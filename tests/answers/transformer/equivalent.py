"""Mutants of the Transformer's references that compute the same: before the change, after it, and why."""

from solutions.transformer.attention import feed_forward, layer_norm, merge_heads, sinusoids, split_heads

PARTS = {
    "transformer.multi_head_attention": (split_heads, merge_heads),
    "transformer.positional_encoding": (sinusoids,),
    "transformer.encoder_layer": (layer_norm, feed_forward),
}
EQUIVALENT: dict[str, dict[str, list[tuple[str, str]]]] = {
    "transformer.multi_head_attention": {
        "what it adds to a row of scores cancels in the softmax": [
            ("key @ params['W_k'].T + params['b_k']", "key @ params['W_k'].T - params['b_k']"),
            ("key @ params['W_k'].T + params['b_k']", "key @ params['W_k'].T"),
        ]
    },
    "transformer.positional_encoding": {
        "the division makes floats of them": [("torch.arange(length, dtype=torch.float32)", "torch.arange(length)")]
    },
    "transformer.decoder_layer": {
        "the entries that end so come later, and win": [
            ("name.endswith('_cross')", "name"),
            ("name.endswith('_cross')", "'_cross'"),
        ]
    },
    "transformer.greedy_cached": {"the list grows by one": [("len(tokens) < max_len", "len(tokens) != max_len")]},
    "transformer.noam_rate": {"no check asks for a step before the first": [("step < 1", "False"), ("1", "0")]},
}
