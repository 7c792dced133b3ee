"""Self-attention without parameters and without scaling as layers, and the vectors of the places."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from solutions.self_attention.attention import SelfAttention, self_attention, simple_self_attention

Attended = tuple[Float[Tensor, "batch source value_dim"], Float[Tensor, "batch source source"]]


class SimpleSelfAttention(nn.Module):
    """softmax(XXᵀ) X: there is nothing to learn."""

    def forward(
        self, X: Float[Tensor, "batch source embedding_dim"], mask: Bool[Tensor, "batch source"] | None = None
    ) -> Attended:
        return simple_self_attention(X, mask)


class Unscaled(SelfAttention):
    """softmax(QKᵀ) V: the queries are multiplied by √key_dim, which undoes the division."""

    def forward(
        self, X: Float[Tensor, "batch source embedding_dim"], mask: Bool[Tensor, "batch source"] | None = None
    ) -> Attended:
        return self_attention(X, math.sqrt(len(self.W_k)) * self.W_q, self.W_k, self.W_v, mask)


def places(length: int, width: int) -> Float[Tensor, "length width"]:
    """Return a vector for each place: waves of many lengths, so that near places have vectors with a large dot product.

    After Vaswani et al. (2017), section 3.5, with shorter waves: the longest has 100^(1 − 2/width) times the length of
    the shortest, 56 times at width 16.
    """
    rates = 100 ** (-torch.arange(0, width, 2) / width)
    angles = torch.arange(length)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :width]
