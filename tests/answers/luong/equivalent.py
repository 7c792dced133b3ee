"""Mutants of luong's references that compute the same: before the change, after it, and why."""

from solutions.luong.attention import gaussian, predicted_position, window, window_positions

# What a reference calls: mutated with it.
PARTS = {
    "luong.local_p_weights": (predicted_position, window, gaussian),
    "luong.windowed_attention": (window_positions,),
}
EQUIVALENT = {
    "luong.dot_score": {("h_s.transpose(1, 2)", "h_s.transpose(2, 1)"): "the same two axes"},
    "luong.general_score": {("h_s.transpose(1, 2)", "h_s.transpose(2, 1)"): "the same two axes"},
    "luong.concat_score": {},
    "luong.attentional_state": {
        ("0", "-1"): "the axis has one entry",
        ("-1", "1"): "two axes: the last is axis 1",
        ("1", "-1"): "two axes: the last is axis 1",
    },
    "luong.local_p_weights": {
        ("torch.arange(source, device=p.device)", "torch.arange(source)"): "on the CPU",
        (
            "(s - p[..., None]).abs() <= D",
            "(s - p[..., None]).abs() < D",
        ): "p is a real number: no position is D away to the last digit",
        ("s - p[..., None]", "p[..., None] - s"): "the distance, without its sign",
        ("2", "-2"): "of D / 2, which is squared",
        ("0", "-1"): "the axis has one entry",
    },
    "luong.input_feeding": {
        ("0", "-1"): "the axis has one entry",
        ("-1", "1"): "two axes: the last is axis 1",
        ("1", "-1"): "two axes: the last is axis 1",
    },
    "luong.replaced_unknowns": {("1", "-1"): "two axes: the last is axis 1"},
    "luong.windowed_attention": {
        ("torch.arange(int(2 * D) + 2, device=p.device)", "torch.arange(int(2 * D) + 2)"): "on the CPU",
        ("torch.arange(len(h_s), device=h_s.device)", "torch.arange(len(h_s))"): "on the CPU",
        **{
            ("int(2 * D) + 2", more): "more slots, which are masked"
            for more in ("int(2 * D) * 2", "int(2 * D) ** 2", "2 + int(2 * D)")
        },
        **{("2", more): "more slots, which are masked" for more in ("3", "4")},
        ("2 * D", "2 ** D"): "as many slots, or more",
        ("(p.detach() - D).floor()", "p.detach() - D"): "long() cuts down too; below 0 there are no positions",
        ("p.detach()", "p"): "whole numbers have no gradient",
        ("p.detach", "p.abs"): "p is not below 0",
        ("s - p[..., None]", "p[..., None] - s"): "the distance, without its sign",
        ("0", "-1"): "the axis has one entry, or what is read there is masked",
        ("2", "-2"): "of D / 2, which is squared",
    },
}
