"""What goes wrong in the numbers of the warm-up: one step of a GRU with one feature, and the loss of two sentences."""

import math

LOSS = math.log(2) * 9 / 5
OPEN = 1 / (1 + math.exp(1))  # the update gate of the warm-up


def _state(update: float = OPEN, before_tanh: float = 1.5) -> float:
    """Return the warm-up's state with another gate, or another sum inside the tanh."""
    return -update + (1 - update) * math.tanh(before_tanh)


def mixture_turned_round() -> tuple[float, float]:
    """The update gate keeps the new state instead of the old one. h' = z h + (1 - z) n."""
    return _state(1 - OPEN), LOSS


def gates_exchanged() -> tuple[float, float]:
    """The reset gate and the update gate have changed places. r is the first of the three."""
    return _state(0.5, 1 + OPEN), LOSS


def bias_outside() -> tuple[float, float]:
    """c_n stands outside the product with the reset gate. n = tanh(W_n x + b_n + r (R_n h + c_n))."""
    return _state(before_tanh=2.5), LOSS


def reset_left_out() -> tuple[float, float]:
    """The reset gate is left out of n. n = tanh(W_n x + b_n + r (R_n h + c_n))."""
    return _state(before_tanh=2.0), LOSS


def tanh_left_out() -> tuple[float, float]:
    """The new state n is not squeezed: a tanh is missing."""
    return -OPEN + (1 - OPEN) * 1.5, LOSS


def padding_counted() -> tuple[float, float]:
    """The loss is divided by six positions. The last one is padding: there are five real words."""
    return _state(), LOSS * 5 / 6


def padding_measured() -> tuple[float, float]:
    """The probability of <pad> counts too. A padded position has no true word: it is left out of sum and number."""
    return _state(), math.log(2) * 10 / 6


def mean_of_means() -> tuple[float, float]:
    """This is the mean of the two sentences' losses. Every real word counts the same, whatever sentence it is in."""
    return _state(), math.log(2) * 1.75


def bits() -> tuple[float, float]:
    """The loss is in bits: a logarithm to base 2. In a loss, log is the natural logarithm."""
    return _state(), 9 / 5


def only_summed() -> tuple[float, float]:
    """The loss is a sum. Divide by the number of real words."""
    return _state(), math.log(2) * 9


HAND = (
    mixture_turned_round,
    gates_exchanged,
    bias_outside,
    reset_left_out,
    tanh_left_out,
    padding_counted,
    padding_measured,
    mean_of_means,
    bits,
    only_summed,
)
