"""What goes wrong when the windows alone are scored."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import windowed_attention


def _bell(distance: Tensor, D: float) -> Tensor:
    return torch.exp(-(distance**2) / (2 * (D / 2) ** 2))


def _one_query(h_t: Tensor, near: Tensor, W_a: Tensor) -> Tensor:
    """Return the general scores of each target word and its own window."""
    return (near @ (h_t @ W_a)[..., None])[..., 0]


@dataclass(frozen=True)
class Windowed:
    """Attention to the windows alone in parts, each of which can be put wrong."""

    first: Callable = lambda p, lengths, D: (p - D).floor()
    near: Callable = lambda distance, D: distance.abs() <= D
    real: Callable = lambda s, lengths, source: (s >= 0) & (s < lengths)
    place: Callable = lambda s, lengths, source: s.clamp(0, source - 1)
    counted: Callable = lambda s: s
    centre: Callable = lambda p: p
    bell: Callable = _bell
    weigh: Callable = lambda scores, inside, bell: masked_softmax(scores, inside) * bell
    score: Callable = _one_query

    def __call__(self, h_t, h_s, W_a, p, lengths, D):
        source, true = h_s.shape[1], lengths[:, None, None]
        s = self.first(p, lengths[:, None], D).long()[..., None] + torch.arange(int(2 * D) + 2)
        distance = self.counted(s) - self.centre(p)[..., None]
        inside = self.near(distance, D) & self.real(s, true, source)
        states = h_s[torch.arange(len(h_s))[:, None, None], self.place(s, true, source)]
        weights = self.weigh(self.score(h_t, states, W_a), inside, self.bell(distance, D))
        return (weights[..., None, :] @ states)[..., 0, :]


def no_gaussian(*arguments):
    """The Gaussian is missing: the weights are those of the softmax alone."""
    return Windowed(bell=lambda distance, D: torch.ones_like(distance))(*arguments)


def sigma_is_D(*arguments):
    """The standard deviation is D. It is half of it: σ = D/2."""
    return Windowed(bell=lambda distance, D: _bell(distance, 2 * D))(*arguments)


def sigma_not_squared(*arguments):
    """σ is not squared in the Gaussian: exp(-(s - p)² / (2 σ²)) with σ = D/2."""
    return Windowed(bell=lambda distance, D: torch.exp(-(distance**2) / D))(*arguments)


def two_missing(*arguments):
    """The factor 2 is missing under the fraction: exp(-(s - p)² / (2 σ²))."""
    return Windowed(bell=lambda distance, D: _bell(distance, D) ** 2)(*arguments)


def renormalised(*arguments):
    """The weights are divided by their sum after the Gaussian. They stay as they are, and add up to less than 1."""

    def weigh(scores, inside, bell):
        weights = masked_softmax(scores, inside) * bell
        return weights / weights.sum(-1, keepdim=True)

    return Windowed(weigh=weigh)(*arguments)


def gaussian_in_scores(*arguments):
    """The scores are multiplied by the Gaussian before the softmax. It multiplies the weights, after the softmax."""
    return Windowed(weigh=lambda scores, inside, bell: masked_softmax(scores * bell, inside))(*arguments)


def centre_rounded(*arguments):
    """Window and Gaussian stand round a rounded p. It is a real number: |s - p| ≤ D, and the Gaussian is 1 at p."""
    return Windowed(first=lambda p, lengths, D: p.round() - D, centre=torch.round)(*arguments)


def window_of_rounded(h_t, h_s, W_a, p, lengths, D):
    """The window is that of a rounded p: its 2D + 1 positions are not all within D of p. The Gaussian is right."""
    moved = (p - p.round())[..., None]
    return Windowed(near=lambda distance, D: (distance + moved).abs() <= D)(h_t, h_s, W_a, p, lengths, D)


def one_too_many(*arguments):
    """A position outside the window has weight: all of the 2D + 2 from the one below p - D on are taken. Look which of
    them are within D of p."""
    return Windowed(near=lambda distance, D: distance.abs() < 2 * D + 3)(*arguments)


def edge_left_out(*arguments):
    """Positions at a distance of exactly D are left out. The window holds them: |s - p| ≤ D."""
    return Windowed(near=lambda distance, D: distance.abs() < D)(*arguments)


def padding_in_window(*arguments):
    """The window takes in padding. It ends where the sentence ends: `lengths`."""
    return Windowed(real=lambda s, lengths, source: (s >= 0) & (s < source))(*arguments)


def ends_repeated(*arguments):
    """At the ends of a sentence its first or last word is taken several times: positions that do not exist are moved to
    the end, and still have weight. Mask them."""

    def place(s, lengths, source):
        return s.clamp(min=0).minimum(lengths - 1)

    return Windowed(real=lambda s, lengths, source: s == s, place=place)(*arguments)


def wrapped_round(*arguments):
    """Positions below 0 read the end of the row: -1 is the last one in Python. They do not exist: mask them."""
    return Windowed(real=lambda s, lengths, source: s < lengths, place=lambda s, lengths, source: s % source)(
        *arguments
    )


def slid_inside(*arguments):
    """At an end of the sentence the window slides inside, so that it stays 2D + 1 wide. It is cut off: |s - p| ≤ D."""

    def first(p, lengths, D):
        return (p - D).ceil().minimum(lengths - 2 * D - 1).clamp(min=0)

    def near(distance, D):
        return torch.arange(distance.shape[-1]).expand_as(distance) < 2 * D + 1

    return Windowed(first=first, near=near)(*arguments)


def first_window(h_t, h_s, W_a, p, lengths, D):
    """All target words have the window of the first. Each has a centre of its own."""
    return windowed_attention(h_t, h_s, W_a, p[:, :1].expand_as(p), lengths, D)


def windows_of_first_sentence(h_t, h_s, W_a, p, lengths, D):
    """All sentences have the windows of the first. Each has centres of its own."""
    return windowed_attention(h_t, h_s, W_a, p[:1].expand_as(p), lengths, D)


def from_one(*arguments):
    """Positions are counted from 1. Here they count from 0: the first word is s = 0."""
    return Windowed(first=lambda p, lengths, D: (p - D).floor() - 1, counted=lambda s: s + 1)(*arguments)


def dot_for_general(*arguments):
    """W_a plays no part: the scores are plain dot products. Here they are h_tᵀ W_a h_s."""
    return Windowed(score=lambda h_t, near, W_a: (near @ h_t[..., None])[..., 0])(*arguments)


def W_a_transposed(*arguments):
    """W_a is turned round: h_t W_aᵀ h_s. h_t stands on its left, h_s on its right."""
    return Windowed(score=lambda h_t, near, W_a: _one_query(h_t, near, W_a.T))(*arguments)


def projected_summed(h_t, h_s, W_a, p, lengths, D):
    """The context is a sum of projected states. It is the weighted sum of the states h_s themselves."""
    return windowed_attention(h_t, h_s, W_a, p, lengths, D) @ W_a.T


def context_averaged(*arguments):
    """The context is divided by the number of positions in the window. Add up, do not average."""
    D = arguments[-1]
    return windowed_attention(*arguments) / (2 * D + 1)


WINDOWED = (
    no_gaussian,
    sigma_is_D,
    sigma_not_squared,
    two_missing,
    renormalised,
    gaussian_in_scores,
    centre_rounded,
    window_of_rounded,
    one_too_many,
    edge_left_out,
    padding_in_window,
    ends_repeated,
    wrapped_round,
    slid_inside,
    first_window,
    windows_of_first_sentence,
    from_one,
    dot_for_general,
    W_a_transposed,
    projected_summed,
    context_averaged,
)
