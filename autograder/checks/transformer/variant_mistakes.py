"""What goes wrong by hand, in the scale of several heads, and in a stack of layers with pre-norm."""

from collections.abc import Callable
from itertools import cycle
from typing import Any

import torch

from autograder.checks.renamed import renamed
from autograder.checks.transformer import layer_mistakes
from autograder.checks.transformer.multi_head_mistakes import Heads
from solutions.transformer.attention import feed_forward, layer_norm, multi_head_attention

RIGHT_OUT, RIGHT_NORM = [2.0, 7.0], [-(3**-0.5)] * 3 + [3**0.5]


def by_hand_divided():
    """The scores of the heads are divided by √2. A head has one feature: √(d/h) = 1."""
    return [1.9149, 6.7213], RIGHT_NORM


def by_hand_one_head():
    """One head has compared both features. There are two: the first compares the first features, the second the
    second."""
    return [10 / 3, 5.0], RIGHT_NORM


def by_hand_without_W_o():
    """These are the two heads, side by side. W_o mixes them: each number of the result is a row of W_o times the
    heads."""
    return [9.0, 7.0], RIGHT_NORM


def by_hand_not_transposed():
    """The heads were multiplied by the columns of W_o. Each number of the result is a *row* of W_o times the heads."""
    return [9.0, -2.0], RIGHT_NORM


def by_hand_n_minus_1():
    """The variance was divided by 3, d - 1. LayerNorm divides by d = 4."""
    return RIGHT_OUT, [-0.5, -0.5, -0.5, 1.5]


def by_hand_variance():
    """The deviations were divided by the variance. Divide by its root."""
    return RIGHT_OUT, [-1 / 3, -1 / 3, -1 / 3, 1.0]


def by_hand_not_centred():
    """The mean was not subtracted from what is divided: x - μ stands above the line."""
    return RIGHT_OUT, [3**-0.5, 3**-0.5, 3**-0.5, 5 * 3**-0.5]


BY_HAND = (
    by_hand_divided,
    by_hand_one_head,
    by_hand_without_W_o,
    by_hand_not_transposed,
    by_hand_n_minus_1,
    by_hand_variance,
    by_hand_not_centred,
)


def _plain(width: Callable) -> Callable:
    """Return heads without biases whose scores are divided by the root of `width(features of a head, heads, T)`."""

    def attend(x, W_q, W_k, W_v, W_o, heads):
        def asked(q, heads):
            return width(q.shape[-1], heads, q.shape[-2])

        weights = {"W_q": W_q, "W_k": W_k, "W_v": W_v, "W_o": W_o}
        weights |= {name.replace("W", "b"): torch.zeros(x.shape[-1]) for name in weights}
        return Heads(width=asked)(x, x, x, weights, heads, None)

    return attend


def not_divided(*arguments):
    """Now the scores are not divided at all."""
    return _plain(lambda features, heads, T: 1)(*arguments)


def by_the_width(*arguments):
    """Now the scores are divided by a number, and not by its root."""
    return _plain(lambda features, heads, T: features**2)(*arguments)


def by_heads(*arguments):
    """Now the scores are divided by √h."""
    return _plain(lambda features, heads, T: heads)(*arguments)


def by_positions(*arguments):
    """Now the scores are divided by the root of the number of positions."""
    return _plain(lambda features, heads, T: T)(*arguments)


def multiplied(*arguments):
    """Now the scores are multiplied by a root, not divided."""
    return _plain(lambda features, heads, T: 1 / features)(*arguments)


def by_all_heads(*arguments):
    """Now the scores are divided by more still: heads and features are multiplied."""
    return _plain(lambda features, heads, T: features * heads**2)(*arguments)


PLAIN = (not_divided, by_the_width, by_heads, by_positions, multiplied, by_all_heads)


def _pre(x, sublayer, norm):
    return x + sublayer(norm(x))


def _without(x, sublayer, norm):
    return sublayer(norm(x))


def stacked(
    arguments,
    *,
    around: Callable = _pre,
    last: Callable = layer_norm,
    order: Callable = range,
    norms: tuple[int, int] = (1, 2),
    **parts: Any,
):
    """Return the stack in parts, each of which can be put wrong; `parts` are those of a layer."""
    x, weights, gamma, beta, heads, mask, eps = arguments
    layer = layer_mistakes.Layer(around=around, **parts)
    for number in order(len(weights["W_q"])):
        own = {name: weight[number] for name, weight in weights.items()}
        x = layer.encode(x, layer_mistakes.norms_of(own, *norms), heads, mask, eps)
    return last(x, gamma, beta, eps)


def post_norm(*arguments):
    """The norms stand behind the sums: LayerNorm(x + Sublayer(x)). That is post-norm; here they stand before the
    sublayers: x + Sublayer(LayerNorm(x))."""
    return stacked(arguments, around=lambda x, sublayer, norm: norm(x + sublayer(x)))


def without_the_last_norm(*arguments):
    """The last norm is missing: with pre-norm nothing else has normalised the last sum."""
    return stacked(arguments, last=lambda x, *rest: x)


def last_norm_bare(*arguments):
    """The last norm is without its gamma and beta."""
    return stacked(arguments, last=lambda x, gamma, beta, eps: layer_norm(x, torch.ones_like(gamma), 0 * beta, eps))


def last_norm_each_time(x, weights, gamma, beta, heads, mask, eps):
    """The last norm stands behind every layer. It stands once, behind all of them."""
    for number in range(len(weights["W_q"])):
        one = {name: weight[number : number + 1] for name, weight in weights.items()}
        x = stacked((x, one, gamma, beta, heads, mask, eps))
    return x


def normalised_residual(*arguments):
    """What goes round the sublayer is the normalised x. x itself goes round: x + Sublayer(LayerNorm(x))."""
    return stacked(arguments, around=lambda x, sublayer, norm: norm(x) + sublayer(norm(x)))


def without_residual(*arguments):
    """The residual is missing: Sublayer(LayerNorm(x)) alone. x is added."""
    return stacked(arguments, around=_without)


def _in_turn(first: Callable, second: Callable) -> Callable:
    """Return what goes around the two sublayers of each layer, in turn."""
    turns = cycle([first, second])
    return lambda x, sublayer, norm: next(turns)(x, sublayer, norm)


def residual_of_attention_alone(*arguments):
    """The residual around the feed-forward network is missing. x is added to both sublayers, to the second the sum that
    the first has left."""
    return stacked(arguments, around=_in_turn(_pre, _without))


def residual_of_feed_forward_alone(*arguments):
    """The residual around the attention is missing. x is added to both sublayers."""
    return stacked(arguments, around=_in_turn(_without, _pre))


def norm_behind_the_sublayer(*arguments):
    """The norm is taken of what the sublayer gives: x + LayerNorm(Sublayer(x)). The sublayer reads the norm."""
    return stacked(arguments, around=lambda x, sublayer, norm: x + norm(sublayer(x)))


def without_norms(*arguments):
    """The norms before the sublayers are missing; only the last one is there."""
    return stacked(arguments, around=lambda x, sublayer, norm: x + sublayer(x))


def first_layer_each_time(*arguments):
    """Every layer has the weights of the first. Each has its own: the first axis counts the layers."""
    return stacked(arguments, order=lambda count: [0] * count)


def from_the_last(*arguments):
    """The layers come in the opposite order. Entry 0 of the first axis comes first."""
    return stacked(arguments, order=lambda count: range(count)[::-1])


def first_layer_alone(*arguments):
    """There is only one layer. The first axis of the weights says how many there are."""
    return stacked(arguments, order=lambda count: range(1))


def norms_exchanged(*arguments):
    """The two norms of a layer have changed places: gamma_1 and beta_1 belong to the first, before the attention."""
    return stacked(arguments, norms=(2, 1))


def queries_alone(*arguments):
    """Only the queries are normalised. Queries, keys and values are LayerNorm(x)."""
    x, weights, gamma, beta, heads, mask, eps = arguments
    keys = None if mask is None else mask[:, None]
    for number in range(len(weights["W_q"])):
        own = {name: weight[number] for name, weight in weights.items()}
        z = layer_norm(x, own["gamma_1"], own["beta_1"], eps)
        x = x + multi_head_attention(z, x, x, own, heads, keys)[0]
        x = x + feed_forward(layer_norm(x, own["gamma_2"], own["beta_2"], eps), own)
    return layer_norm(x, gamma, beta, eps)


def _layers_with(part: str, wrong: Callable) -> Callable:
    """Return the stack with a mistake that a layer can have: the same mistake, the same hint."""

    @renamed(wrong)
    def mistake(*arguments):
        wrong_parts: dict[str, Any] = {part: wrong} | ({"last": wrong} if part == "norm" else {})
        return stacked(arguments, **wrong_parts)

    return mistake


STACK = (
    post_norm,
    without_the_last_norm,
    last_norm_bare,
    last_norm_each_time,
    normalised_residual,
    without_residual,
    residual_of_attention_alone,
    residual_of_feed_forward_alone,
    norm_behind_the_sublayer,
    without_norms,
    first_layer_each_time,
    from_the_last,
    first_layer_alone,
    norms_exchanged,
    queries_alone,
    *(_layers_with("norm", wrong) for wrong in layer_mistakes.NORMS),
    *(_layers_with("feed", wrong) for wrong in layer_mistakes.FEEDS),
    *(_layers_with("attend", wrong) for wrong in layer_mistakes.ATTENDS),
)
