"""Bahdanau's translator with its recurrent encoder replaced by self-attention; decoder and cross-attention stay.

The model is ours: no paper has this encoder before this decoder.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lab.kinds.ranges import Count
from lab.kinds.runs import Solution
from lab.kinds.translation import Trained
from lab.text.batches import Mask, Source, source_batch
from lab.text.tokenizers import PAD
from solutions.bahdanau.model import Attend, Bahdanau
from solutions.bahdanau.recipe import RECIPES as RNNSEARCH
from solutions.bahdanau.recipe import Recipe as RNNsearch
from solutions.self_attention.attention import SelfAttention
from solutions.self_attention.layers import places
from solutions.self_attention.model import WORD


@dataclass(frozen=True)
class Recipe(RNNsearch):
    """RNNsearch's, and what the encoder is made of; a place's vector has the units that a word's leaves."""

    blocks: Count = 1  # without any, a word with its place is all that is known of it
    positions: bool = True  # without, zeros stand where the places' vectors stood: all widths stay


class Encoder(nn.Module):
    """Each word with its place, and beside it the same after self-attention: an annotation without a recurrence."""

    def __init__(self, size: int, recipe: Recipe, layer: Callable[[int, int, int], nn.Module] = SelfAttention) -> None:
        super().__init__()
        width, self.place_dim = recipe.units, recipe.units - recipe.embedding_dim
        if self.place_dim < 1:
            raise ValueError(
                f"words and places share {width} units: expected embedding_dim below that, got {recipe.embedding_dim}"
            )
        self.positions = recipe.positions
        self.embedding = nn.Embedding(size, recipe.embedding_dim, padding_idx=PAD)
        self.blocks = nn.ModuleList(layer(width, width, width) for _ in range(recipe.blocks))
        self.embedding.weight.data.mul_(WORD)
        for matrix in self.blocks.parameters():
            nn.init.eye_(matrix)  # as the classifier begins
        self.dropout = nn.Dropout(recipe.dropout)

    def states(self, source: Source, mask: Mask) -> Float[Tensor, "batch source both_units"]:
        """Return the annotations h_j = [x_j ; x_j + c_j]."""
        return self.read(source, mask)[0]

    def read(
        self, source: Source, mask: Mask
    ) -> tuple[Float[Tensor, "batch source both_units"], list[Float[Tensor, "batch source source"]]]:
        """Return the annotations and the weights of each block, h_j = [x_j ; x_j + c_j] with x_j = [word ; place].

        c = softmax(QKᵀ/√d_k) V, with queries, keys and values of all x: Vaswani et al. (2017), equation 1. A second
        block reads x + c, and adds what it finds.
        """
        X = placed = self.placed(source)
        every = []
        for block in self.blocks:
            context, weights = block(X, mask)
            X = X + context
            every.append(weights)
        return self.dropout(torch.cat([placed, X], dim=-1)), every

    def placed(self, source: Source) -> Float[Tensor, "batch source units"]:
        """Return the vectors of the words with those of their places beside them."""
        table = self.positions * places(source.shape[1], self.place_dim).to(source.device)
        return torch.cat([self.dropout(self.embedding(source)), table.expand(len(source), -1, -1)], dim=-1)


class SelfAttentiveTranslator(Bahdanau):
    """Bahdanau's model but for its encoder; `layer` takes the place of SelfAttention, `attend` that of his attention.

    Its decoder begins with s_0 = tanh(W_s (x_1 + c_1)), where Bahdanau's begins with ←h_1: a half of h_1, both times.
    """

    def __init__(
        self,
        recipe: Recipe,
        source_size: int,
        target_size: int,
        layer: Callable[[int, int, int], nn.Module] = SelfAttention,
        attend: Attend | None = None,
    ) -> None:
        super().__init__(recipe, source_size, target_size, attend)
        self.encoder = Encoder(source_size, recipe, layer)
        self.recordable = False  # each sentence's places are made on the host


@torch.no_grad()
def reading_weights(trained: Trained, sentence: str) -> list[Float[Tensor, "source source"]]:
    """Return the weights with which the words of a sentence, and its </s>, read each other in each block."""
    _, every = cast("Encoder", trained.model.encoder).read(*source_batch([trained.source_text.encode(sentence)]))
    return [weights[0] for weights in every]


RECIPES = {name: Recipe(**vars(RNNSEARCH[name])) for name in ("small", "medium")}
TRANSLATOR = Solution("self_attention", SelfAttentiveTranslator, RECIPES, {"phrasebook": "small"})
