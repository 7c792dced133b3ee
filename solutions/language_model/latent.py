"""Latent attention as a layer: one narrow vector a token is kept, and every head's keys and values are made of it."""

import math
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn

from solutions.language_model.layers import New, Parts, Seen, cut, head_width, joined
from solutions.language_model.recipe import Recipe


class LatentAttention(nn.Module):
    """Causal attention over latent vectors, with a rotary part of each key that all heads share.

    A turn between query and W_uk would depend on the distance and could not be absorbed, so positions have features
    of their own, half as many as a head has. DeepSeek-AI (2024), section 2.1.3, without compressed queries and norms.
    """

    def __init__(self, recipe: Recipe, parts: Parts) -> None:
        super().__init__()
        self.parts, self.heads, self.latent, self.base = parts, recipe.heads, recipe.latent, recipe.rope_base
        self.width = head_width(recipe)
        self.turned = self.width // 2
        if self.width % 4 or recipe.kv_heads or recipe.positions != "rope":
            raise ValueError(
                "latent attention turns half of a head's features in pairs, and has no keys to share: expected heads "
                "whose width 4 divides, kv_heads 0 and positions rope; got a width of "
                f"{self.width}, kv_heads {recipe.kv_heads} and positions {recipe.positions}"
            )
        inner = recipe.heads * self.width
        linear = partial(nn.Linear, bias=False)
        self.q, self.down = linear(recipe.d_model, inner), linear(recipe.d_model, recipe.latent)
        self.up_k, self.up_v = linear(recipe.latent, inner), linear(recipe.latent, inner)
        self.q_turned = linear(recipe.d_model, recipe.heads * self.turned)
        self.k_turned = linear(recipe.d_model, self.turned)
        self.out = nn.Linear(inner, recipe.d_model, bias=recipe.biases)

    def named(self) -> dict[str, Tensor]:
        """Return the matrices by their names in the `params` of the taught functions."""
        layers = {"q": self.q, "qr": self.q_turned, "kr": self.k_turned, "down": self.down, "uk": self.up_k}
        layers |= {"uv": self.up_v, "o": self.out}
        return {f"W_{name}": layer.weight for name, layer in layers.items()}

    def turn(self, x: Float[Tensor, "batch heads new turned"], past: int) -> Float[Tensor, "batch heads new turned"]:
        return self.parts.rope(x, torch.arange(past, past + x.shape[2], device=x.device), self.base)

    def forward(
        self, x: New, cache: Float[Tensor, "1 batch 1 past kept"] | None = None, mask: Seen = None
    ) -> tuple[New, Float[Tensor, "1 batch 1 all kept"], Tensor | None]:
        """Return the output at the new positions, the cache with them, and the weights where the function has them.

        What is kept of a token is its latent vector and the turned part of its key: kept = latent + turned.
        """
        past = 0 if cache is None else cache.shape[-2]
        latent, place = self.down(x)[:, None], self.turn(self.k_turned(x)[:, None], past)
        kept = torch.cat([latent, place], dim=-1)[None]
        q, q_place = (
            cut(self.q(x), self.width),
            self.turn(self.q_turned(x).unflatten(-1, (self.heads, self.turned)).transpose(1, 2), past),
        )
        if cache is None:
            k, v = (cut(layer(latent[:, 0]), self.width) for layer in (self.up_k, self.up_v))
            key = torch.cat([k, place.expand(-1, self.heads, -1, -1)], dim=-1)
            context, weights = self.parts.grouped_query_attention(torch.cat([q, q_place], dim=-1), key, v, mask)
        else:
            kept = torch.cat([cache, kept], dim=-2)
            context, weights = self.absorbed(q, q_place, kept[0], mask)
        return self.out(joined(context)), kept, weights

    def absorbed(
        self,
        q: Float[Tensor, "batch heads new head_dim"],
        q_place: Float[Tensor, "batch heads new turned"],
        kept: Float[Tensor, "batch 1 all kept"],
        mask: Seen,
    ) -> tuple[Float[Tensor, "batch heads new head_dim"], Tensor | None]:
        """Return context and weights from what is kept alone: multi-query attention over the latent vectors.

        With W_uk in the query and W_uv behind the sum no key and no value is built.
        """
        up_k, up_v = (layer.weight.unflatten(0, (self.heads, -1)) for layer in (self.up_k, self.up_v))
        query = torch.cat([torch.einsum("bhtd,hdl->bhtl", q, up_k), q_place], dim=-1)
        # The function divides by the root of the width that it sees; these are scores of keys that are narrower.
        query = query * math.sqrt(query.shape[-1] / (self.width + self.turned))
        context, weights = self.parts.grouped_query_attention(query, kept, kept[..., : self.latent], mask)
        return torch.einsum("bhtl,hdl->bhtd", context, up_v), weights
