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
    "luong.concat_score": {
        (
            "from_target[:, :, None] + from_source[:, None]",
            "from_source[:, None] + from_target[:, :, None]",
        ): "a sum's order",
    },
    "luong.attentional_state": {
        ("0", "-1"): "the axis has one entry",
        ("-1", "1"): "two axes: the last is axis 1",
        ("1", "-1"): "two axes: the last is axis 1",
    },
    "luong.local_p_weights": {
        (
            "lengths * torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p)",
            "torch.sigmoid(torch.tanh(h_t @ W_p.T) @ v_p) * lengths",
        ): "a product's order",
        ("torch.arange(source, device=p.device)", "torch.arange(source)"): "on the CPU",
        (
            "(s < lengths[..., None]) & ((s - p[..., None]).abs() <= D)",
            "((s - p[..., None]).abs() <= D) & (s < lengths[..., None])",
        ): "the order of an and",
        (
            "(s - p[..., None]).abs() <= D",
            "(s - p[..., None]).abs() < D",
        ): "p is a real number: no position is D away to the last digit",
        ("s - p[..., None]", "p[..., None] - s"): "the distance, without its sign",
        ("2 * (D / 2) ** 2", "(D / 2) ** 2 * 2"): "a product's order",
        ("2", "-2"): "of D / 2, which is squared",
        ("0", "-1"): "the axis has one entry",
        ("align * gaussian(p, source, D)", "gaussian(p, source, D) * align"): "a product's order",
    },
    "luong.input_feeding": {
        (
            "torch.cat([word, fed], dim=-1) @ W_x.T + h @ W_h.T",
            "h @ W_h.T + torch.cat([word, fed], dim=-1) @ W_x.T",
        ): "a sum's order",
        ("0", "-1"): "the axis has one entry",
        ("-1", "1"): "two axes: the last is axis 1",
        ("1", "-1"): "two axes: the last is axis 1",
    },
    "luong.replaced_unknowns": {("1", "-1"): "two axes: the last is axis 1"},
    "luong.windowed_attention": {
        (
            "(p.detach() - D).floor().long()[..., None] + torch.arange(int(2 * D) + 2, device=p.device)",
            "torch.arange(int(2 * D) + 2, device=p.device) + (p.detach() - D).floor().long()[..., None]",
        ): "a sum's order",
        ("torch.arange(int(2 * D) + 2, device=p.device)", "torch.arange(int(2 * D) + 2)"): "on the CPU",
        ("torch.arange(len(h_s), device=h_s.device)", "torch.arange(len(h_s))"): "on the CPU",
        **{
            ("int(2 * D) + 2", more): "more slots, which are masked"
            for more in ("int(2 * D) * 2", "int(2 * D) ** 2", "2 + int(2 * D)")
        },
        **{("2", more): "more slots, which are masked" for more in ("3", "4")},
        ("2 * D", "2 ** D"): "as many slots, or more",
        ("2 * D", "D * 2"): "a product's order",
        ("(p.detach() - D).floor()", "p.detach() - D"): "long() cuts down too; below 0 there are no positions",
        ("p.detach()", "p"): "whole numbers have no gradient",
        ("p.detach", "p.abs"): "p is not below 0",
        ("s - p[..., None]", "p[..., None] - s"): "the distance, without its sign",
        (
            "(distance.abs() <= D) & (s >= 0) & (s < lengths[:, None, None])",
            "(s < lengths[:, None, None]) & ((distance.abs() <= D) & (s >= 0))",
        ): "the order of an and",
        ("(distance.abs() <= D) & (s >= 0)", "(s >= 0) & (distance.abs() <= D)"): "the order of an and",
        ("0", "-1"): "the axis has one entry, or what is read there is masked",
        (
            "masked_softmax(scores, inside) * torch.exp(-distance ** 2 / (2 * (D / 2) ** 2))",
            "torch.exp(-distance ** 2 / (2 * (D / 2) ** 2)) * masked_softmax(scores, inside)",
        ): "a product's order",
        ("2 * (D / 2) ** 2", "(D / 2) ** 2 * 2"): "a product's order",
        ("2", "-2"): "of D / 2, which is squared",
    },
}
