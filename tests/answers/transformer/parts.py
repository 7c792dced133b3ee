"""The Transformer's functions in parts, some of which wrong answers replace."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax
from solutions.transformer.attention import feed_forward, layer_norm, merge_heads, multi_head_attention, split_heads


def rows(mask: Tensor | None, scores: Tensor) -> Tensor | None:
    """Return the mask of every row of every head."""
    return None if mask is None else mask.unsqueeze(-3).expand_as(scores)


@dataclass(frozen=True)
class Heads:
    """Multi-head attention in parts, each of which can be put wrong."""

    project: Callable = lambda x, weights, name: x @ weights[f"W_{name}"].T + weights[f"b_{name}"]
    split: Callable = split_heads
    width: Callable = lambda q, heads: q.shape[-1]  # by whose root the scores are divided
    mask: Callable = rows
    softmax: Callable = masked_softmax
    merge: Callable = merge_heads
    join: Callable = lambda context, weights: context @ weights["W_o"].T + weights["b_o"]

    def __call__(self, query, key, value, weights, heads, mask):
        q, k, v = (
            self.split(self.project(x, weights, name), heads) for x, name in ((query, "q"), (key, "k"), (value, "v"))
        )
        scores = q @ k.transpose(-2, -1) / self.width(q, heads) ** 0.5
        attended = self.softmax(scores, self.mask(mask, scores))
        return self.join(self.merge(attended @ v), weights), attended


RIGHT = Heads()


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


def norms_of(weights: dict[str, Tensor], *order: int) -> dict[str, Tensor]:
    """Return the weights with the norms' in another order."""
    pairs = enumerate(order, start=1)
    return weights | {f"{name}_{i}": weights[f"{name}_{j}"] for i, j in pairs for name in ("gamma", "beta")}


def _pre(x, sublayer, norm):
    return x + sublayer(norm(x))


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
    layer = Layer(around=around, **parts)
    for number in order(len(weights["W_q"])):
        own = {name: weight[number] for name, weight in weights.items()}
        x = layer.encode(x, norms_of(own, *norms), heads, mask, eps)
    return last(x, gamma, beta, eps)


@dataclass(frozen=True)
class Step:
    """One step in parts, each of which can be put wrong."""

    split: Callable = split_heads
    project: Callable = lambda x, weights, name: x @ weights[f"W_{name}"].T + weights[f"b_{name}"]
    root: Callable = lambda q: q.shape[-1] ** 0.5
    seen: Callable = lambda cache: cache  # the part of the cache that is attended to
    softmax: Callable = lambda scores: masked_softmax(scores, None)
    merge: Callable = merge_heads

    def __call__(self, x, cache, weights, heads):
        q, k, v = (self.split(self.project(x, weights, name)[:, None], heads) for name in "qkv")
        cache = torch.cat([cache, torch.stack([k, v])], dim=-2)
        keys, values = self.seen(cache)
        context = self.softmax(q @ keys.transpose(-2, -1) / self.root(q)) @ values
        return (self.merge(context) @ weights["W_o"].T + weights["b_o"])[:, 0], cache
