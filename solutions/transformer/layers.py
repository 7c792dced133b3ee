"""The parameters of the Transformer's layers, under the names that torch.nn's own modules use.

Nothing is computed here: the taught functions take them as a dictionary, which `named` returns.
"""

from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lab.kinds.ranges import RecipeError
from solutions.transformer.recipe import Recipe


class LearnedPositions(nn.Module):
    """A vector for each position, learned, the same for source and target: section 3.5, as in Gehring et al. (2017).

    By default there are 512: a translation may be half as long again as its source and ten tokens longer, so they are
    enough to translate 334 tokens. At first the entries are as large as the sines' in the mean square.
    """

    def __init__(self, d_model: int, length: int = 512) -> None:
        super().__init__()
        self.length = length
        self.table = nn.Parameter(torch.empty(length, d_model))
        nn.init.normal_(self.table, std=0.5**0.5)

    def forward(self, start: int, end: int) -> Float[Tensor, "length d_model"]:
        """Return the vectors of the positions from `start` to `end` - 1; a position beyond the table is an error."""
        if end > self.length:
            raise RecipeError(
                f"learned positions end at {self.length} tokens: expected no longer sentence, got one of {end}; "
                'shorten it, train with `longest`, or take positions = "sine"'
            )
        return self.table[start:end]


class MultiHeadAttention(nn.Module):
    """Section 3.2.2; state dict as torch.nn.MultiheadAttention's: W_q, W_k and W_v stand in one matrix."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        d_model, heads = recipe.d_model, recipe.heads
        if heads < 1 or d_model % heads:
            raise ValueError(f"heads share the features: expected heads to divide d_model = {d_model}, got {heads}")
        self.in_proj_weight = nn.Parameter(torch.empty(3 * d_model, d_model))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.xavier_uniform_(self.out_proj.weight)
        nn.init.zeros_(self.out_proj.bias)

    def named(self) -> dict[str, Tensor]:
        """Return W_q, b_q, W_k, b_k, W_v, b_v, W_o and b_o, the `params` of the taught `multi_head_attention`."""
        params = {"W_o": self.out_proj.weight, "b_o": self.out_proj.bias}
        matrices, biases = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        for part, matrix, bias in zip("qkv", matrices, biases, strict=True):
            params |= {f"W_{part}": matrix, f"b_{part}": bias}
        return params


class Layer(nn.Module):
    """What encoder and decoder layers share: self-attention, the feed-forward network, and a norm for each sublayer."""

    sublayers: ClassVar[int]
    attention: ClassVar[type[MultiHeadAttention]] = MultiHeadAttention
    norm1: nn.LayerNorm
    norm2: nn.LayerNorm

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        self.self_attn = self.attention(recipe)
        self.linear1, self.linear2 = nn.Linear(recipe.d_model, recipe.d_ff), nn.Linear(recipe.d_ff, recipe.d_model)
        for number in range(1, self.sublayers + 1):
            setattr(self, f"norm{number}", nn.LayerNorm(recipe.d_model))
        for linear in (self.linear1, self.linear2):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    @property
    def eps(self) -> float:
        return self.norm1.eps

    def named(self) -> dict[str, Tensor]:
        """Return the `params` of the taught `encoder_layer`."""
        params = self.self_attn.named()
        for number, linear in enumerate((self.linear1, self.linear2), start=1):
            params |= {f"W_{number}": linear.weight, f"b_{number}": linear.bias}
        for number in range(1, self.sublayers + 1):
            norm: Any = self.get_submodule(f"norm{number}")
            params |= {f"gamma_{number}": norm.weight, f"beta_{number}": norm.bias}
        return params


class EncoderLayer(Layer):
    """The parameters of an encoder layer; state dict as torch.nn.TransformerEncoderLayer's."""

    sublayers = 2


class DecoderLayer(Layer):
    """The parameters of a decoder layer; state dict as torch.nn.TransformerDecoderLayer's."""

    sublayers = 3
    norm3: nn.LayerNorm

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.multihead_attn = self.attention(recipe)

    def named(self) -> dict[str, Tensor]:
        """Return the `params` of the taught `decoder_layer`: those of its second attention end in `_cross`."""
        cross = {f"{name}_cross": weight for name, weight in self.multihead_attn.named().items()}
        return super().named() | cross
