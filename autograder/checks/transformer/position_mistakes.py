"""What goes wrong in positional encodings and in the masks of a Transformer."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from solutions.transformer.attention import make_masks, positional_encoding


def frequencies(d: int, exponent: Callable = lambda i: i) -> Tensor:
    """Return the divisor of each feature pair, with its exponent made from its first feature's number."""
    return 10000 ** (exponent(torch.arange(0, d, 2)) / d)


def alternating(angle: Tensor, d: int) -> Tensor:
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)[:, :d]


def of_each_feature(angle: Tensor, d: int) -> Tensor:
    """Return sine and cosine in turn of angles that are there for every feature, not for every pair."""
    return torch.where(torch.arange(d) % 2 == 0, angle.sin(), angle.cos())


@dataclass(frozen=True)
class Encoding:
    """The positional encoding in parts, each of which can be put wrong."""

    position: Callable = lambda x: torch.arange(x.shape[1], dtype=torch.float32)
    divisor: Callable = frequencies
    order: Callable = alternating

    def __call__(self, x):
        d = x.shape[-1]
        return x + self.order(self.position(x)[:, None] / self.divisor(d), d)


def exponent_doubled(x):
    """The exponent is doubled: 2i stands in the formula already, and `arange(0, d, 2)` counts 2i."""
    return Encoding(divisor=lambda d: frequencies(d, lambda i: 2 * i))(x)


def exponent_halved(x):
    """The exponent is halved: i/d, where the formula has 2i/d."""
    return Encoding(divisor=lambda d: frequencies(d, lambda i: i / 2))(x)


def own_frequency(x):
    """The cosine has a frequency of its own: 10000^((2i+1)/d). Sine and cosine of a pair share one: 10000^(2i/d)."""
    return Encoding(divisor=lambda d: 10000 ** (torch.arange(d) / d), order=of_each_feature)(x)


def pairs_counted_as_features(x):
    """i runs over all features. It counts pairs: the features 2i and 2i + 1 share one frequency, 10000^(2i/d)."""
    return Encoding(divisor=lambda d: 10000 ** (2 * torch.arange(d) / d), order=of_each_feature)(x)


def batch_axis(x):
    """The position is counted along the batch: every word of a sentence gets the same. Count along axis 1."""
    return Encoding()(x.transpose(0, 1)).transpose(0, 1)


def halves(x):
    """The sines come first, then the cosines. They alternate: sine at even features, cosine at odd ones."""
    return Encoding(order=lambda angle, d: torch.cat([angle.sin(), angle.cos()], -1)[:, :d])(x)


def from_one(x):
    """The positions count from 1. They count from 0."""
    return Encoding(position=lambda x: torch.arange(1.0, x.shape[1] + 1))(x)


def scaled(x):
    """x is multiplied by √d here. Whoever calls this function does that, where it is wanted."""
    return positional_encoding(x * x.shape[-1] ** 0.5)


def not_added(x):
    """This is the encoding alone. Add it to x."""
    return positional_encoding(0 * x)


def sine_and_cosine_swapped(x):
    """Sine and cosine have changed places: the sine stands at even features, 0, 2, …"""
    return Encoding(order=lambda angle, d: torch.stack([angle.cos(), angle.sin()], -1).flatten(-2)[:, :d])(x)


def sine_only(x):
    """There is a sine at every feature. The odd ones have a cosine."""
    return Encoding(order=lambda angle, d: angle.sin().repeat_interleave(2, -1)[:, :d])(x)


def divided_by_one_less(x):
    """The frequencies are spread from 1 to 1/10000 exactly, as some libraries have it. The formula divides by d, so the
    last one stops short of it."""
    return Encoding(divisor=lambda d: frequencies(d, lambda i: i * d / max(d + d % 2 - 2, 1)))(x)


def multiplied(x):
    """The position is multiplied by 10000^(2i/d). Divide by it, or give the exponent a minus: frequencies fall."""
    return Encoding(divisor=lambda d: 1 / frequencies(d))(x)


def power_first(x):
    """The power comes before the division: `10000 ** i / d` is (10000^i)/d. Put the exponent in parentheses: it is
    2i/d."""
    return Encoding(divisor=lambda d: 10000 ** torch.arange(0, d, 2) / d)(x)


def last_feature_forgotten(x):
    """With an odd number of features the last one gets nothing. It gets a sine, without a cosine."""
    added = positional_encoding(x)
    return torch.cat([added[..., :-1], x[..., -1:]], -1) if x.shape[-1] % 2 else added


def even_width(x):
    """With an odd number of features the exponents are divided by an even number, d + 1. Divide by d itself."""
    return Encoding(divisor=lambda d: frequencies(d, lambda i: i * d / (d + d % 2)))(x)


def runs_on(x):
    """The positions go on from sentence to sentence. Each sentence begins at 0."""
    return Encoding()(x.flatten(0, 1)[None]).view_as(x)


POSITIONS = (
    exponent_doubled,
    exponent_halved,
    own_frequency,
    pairs_counted_as_features,
    batch_axis,
    halves,
    from_one,
    scaled,
    not_added,
    sine_and_cosine_swapped,
    sine_only,
    divided_by_one_less,
    multiplied,
    power_first,
    last_feature_forgotten,
    even_width,
    runs_on,
)


def future_only(source, target, pad):
    """The causal mask is the wrong way round: each position sees itself and what comes after it. `tril` keeps what is
    at or before it."""
    of_source, causal, _ = make_masks(source, target, pad)
    return of_source, causal.mT, causal.mT & (target != pad)[:, None]


def itself_hidden(source, target, pad):
    """A position does not see itself, and the first one sees nothing. The diagonal is allowed too."""
    of_source, causal, whole = make_masks(source, target, pad)
    before = causal & ~torch.eye(len(causal), dtype=torch.bool)
    return of_source, before, whole & before


def one_ahead(source, target, pad):
    """A position sees the one after it: the very word it has to predict. The diagonal is the last that is allowed."""
    of_source, causal, _ = make_masks(source, target, pad)
    ahead = torch.ones_like(causal).tril(1)
    return of_source, ahead, ahead & (target != pad)[:, None]


def padding_forgotten(source, target, pad):
    """The target's mask is causal, and padding may be looked at. It is both: causal, and no padding among the keys."""
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source, causal, causal.expand_as(whole).clone()


def future_seen(source, target, pad):
    """The target's mask hides padding, but not the future. It is both: causal, and no padding among the keys."""
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source, causal, (target != pad)[:, None].expand_as(whole).clone()


def either(source, target, pad):
    """The target's mask is True where one of the two allows it. Both have to: `&`, not `|`."""
    of_source, causal, _ = make_masks(source, target, pad)
    return of_source, causal, causal | (target != pad)[:, None]


def padding_on_queries(source, target, pad):
    """The target's padding hides queries, and leaves them nothing to look at. It has to hide keys, the last axis:
    `(target != pad)[:, None]`."""
    of_source, causal, _ = make_masks(source, target, pad)
    return of_source, causal, causal & (target != pad)[:, :, None]


def padding_on_both(source, target, pad):
    """The target's padding hides keys, and queries too: a padded position has nothing to look at. Only keys are hidden,
    the last axis; a padded query may ask."""
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source, causal, whole & (target != pad)[:, :, None]


def without_parentheses(source, target, pad):
    """`&` comes before `!=`: `causal & target != pad` is `(causal & target) != pad`. Put the comparison in
    parentheses."""
    of_source, causal, _ = make_masks(source, target, pad)
    return of_source, causal, (causal & target[:, None]) != pad


def causal_again(source, target, pad):
    """The third mask is the causal one again. The target's is one for each sentence, (B,T,T): causal, and no padding
    among the keys."""
    of_source, causal, _ = make_masks(source, target, pad)
    return of_source, causal, causal.clone()


def source_on_queries(source, target, pad):
    """The source's mask is (B,S,1): so it would hide queries. Its last axis is the keys': (B,1,S)."""
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source.mT, causal, whole


def source_flat(source, target, pad):
    """The source's mask is (B,S). Give it an axis for the queries: (B,1,S)."""
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source[:, 0], causal, whole


def source_with_heads(source, target, pad):
    """The source's mask is (B,1,1,S). The attention adds the axis for the heads itself: return (B,1,S)."""
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source[:, None], causal, whole


def pad_is_zero(source, target, pad):
    """Padding is taken to be the number 0. It is the number `pad`."""
    return make_masks(source, target, 0)


def larger_than_pad(source, target, pad):
    """Whatever is smaller than `pad` is hidden as well. Hide what is equal to it."""
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source & (source > pad)[:, None], causal, whole & (target > pad)[:, None]


def upside_down(source, target, pad):
    """The masks are True where nothing may be attended to. True means: may be attended to."""
    of_source, causal, whole = make_masks(source, target, pad)
    return ~of_source, ~causal, ~whole


def source_upside_down(source, target, pad):
    """The mask of the source is True at padding. True means: may be attended to."""
    of_source, causal, whole = make_masks(source, target, pad)
    return ~of_source, causal, whole


def target_padding_upside_down(source, target, pad):
    """The target's mask keeps padding and hides words. True means: may be attended to."""
    of_source, causal, _ = make_masks(source, target, pad)
    return of_source, causal, causal & (target == pad)[:, None]


def infinities(source, target, pad):
    """These are numbers to be added, 0 and -inf. Return boolean masks: True means may be attended to."""
    masks = make_masks(source, target, pad)
    return tuple(torch.zeros(mask.shape).masked_fill(~mask, -torch.inf) for mask in masks)


def order_changed(source, target, pad):
    """The results have changed places. Their order: source, causal, target."""
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source, whole, causal


def causal_for_each(source, target, pad):
    """The causal mask is there once for every sentence. It is the same for all: (T,T)."""
    of_source, causal, whole = make_masks(source, target, pad)
    return of_source, causal.expand_as(whole).clone(), whole


MASKS = (
    future_only,
    itself_hidden,
    one_ahead,
    padding_forgotten,
    future_seen,
    either,
    padding_on_queries,
    padding_on_both,
    without_parentheses,
    causal_again,
    source_on_queries,
    source_flat,
    source_with_heads,
    pad_is_zero,
    larger_than_pad,
    upside_down,
    source_upside_down,
    target_padding_upside_down,
    infinities,
    order_changed,
    causal_for_each,
)
