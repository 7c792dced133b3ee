"""The fused cells of LSTM and GRU, which PyTorch has for GPUs alone, as sums and products; and their gradients."""

import torch
from torch import Tensor


def register() -> None:
    """Give the cells to the device type cuda."""
    for cell in (lstm_cell, lstm_cell_backward, gru_cell, gru_cell_backward):
        LIBRARY.impl(NAMES[cell.__name__], cell)


def lstm_cell(
    inputs: Tensor, hidden: Tensor, cell: Tensor, input_bias: Tensor | None = None, hidden_bias: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return h = o ∘ tanh(c), c = f ∘ cell + i ∘ g, and the gates, which the way back needs."""
    gates = inputs + hidden
    if input_bias is not None and hidden_bias is not None:
        gates = gates + input_bias + hidden_bias
    i, f, g, o = gates.chunk(4, dim=1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    new = f * cell + i * g
    return o * new.tanh(), new, torch.cat([i, f, g, o], dim=1)


def lstm_cell_backward(
    to_h: Tensor | None, to_c: Tensor | None, cell: Tensor, new: Tensor, gates: Tensor, has_bias: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of the gates' inputs, of the cell and of the bias."""
    i, f, g, o = gates.chunk(4, dim=1)
    tanh = new.tanh()
    to_h = torch.zeros_like(new) if to_h is None else to_h
    to_new = to_h * o * (1 - tanh * tanh) + (0 if to_c is None else to_c)
    to_i, to_f, to_g = to_new * g * i * (1 - i), to_new * cell * f * (1 - f), to_new * i * (1 - g * g)
    to_gates = torch.cat([to_i, to_f, to_g, to_h * tanh * o * (1 - o)], dim=1)
    return to_gates, to_new * f, _bias(to_gates, has_bias)


def gru_cell(
    inputs: Tensor, hidden: Tensor, h: Tensor, input_bias: Tensor | None = None, hidden_bias: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Return (1 − z) ∘ n + z ∘ h with n = tanh(x_n + r ∘ h_n), and what the way back needs."""
    if input_bias is not None and hidden_bias is not None:
        inputs, hidden = inputs + input_bias, hidden + hidden_bias
    (x_r, x_z, x_n), (h_r, h_z, h_n) = inputs.chunk(3, dim=1), hidden.chunk(3, dim=1)
    r, z = (x_r + h_r).sigmoid(), (x_z + h_z).sigmoid()
    n = (x_n + r * h_n).tanh()
    return n + z * (h - n), torch.cat([r, z, n, h, h_n], dim=1)


def gru_cell_backward(to_h: Tensor, kept: Tensor, has_bias: bool) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Return the gradients of both parts of the gates, of the state before and of both biases."""
    r, z, n, h, h_n = kept.chunk(5, dim=1)
    to_z, to_n = to_h * (h - n) * z * (1 - z), to_h * (1 - z) * (1 - n * n)
    to_r = to_n * h_n * r * (1 - r)
    to_inputs, to_hidden = torch.cat([to_r, to_z, to_n], dim=1), torch.cat([to_r, to_z, to_n * r], dim=1)
    return to_inputs, to_hidden, to_h * z, _bias(to_inputs, has_bias), _bias(to_hidden, has_bias)


def _bias(to_gates: Tensor, has_bias: bool) -> Tensor:
    return to_gates.sum(dim=0) if has_bias else to_gates.new_empty(0)


LIBRARY = torch.library.Library("aten", "IMPL", "CUDA")
NAMES = {
    "lstm_cell": "_thnn_fused_lstm_cell",
    "lstm_cell_backward": "_thnn_fused_lstm_cell_backward_impl",
    "gru_cell": "_thnn_fused_gru_cell",
    "gru_cell_backward": "_thnn_fused_gru_cell_backward",
}
