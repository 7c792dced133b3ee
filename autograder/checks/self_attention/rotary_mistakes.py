"""What goes wrong when pairs of features are rotated by their positions."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


def exponents(width: int) -> Tensor:
    """Return 2i / width for each pair."""
    return torch.arange(0, width, 2) / width


def apart(even: Tensor, odd: Tensor) -> Tensor:
    """Return both features of each pair side by side."""
    return torch.stack([even, odd], dim=-1).flatten(-2)


def neighbours(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the first and the second feature of each pair."""
    return x[..., 0::2], x[..., 1::2]


def turn(even: Tensor, odd: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """Return each pair, turned."""
    return even * cos - odd * sin, even * sin + odd * cos


@dataclass(frozen=True)
class Rotation:
    """The rotation in parts, each of which can be put wrong."""

    rates: Callable = lambda width, base: base ** -exponents(width)
    places: Callable = lambda positions: positions
    pairs: Callable = neighbours
    turned: Callable = turn
    joined: Callable = apart

    def __call__(self, x, positions, base):
        angles = self.places(positions)[:, None] * self.rates(x.shape[-1], base)
        return self.joined(*self.turned(*self.pairs(x), angles.cos(), angles.sin()))


def halves(*arguments):
    """Feature i is paired with feature i + width/2, as some models do. In this task neighbours are a pair."""
    return Rotation(pairs=lambda x: x.chunk(2, dim=-1), joined=lambda *two: torch.cat(two, dim=-1))(*arguments)


def left_in_halves(*arguments):
    """The rotated pairs stand in two halves, all first features and then all second ones. Feature 2i goes back to place
    2i."""
    return Rotation(joined=lambda *two: torch.cat(two, dim=-1))(*arguments)


def turned_back(*arguments):
    """The pairs are turned the other way round, by −angle. (x, y) becomes (x cos − y sin, x sin + y cos)."""
    return Rotation(turned=lambda x, y, cos, sin: turn(x, y, cos, -sin))(*arguments)


def both_minus(*arguments):
    """Both features get a minus. That is no rotation, the length changes: only the first has it, x cos − y sin."""
    return Rotation(turned=lambda x, y, cos, sin: (x * cos - y * sin, y * cos - x * sin))(*arguments)


def both_plus(*arguments):
    """Neither feature gets a minus. That is no rotation, the length changes: the first is x cos − y sin."""
    return Rotation(turned=lambda x, y, cos, sin: (x * cos + y * sin, y * cos + x * sin))(*arguments)


def new_feature_used(*arguments):
    """The second feature is made with the new first one. Both are made from the old pair."""

    def turned(x, y, cos, sin):
        new = x * cos - y * sin
        return new, new * sin + y * cos

    return Rotation(turned=turned)(*arguments)


def cosine_and_sine_swapped(*arguments):
    """Cosine and sine have changed places. At position 0 nothing turns: cos 0 = 1 keeps the feature."""
    return Rotation(turned=lambda x, y, cos, sin: turn(x, y, sin, cos))(*arguments)


def exponent_doubled(*arguments):
    """The exponent is 4i/width here: the 2 is counted twice (arange(0, width, 2) already holds 2i)."""
    return Rotation(rates=lambda width, base: base ** (-2 * exponents(width)))(*arguments)


def exponent_halved(*arguments):
    """The exponent is i/width here. It is 2i/width: the slowest pair turns about base times slower than the first."""
    return Rotation(rates=lambda width, base: base ** (-exponents(width) / 2))(*arguments)


def exponent_positive(*arguments):
    """Later pairs turn faster here. The exponent is negative: base^(−2i/width)."""
    return Rotation(rates=lambda width, base: base ** exponents(width))(*arguments)


def one_rate(*arguments):
    """All pairs turn at the same rate. Pair i has a rate of its own, base^(−2i/width)."""
    return Rotation(rates=lambda width, base: torch.ones(width // 2))(*arguments)


def base_fixed(*arguments):
    """The base is 10,000 whatever is given. Use the argument."""
    return Rotation(rates=lambda width, base: 10_000 ** -exponents(width))(*arguments)


def counted_from_zero(*arguments):
    """The positions are 0, 1, 2 … whatever is given. Use the argument: a sentence may begin anywhere."""
    return Rotation(places=lambda positions: torch.arange(len(positions)))(*arguments)


def counted_from_one(*arguments):
    """Every position is one too large: position 0 is not turned at all."""
    return Rotation(places=lambda positions: positions + 1)(*arguments)


def added(x, positions, base):
    """Cosine and sine are added to the features, as in the Transformer's encoding. They should be turned."""
    return Rotation(turned=lambda x, y, cos, sin: (x + cos, y + sin))(x, positions, base)


def lengths_kept_out(*arguments):
    """The rotated vectors are divided by their length. A rotation leaves the length as it is."""
    result = Rotation()(*arguments)
    return result / result.norm(dim=-1, keepdim=True)


ROTATED = (
    halves,
    left_in_halves,
    turned_back,
    both_minus,
    both_plus,
    new_feature_used,
    cosine_and_sine_swapped,
    exponent_doubled,
    exponent_halved,
    exponent_positive,
    one_rate,
    base_fixed,
    counted_from_zero,
    counted_from_one,
    added,
    lengths_kept_out,
)
