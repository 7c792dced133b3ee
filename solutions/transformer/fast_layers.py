"""The Transformer's layers as they are trained: the parameters of layers.py, and what attention.py computes, faster.

Queries, keys and values come out of one product where they can, padding is left out, and the decoder continues from the
keys and values of earlier steps. Two options that the taught functions do not have: pre-norm, and dropout.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from lab.train.transfer import real_positions
from solutions.bahdanau.attention import masked_softmax
from solutions.transformer.layers import DecoderLayer, EncoderLayer, Layer, MultiHeadAttention
from solutions.transformer.recipe import Recipe

MATMUL = ("cpu",)  # where the fused kernel is no faster, and in bf16 several times slower
MOSTLY_WORDS = 0.95  # share of words from which padding costs less than leaving it out
Positions = Float[Tensor, "*positions d_model"]
Words = Float[Tensor, "batch target d_model"]
Heads = Float[Tensor, "batch heads length head_dim"]
KeysValues = tuple[Tensor, Tensor]  # each (batch, heads, length, head_dim)


@dataclass(frozen=True)
class PackedPositions:
    """Where a batch has words. What is computed for each position by itself need not be computed for padding."""

    at: Int[Tensor, " real"]  # the numbers of these positions, all sentences one behind the other
    shape: tuple[int, int]  # sentences, positions

    @classmethod
    def of(cls, mask: Bool[Tensor, "batch source"]) -> "PackedPositions | None":
        """Return the words' positions if leaving padding out is worth it: a GPU would wait for their number."""
        if mask.device.type != "cpu" or mask.float().mean() > MOSTLY_WORDS:
            return None
        return cls(real_positions(mask), (mask.shape[0], mask.shape[1]))

    def pack(self, x: Float[Tensor, "batch source d_model"]) -> Float[Tensor, "real d_model"]:
        """Return the vectors of the words, one behind the other."""
        return x.flatten(0, 1).index_select(0, self.at)

    def unpack(self, row: Float[Tensor, "real width"]) -> Float[Tensor, "batch source width"]:
        """Return the vectors in their places, and zeros at padding."""
        return row.new_zeros(math.prod(self.shape), row.shape[1]).index_copy(0, self.at, row).unflatten(0, self.shape)


class Dropout(nn.Dropout):
    """torch.nn.Dropout; on a CPU each feature draws 16 random bits instead of a number, which takes half the time.

    A feature is dropped with the multiple of 2^-16 that is nearest to p, and the rest are scaled by exactly that.
    """

    def forward(self, input: Tensor) -> Tensor:
        if not self.training or self.p == 0.0:
            return input
        if input.device.type != "cpu":
            return functional.dropout(input, self.p)
        dropped = round(self.p * 2**16)
        bits = torch.empty(-(-input.numel() // 4), dtype=torch.int64).random_(-(2**63), None).view(torch.int16)
        kept = bits[: input.numel()].view(input.shape) >= dropped - 2**15
        return input * kept.to(input.dtype).mul_(2**16 / (2**16 - dropped))


class FastAttention(MultiHeadAttention):
    """Multi-head attention in two steps: the projections of what is there, and the attention itself."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.d_model, self.heads = recipe.d_model, recipe.heads
        self.dropout = Dropout(recipe.inner_dropout)  # of the weights; the paper has none there, torch.nn has

    def project(self, x: Positions, first: int, last: int, packed: PackedPositions | None = None) -> list[Heads]:
        """Return some of (queries, keys, values), numbers first to last - 1, in one product and cut into heads.

        With `packed`, x holds the packed vectors.
        """
        rows = slice(first * self.d_model, last * self.d_model)
        whole = (first, last) == (0, 3)  # the parameter itself: autocast casts it once a step
        weight = self.in_proj_weight if whole else self.in_proj_weight[rows]
        bias = self.in_proj_bias if whole else self.in_proj_bias[rows]
        projected = functional.linear(x, weight, bias)
        table = projected if packed is None else packed.unpack(projected)
        parts = table.unflatten(-1, (last - first, self.heads, -1))
        return [part.transpose(1, 2) for part in parts.unbind(dim=2)]

    def attend(
        self,
        q: Float[Tensor, "batch heads target head_dim"],
        k: Float[Tensor, "batch heads source head_dim"],
        v: Float[Tensor, "batch heads source head_dim"],
        mask: Bool[Tensor, "... #target #source"] | None,
        need_weights: bool = False,
        packed: PackedPositions | None = None,
    ) -> tuple[Positions, Float[Tensor, "batch heads target source"] | None]:
        """Return the output of all heads for `q`, `k` and `v` under a `mask`, and the weights if `need_weights`.

        With `packed`, the output is the packed one.
        """
        if need_weights or q.device.type in MATMUL:
            scores = (q / math.sqrt(q.shape[-1])) @ k.transpose(-2, -1)
            scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
            weights = masked_softmax(scores, None if mask is None else mask.expand_as(scores))
            context = self.dropout(weights).to(v.dtype) @ v
        else:
            dropped = self.dropout.p if self.training else 0.0
            context, weights = functional.scaled_dot_product_attention(q, k, v, mask, dropped), None
            if mask is not None:  # fully masked queries get zero context
                context = context.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        joined = context.transpose(1, 2).flatten(-2)
        joined = joined if packed is None else packed.pack(joined)
        return functional.linear(joined, self.out_proj.weight, self.out_proj.bias), weights


class FastLayer(Layer):
    """How a sublayer is added, and the feed-forward network."""

    attention = FastAttention
    self_attn: FastAttention

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.pre_norm = recipe.pre_norm
        self.dropout, self.inner_dropout = Dropout(recipe.dropout), Dropout(recipe.inner_dropout)

    def before(self, x: Tensor, norm: nn.Module) -> Tensor:
        """Return a sublayer's input."""
        return norm(x) if self.pre_norm else x

    def after(self, x: Tensor, sublayer: Tensor, norm: nn.Module) -> Tensor:
        """Return LayerNorm(x + Sublayer(x)), section 3.1; with pre-norm the norm stood before the sublayer."""
        x = x + self.dropout(sublayer)
        return x if self.pre_norm else norm(x)

    def feed(self, x: Tensor) -> Tensor:
        """Return max(0, x W_1 + b_1) W_2 + b_2: equation 2."""
        inner = self.inner_dropout(functional.relu(functional.linear(x, self.linear1.weight, self.linear1.bias)))
        return functional.linear(inner, self.linear2.weight, self.linear2.bias)


class FastEncoderLayer(FastLayer, EncoderLayer):
    """The taught `encoder_layer`."""

    def forward(
        self,
        x: Positions,
        mask: Bool[Tensor, "... #source source"] | None = None,
        packed: PackedPositions | None = None,
    ) -> Positions:
        """Return the result of the taught `encoder_layer` (its mask (B,S) is (B,1,1,S) here); packed, with `packed`."""
        q, k, v = self.self_attn.project(self.before(x, self.norm1), 0, 3, packed)
        attended, _ = self.self_attn.attend(q, k, v, mask, packed=packed)
        x = self.after(x, attended, self.norm1)
        return self.after(x, self.feed(self.before(x, self.norm2)), self.norm2)


class FastDecoderLayer(FastLayer, DecoderLayer):
    """The taught `decoder_layer`, for all words at once or for new ones behind those of earlier steps."""

    multihead_attn: FastAttention

    def project_memory(self, memory: Positions, packed: PackedPositions | None = None) -> KeysValues:
        """Return keys and values of the encoder's output: the same for every word of the translation."""
        keys, values = self.multihead_attn.project(memory, 1, 3, packed)
        return keys, values

    def forward(
        self,
        y: Words,
        source: KeysValues,
        past: KeysValues | None,
        target_mask: Bool[Tensor, "... #target all"] | None,
        source_mask: Bool[Tensor, "... #target source"] | None,
        need_weights: bool = False,
    ) -> tuple[Words, KeysValues, Tensor | None]:
        """Return y after the layer, keys and values of `past` and new words, and the weights of cross-attention.

        `target_mask` is that of self-attention; `source` has the encoder's keys and values, under `source_mask`. The
        weights are None unless `need_weights`.
        """
        q, k, v = self.self_attn.project(self.before(y, self.norm1), 0, 3)
        if past is not None:
            k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
        attended, _ = self.self_attn.attend(q, k, v, target_mask)
        y = self.after(y, attended, self.norm1)
        (q,) = self.multihead_attn.project(self.before(y, self.norm2), 0, 1)
        context, cross = self.multihead_attn.attend(q, *source, source_mask, need_weights)
        y = self.after(y, context, self.norm2)
        return self.after(y, self.feed(self.before(y, self.norm3)), self.norm3), (k, v), cross
