"""Mutants of pooling's references that compute the same: before the change, after it, and why."""

ENCODED = "sentence_encoder(vectors, not_empty)"
NOTHING_LEFT = "what is divided by it is 0"
ONES = "more rows of ones ask for nothing more"
NO_ENCODER = "the checks hand in no encoder: a law in tests/solutions/test_pooling.py does"
EQUIVALENT = {
    "pooling.attention_pool": {},
    "pooling.context_attention": {("H @ W.T + b", "b + H @ W.T"): "a sum's order"},
    "pooling.hierarchical_attention": {
        (
            "torch.ones(H.shape[:3], dtype=torch.bool, device=H.device)",
            "torch.ones(H.shape[:3], dtype=torch.bool)",
        ): "on the CPU",
        ("2", "-2"): "of four axes the first two are all but the last two",
        (f"if sentence_encoder is not None:\n    vectors = {ENCODED}", "nothing"): NO_ENCODER,
        ("sentence_encoder is not None", "sentence_encoder != None"): NO_ENCODER,
        ("sentence_encoder is not None", "False"): NO_ENCODER,
        (f"vectors = {ENCODED}", "nothing"): NO_ENCODER,
        (ENCODED, "sentence_encoder(not_empty)"): NO_ENCODER,
        (ENCODED, "sentence_encoder(vectors)"): NO_ENCODER,
        (ENCODED, "sentence_encoder(not_empty, vectors)"): NO_ENCODER,
        (ENCODED, "vectors"): NO_ENCODER,
        (ENCODED, "not_empty"): NO_ENCODER,
    },
    "pooling.leave_one_out": {
        (
            "torch.eye(length, dtype=torch.bool, device=weights.device)",
            "torch.eye(length, dtype=torch.bool)",
        ): "on the CPU",
        ("rest == 0", "rest <= 0"): "no sum of weights is negative",
        ("1", "2"): NOTHING_LEFT,
        ("1", "3"): NOTHING_LEFT,
        ("1", "-1"): NOTHING_LEFT,
    },
    "pooling.adversarial_weights": {
        ("[values, torch.ones_like(values[:, :1])]", "[torch.ones_like(values[:, :1]), values]"): "the order of rows",
        ("values[:, :1]", "values"): ONES,
        ("(:, :1)", "(:,)"): ONES,
        (":1", ":"): ONES,
        ("1", "2"): ONES,
        ("1", "3"): ONES,
        ("1", "-1"): "of two axes the second is the last",
        ("p.norm() <= 0.001 * direction.norm()", "p.norm() < 0.001 * direction.norm()"): "no case is so near",
        ("weights.clone()", "weights"): "equal numbers",
        ("p < 0", "p <= 0"): "what does not move is never first",
    },
}
