"""Mutants of encoder_decoder's references that compute the same: before the change, after it, and why."""

LAST = {("-1", "1"): "two axes: the last is axis 1", ("1", "-1"): "two axes: the last is axis 1"}
EQUIVALENT = {
    "encoder_decoder.gru_step": LAST,
    "encoder_decoder.shift": LAST,
    "encoder_decoder.sequence_loss": {
        ("log_p.gather(-1, targets[..., None])[..., 0]", "log_p.gather(-1, targets[..., None])"): (
            "a mean over one more axis, of size 1"
        ),
        ("(..., 0)", "(...,)"): "a mean over one more axis, of size 1",
        ("0", "-1"): "the axis has size 1",
    },
    "encoder_decoder.nucleus": LAST
    | {
        ("logits.softmax(dim=-1).sort(dim=-1, descending=True)", "logits.softmax(dim=-1).sort(descending=True)"): (
            "sort's default is the last axis"
        ),
        ("more_probable >= p", "more_probable > p"): "no drawn sum meets p exactly",
        ("0.0", "-0.0"): "the same number",
        ("torch.zeros_like(ranked)", "ranked"): "every place is written",
    },
    "encoder_decoder.gru_step_backward": LAST,
    "encoder_decoder.last_states": {
        ("2", "-2"): "the width is even: all but the last u features are the first u",
        ("torch.arange(len(outputs), device=outputs.device)", "torch.arange(len(outputs))"): "on the CPU",
        **LAST,
    },
    "encoder_decoder.greedy_decode": {
        ("ended | (word == eos)", "ended ^ (word == eos)"): "a row that has ended says pad, which is not eos",
        **LAST,
    },
    "encoder_decoder.beam_search": {
        ("0.0", "-0.0"): "the same number",
        ("torch.tensor([tokens for _, tokens in active])", "[tokens for _, tokens in active]"): "step takes lists too",
        ("min(beam, total.numel())", "min(total.numel(), beam)"): "the order in a minimum",
        (
            "zip(best.tolist(), came_from.tolist(), word.tolist(), strict=True)",
            "zip(best.tolist(), came_from.tolist(), word.tolist())",
        ): "they are of one length",
        ("best.tolist()", "best"): "tensors of one number each",
        ("came_from.tolist()", "came_from"): "tensors of one number each",
        ("word.tolist()", "word"): "tensors of one number each",
        ("1", "-1"): "two axes, or a list's last entry of all but bos",
    },
}
