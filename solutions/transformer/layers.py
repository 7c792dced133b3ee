"""The Transformer's layers as modules: they hold the parameters, under the names that torch.nn's own modules use.

The taught functions of attention.py are what these are tested against. Here queries, keys and values come out of one
product where they can, and nothing that training does not need is kept.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from lab.fast_linear import Linear, linear
from solutions.bahdanau.attention import masked_softmax

MATMUL = ("cpu",)  # where the fused kernel is no faster, and in bf16 several times slower
MOSTLY_WORDS = 0.95  # share of words from which padding costs less than leaving it out
Heads = Float[Tensor, "batch heads length head_dim"]


@dataclass(frozen=True)
class Words:
    """Where a batch has words. What is computed for each position by itself need not be computed for padding."""

    at: Int[Tensor, " real"]  # the numbers of these positions, all sentences one behind the other
    shape: tuple[int, int]  # sentences, positions

    def row(self, x: Float[Tensor, "batch source d_model"]) -> Float[Tensor, "real d_model"]:
        """Return the vectors of the words, one behind the other."""
        return x.flatten(0, 1).index_select(0, self.at)

    def table(self, row: Float[Tensor, "real width"]) -> Float[Tensor, "batch source width"]:
        """Return the vectors in their places, and zeros at padding."""
        return row.new_zeros(math.prod(self.shape), row.shape[1]).index_copy(0, self.at, row).unflatten(0, self.shape)


def words_of(mask: Bool[Tensor, "batch source"]) -> Words | None:
    """Return where the words are if leaving padding out is worth it: a GPU would wait for their number."""
    if mask.device.type != "cpu" or torch.compiler.is_compiling() or mask.float().mean() > MOSTLY_WORDS:
        return None
    return Words(mask.flatten().nonzero()[:, 0], (mask.shape[0], mask.shape[1]))


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


class MultiHeadAttention(nn.Module):
    """Section 3.2.2; state dict as torch.nn.MultiheadAttention's: W_q, W_k and W_v stand in one matrix."""

    def __init__(self, d_model: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if heads < 1 or d_model % heads:
            raise ValueError(f"heads share the features: expected heads to divide d_model = {d_model}, got {heads}")
        self.d_model, self.heads = d_model, heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * d_model, d_model))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = Linear(d_model, d_model)
        self.dropout = Dropout(dropout)  # of the weights; the paper has none there, torch.nn has
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.xavier_uniform_(self.out_proj.weight)
        nn.init.zeros_(self.out_proj.bias)

    def project(
        self, x: Float[Tensor, "*positions d_model"], first: int, last: int, words: Words | None = None
    ) -> list[Heads]:
        """Return some of (queries, keys, values), numbers first to last - 1, in one product and cut into heads.

        With `words`, x is the row of their vectors.
        """
        rows = slice(first * self.d_model, last * self.d_model)
        whole = (first, last) == (0, 3)  # the parameter itself: autocast casts it once a step
        weight = self.in_proj_weight if whole else self.in_proj_weight[rows]
        bias = self.in_proj_bias if whole else self.in_proj_bias[rows]
        found = linear(x, weight, bias)
        table = found if words is None else words.table(found)
        parts = table.unflatten(-1, (last - first, self.heads, -1))
        return [part.transpose(1, 2) for part in parts.unbind(dim=2)]

    def attend(
        self,
        q: Float[Tensor, "batch heads target head_dim"],
        k: Float[Tensor, "batch heads source head_dim"],
        v: Float[Tensor, "batch heads source head_dim"],
        mask: Bool[Tensor, "... #target #source"] | None,
        look: bool = False,
        words: Words | None = None,
    ) -> tuple[Float[Tensor, "*positions d_model"], Float[Tensor, "batch heads target source"] | None]:
        """Return the output of all heads (with `words`, the row of theirs), and the weights if it is to look."""
        if look or q.device.type in MATMUL:
            scores = (q / math.sqrt(q.shape[-1])) @ k.transpose(-2, -1)
            scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
            weights = masked_softmax(scores, None if mask is None else mask.expand_as(scores))
            context = self.dropout(weights).to(v.dtype) @ v
        else:
            dropped = self.dropout.p if self.training else 0.0
            context, weights = functional.scaled_dot_product_attention(q, k, v, mask, dropped), None
            if mask is not None:  # a query that may look nowhere hears nothing
                context = context.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        joined = context.transpose(1, 2).flatten(-2)
        return self.out_proj(joined if words is None else words.row(joined)), weights

    def forward(
        self,
        query: Float[Tensor, "batch target d_model"],
        key: Float[Tensor, "batch source d_model"],
        value: Float[Tensor, "batch source d_model"],
        mask: Bool[Tensor, "*#batch #target source"] | None = None,
    ) -> tuple[Float[Tensor, "batch target d_model"], Float[Tensor, "batch heads target source"]]:
        """Return what the taught `multi_head_attention` returns."""
        (q,), (k,), (v,) = self.project(query, 0, 1), self.project(key, 1, 2), self.project(value, 2, 3)
        out, weights = self.attend(q, k, v, None if mask is None else mask.unsqueeze(-3), look=True)
        assert weights is not None
        return out, weights

    def taught(self, ending: str = "") -> dict[str, Tensor]:
        """Return the parameters under the names of the taught functions, with `ending` behind them."""
        matrices, biases = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        named = {f"W_{part}": matrix for part, matrix in zip("qkv", matrices, strict=True)}
        named |= {f"b_{part}": bias for part, bias in zip("qkv", biases, strict=True)}
        named |= {"W_o": self.out_proj.weight, "b_o": self.out_proj.bias}
        return {name + ending: tensor for name, tensor in named.items()}


class Layer(nn.Module):
    """What encoder and decoder layers share: self-attention, the feed-forward network, and how a sublayer is added."""

    norms: ClassVar[int]  # as many as there are sublayers

    def __init__(
        self,
        d_model: int,
        heads: int,
        d_ff: int,
        dropout: float = 0.0,
        *,
        pre_norm: bool = False,
        inner_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.pre_norm = pre_norm
        self.self_attn = MultiHeadAttention(d_model, heads, inner_dropout)
        self.linear1, self.linear2 = Linear(d_model, d_ff), Linear(d_ff, d_model)
        for number in range(1, self.norms + 1):
            setattr(self, f"norm{number}", nn.LayerNorm(d_model))
        self.dropout, self.inner_dropout = Dropout(dropout), Dropout(inner_dropout)
        for layer in (self.linear1, self.linear2):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def before(self, x: Tensor, norm: nn.Module) -> Tensor:
        """Return what the sublayer reads."""
        return norm(x) if self.pre_norm else x

    def after(self, x: Tensor, sublayer: Tensor, norm: nn.Module) -> Tensor:
        """Return LayerNorm(x + Sublayer(x)), section 3.1; with pre-norm the norm stood before the sublayer."""
        x = x + self.dropout(sublayer)
        return x if self.pre_norm else norm(x)

    def feed(self, x: Tensor) -> Tensor:
        """Return max(0, x W_1 + b_1) W_2 + b_2: equation 2."""
        return self.linear2(self.inner_dropout(functional.relu(self.linear1(x))))

    def taught(self) -> dict[str, Tensor]:
        """Return the parameters under the names of the taught `encoder_layer` and `decoder_layer`."""
        named = self.self_attn.taught()
        named |= {"W_1": self.linear1.weight, "b_1": self.linear1.bias}
        named |= {"W_2": self.linear2.weight, "b_2": self.linear2.bias}
        for name, module in self.named_children():
            if isinstance(module, nn.LayerNorm):
                number = name.removeprefix("norm")
                named |= {f"gamma_{number}": module.weight, f"beta_{number}": module.bias}
            elif isinstance(module, MultiHeadAttention) and module is not self.self_attn:
                named |= module.taught("_cross")
        return named


class EncoderLayer(Layer):
    """Self-attention and the feed-forward network; state dict as torch.nn.TransformerEncoderLayer's."""

    norms = 2
    norm1: nn.LayerNorm
    norm2: nn.LayerNorm

    def forward(
        self,
        x: Float[Tensor, "*positions d_model"],
        mask: Bool[Tensor, "... #source source"] | None = None,
        seen: list[Tensor] | None = None,
        words: Words | None = None,
    ) -> Float[Tensor, "*positions d_model"]:
        """Return what the taught `encoder_layer` returns (its mask (B,S) is (B,1,S) here); weights go into `seen`.

        With `words`, x and the result are the rows of their vectors.
        """
        every_head = None if mask is None else mask.unsqueeze(-3)
        q, k, v = self.self_attn.project(self.before(x, self.norm1), 0, 3, words)
        attended, weights = self.self_attn.attend(q, k, v, every_head, look=seen is not None, words=words)
        if seen is not None and weights is not None:
            seen.append(weights)
        x = self.after(x, attended, self.norm1)
        return self.after(x, self.feed(self.before(x, self.norm2)), self.norm2)


Past = tuple[Tensor, Tensor]  # keys and values, each (batch, heads, length, head_dim)


class DecoderLayer(Layer):
    """Self-attention, attention to the encoder, feed-forward; state dict as torch.nn.TransformerDecoderLayer's."""

    norms = 3
    norm1: nn.LayerNorm
    norm2: nn.LayerNorm
    norm3: nn.LayerNorm

    def __init__(self, d_model: int, heads: int, *sizes: Any, inner_dropout: float = 0.0, **options: Any) -> None:
        super().__init__(d_model, heads, *sizes, inner_dropout=inner_dropout, **options)
        self.multihead_attn = MultiHeadAttention(d_model, heads, inner_dropout)

    def memorise(self, memory: Float[Tensor, "*positions d_model"], words: Words | None = None) -> Past:
        """Return the keys and values of the encoder's output: the same for every word that will be said."""
        keys, values = self.multihead_attn.project(memory, 1, 3, words)
        return keys, values

    def go_on(
        self,
        y: Float[Tensor, "batch target d_model"],
        source: Past,
        past: Past | None,
        target_mask: Bool[Tensor, "... #target all"] | None,
        source_mask: Bool[Tensor, "*#batch #target source"] | None,
        seen: list[Tensor] | None = None,
        look: bool = False,
    ) -> tuple[Float[Tensor, "batch target d_model"], Past, Tensor | None]:
        """Return y after the layer, the keys and values of past and new words together, and the cross weights.

        Where there is a `seen`, the weights of both attentions go into it.
        """
        q, k, v = self.self_attn.project(self.before(y, self.norm1), 0, 3)
        if past is not None:
            k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
        own_mask = None if target_mask is None else target_mask.unsqueeze(-3)
        attended, own = self.self_attn.attend(q, k, v, own_mask, look=seen is not None)
        y = self.after(y, attended, self.norm1)
        (q,) = self.multihead_attn.project(self.before(y, self.norm2), 0, 1)
        cross_mask = None if source_mask is None else source_mask.unsqueeze(-3)
        found, cross = self.multihead_attn.attend(q, *source, cross_mask, look=look or seen is not None)
        y = self.after(y, found, self.norm2)
        if seen is not None and own is not None and cross is not None:
            seen += [own, cross]
        return self.after(y, self.feed(self.before(y, self.norm3)), self.norm3), (k, v), cross

    def forward(
        self,
        y: Float[Tensor, "batch target d_model"],
        memory: Float[Tensor, "batch source d_model"],
        target_mask: Bool[Tensor, "... #target target"] | None = None,
        source_mask: Bool[Tensor, "*#batch #target source"] | None = None,
    ) -> Float[Tensor, "batch target d_model"]:
        """Return what the taught `decoder_layer` returns."""
        return self.go_on(y, self.memorise(memory), None, target_mask, source_mask)[0]
