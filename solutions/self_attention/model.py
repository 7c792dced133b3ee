"""A text classifier of self-attention and little else: words, places, one to four blocks, a mean, a decision.

fast.py has the same model, with the same values, as it is trained.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lab.corpora import Labelled
from lab.kinds.classification import Classifier
from lab.kinds.runs import Solution
from lab.text.batches import word_dropout
from lab.text.tokenizers import Words
from lab.text.word_vectors import start_from
from solutions.self_attention.attention import SelfAttention
from solutions.self_attention.layers import SimpleSelfAttention, Unscaled, places
from solutions.self_attention.recipe import DEFAULTS, RECIPES, Recipe

Tokens = Int[Tensor, "batch words"]
Mask = Bool[Tensor, "batch words"]
Vectors = Float[Tensor, "batch words embedding_dim"]
WORD = 0.3  # size of a word's features at the start: smaller than its place's, so that near words count for more


class SelfAttentive(Classifier):
    """Words attend to each other in each block; then each is read with its context, and the mean decides.

    `layer` takes the place of the taught class, SelfAttention: it is called with the widths of words, keys and values.
    """

    places: Tensor
    asked: Tensor

    def __init__(self, recipe: Recipe, vocabulary_size: int, labels: int, layer: Callable | None = None) -> None:
        super().__init__()
        if not 1 <= recipe.blocks <= 4:
            raise ValueError(f"blocks: expected one to four, got {recipe.blocks}.")
        width = recipe.embedding_dim + recipe.positions * recipe.place_dim
        self.recipe = recipe
        self.words = nn.Embedding(vocabulary_size, recipe.embedding_dim)
        if recipe.positions:
            self.register_buffer("places", recipe.place_scale * places(recipe.most, recipe.place_dim), persistent=False)
        if recipe.attention == "simple":
            self.blocks = nn.ModuleList(SimpleSelfAttention() for _ in range(recipe.blocks))
        else:
            build = layer or (SelfAttention if recipe.scaled else Unscaled)
            sizes = width, recipe.key_dim or width, width
            self.blocks = nn.ModuleList(build(*sizes) for _ in range(recipe.blocks))
            for matrix in self.blocks.parameters():
                matrix.requires_grad_(not recipe.frozen)
                nn.init.eye_(matrix)  # the start is the form without parameters, but for the division by √d_k
        nn.init.normal_(self.words.weight, std=WORD)
        self.reader = nn.Sequential(nn.Linear(width, recipe.hidden), nn.ReLU()) if recipe.hidden else nn.Identity()
        self.decide = nn.Linear(recipe.hidden or width, labels)
        if recipe.reads:
            self.register_buffer("asked", torch.tensor(-1))  # the number of the word that is read
        self.dropout = nn.Dropout(recipe.dropout)

    def prepare(self, words: Words, texts: Labelled) -> None:
        """Start from the vectors that the recipe names; once, before a training."""
        start_from(self.recipe.vectors, self.words, words, texts.sentences)
        if self.recipe.reads:
            self.asked.fill_(words.encode(self.recipe.reads)[0])

    def forward(self, tokens: Tokens, mask: Mask) -> Float[Tensor, "batch labels"]:
        tokens, mask, _ = self.read(tokens, mask)
        return self.scores(tokens, mask)

    def scores(
        self, tokens: Int[Tensor, "batch words"], mask: Bool[Tensor, "batch words"]
    ) -> Float[Tensor, "batch labels"]:
        """Return the scores of the labels."""
        X = self.placed(tokens)
        for block in self.blocks:
            X = X + self.dropout(self.context(block, X, mask))
        features, read = self.reader(X), self.read_last(tokens, mask)
        mean = (features * read[..., None]).sum(dim=1) / read.sum(dim=1, keepdim=True).clamp(min=1)
        return self.decide(self.dropout(mean))

    def read_last(self, tokens: Tokens, mask: Mask) -> Mask:
        """Return the mask of the words that are read behind the last block: all, or those that the recipe names."""
        return mask & (tokens == self.asked) if self.recipe.reads else mask

    def context(self, block: nn.Module, X: Vectors, mask: Mask) -> Vectors:
        """Return a block's output for each word."""
        return block(X, mask)[0]

    def attention_weights(self, tokens: Tokens, mask: Mask) -> Float[Tensor, "batch words"]:
        """Return each word's share of what all words are made of behind the last block.

        A block makes the mixture (I + A) / 2 of its words and their contexts; the blocks' mixtures are multiplied, and
        the mean over the words that ask is taken: attention rollout, Abnar and Zuidema (2020).
        """
        some, kept, place = self.read(tokens, mask)
        last = self.read_last(some, kept)
        share = last / last.sum(dim=1, keepdim=True).clamp(min=1)
        for weights in reversed(self.every_block(some, kept)):
            mixture = (weights + torch.eye(some.shape[1], device=some.device)) / 2
            share = (share[:, None].to(mixture.dtype) @ mixture)[:, 0]
        return torch.zeros(tokens.shape, dtype=share.dtype, device=share.device).scatter_add(1, place, share * kept)

    def every_block(self, tokens: Tokens, mask: Mask) -> list[Float[Tensor, "batch words words"]]:
        """Return the weights of each block."""
        every, X = [], self.placed(tokens)
        for block in self.blocks:
            context, weights = block(X, mask)
            X = X + context
            every.append(weights)
        return every

    def placed(self, tokens: Tokens) -> Vectors:
        """Return the vectors of the words, with those of their places."""
        X = self.dropout(self.words(word_dropout(tokens, self.recipe.word_dropout if self.training else 0.0)))
        if not self.recipe.positions:
            return X
        return torch.cat([X, self.places[: tokens.shape[1]].expand(len(X), -1, -1)], dim=-1)

    def read(
        self, tokens: Tokens, mask: Mask
    ) -> tuple[Int[Tensor, "batch read"], Bool[Tensor, "batch read"], Int[Tensor, "batch read"]]:
        """Return the words that are read, their mask, and where they stand: of a long text beginning and end."""
        most = self.recipe.most
        place = torch.arange(min(most, tokens.shape[1]), device=tokens.device).expand(len(tokens), -1)
        beyond = (mask.sum(dim=1, keepdim=True) - most).clamp(min=0)
        place = place + beyond * (place >= most // 2)
        return tokens.gather(1, place), mask.gather(1, place), place


SOLUTION = Solution("self_attention", SelfAttentive, RECIPES, DEFAULTS)
