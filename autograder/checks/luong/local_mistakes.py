"""What goes wrong in local attention: the predicted position, the window, the Gaussian."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import gaussian, general_score, local_p_weights, predicted_position, window


@dataclass(frozen=True)
class Local:
    """Local attention in parts, each of which can be put wrong."""

    counted: Callable = lambda lengths, source: lengths
    position: Callable = predicted_position
    centre: Callable = lambda p: p  # of window and Gaussian
    near: Callable = window
    bell: Callable = gaussian
    weigh: Callable = lambda scores, near, bell: masked_softmax(scores, near) * bell
    answered: Callable = lambda p: p

    def __call__(self, h_t, h_s, W_a, W_p, v_p, lengths, D):
        source = h_s.shape[1]
        scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
        p = self.position(h_t, W_p, v_p, self.counted(lengths, source))
        centre = self.centre(p)
        near, bell = self.near(centre, lengths, source, D), self.bell(centre, source, D)
        return self.weigh(scores, near, bell), self.answered(p)


def _distance(p: Tensor, source: int, first: int = 0) -> Tensor:
    return torch.arange(first, first + source) - p[:, None]


def _real(lengths: Tensor, source: int) -> Tensor:
    return torch.arange(source) < lengths[:, None]


def padded_length(*arguments):
    """The position is a share of the padded length. S is the true length of each sentence: `lengths`."""
    return Local(counted=lambda lengths, source: torch.full_like(lengths, source))(*arguments)


def length_minus_one(*arguments):
    """The position is a share of length - 1. Equation 9 multiplies by the length itself."""
    return Local(counted=lambda lengths, source: lengths - 1)(*arguments)


def first_length(*arguments):
    """The position of every sentence is a share of the first sentence's length. Each has a length of its own."""
    return Local(counted=lambda lengths, source: lengths[:1].expand_as(lengths))(*arguments)


def no_length(*arguments):
    """The position stays between 0 and 1. It is multiplied by the sentence's length."""
    return Local(counted=lambda lengths, source: torch.ones_like(lengths))(*arguments)


def no_sigmoid(*arguments):
    """The sigmoid is missing: the position may lie far outside the sentence."""
    return Local(position=lambda h_t, W_p, v_p, lengths: lengths * (torch.tanh(h_t @ W_p.T) @ v_p))(*arguments)


def no_tanh(*arguments):
    """The tanh inside the position is missing: p = S · σ(v_p · tanh(W_p h_t))."""
    return Local(position=lambda h_t, W_p, v_p, lengths: lengths * torch.sigmoid((h_t @ W_p.T) @ v_p))(*arguments)


def tanh_outside(*arguments):
    """The tanh of the position comes after the product with v_p. It stands inside: σ(v_p · tanh(W_p h_t))."""

    def position(h_t, W_p, v_p, lengths):
        return lengths * torch.sigmoid(torch.tanh((h_t @ W_p.T) @ v_p))

    return Local(position=position)(*arguments)


def from_one(*arguments):
    """Positions are counted from 1. Here they count from 0: the first word is s = 0."""

    def near(p, lengths, source, D):
        return _real(lengths, source) & (_distance(p, source, 1).abs() <= D)

    def bell(p, source, D):
        return torch.exp(-(_distance(p, source, 1) ** 2) / (2 * (D / 2) ** 2))

    return Local(near=near, bell=bell)(*arguments)


def rounded(*arguments):
    """The position is rounded to a whole number. It is a real number: rounded, it has no gradient, and W_p never
    learns."""
    return Local(centre=torch.round, answered=torch.round)(*arguments)


def rounded_inside(*arguments):
    """The window and the Gaussian are centred on a rounded p, and the real one is returned. The weights then do not
    depend on p smoothly: no gradient reaches W_p through them."""
    return Local(centre=torch.round)(*arguments)


def cut_down(*arguments):
    """The position is cut down to a whole number, by `int`, `long` or `floor`. It is a real number: cut down, it has no
    gradient, and W_p never learns."""
    return Local(centre=torch.floor, answered=torch.floor)(*arguments)


def no_window(*arguments):
    """There is no window: all positions of the sentence take part in the softmax. Only those with |s - p| ≤ D do."""
    return Local(near=lambda p, lengths, source, D: _real(lengths, source))(*arguments)


def window_after_softmax(*arguments):
    """The window comes after the softmax: what lies outside is set to 0, but it has already taken its share. The
    softmax runs over the window alone."""
    real = _real(arguments[5], arguments[1].shape[1])
    return Local(weigh=lambda scores, near, bell: masked_softmax(scores, real) * near * bell)(*arguments)


def window_over_padding(*arguments):
    """The window takes in padding. It ends where the sentence ends."""

    def near(p, lengths, source, D):
        return _distance(p, source).abs() <= D

    return Local(near=near)(*arguments)


def padding_after_softmax(*arguments):
    """Padding takes part in the softmax and is set to 0 afterwards: it has already taken its share."""
    real = _real(arguments[5], arguments[1].shape[1])

    def near(p, lengths, source, D):
        return _distance(p, source).abs() <= D

    def weigh(scores, near, bell):
        return masked_softmax(scores, near) * real * bell

    return Local(near=near, weigh=weigh)(*arguments)


def window_half_as_wide(*arguments):
    """The window is D wide in all. It reaches D to the left and D to the right: |s - p| ≤ D."""

    def near(p, lengths, source, D):
        return window(p, lengths, source, D / 2)

    return Local(near=near)(*arguments)


def window_without_its_edge(*arguments):
    """Positions at a distance of exactly D are left out. The window holds them: |s - p| ≤ D."""

    def near(p, lengths, source, D):
        return _real(lengths, source) & (_distance(p, source).abs() < D)

    return Local(near=near)(*arguments)


def D_cut_down(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """D is cut down to a whole number. It is any number above 0, as the positions are: |s - p| ≤ D, and σ = D/2."""
    return local_p_weights(h_t, h_s, W_a, W_p, v_p, lengths, int(D))


def window_around_rounded(*arguments):
    """The window is centred on a rounded p. It holds the positions with |s - p| ≤ D, and p is a real number."""

    def near(p, lengths, source, D):
        return window(p.round(), lengths, source, D)

    return Local(near=near)(*arguments)


def window_by_score(*arguments):
    """The scores outside the window are set to 0, or multiplied by it. exp(0) is 1: they still win weight."""
    return Local(weigh=lambda scores, near, bell: (scores * near).softmax(-1) * bell)(*arguments)


def no_gaussian(*arguments):
    """The Gaussian is missing. Then nothing tells p where to go: it has no gradient."""
    return Local(bell=lambda p, source, D: 1)(*arguments)


def sigma_is_D(*arguments):
    """The standard deviation is D. It is half of it: σ = D/2."""
    return Local(bell=lambda p, source, D: gaussian(p, source, 2 * D))(*arguments)


def sigma_not_squared(*arguments):
    """σ is not squared in the Gaussian: exp(-(s - p)² / (2 σ²)) with σ = D/2."""

    def bell(p, source, D):
        return torch.exp(-(_distance(p, source) ** 2) / (2 * D / 2))

    return Local(bell=bell)(*arguments)


def parentheses_missing(*arguments):
    """σ² stands above the fraction: x / 2 * σ² means (x / 2) · σ². Put parentheses round 2 σ²."""

    def bell(p, source, D):
        return torch.exp(-(_distance(p, source) ** 2) / 2 * (D / 2) ** 2)

    return Local(bell=bell)(*arguments)


def two_missing(*arguments):
    """The factor 2 is missing under the fraction: exp(-(s - p)² / (2 σ²))."""

    def bell(p, source, D):
        return torch.exp(-(_distance(p, source) ** 2) / (D / 2) ** 2)

    return Local(bell=bell)(*arguments)


def distance_not_squared(*arguments):
    """The distance is not squared in the Gaussian: exp(-(s - p)² / (2 σ²))."""

    def bell(p, source, D):
        return torch.exp(-_distance(p, source).abs() / (2 * (D / 2) ** 2))

    return Local(bell=bell)(*arguments)


def density(*arguments):
    """The Gaussian is divided by σ √(2π), as a density is. Equation 10 has the exponential alone: 1 at p."""

    def bell(p, source, D):
        return gaussian(p, source, D) / (D / 2 * (2 * torch.pi) ** 0.5)

    return Local(bell=bell)(*arguments)


def renormalised(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The weights are divided by their sum after the Gaussian. They stay as they are, and add up to less than 1."""
    weights, p = local_p_weights(h_t, h_s, W_a, W_p, v_p, lengths, D)
    return weights / weights.sum(-1, keepdim=True), p


def gaussian_in_scores(*arguments):
    """The scores are multiplied by the Gaussian before the softmax. It multiplies the weights, after the softmax."""
    return Local(weigh=lambda scores, near, bell: masked_softmax(scores * bell, near))(*arguments)


def dot_for_general(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """W_a plays no part: the scores are plain dot products. Here they are h_tᵀ W_a h_s."""
    return local_p_weights(h_t, h_s, torch.eye(len(W_a)), W_p, v_p, lengths, D)


def W_a_transposed(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """W_a is turned round: h_t W_aᵀ h_s. h_t stands on its left, h_s on its right."""
    return local_p_weights(h_t, h_s, W_a.T, W_p, v_p, lengths, D)


def results_swapped(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The results have changed places. The weights come first, then p."""
    return local_p_weights(h_t, h_s, W_a, W_p, v_p, lengths, D)[::-1]


def window_over_one_more(*arguments):
    """The window holds one position behind the sentence. Positions count from 0: the last real one is length - 1."""

    def near(p, lengths, source, D):
        return _real(lengths + 1, source) & (_distance(p, source).abs() <= D)

    return Local(near=near)(*arguments)


def from_one_throughout(*arguments):
    """Positions are counted from 1, by the window's mask too. Here they count from 0: the first word is s = 0."""

    def near(p, lengths, source, D):
        return _real(lengths - 1, source) & (_distance(p, source, 1).abs() <= D)

    def bell(p, source, D):
        return torch.exp(-(_distance(p, source, 1) ** 2) / (2 * (D / 2) ** 2))

    return Local(near=near, bell=bell)(*arguments)


LOCAL = (
    padded_length,
    length_minus_one,
    first_length,
    no_length,
    no_sigmoid,
    no_tanh,
    tanh_outside,
    from_one,
    from_one_throughout,
    rounded,
    rounded_inside,
    cut_down,
    no_window,
    window_after_softmax,
    window_over_padding,
    window_over_one_more,
    padding_after_softmax,
    window_half_as_wide,
    window_without_its_edge,
    D_cut_down,
    window_around_rounded,
    window_by_score,
    no_gaussian,
    sigma_is_D,
    sigma_not_squared,
    parentheses_missing,
    two_missing,
    distance_not_squared,
    density,
    renormalised,
    gaussian_in_scores,
    dot_for_general,
    W_a_transposed,
    results_swapped,
)
