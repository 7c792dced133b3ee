"""What goes wrong in a step of a GRU."""

import torch
from torch import Tensor

from solutions.encoder_decoder.attention import gru_step


def _step(  # noqa: PLR0913 — what a mistake may change
    x: Tensor,
    h: Tensor,
    W: Tensor,
    R: Tensor,
    b: Tensor,
    c: Tensor,
    *,
    order=(0, 1, 2),
    gate=torch.sigmoid,
    new=lambda n_x, n_h, reset: torch.tanh(n_x + reset * n_h),
    mix=lambda z, h, n, reset: z * h + (1 - z) * n,
) -> Tensor:
    """Return a step in parts, of which a mistake takes another one."""
    of_x, of_h = (x @ W.T + b).chunk(3, dim=-1), (h @ R.T + c).chunk(3, dim=-1)
    r, z, n = order
    reset, update = gate(of_x[r] + of_h[r]), gate(of_x[z] + of_h[z])
    return mix(update, h, new(of_x[n], of_h[n], reset), reset)


def update_turned_round(x, h, W, R, b, c) -> Tensor:
    """The update gate z keeps the new state instead of the old one. h' = z ∘ h + (1 - z) ∘ n, as in
    torch.nn.GRUCell; some papers have z the other way round."""
    return _step(x, h, W, R, b, c, mix=lambda z, h, n, reset: (1 - z) * h + z * n)


def gates_in_another_order(x, h, W, R, b, c) -> Tensor:
    """The first third of the rows is taken for the update gate. The order is reset, update, new."""
    return _step(x, h, W, R, b, c, order=(1, 0, 2))


def new_first(x, h, W, R, b, c) -> Tensor:
    """The first third of the rows is taken for the new state. The order is reset, update, new."""
    return _step(x, h, W, R, b, c, order=(1, 2, 0))


def bias_outside_the_product(x, h, W, R, b, c) -> Tensor:
    """The bias c_n of the new state is added outside the product with the reset gate. It stands inside:
    n = tanh(W_n x + b_n + r ∘ (R_n h + c_n))."""
    bias = c.chunk(3)[2]
    return _step(x, h, W, R, b, c, new=lambda n_x, n_h, reset: torch.tanh(n_x + reset * (n_h - bias) + bias))


def reset_before_the_matrix(x, h, W, R, b, c) -> Tensor:
    """The reset gate is applied to h before the matrix, as in Cho et al. (2014). Here, as in torch.nn.GRUCell, it is
    applied after it: r ∘ (R_n h + c_n)."""
    matrix, bias = R.chunk(3)[2], c.chunk(3)[2]
    return _step(x, h, W, R, b, c, new=lambda n_x, n_h, reset: torch.tanh(n_x + (reset * h) @ matrix.T + bias))


def reset_forgotten(x, h, W, R, b, c) -> Tensor:
    """The reset gate plays no part. n = tanh(W_n x + b_n + r ∘ (R_n h + c_n))."""
    return _step(x, h, W, R, b, c, new=lambda n_x, n_h, reset: torch.tanh(n_x + n_h))


def reset_on_both(x, h, W, R, b, c) -> Tensor:
    """The reset gate scales the word's part too. It scales the state's part alone: r ∘ (R_n h + c_n)."""
    return _step(x, h, W, R, b, c, new=lambda n_x, n_h, reset: torch.tanh(reset * (n_x + n_h)))


def reset_on_the_word(x, h, W, R, b, c) -> Tensor:
    """The reset gate scales the word's part. It scales the state's: r ∘ (R_n h + c_n)."""
    return _step(x, h, W, R, b, c, new=lambda n_x, n_h, reset: torch.tanh(reset * n_x + n_h))


def reset_on_the_old_state(x, h, W, R, b, c) -> Tensor:
    """The old state that is kept is scaled by the reset gate as well. h' = z ∘ h + (1 - z) ∘ n: r is in n alone."""
    return _step(x, h, W, R, b, c, mix=lambda z, h, n, reset: z * reset * h + (1 - z) * n)


def no_b(x, h, W, R, b, c) -> Tensor:
    """The bias b is missing."""
    return gru_step(x, h, W, R, 0 * b, c)


def no_c(x, h, W, R, b, c) -> Tensor:
    """The bias c is missing."""
    return gru_step(x, h, W, R, b, 0 * c)


def sigmoid_for_tanh(x, h, W, R, b, c) -> Tensor:
    """The new state goes through a sigmoid. Gates do; the new state n goes through tanh."""
    return _step(x, h, W, R, b, c, new=lambda n_x, n_h, reset: torch.sigmoid(n_x + reset * n_h))


def no_tanh(x, h, W, R, b, c) -> Tensor:
    """The new state is not squeezed: n needs a tanh."""
    return _step(x, h, W, R, b, c, new=lambda n_x, n_h, reset: n_x + reset * n_h)


def tanh_for_sigmoid(x, h, W, R, b, c) -> Tensor:
    """The gates go through tanh. A gate is a number between 0 and 1: a sigmoid."""
    return _step(x, h, W, R, b, c, gate=torch.tanh)


def rows_in_turns(x, h, W, R, b, c) -> Tensor:
    """The rows are taken as if the gates took turns. The first U rows are the reset gate's, the next U the update
    gate's, the last U the new state's."""
    units = torch.arange(3 * h.shape[1]).view(-1, 3).T.flatten()
    return gru_step(x, h, W[units], R[units], b[units], c[units])


def all_new(x, h, W, R, b, c) -> Tensor:
    """What is kept of the old state is missing. h' = z ∘ h + (1 - z) ∘ n."""
    return _step(x, h, W, R, b, c, mix=lambda z, h, n, reset: (1 - z) * n)


def not_a_mixture(x, h, W, R, b, c) -> Tensor:
    """The new state comes in whole. It has the weight that the old one does not have: h' = z ∘ h + (1 - z) ∘ n."""
    return _step(x, h, W, R, b, c, mix=lambda z, h, n, reset: z * h + n)


STEP = (
    update_turned_round,
    gates_in_another_order,
    new_first,
    bias_outside_the_product,
    reset_before_the_matrix,
    reset_forgotten,
    reset_on_both,
    reset_on_the_word,
    reset_on_the_old_state,
    no_b,
    no_c,
    sigmoid_for_tanh,
    no_tanh,
    tanh_for_sigmoid,
    rows_in_turns,
    all_new,
    not_a_mixture,
)
