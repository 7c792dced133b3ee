"""The full models around the pools: Att-BLSTM of Zhou et al. (2016), and HAN of Yang et al. (2016)."""

from collections.abc import Callable
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lab import corpora
from lab.corpora import Labelled
from lab.kinds.classification import Classifier
from lab.kinds.runs import Named, Solution
from lab.text.batches import Mask, Source
from lab.text.tokenizers import Words
from lab.text.word_vectors import start_from
from lab.train.transfer import derived
from solutions.pooling.adversary import base_of, departure
from solutions.pooling.attention import hierarchical_attention
from solutions.pooling.layers import Embedding, states
from solutions.pooling.pools import POOLS, last_states
from solutions.pooling.recipe import DEFAULTS, PEERS, RECIPES, Recipe

Pool = Callable[..., tuple[Tensor, Tensor]]  # the arguments of solutions.pooling.attention_pool
Hierarchy = Callable[..., tuple[Tensor, Tensor, Tensor]]  # those of solutions.pooling.hierarchical_attention
COMPANY = "imdb"  # the largest English text at hand: its training reviews, without their labels


class Pooling(Classifier):
    """What both models share: word vectors, which may come from elsewhere."""

    def __init__(self, recipe: Recipe, vocabulary: int) -> None:
        super().__init__()
        self.recipe = recipe
        drops = recipe.embedding_dropout, recipe.word_dropout
        self.embedding = Embedding(vocabulary, recipe.embedding_dim, *drops, recipe.embedding_scale)

    def prepare(self, words: Words, texts: Labelled) -> None:
        """Start from the vectors that the recipe names; once, before a training."""
        start_from(self.recipe.vectors, self.embedding, words, lambda: reading(texts, self.recipe))


class AttBLSTM(Pooling):
    """Words, a bidirectional LSTM whose two directions are added, one weighted pool, scores of the labels.

    `attend` is any function with the arguments of `attention_pool`; by default the one that the recipe names.
    """

    nested: ClassVar[bool] = False

    def __init__(self, recipe: Recipe, vocabulary: int, labels: int, attend: Pool | None = None) -> None:
        super().__init__(recipe, vocabulary)
        units, self.attend = recipe.units, attend or POOLS[recipe.pooling]
        self.network = nn.LSTM(recipe.embedding_dim, units, batch_first=True, bidirectional=True)
        self.states_dropout = nn.Dropout(recipe.states_dropout)
        self.w = nn.Parameter(torch.randn(units) * units**-0.5)
        self.dropout = nn.Dropout(recipe.dropout)
        self.labels = nn.Linear(units, labels)

    def pool(self, tokens: Source, mask: Mask) -> tuple[Float[Tensor, "batch units"], Float[Tensor, "batch source"]]:
        """Return h* and α; h_i = →h_i + ←h_i, as in the paper."""
        forward, backward = states(self.network, self.embedding(tokens), mask).chunk(2, dim=-1)
        if self.recipe.pooling == "last":
            forward, backward = last_states(forward, backward, mask)
        H = self.states_dropout(forward + backward)
        return self.attend(H, self.w.to(H.dtype), mask)

    def forward(
        self, tokens: Source, mask: Mask
    ) -> Float[Tensor, "batch labels"] | tuple[Float[Tensor, "batch labels"], Float[Tensor, " batch"]]:
        return self.labels(self.dropout(self.pool(tokens, mask)[0]))

    def attention_weights(self, tokens: Source, mask: Mask) -> Float[Tensor, "batch source"]:
        return self.pool(tokens, mask)[1]


class Adversary(AttBLSTM):
    """Att-BLSTM that learns the labels, to predict as a trained model does, and to attend elsewhere: `departure`."""

    base: tuple[AttBLSTM, ...] = ()  # the trained model; in a tuple, so that it is no part of this one's parameters

    def begin(self, run: Named) -> None:
        """Read the trained model of the run's own seed; before every training, also one that goes on."""
        self.base = (base_of(run, self.recipe.base, SOLUTION).eval().requires_grad_(False),)

    def forward(
        self, tokens: Source, mask: Mask
    ) -> Float[Tensor, "batch labels"] | tuple[Float[Tensor, "batch labels"], Float[Tensor, " batch"]]:
        """Return the scores of the labels, and in training what each sentence adds to the loss."""
        pooled, weights = self.pool(tokens, mask)
        scores = self.labels(self.dropout(pooled))
        if not self.training:
            return scores
        (base,) = self.base
        base.to(tokens.device)
        vector, base_weights = base.pool(tokens, mask)
        return scores, departure(scores, weights, base.labels(vector), base_weights, self.recipe.adversary)


class HAN(Pooling):
    """Words, a bidirectional GRU and attention in each sentence, the same over the sentences, scores of the labels.

    `attend` is any function with the arguments of `hierarchical_attention`.
    """

    nested: ClassVar[bool] = True

    def __init__(
        self, recipe: Recipe, vocabulary: int, labels: int, attend: Hierarchy = hierarchical_attention
    ) -> None:
        super().__init__(recipe, vocabulary)
        width, hidden, self.attend = 2 * recipe.units, recipe.hidden, attend
        self.words = nn.GRU(recipe.embedding_dim, recipe.units, batch_first=True, bidirectional=True)
        self.sentences = nn.GRU(width, recipe.units, batch_first=True, bidirectional=True)
        self.word_projection, self.sentence_projection = nn.Linear(width, hidden), nn.Linear(width, hidden)
        self.u_w = nn.Parameter(torch.randn(hidden) * hidden**-0.5)
        self.u_s = nn.Parameter(torch.randn(hidden) * hidden**-0.5)
        self.states_dropout, self.dropout = nn.Dropout(recipe.states_dropout), nn.Dropout(recipe.dropout)
        self.labels = nn.Linear(width, labels)

    def pool(
        self, tokens: Int[Tensor, "batch sentences words"], mask: Bool[Tensor, "batch sentences words"]
    ) -> tuple[Float[Tensor, "batch width"], Float[Tensor, "batch sentences words"], Float[Tensor, "batch sentences"]]:
        """Return the document vector, the weights of the words and those of the sentences."""
        mask_of_rows = derived(mask, lambda known: known.flatten(0, 1))
        rows = states(self.words, self.embedding(tokens).flatten(0, 1), mask_of_rows)
        H = self.states_dropout(rows).unflatten(0, mask.shape[:2])
        words, sentences = self.word_projection, self.sentence_projection
        parameters = (words.weight, words.bias, self.u_w, sentences.weight, sentences.bias, self.u_s)
        not_empty = derived(mask, lambda known: known.any(dim=-1))  # as the attention has it, and known to the host
        typed = (each.to(H.dtype) for each in parameters)

        def read_sentences(vectors: Tensor, _: Tensor) -> Tensor:  # the GRU between the two attentions
            return self.states_dropout(states(self.sentences, vectors, not_empty))

        return self.attend(H, *typed, mask, read_sentences)

    def forward(
        self, tokens: Int[Tensor, "batch sentences words"], mask: Bool[Tensor, "batch sentences words"]
    ) -> Float[Tensor, "batch labels"]:
        return self.labels(self.dropout(self.pool(tokens, mask)[0]))

    def attention_weights(
        self, tokens: Int[Tensor, "batch sentences words"], mask: Bool[Tensor, "batch sentences words"]
    ) -> tuple[Float[Tensor, "batch sentences words"], Float[Tensor, "batch sentences"]]:
        return self.pool(tokens, mask)[1:]


def reading(texts: Labelled, recipe: Recipe) -> list[str]:
    """Return the text for a training's vocabulary: its own sentences, and IMDB's where vectors are made from texts."""
    company: Labelled | None = corpora.load(COMPANY) if recipe.vectors == "texts" and texts.name != COMPANY else None
    return [*texts.sentences(), *(company.sentences() if company else ())]


def build(recipe: Recipe, vocabulary: int, labels: int) -> Classifier:
    """Return the model that the recipe names."""
    if recipe.model == "han":
        if recipe.pooling != "attention" or recipe.adversary:
            raise ValueError("pooling and adversary are choices of Att-BLSTM; HAN has none")
        return HAN(recipe, vocabulary, labels)
    if bool(recipe.adversary) != bool(recipe.base):
        raise ValueError(f"an adversary needs a base: got adversary {recipe.adversary:g} and base {recipe.base!r}")
    return (Adversary if recipe.adversary else AttBLSTM)(recipe, vocabulary, labels)


SOLUTION = Solution("pooling", build, RECIPES, DEFAULTS, PEERS, reading=reading)
