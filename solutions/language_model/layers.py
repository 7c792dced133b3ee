"""The layers of a block: norm, feed-forward network and attention, made of functions that are handed in."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from solutions.language_model import attention
from solutions.language_model.recipe import Recipe
from solutions.transformer.attention import layer_norm


@dataclass(frozen=True)
class Parts:
    """The functions that a language model is made of: those of attention.py, or others with the same arguments."""

    rms_norm: Callable[..., Tensor] = attention.rms_norm
    layer_norm: Callable[..., Tensor] = layer_norm
    swiglu: Callable[..., Tensor] = attention.swiglu
    rope: Callable[..., Tensor] = attention.rope
    grouped_query_attention: Callable[..., tuple[Tensor, Tensor | None]] = attention.grouped_query_attention


TAUGHT = Parts()
New = Float[Tensor, "batch new d_model"]  # at the positions that no cache has
Seen = Bool[Tensor, "batch all"] | None  # which of all positions are no padding; None: all


class Norm(nn.Module):
    """RMSNorm or LayerNorm, by a function that is handed in."""

    def __init__(self, recipe: Recipe, parts: Parts) -> None:
        super().__init__()
        self.parts = parts
        self.weight = nn.Parameter(torch.ones(recipe.d_model))
        self.bias = nn.Parameter(torch.zeros(recipe.d_model)) if recipe.norm == "layer" else None

    def forward(self, x: Float[Tensor, "batch length d_model"]) -> Float[Tensor, "batch length d_model"]:
        if self.bias is None:
            return self.parts.rms_norm(x, self.weight)
        return self.parts.layer_norm(x, self.weight, self.bias)


class FeedForward(nn.Module):
    """W_2 max(0, W_1 x), with GELU in place of the maximum, or a SwiGLU with as many parameters."""

    def __init__(self, recipe: Recipe, parts: Parts) -> None:
        super().__init__()
        self.parts, gated = parts, recipe.feed_forward == "swiglu"
        self.bend = partial(functional.gelu, approximate="tanh") if recipe.feed_forward == "gelu" else functional.relu
        inner = round(recipe.d_ff * 2 / 3) if gated else recipe.d_ff
        self.linear1 = nn.Linear(recipe.d_model, inner, bias=recipe.biases and not gated)
        self.gate = nn.Linear(recipe.d_model, inner, bias=False) if gated else None
        self.linear2 = nn.Linear(inner, recipe.d_model, bias=recipe.biases and not gated)

    def forward(self, x: Float[Tensor, "batch length d_model"]) -> Float[Tensor, "batch length d_model"]:
        if self.gate is None:
            return self.linear2(self.bend(self.linear1(x)))
        return self.parts.swiglu(x, self.linear1.weight, self.gate.weight, self.linear2.weight)


def head_width(recipe: Recipe) -> int:
    """Return the number of features of each head; heads that do not divide d_model are an error."""
    if recipe.d_model % recipe.heads:
        raise ValueError(f"heads are equal: expected heads to divide d_model = {recipe.d_model}, got {recipe.heads}")
    return recipe.d_model // recipe.heads


def cut(x: Float[Tensor, "batch length all"], width: int) -> Float[Tensor, "batch heads length {width}"]:
    """Return the features as heads of this width."""
    return x.unflatten(-1, (-1, width)).transpose(1, 2)


def joined(x: Float[Tensor, "batch heads length width"]) -> Float[Tensor, "batch length all"]:
    """Return the heads side by side again."""
    return x.transpose(1, 2).flatten(-2)


class Room:
    """A layer's cache with room for more: what is new is written behind what is there, and nothing is copied.

    Only its newest state may go on: what an earlier one would add is written over what a later one has.
    """

    def __init__(self, cache: Float[Tensor, "2 batch kv_heads past head_dim"], length: int) -> None:
        self.whole, self.past = cache.new_empty(*cache.shape[:-2], length, cache.shape[-1]), 0
        self.extended(cache)

    @property
    def shape(self) -> torch.Size:
        return self.whole[..., : self.past, :].shape

    def extended(self, new: Float[Tensor, "2 batch kv_heads new head_dim"]) -> Tensor:
        """Write keys and values of new positions, and return all that there are now; raise ValueError without room."""
        before, after = self.past, self.past + new.shape[-2]
        if after > self.whole.shape[-2]:
            raise ValueError(f"the cache has room for {self.whole.shape[-2]} positions, got {after}: make a larger one")
        self.past = after
        self.whole[..., before:after, :] = new
        return self.whole[..., :after, :]


class Attention(nn.Module):
    """Causal attention whose heads share keys and values in groups, with rotary positions or none."""

    def __init__(self, recipe: Recipe, parts: Parts) -> None:
        super().__init__()
        self.parts, self.heads, self.kv_heads = parts, recipe.heads, recipe.kv_heads or recipe.heads
        self.base = recipe.rope_base if recipe.positions == "rope" else None
        self.width = head_width(recipe)
        if self.heads % self.kv_heads:
            raise ValueError(f"groups are equal: expected kv_heads to divide heads = {self.heads}, got {self.kv_heads}")
        if self.base and self.width % 2:
            raise ValueError(
                f"rotary positions turn pairs of features: expected an even number for each head, got {self.width}; "
                "choose other heads, or other positions"
            )
        sizes = [count * self.width for count in (self.heads, self.kv_heads, self.kv_heads)]
        self.q, self.k, self.v = (nn.Linear(recipe.d_model, size, bias=recipe.biases) for size in sizes)
        self.out = nn.Linear(recipe.d_model, recipe.d_model, bias=recipe.biases)
        gains = 2 if recipe.norm == "rms-qk" else 0  # of the queries' features and of the keys', the same in all heads
        self.gains = nn.ParameterList(nn.Parameter(torch.ones(self.width)) for _ in range(gains))

    def named(self) -> dict[str, Tensor]:
        """Return W_q, W_k, W_v and W_o, the `params` of the taught `cached_step`."""
        layers = {"q": self.q, "k": self.k, "v": self.v, "o": self.out}
        return {f"W_{name}": layer.weight for name, layer in layers.items()}

    def forward(
        self, x: New, cache: Float[Tensor, "2 batch kv_heads past head_dim"] | Room | None = None, mask: Seen = None
    ) -> tuple[New, Float[Tensor, "2 batch kv_heads all head_dim"] | Room, Tensor | None]:
        """Return the output at the new positions, the cache with them, and the weights where the function has them."""
        past = 0 if cache is None else cache.shape[-2]
        q, k, v = (cut(layer(x), self.width) for layer in (self.q, self.k, self.v))
        if self.gains:
            q, k = (self.parts.rms_norm(each, gain) for each, gain in zip((q, k), self.gains, strict=True))
        if self.base:
            positions = torch.arange(past, past + x.shape[1], device=x.device)
            turned = self.parts.rope(torch.cat([q, k], dim=1), positions, self.base)  # at once: the angles are the same
            q, k = turned.split([self.heads, self.kv_heads], dim=1)
        after = torch.stack([k, v])
        if isinstance(cache, Room):
            (k, v), after = cache.extended(after), cache
        elif cache is not None:
            k, v = after = torch.cat([cache, after], dim=-2)
        context, weights = self.parts.grouped_query_attention(q, k, v, mask)
        return self.out(joined(context)), after, weights
