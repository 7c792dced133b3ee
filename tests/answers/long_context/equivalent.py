"""Mutants of the references of long context that compute the same: before the change, after it, and why."""

ANY, OF_TWO, CPU = "any number that is finite", "the last of two", "on the CPU"
NOTHING = "what has no keys is multiplied by 0"
ROWS = "torch.arange(row, row + q.shape[1], device=q.device)"
COLUMNS = "torch.arange(column, column + k.shape[1], device=q.device)"
ZEROS = "q.new_zeros(*q.shape[:2], value.shape[-1])"
TILE = "(m, weights.sum(dim=-1), weights @ v)"
EQUIVALENT: dict[str, dict[tuple[str, str], str]] = {
    "long_context.merge_softmax": {
        ("torch.maximum(first[0], second[0])", "torch.maximum(second[0], first[0])"): "the larger of two",
        ("m == -torch.inf", "m <= -torch.inf"): "nothing is less",
        **{("0.0", other): ANY for other in ("1.0", "-1.0", "2.0", "-0.0")},
        ("1", "-1"): OF_TWO,
    },
    "long_context.flash_forward": {
        (ROWS, ROWS.replace(", device=q.device", "")): CPU,
        (COLUMNS, COLUMNS.replace(", device=q.device", "")): CPU,
        **{(ZEROS, other): NOTHING for other in ("q.new_zeros(value.shape[-1])", "*q.shape[:2]", "value.shape[-1]")},
        ("mask is not None", "mask != None"): "a tensor is not None either way",
        (f"merge_softmax(part, {TILE})", f"merge_softmax({TILE}, part)"): "in either order",
        ("k.transpose(1, 2)", "k.transpose(2, 1)"): "in either order",
        ("m == -torch.inf", "m <= -torch.inf"): "nothing is less",
        **{("0.0", other): ANY for other in ("1.0", "-1.0", "2.0", "-0.0")},
        ("1", "-1"): OF_TWO,
    },
    "long_context.flash_backward": {
        (f"{each}.transpose(1, 2)", f"{each}.transpose(2, 1)"): "in either order"
        for each in ("key[:, columns]", "value[:, columns]", "weights", "of_scores")
    },
}
