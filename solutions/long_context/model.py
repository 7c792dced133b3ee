"""The language model's decoder with this chapter's attention: a function for each layer, and a cache that rolls."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from solutions.language_model.layers import Attention, Parts, cut, joined
from solutions.language_model.model import Decoder
from solutions.language_model.recipe import Recipe
from solutions.long_context.attention import alibi_bias

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]  # query, key, value (batch, heads, length, width) -> context
SMALL = Recipe(d_model=64, d_ff=192, layers=2)


def full(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return the context of causal attention to all positions."""
    return functional.scaled_dot_product_attention(query, key, value, is_causal=True)


def windowed(query: Tensor, key: Tensor, value: Tensor, window: int, sinks: int = 0) -> Tensor:
    """Return the result of the taught `sliding_window` for every head, with a mask over all pairs of positions."""
    place = torch.arange(query.shape[2], device=query.device)
    distance = place[:, None] - place
    seen = (distance >= 0) & ((distance < window) | (place < sinks))
    return functional.scaled_dot_product_attention(query, key, value, seen)


def with_alibi(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return the context of causal attention whose scores have the taught `alibi_bias`."""
    bias = alibi_bias(query.shape[1], query.shape[2]).to(query)
    return functional.scaled_dot_product_attention(query, key, value, bias)


def for_all_heads(
    query: Float[Tensor, "batch heads target width"],
    key: Float[Tensor, "batch kv_heads source width"],
    value: Float[Tensor, "batch kv_heads source width"],
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the query, and keys and values once for each head of its group: (batch, heads, source, width)."""
    group = query.shape[1] // key.shape[1]
    return query, key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)


def reader(recipe: Recipe, vocabulary: int, attends: Sequence[Attend], parts: Parts) -> Decoder:
    """Return a decoder whose layers attend by these functions, one for each; heads may share keys and values.

    Raise ValueError for a recipe with latent vectors in the place of keys and values.
    """
    if recipe.latent:
        raise ValueError(f"attention by a function needs keys and values: expected latent = 0, got {recipe.latent}")
    model = Decoder(recipe, vocabulary, parts=parts)
    for layer, attend in zip(attentions(model), attends, strict=True):
        layer.parts = replace(parts, grouped_query_attention=partial(_attended, attend))
    return model


def _attended(attend: Attend, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> tuple[Tensor, None]:
    """Return a layer's context; there are no weights to show, and no padding."""
    return attend(*for_all_heads(query, key, value)), None


def attentions(model: Decoder) -> list[Attention]:
    """Return the attention of each layer."""
    return [cast(Attention, block.attention) for block in model.blocks]


def repositioned(model: Decoder, angles: Float[Tensor, " pairs"], scale: float = 1.0) -> Decoder:
    """Return the same model whose rotary positions turn by other angles, queries and keys multiplied by `scale`."""
    changed = deepcopy(model)
    for layer in attentions(changed):
        layer.parts = replace(layer.parts, rope=partial(_turned, angles, scale))
    return changed


def _turned(angles: Tensor, scale: float, x: Tensor, positions: Tensor, base: float) -> Tensor:
    """Return the result of `rope` with these angles in place of a base's: both halves as complex numbers."""
    half = x.shape[-1] // 2
    turn = torch.polar(torch.full((), scale), positions[:, None] * angles)
    turned = torch.complex(*x.split(half, dim=-1)) * turn
    return torch.cat([turned.real, turned.imag], dim=-1)


class RollingAttention(nn.Module):
    """An attention layer that reads token by token, and keeps the last `window` of them and the first `sinks`.

    Keys are kept as they are, and turned by their place in the cache, if positions are rotary: a distance is never
    larger than the cache.
    """

    def __init__(self, attention: Attention, window: int, sinks: int) -> None:
        super().__init__()
        self.attention, self.window, self.sinks = attention, window, sinks

    def forward(
        self,
        x: Float[Tensor, "batch 1 d_model"],
        cache: Float[Tensor, "2 batch kv_heads past head_dim"] | None = None,
        mask: Bool[Tensor, "batch all"] | None = None,
    ) -> tuple[Float[Tensor, "batch 1 d_model"], Float[Tensor, "2 batch kv_heads kept head_dim"], None]:
        """Return the output at the new position, and the cache with it, without what has left the window."""
        layer = self.attention
        q, k, v = (cut(project(x), layer.width) for project in (layer.q, layer.k, layer.v))
        new = torch.stack([k, v])
        cache = new if cache is None else torch.cat([cache, new], dim=-2)
        if cache.shape[-2] > self.sinks + self.window:
            cache = torch.cat([cache[..., : self.sinks, :], cache[..., -self.window :, :]], dim=-2)
        k = cache[0]
        if layer.base:
            places = torch.arange(cache.shape[-2], device=x.device)
            q, k = layer.parts.rope(q, places[-1:], layer.base), layer.parts.rope(k, places, layer.base)
        context = functional.scaled_dot_product_attention(*for_all_heads(q, k, cache[1]))
        return layer.out(joined(context)), cache, None


@torch.no_grad()
def stream_losses(
    model: Decoder, tokens: Int[Tensor, " length"], window: int, sinks: int = 0
) -> Float[Tensor, " predictions"]:
    """Return the loss of each token but the first, in nats, of a text that is read with a rolling cache.

    Raise ValueError where positions are added to the embeddings: a place in the cache is no position then.
    """
    if model.recipe.positions not in ("rope", "none"):
        raise ValueError(f"a cache that rolls needs positions rope or none, got {model.recipe.positions}")
    rolling = deepcopy(model)
    for block, layer in zip(rolling.blocks, attentions(model), strict=True):
        block.attention = RollingAttention(layer, window, sinks)
    losses, caches = [], None
    for here, following in zip(tokens[:-1, None, None], tokens[1:, None], strict=True):
        features, caches, _ = rolling.read(here, caches)
        losses.append(functional.cross_entropy(rolling.readout(features[:, 0]), following))
    return torch.stack(losses)
