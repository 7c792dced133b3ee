"""What goes wrong in the gradients of a step of a GRU."""

import torch
from torch import Tensor

from solutions.encoder_decoder.attention import gru_step_backward


def _backward(  # noqa: PLR0913 — what a mistake may change
    gradient: Tensor,
    x: Tensor,
    h: Tensor,
    W: Tensor,
    R: Tensor,
    b: Tensor,
    c: Tensor,
    *,
    squeeze=lambda n: 1 - n**2,
    slope=lambda gate: gate * (1 - gate),
    to_new=lambda gradient, z: gradient * (1 - z),
    to_update=lambda gradient, h, n: gradient * (h - n),
    to_reset=lambda to_new, n_h, h: to_new * n_h,
    behind=lambda to_new, reset: to_new * reset,
    kept=lambda gradient, z: gradient * z,
) -> tuple[Tensor, ...]:
    """Return the gradients in parts, of which a mistake takes another one."""
    of_x, of_h = (x @ W.T + b).chunk(3, dim=-1), (h @ R.T + c).chunk(3, dim=-1)
    reset, update = torch.sigmoid(of_x[0] + of_h[0]), torch.sigmoid(of_x[1] + of_h[1])
    new = torch.tanh(of_x[2] + reset * of_h[2])
    inside = to_new(gradient, update) * squeeze(new)
    gates = [to_reset(inside, of_h[2], h) * slope(reset), to_update(gradient, h, new) * slope(update)]
    to_x, to_h = torch.cat([*gates, inside], dim=-1), torch.cat([*gates, behind(inside, reset)], dim=-1)
    return to_x @ W, kept(gradient, update) + to_h @ R, to_x.T @ x, to_h.T @ h, to_x.sum(dim=0), to_h.sum(dim=0)


def kept_part_missing(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """One way back to h is missing: h' = z ∘ h + …, so that h gets the gradient times z, besides what comes through
    R."""
    return _backward(gradient, x, h, W, R, b, c, kept=lambda gradient, z: 0 * gradient)


def only_the_kept_part(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """The ways back to h through R are missing: all three of r, z and n read h."""
    right = gru_step_backward(gradient, x, h, W, R, b, c)
    return (right[0], right[1] - _backward(gradient, x, h, W, R, b, c, kept=lambda g, z: 0 * g)[1], *right[2:])


def reset_not_behind(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """R_n h + c_n is multiplied by the reset gate, and the gradients of R, c and h do not have that factor."""
    return _backward(gradient, x, h, W, R, b, c, behind=lambda to_new, reset: to_new)


def through_reset_forgotten(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """Nothing comes back through the reset gate. n reads r, and r reads x and h."""
    return _backward(gradient, x, h, W, R, b, c, to_reset=lambda to_new, n_h, h: 0 * to_new)


def state_for_its_product(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """What is multiplied by the reset gate is R_n h + c_n, not h: the gradient of r has that factor."""
    return _backward(gradient, x, h, W, R, b, c, to_reset=lambda to_new, n_h, h: to_new * h)


def sign_of_the_update(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """The gradient of the update gate has the wrong sign. h' = z ∘ h + (1 - z) ∘ n: its factor is h - n."""
    return _backward(gradient, x, h, W, R, b, c, to_update=lambda gradient, h, n: gradient * (n - h))


def update_without_new(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """In the gradient of the update gate n is missing. z stands twice in h' = z ∘ h + (1 - z) ∘ n."""
    return _backward(gradient, x, h, W, R, b, c, to_update=lambda gradient, h, n: gradient * h)


def wrong_share(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """The new state gets the gradient times z. h' = z ∘ h + (1 - z) ∘ n: it gets 1 - z of it."""
    return _backward(gradient, x, h, W, R, b, c, to_new=lambda gradient, z: gradient * z)


def no_slope_of_tanh(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """The slope of tanh is missing. It is 1 - n²."""
    return _backward(gradient, x, h, W, R, b, c, squeeze=torch.ones_like)


def slope_not_squared(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """The slope of tanh is taken as 1 - n. It is 1 - n²."""
    return _backward(gradient, x, h, W, R, b, c, squeeze=lambda n: 1 - n)


def no_slope_of_the_gates(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """The slopes of the two sigmoids are missing. Of a gate g it is g (1 - g)."""
    return _backward(gradient, x, h, W, R, b, c, slope=torch.ones_like)


def mean_over_the_batch(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """The gradients of the parameters are means over the batch. All sentences use the same parameters: sum."""
    d_x, d_h, *parameters = gru_step_backward(gradient, x, h, W, R, b, c)
    return (d_x, d_h, *(each / len(x) for each in parameters))


def matrices_transposed(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """The gradients of the matrices are transposed. They have the shapes of W and R, (out,in)."""
    d_x, d_h, d_W, d_R, d_b, d_c = gru_step_backward(gradient, x, h, W, R, b, c)
    return d_x, d_h, d_W.T, d_R.T, d_b, d_c


def one_bias_for_both(gradient, x, h, W, R, b, c) -> tuple[Tensor, ...]:
    """b and c get the same gradient. c_n is multiplied by the reset gate, b_n is not."""
    d_x, d_h, d_W, d_R, d_b, _ = gru_step_backward(gradient, x, h, W, R, b, c)
    return d_x, d_h, d_W, d_R, d_b, d_b


BACKWARD = (
    kept_part_missing,
    only_the_kept_part,
    reset_not_behind,
    through_reset_forgotten,
    state_for_its_product,
    sign_of_the_update,
    update_without_new,
    wrong_share,
    no_slope_of_tanh,
    slope_not_squared,
    no_slope_of_the_gates,
    mean_over_the_batch,
    matrices_transposed,
    one_bias_for_both,
)
