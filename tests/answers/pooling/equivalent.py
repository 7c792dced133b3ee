"""Mutants of pooling's references that compute the same: before the change, after it, and why."""

EQUIVALENT: dict[str, dict[str, list[tuple[str, str]]]] = {
    "pooling.hierarchical_attention": {
        "the checks hand in no encoder: a law in tests/solutions/test_pooling.py does": [
            ("if sentence_encoder is not None:\n    vectors = sentence_encoder(vectors, not_empty)", "nothing"),
            ("sentence_encoder is not None", "False"),
            ("vectors = sentence_encoder(vectors, not_empty)", "nothing"),
            ("sentence_encoder(vectors, not_empty)", "sentence_encoder(not_empty)"),
            ("sentence_encoder(vectors, not_empty)", "sentence_encoder(vectors)"),
            ("sentence_encoder(vectors, not_empty)", "sentence_encoder(not_empty, vectors)"),
            ("sentence_encoder(vectors, not_empty)", "vectors"),
            ("sentence_encoder(vectors, not_empty)", "not_empty"),
        ]
    },
    "pooling.leave_one_out": {
        "no sum of weights is negative": [("rest == 0", "rest <= 0")],
        "what is divided by it is 0": [("1", "2"), ("1", "3")],
    },
    "pooling.adversarial_weights": {
        "the order of rows": [("[values, torch.ones_like(values[:, :1])]", "[torch.ones_like(values[:, :1]), values]")],
        "more rows of ones ask for nothing more": [
            ("values[:, :1]", "values"),
            ("(:, :1)", "(:,)"),
            (":1", ":"),
            ("1", "2"),
            ("1", "3"),
        ],
        "no case is so near": [("p.norm() <= 0.001 * direction.norm()", "p.norm() < 0.001 * direction.norm()")],
        "equal numbers": [("weights.clone()", "weights")],
        "what does not move is never first": [("p < 0", "p <= 0")],
    },
}
