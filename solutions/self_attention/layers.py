"""Self-attention as layers: they hold what is learnt, call the taught functions, and give their weights back."""

import math
from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from solutions.self_attention.attention import self_attention, simple_self_attention

Attended = tuple[Float[Tensor, "batch source value_dim"], Float[Tensor, "batch source source"]]


class SelfAttentionLayer(nn.Module):
    """What both layers have in common: a number of parameters."""

    @property
    def parameter_count(self) -> int:
        return sum(weight.numel() for weight in self.parameters())


class SimpleSelfAttention(SelfAttentionLayer):
    """softmax(XXᵀ) X: there is nothing to learn."""

    def __init__(self, attend: Callable = simple_self_attention) -> None:
        super().__init__()
        self.attend = attend

    def forward(
        self, X: Float[Tensor, "batch source embedding_dim"], mask: Bool[Tensor, "batch source"] | None = None
    ) -> Attended:
        return self.attend(X, mask)


class SelfAttention(SelfAttentionLayer):
    """softmax(QKᵀ/√k) V with three matrices of its own, 2 × key_dim + value_dim rows of embedding_dim numbers.

    Where `scaled` is False the scores are not divided by √k.
    """

    def __init__(
        self, embedding_dim: int, key_dim: int, value_dim: int, attend: Callable = self_attention, scaled: bool = True
    ) -> None:
        super().__init__()
        self.attend = attend
        self.scaled = scaled
        self.W_q = matrix(key_dim, embedding_dim)
        self.W_k = matrix(key_dim, embedding_dim)
        self.W_v = matrix(value_dim, embedding_dim)

    def forward(
        self, X: Float[Tensor, "batch source embedding_dim"], mask: Bool[Tensor, "batch source"] | None = None
    ) -> Attended:
        W_q = self.W_q if self.scaled else math.sqrt(len(self.W_k)) * self.W_q  # undoes the division
        return self.attend(X, W_q, self.W_k, self.W_v, mask)


def matrix(rows: int, columns: int) -> nn.Parameter:
    """Return weights that start at random, of a size that keeps what they multiply about as large as it was."""
    return nn.Parameter(torch.randn(rows, columns) / math.sqrt(columns))


def places(length: int, width: int) -> Float[Tensor, "length width"]:
    """Return a vector for each place: waves of many lengths, so that near places have vectors with a large dot product.

    After Vaswani et al. (2017), section 3.5, with shorter waves: the longest has 100^(1 − 2/width) times the length of
    the shortest, 56 times at width 16.
    """
    rates = 100 ** (-torch.arange(0, width, 2) / width)
    angles = torch.arange(length)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :width]
