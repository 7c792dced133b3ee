"""Mutants of encoder_decoder's references that compute the same: before the change, after it, and why."""

EQUIVALENT: dict[str, dict[str, list[tuple[str, str]]]] = {
    "encoder_decoder.sequence_loss": {
        "a mean over one more axis, of size 1": [
            ("log_p.gather(-1, targets[..., None])[..., 0]", "log_p.gather(-1, targets[..., None])"),
            ("(..., 0)", "(...,)"),
        ]
    },
    "encoder_decoder.nucleus": {
        "sort's default is the last axis": [
            ("logits.softmax(dim=-1).sort(dim=-1, descending=True)", "logits.softmax(dim=-1).sort(descending=True)")
        ],
        "no drawn sum meets p exactly": [("more_probable >= p", "more_probable > p")],
        "every place is written": [("torch.zeros_like(ranked)", "ranked")],
    },
    "encoder_decoder.greedy_decode": {
        "a row that has ended says pad, which is not eos": [("ended | (word == eos)", "ended ^ (word == eos)")]
    },
    "encoder_decoder.beam_search": {
        "step takes lists too": [
            ("torch.tensor([tokens for _, tokens in active])", "[tokens for _, tokens in active]")
        ],
        "tensors of one number each": [
            ("best.tolist()", "best"),
            ("came_from.tolist()", "came_from"),
            ("word.tolist()", "word"),
        ],
    },
}
