"""What goes wrong in the layers of a Transformer: sums, norms, the feed-forward network, who asks whom, which mask."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.checks.renamed import renamed
from autograder.checks.together import instead_of
from solutions.transformer.attention import feed_forward, layer_norm, multi_head_attention


@dataclass(frozen=True)
class Layer:
    """An encoder or decoder layer in parts, each of which can be put wrong."""

    around: Callable = lambda x, sublayer, norm: norm(x + sublayer(x))
    norm: Callable = layer_norm
    feed: Callable = feed_forward
    attend: Callable = lambda *arguments: multi_head_attention(*arguments)[0]
    order: tuple[str, ...] = ()  # of the sublayers, where it is another one

    def encode(self, x, weights, heads, mask, eps):
        keys = None if mask is None else mask[:, None]
        sublayers = {
            "self": lambda z: self.attend(z, z, z, weights, heads, keys),
            "feed": lambda z: self.feed(z, weights),
        }
        return self.run(x, sublayers, weights, eps)

    def decode(self, y, memory, weights, heads, target_mask, source_mask, eps):
        cross = crossing(weights)
        sublayers = {
            "self": lambda z: self.attend(z, z, z, weights, heads, target_mask),
            "cross": lambda z: self.attend(z, memory, memory, cross, heads, source_mask),
            "feed": lambda z: self.feed(z, weights),
        }
        return self.run(y, sublayers, weights, eps)

    def run(self, x, sublayers, weights, eps):
        for i, name in enumerate(self.order or sublayers, start=1):
            gamma, beta = weights[f"gamma_{i}"], weights[f"beta_{i}"]
            x = self.around(x, sublayers[name], lambda z, g=gamma, b=beta: self.norm(z, g, b, eps))
        return x


def crossing(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of the attention to the encoder's output, under the names of multi-head attention."""
    return {name.removesuffix("_cross"): weight for name, weight in weights.items() if name.endswith("_cross")}


def pre_norm(x, sublayer, norm):
    """The norm stands before the sublayer: x + Sublayer(LayerNorm(x)). That is "pre-norm"; the paper's layer has it
    behind the sum: LayerNorm(x + Sublayer(x))."""
    return x + sublayer(norm(x))


def norm_of_sublayer(x, sublayer, norm):
    """The norm is taken of the sublayer alone, and x added afterwards. It stands behind the sum:
    LayerNorm(x + Sublayer(x))."""
    return x + norm(sublayer(x))


def no_residual(x, sublayer, norm):
    """The residual is missing: LayerNorm(Sublayer(x)). x is added to what the sublayer gives, then comes the norm."""
    return norm(sublayer(x))


def no_norm(x, sublayer, norm):
    """The norms are missing: x + Sublayer(x). LayerNorm stands around each of these sums."""
    return x + sublayer(x)


AROUND = (pre_norm, norm_of_sublayer, no_residual, no_norm)


def _scaled(centred: Tensor, divisor: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    return gamma * centred / divisor + beta


def unbiased_variance(x, gamma, beta, eps):
    """The variance is divided by d - 1, as `var()` does by default. LayerNorm divides by d: `unbiased=False`."""
    return _scaled(x - x.mean(-1, True), (x.var(-1, keepdim=True) + eps).sqrt(), gamma, beta)


def eps_outside(x, gamma, beta, eps):
    """ε is added to the standard deviation. It belongs inside the root: √(variance + ε)."""
    return _scaled(x - x.mean(-1, True), x.std(-1, correction=0, keepdim=True) + eps, gamma, beta)


def unbiased_and_outside(x, gamma, beta, eps):
    """The standard deviation is divided by d - 1, and ε added to it. LayerNorm divides by √(variance + ε), the
    variance with d."""
    return _scaled(x - x.mean(-1, True), x.std(-1, keepdim=True) + eps, gamma, beta)


def eps_fixed(x, gamma, beta, eps):
    """`eps` plays no part: the norm has a fixed ε. Hand it on."""
    return layer_norm(x, gamma, beta, 1e-5)


def not_centred(x, gamma, beta, eps):
    """The mean is not subtracted: x is divided by its root mean square. LayerNorm subtracts the mean first."""
    return _scaled(x, ((x**2).mean(-1, True) + eps).sqrt(), gamma, beta)


def over_the_sentence(x, gamma, beta, eps):
    """Mean and variance are taken over a whole sentence. Each position has its own, over its d features."""
    variance = x.var((1, 2), correction=0, keepdim=True)
    return _scaled(x - x.mean((1, 2), True), (variance + eps).sqrt(), gamma, beta)


def over_positions(x, gamma, beta, eps):
    """Mean and variance are taken over the positions. Take them over the features, the last axis."""
    return _scaled(x - x.mean(1, True), (x.var(1, correction=0, keepdim=True) + eps).sqrt(), gamma, beta)


def without_gamma_and_beta(x, gamma, beta, eps):
    """γ and β play no part: the norm's result is multiplied by γ, and β is added."""
    return layer_norm(x, torch.ones_like(gamma), 0 * beta, eps)


def without_beta(x, gamma, beta, eps):
    """β plays no part: it is added behind γ."""
    return layer_norm(x, gamma, 0 * beta, eps)


def without_gamma(x, gamma, beta, eps):
    """γ plays no part: the norm's result is multiplied by it, before β is added."""
    return layer_norm(x, torch.ones_like(gamma), beta, eps)


def gamma_and_beta_swapped(x, gamma, beta, eps):
    """γ and β have changed places. The norm's result is multiplied by γ, and β is added."""
    return layer_norm(x, beta, gamma, eps)


def divided_by_variance(x, gamma, beta, eps):
    """What is centred is divided by the variance. LayerNorm divides by its root: √(variance + ε)."""
    return _scaled(x - x.mean(-1, True), x.var(-1, correction=0, keepdim=True) + eps, gamma, beta)


NORMS = (
    unbiased_variance,
    eps_outside,
    unbiased_and_outside,
    eps_fixed,
    not_centred,
    over_the_sentence,
    over_positions,
    without_gamma_and_beta,
    without_beta,
    without_gamma,
    gamma_and_beta_swapped,
    divided_by_variance,
)


def no_relu(x, weights):
    """The ReLU between the two matrices is missing: then they are no more than one matrix."""
    return (x @ weights["W_1"].T + weights["b_1"]) @ weights["W_2"].T + weights["b_2"]


def gelu(x, weights):
    """There is a GELU where this layer has a ReLU."""
    return torch.nn.functional.gelu(x @ weights["W_1"].T + weights["b_1"]) @ weights["W_2"].T + weights["b_2"]


def relu_at_the_end(x, weights):
    """There is a ReLU behind the second matrix as well. It stands between the two, and nowhere else."""
    return torch.relu(feed_forward(x, weights))


def relu_behind_both(x, weights):
    """The ReLU stands behind the second matrix alone. It stands between the two."""
    return torch.relu(no_relu(x, weights))


def relu_before_both(x, weights):
    """The ReLU stands before the first matrix. It stands between the two."""
    return no_relu(torch.relu(x), weights)


def without_feed_biases(x, weights):
    """The biases b_1 and b_2 of the feed-forward network are missing."""
    return torch.relu(x @ weights["W_1"].T) @ weights["W_2"].T


FEEDS = (no_relu, gelu, relu_at_the_end, relu_behind_both, relu_before_both, without_feed_biases)


def masks_ignored(query, key, value, weights, heads, mask):
    """The masks have no effect on which positions are looked at. Is the mask handed on, and does it lie on the keys?"""
    return multi_head_attention(query, key, value, weights, heads, None)[0]


def masks_upside_down(query, key, value, weights, heads, mask):
    """The masks are read upside down. True means: may be attended to."""
    return multi_head_attention(query, key, value, weights, heads, None if mask is None else ~mask)[0]


def one_head(query, key, value, weights, heads, mask):
    """`heads` plays no part: this is attention with one head."""
    return multi_head_attention(query, key, value, weights, 1, mask)[0]


ATTENDS = (masks_ignored, masks_upside_down, one_head)


def layers_with(kind: str) -> tuple[Callable, ...]:
    """Return the mistakes that a layer of either kind can have: "encode" or "decode"."""
    parts = {"around": AROUND, "norm": NORMS, "feed": FEEDS, "attend": ATTENDS}

    def made(part: str, wrong: Callable) -> Callable:
        @renamed(wrong)
        def mistake(*arguments):
            replaced: dict[str, Any] = {part: wrong}
            return getattr(Layer(**replaced), kind)(*arguments)

        taught = {"norm": layer_norm, "feed": feed_forward}
        return instead_of(taught[part], wrong, mistake) if part in taught else mistake

    return tuple(made(part, wrong) for part, functions in parts.items() for wrong in functions)


def norms_of(weights: dict[str, Tensor], *order: int) -> dict[str, Tensor]:
    """Return the weights with the norms' in another order."""
    pairs = enumerate(order, start=1)
    return weights | {f"{name}_{i}": weights[f"{name}_{j}"] for i, j in pairs for name in ("gamma", "beta")}


def norms_swapped(x, weights, heads, mask, eps):
    """The two norms have changed places. gamma_1 and beta_1 belong to the first, behind the attention."""
    return Layer().encode(x, norms_of(weights, 2, 1), heads, mask, eps)


def first_norm_twice(x, weights, heads, mask, eps):
    """Both norms have gamma_1 and beta_1. The second has its own: gamma_2 and beta_2."""
    return Layer().encode(x, norms_of(weights, 1, 1), heads, mask, eps)


def feed_forward_first(x, weights, heads, mask, eps):
    """The feed-forward network comes first. The order: attention, then the feed-forward network."""
    return Layer(order=("feed", "self")).encode(x, weights, heads, mask, eps)


def attention_forgotten(x, weights, heads, mask, eps):
    """There is no attention: only the feed-forward network and the norms."""
    return Layer(attend=lambda query, *rest: 0 * query).encode(x, weights, heads, mask, eps)


def feed_forward_forgotten(x, weights, heads, mask, eps):
    """The feed-forward network is missing: the layer ends behind the first norm."""
    return Layer(order=("self",)).encode(x, weights, heads, mask, eps)


def first_input_added(x, weights, heads, mask, eps):
    """The second sum adds the layer's input again. It adds what the first norm has given."""
    between = Layer(order=("self",)).encode(x, weights, heads, mask, eps)
    return layer_norm(x + feed_forward(between, weights), weights["gamma_2"], weights["beta_2"], eps)


def feed_forward_of_input(x, weights, heads, mask, eps):
    """The feed-forward network reads the layer's input. It reads what the first norm has given."""
    between = Layer(order=("self",)).encode(x, weights, heads, mask, eps)
    return layer_norm(between + feed_forward(x, weights), weights["gamma_2"], weights["beta_2"], eps)


def feed_forward_left_out(x, weights, heads, mask, eps):
    """The feed-forward network is missing; its norm is there. The second sum is what the first norm has given, and what
    the network makes of it."""
    return Layer(feed=lambda z, weights: 0 * z).encode(x, weights, heads, mask, eps)


def first_norm_forgotten(x, weights, heads, mask, eps):
    """The first norm is missing: LayerNorm stands around the sum with the attention as well, with gamma_1 and
    beta_1."""
    between = x + Layer.attend(x, x, x, weights, heads, None if mask is None else mask[:, None])
    return layer_norm(between + feed_forward(between, weights), weights["gamma_2"], weights["beta_2"], eps)


def second_norm_forgotten(x, weights, heads, mask, eps):
    """The second norm is missing: LayerNorm stands around the sum with the network as well, with gamma_2 and beta_2."""
    between = Layer(order=("self",)).encode(x, weights, heads, mask, eps)
    return between + feed_forward(between, weights)


def attention_without_residual(x, weights, heads, mask, eps):
    """The first sum is missing: LayerNorm(x + attention)."""
    return Layer(attend=lambda q, k, *rest: Layer.attend(q, k, *rest) - q).encode(x, weights, heads, mask, eps)


def feed_forward_without_residual(x, weights, heads, mask, eps):
    """Nothing is added to what the feed-forward network gives. The second sum adds what the first norm has given."""
    return Layer(feed=lambda z, weights: feed_forward(z, weights) - z).encode(x, weights, heads, mask, eps)


ENCODER = (
    *layers_with("encode"),
    norms_swapped,
    first_norm_twice,
    feed_forward_first,
    attention_forgotten,
    feed_forward_forgotten,
    feed_forward_left_out,
    first_norm_forgotten,
    second_norm_forgotten,
    first_input_added,
    feed_forward_of_input,
    attention_without_residual,
    feed_forward_without_residual,
)
