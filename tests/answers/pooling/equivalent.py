"""Mutants of pooling's references that compute the same: before the change, after it, and why."""

ENCODED = "sentence_encoder(vectors, not_empty)"
NO_ENCODER = "the checks hand in no encoder: a law in tests/solutions/test_pooling.py does"
EQUIVALENT = {
    "pooling.attention_pool": {},
    "pooling.context_attention": {("H @ W.T + b", "b + H @ W.T"): "a sum's order"},
    "pooling.hierarchical_attention": {
        ("mask is None", "mask == None"): "a tensor is not None either way",
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
}
