"""What goes wrong in local attention: the predicted position, the window, the Gaussian."""

from collections.abc import Callable

import torch
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import gaussian, general_score, local_p_weights, predicted_position, window


def _weights(
    p: Tensor,
    scores: Tensor,
    lengths: Tensor,
    D: float,
    *,
    near: Callable = window,
    bell: Callable = gaussian,
) -> Tensor:
    """Return the weights around p, with a window and a Gaussian that may be wrong."""
    source = scores.shape[1]
    return masked_softmax(scores, near(p, lengths, source, D)) * bell(p, source, D)


def _given(h_t: Tensor, h_s: Tensor, W_a: Tensor, W_p: Tensor, v_p: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Return the right position and the right scores."""
    return predicted_position(h_t, W_p, v_p, lengths), general_score(h_t[:, None], h_s, W_a)[:, 0]


def _around(**wrong: Callable) -> Callable:
    """Return local attention with the right position and scores, and a wrong window or Gaussian."""

    def local(h_t, h_s, W_a, W_p, v_p, lengths, D):
        p, scores = _given(h_t, h_s, W_a, W_p, v_p, lengths)
        return _weights(p, scores, lengths, D, **wrong), p

    return local


def _distance(p: Tensor, source: int, first: int = 0) -> Tensor:
    return torch.arange(first, first + source) - p[:, None]


def _real(lengths: Tensor, source: int) -> Tensor:
    return torch.arange(source) < lengths[:, None]


def padded_length(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The position is a share of the padded length. S is the true length of each sentence: `lengths`."""
    return local_with_position(h_t, h_s, W_a, W_p, v_p, lengths, D, torch.full_like(lengths, h_s.shape[1]))


def length_minus_one(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The position is a share of length - 1. Equation 9 multiplies by the length itself."""
    return local_with_position(h_t, h_s, W_a, W_p, v_p, lengths, D, lengths - 1)


def first_length(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The position of every sentence is a share of the first sentence's length. Each has a length of its own."""
    return local_with_position(h_t, h_s, W_a, W_p, v_p, lengths, D, lengths[:1].expand_as(lengths))


def no_length(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The position stays between 0 and 1. It is multiplied by the sentence's length."""
    return local_with_position(h_t, h_s, W_a, W_p, v_p, lengths, D, torch.ones_like(lengths))


def local_with_position(h_t, h_s, W_a, W_p, v_p, lengths, D, counted):
    """Return local attention whose position is a share of `counted`."""
    scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
    p = predicted_position(h_t, W_p, v_p, counted)
    return _weights(p, scores, lengths, D), p


def no_sigmoid(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The sigmoid is missing: the position may lie far outside the sentence."""
    p = lengths * (torch.tanh(h_t @ W_p.T) @ v_p)
    return _weights(p, general_score(h_t[:, None], h_s, W_a)[:, 0], lengths, D), p


def no_tanh(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The tanh inside the position is missing: p = S · σ(v_p · tanh(W_p h_t))."""
    p = lengths * torch.sigmoid((h_t @ W_p.T) @ v_p)
    return _weights(p, general_score(h_t[:, None], h_s, W_a)[:, 0], lengths, D), p


def tanh_outside(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The tanh of the position comes after the product with v_p. It stands inside: σ(v_p · tanh(W_p h_t))."""
    p = lengths * torch.sigmoid(torch.tanh((h_t @ W_p.T) @ v_p))
    return _weights(p, general_score(h_t[:, None], h_s, W_a)[:, 0], lengths, D), p


def from_one(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """Positions are counted from 1. Here they count from 0: the first word is s = 0."""

    def near(p, lengths, source, D):
        return _real(lengths, source) & (_distance(p, source, 1).abs() <= D)

    def bell(p, source, D):
        return torch.exp(-(_distance(p, source, 1) ** 2) / (2 * (D / 2) ** 2))

    return _around(near=near, bell=bell)(h_t, h_s, W_a, W_p, v_p, lengths, D)


def rounded(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The position is rounded to a whole number. It is a real number: rounded, it has no gradient, and W_p never
    learns."""
    p, scores = _given(h_t, h_s, W_a, W_p, v_p, lengths)
    return _weights(p.round(), scores, lengths, D), p.round()


def rounded_inside(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The window and the Gaussian are centred on a rounded p, and the real one is returned. The weights then do not
    depend on p smoothly: no gradient reaches W_p through them."""
    p, scores = _given(h_t, h_s, W_a, W_p, v_p, lengths)
    return _weights(p.round(), scores, lengths, D), p


def cut_down(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The position is cut down to a whole number, by `int`, `long` or `floor`. It is a real number: cut down, it has no
    gradient, and W_p never learns."""
    p, scores = _given(h_t, h_s, W_a, W_p, v_p, lengths)
    return _weights(p.floor(), scores, lengths, D), p.floor()


def no_window(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """There is no window: all positions of the sentence take part in the softmax. Only those with |s - p| ≤ D do."""
    return _around(near=lambda p, lengths, source, D: _real(lengths, source))(h_t, h_s, W_a, W_p, v_p, lengths, D)


def window_after_softmax(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The window comes after the softmax: what lies outside is set to 0, but it has already taken its share. The
    softmax runs over the window alone."""
    p, scores = _given(h_t, h_s, W_a, W_p, v_p, lengths)
    source = scores.shape[1]
    weights = masked_softmax(scores, _real(lengths, source)) * window(p, lengths, source, D)
    return weights * gaussian(p, source, D), p


def window_over_padding(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The window takes in padding. It ends where the sentence ends."""

    def near(p, lengths, source, D):
        return _distance(p, source).abs() <= D

    return _around(near=near)(h_t, h_s, W_a, W_p, v_p, lengths, D)


def padding_after_softmax(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """Padding takes part in the softmax and is set to 0 afterwards: it has already taken its share."""
    p, scores = _given(h_t, h_s, W_a, W_p, v_p, lengths)
    source = scores.shape[1]
    weights = masked_softmax(scores, _distance(p, source).abs() <= D) * _real(lengths, source)
    return weights * gaussian(p, source, D), p


def window_half_as_wide(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The window is D wide in all. It reaches D to the left and D to the right: |s - p| ≤ D."""

    def near(p, lengths, source, D):
        return window(p, lengths, source, D / 2)

    return _around(near=near)(h_t, h_s, W_a, W_p, v_p, lengths, D)


def window_without_its_edge(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """Positions at a distance of exactly D are left out. The window holds them: |s - p| ≤ D."""

    def near(p, lengths, source, D):
        return _real(lengths, source) & (_distance(p, source).abs() < D)

    return _around(near=near)(h_t, h_s, W_a, W_p, v_p, lengths, D)


def D_cut_down(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """D is cut down to a whole number. It is any number above 0, as the positions are: |s - p| ≤ D, and σ = D/2."""
    return local_p_weights(h_t, h_s, W_a, W_p, v_p, lengths, int(D))


def window_around_rounded(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The window is centred on a rounded p. It holds the positions with |s - p| ≤ D, and p is a real number."""

    def near(p, lengths, source, D):
        return window(p.round(), lengths, source, D)

    return _around(near=near)(h_t, h_s, W_a, W_p, v_p, lengths, D)


def window_by_score(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The scores outside the window are set to 0, or multiplied by it. exp(0) is 1: they still win weight."""
    p, scores = _given(h_t, h_s, W_a, W_p, v_p, lengths)
    source = scores.shape[1]
    return (scores * window(p, lengths, source, D)).softmax(-1) * gaussian(p, source, D), p


def no_gaussian(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The Gaussian is missing. Then nothing tells p where to go: it has no gradient."""
    return _around(bell=lambda p, source, D: 1)(h_t, h_s, W_a, W_p, v_p, lengths, D)


def sigma_is_D(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The standard deviation is D. It is half of it: σ = D/2."""
    return _around(bell=lambda p, source, D: gaussian(p, source, 2 * D))(h_t, h_s, W_a, W_p, v_p, lengths, D)


def sigma_not_squared(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """σ is not squared in the Gaussian: exp(-(s - p)² / (2 σ²)) with σ = D/2."""

    def bell(p, source, D):
        return torch.exp(-(_distance(p, source) ** 2) / (2 * D / 2))

    return _around(bell=bell)(h_t, h_s, W_a, W_p, v_p, lengths, D)


def parentheses_missing(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """σ² stands above the fraction: x / 2 * σ² means (x / 2) · σ². Put parentheses round 2 σ²."""

    def bell(p, source, D):
        return torch.exp(-(_distance(p, source) ** 2) / 2 * (D / 2) ** 2)

    return _around(bell=bell)(h_t, h_s, W_a, W_p, v_p, lengths, D)


def two_missing(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The factor 2 is missing under the fraction: exp(-(s - p)² / (2 σ²))."""

    def bell(p, source, D):
        return torch.exp(-(_distance(p, source) ** 2) / (D / 2) ** 2)

    return _around(bell=bell)(h_t, h_s, W_a, W_p, v_p, lengths, D)


def distance_not_squared(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The distance is not squared in the Gaussian: exp(-(s - p)² / (2 σ²))."""

    def bell(p, source, D):
        return torch.exp(-_distance(p, source).abs() / (2 * (D / 2) ** 2))

    return _around(bell=bell)(h_t, h_s, W_a, W_p, v_p, lengths, D)


def density(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The Gaussian is divided by σ √(2π), as a density is. Equation 10 has the exponential alone: 1 at p."""

    def bell(p, source, D):
        return gaussian(p, source, D) / (D / 2 * (2 * torch.pi) ** 0.5)

    return _around(bell=bell)(h_t, h_s, W_a, W_p, v_p, lengths, D)


def renormalised(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The weights are divided by their sum after the Gaussian. They stay as they are, and add up to less than 1."""
    weights, p = local_p_weights(h_t, h_s, W_a, W_p, v_p, lengths, D)
    return weights / weights.sum(-1, keepdim=True), p


def gaussian_in_scores(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The scores are multiplied by the Gaussian before the softmax. It multiplies the weights, after the softmax."""
    p, scores = _given(h_t, h_s, W_a, W_p, v_p, lengths)
    source = scores.shape[1]
    return masked_softmax(scores * gaussian(p, source, D), window(p, lengths, source, D)), p


def dot_for_general(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """W_a plays no part: the scores are plain dot products. Here they are h_tᵀ W_a h_s."""
    return local_p_weights(h_t, h_s, torch.eye(len(W_a)), W_p, v_p, lengths, D)


def W_a_transposed(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """W_a is turned round: h_t W_aᵀ h_s. h_t stands on its left, h_s on its right."""
    return local_p_weights(h_t, h_s, W_a.T, W_p, v_p, lengths, D)


def results_swapped(h_t, h_s, W_a, W_p, v_p, lengths, D):
    """The results have changed places. The weights come first, then p."""
    return local_p_weights(h_t, h_s, W_a, W_p, v_p, lengths, D)[::-1]


LOCAL = (
    padded_length,
    length_minus_one,
    first_length,
    no_length,
    no_sigmoid,
    no_tanh,
    tanh_outside,
    from_one,
    rounded,
    rounded_inside,
    cut_down,
    no_window,
    window_after_softmax,
    window_over_padding,
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
