"""The Transformer of Vaswani et al. (2017): encoder, decoder, and decoding that keeps the keys and values it has."""

import math
from collections.abc import Callable
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lab.batches import Batch, source_batch
from lab.decoding import Memory, State, Translator, at
from lab.losses import linear_cross_entropy
from lab.schedules import Rate
from lab.tokenizers import BOS, PAD
from lab.translation import Solution, Trained
from solutions.transformer.attention import noam_rate, positional_encoding
from solutions.transformer.layers import DecoderLayer, Dropout, EncoderLayer, Words, words_of
from solutions.transformer.recipe import DEFAULTS, PEERS, RECIPES, Recipe


class Transformer(Translator):
    """Stacks of encoder and decoder layers between one embedding matrix and its transpose: figure 1."""

    def __init__(
        self,
        recipe: Recipe,
        source_size: int,
        target_size: int,
        add_positions: Callable[[Tensor], Tensor] = positional_encoding,
    ) -> None:
        super().__init__()
        if recipe.shared and source_size != target_size:
            raise ValueError(
                "shared embeddings need one vocabulary for both languages: expected equal sizes, got "
                f"{source_size} and {target_size}; hand in the joint one, or set shared = False"
            )
        if recipe.layers < 1:
            raise ValueError(f"expected layers of 1 or more, got {recipe.layers}")
        self.recipe, self.add_positions = recipe, add_positions
        d_model = recipe.d_model
        self.embedding = embedding(target_size, d_model)
        self.source_embedding = self.embedding if recipe.shared else embedding(source_size, d_model)
        shape = (d_model, recipe.heads, recipe.d_ff, recipe.dropout)
        how = {"pre_norm": recipe.pre_norm, "inner_dropout": recipe.inner_dropout}
        self.encoder = nn.ModuleList(EncoderLayer(*shape, **how) for _ in range(recipe.layers))
        self.decoder = nn.ModuleList(DecoderLayer(*shape, **how) for _ in range(recipe.layers))
        # With pre-norm nothing has normalised the last sum.
        self.encoder_norm = nn.LayerNorm(d_model) if recipe.pre_norm else nn.Identity()
        self.decoder_norm = nn.LayerNorm(d_model) if recipe.pre_norm else nn.Identity()
        self.dropout = Dropout(recipe.dropout)
        self.readout = nn.Linear(d_model, target_size, bias=False)
        self.readout.weight = self.embedding.weight
        self.positions = torch.empty(0, d_model)  # no parameter, and no part of the state dict

    @property
    def encoder_layers(self) -> list[EncoderLayer]:
        return cast("list[EncoderLayer]", list(self.encoder))

    @property
    def decoder_layers(self) -> list[DecoderLayer]:
        return cast("list[DecoderLayer]", list(self.decoder))

    def embed(
        self, words: nn.Embedding, tokens: Int[Tensor, "batch length"], start: int = 0
    ) -> Float[Tensor, "batch length d_model"]:
        """Return √d_model times the embeddings, plus the positions from `start` on: sections 3.4 and 3.5."""
        end = start + tokens.shape[1]
        if end > len(self.positions) or self.positions.device != tokens.device:
            # The table grows with the longest sentence.
            length = max(64, 2 ** (end - 1).bit_length())
            self.positions = self.add_positions(words.weight.new_zeros(1, length, self.recipe.d_model))[0].detach()
        return self.dropout(words(tokens) * math.sqrt(self.recipe.d_model) + self.positions[start:end])

    def read(
        self,
        source: Int[Tensor, "batch source"],
        mask: Bool[Tensor, "batch source"],
        seen: list[Tensor] | None = None,
        words: Words | None = None,
    ) -> Float[Tensor, "*positions d_model"]:
        """Return the encoder's output, with `words` the row of theirs; the weights of its layers go into `seen`."""
        x = self.embed(self.source_embedding, source)
        x = x if words is None else words.row(x)
        for layer in self.encoder_layers:
            x = layer(x, mask[:, None], seen, words)
        return self.encoder_norm(x)

    def encode(self, source: Int[Tensor, "batch source"], mask: Bool[Tensor, "batch source"]) -> tuple[Memory, State]:
        """Return keys and values of the encoder's output for each decoder layer, and a cache with nothing in it."""
        words = words_of(mask)
        states = self.read(source, mask, words=words)
        memory, state = {"mask": mask}, {}
        for number, layer in enumerate(self.decoder_layers):
            k, v = layer.memorise(states, words)
            memory |= {f"keys{number}": k, f"values{number}": v}
            state |= {f"keys{number}": k[:, :, :0], f"values{number}": v[:, :, :0]}
        return memory, state

    def decode(
        self, inputs: Int[Tensor, "batch target"], memory: Memory, state: State, look: bool = True
    ) -> tuple[Float[Tensor, "batch target d_model"], State, Float[Tensor, "batch target source"] | None]:
        """Return the decoder's output, the cache with the new words in it, and the cross-attention that it shows.

        That is the mean over the heads of the last layer.
        """
        past = state["keys0"].shape[2]
        allowed = causal(inputs.shape[1], past, inputs.device)
        y = self.embed(self.embedding, inputs, past)
        state, weights = dict(state), None
        for number, layer in enumerate(self.decoder_layers):
            names = f"keys{number}", f"values{number}"
            before = (state[names[0]], state[names[1]]) if past else None
            source = memory[names[0]], memory[names[1]]
            last = look and number == len(self.decoder) - 1
            y, after, weights = layer.go_on(y, source, before, allowed, memory["mask"][:, None], look=last)
            state |= dict(zip(names, after, strict=True))
        return self.decoder_norm(y), state, weights.mean(dim=1) if look and weights is not None else None

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        mask: Bool[Tensor, "batch source"],
        inputs: Int[Tensor, "batch target"],
        real: Bool[Tensor, "batch target"],
        *,
        spoken: bool = True,
    ) -> Float[Tensor, "real vocabulary"]:
        """Return the scores of the next word at the real target positions, or, not `spoken`, what the readout hears."""
        memory, state = self.encode(source, mask)
        features = at(real, self.decode(inputs, memory, state, look=False)[0])
        return self.readout(features) if spoken else features

    def loss(self, batch: Batch, real: Bool[Tensor, "batch target"], smoothing: float) -> Float[Tensor, ""]:
        """Return the cross-entropy that the scores would give, without the table of all of them."""
        features = self(batch.source, batch.mask, batch.inputs, real, spoken=False)
        return linear_cross_entropy(features, self.embedding.weight, batch.targets[real], smoothing)

    def look(
        self,
        source: Int[Tensor, "batch source"],
        mask: Bool[Tensor, "batch source"],
        inputs: Int[Tensor, "batch target"],
    ) -> Float[Tensor, "batch target source"]:
        """Return the cross-attention that decoding shows for each word of a given translation."""
        weights = self.decode(inputs, *self.encode(source, mask))[2]
        assert weights is not None
        return weights

    def looks(
        self,
        source: Int[Tensor, "batch source"],
        mask: Bool[Tensor, "batch source"],
        inputs: Int[Tensor, "batch target"],
    ) -> dict[str, Float[Tensor, "batch layers heads asking answering"]]:
        """Return the weights of every layer and head in the three uses of attention: section 3.2.3."""
        encoder: list[Tensor] = []
        decoder: list[tuple[Tensor, Tensor]] = []
        states = self.read(source, mask, encoder)
        allowed = causal(inputs.shape[1], 0, inputs.device)
        y = self.embed(self.embedding, inputs)
        for layer in self.decoder_layers:
            y, *weights = self.look_through(layer, y, states, allowed, mask)
            decoder.append((weights[0], weights[1]))
        own, cross = zip(*decoder, strict=True)
        uses = {"encoder": encoder, "decoder": own, "cross": cross}
        return {use: torch.stack(list(layers), dim=1) for use, layers in uses.items()}

    def look_through(
        self,
        layer: DecoderLayer,
        y: Float[Tensor, "batch target d_model"],
        states: Float[Tensor, "batch source d_model"],
        allowed: Bool[Tensor, "target target"] | None,
        mask: Bool[Tensor, "batch source"],
    ) -> tuple[Float[Tensor, "batch target d_model"], Tensor, Tensor]:
        """Return y after a decoder layer, and the weights of its two attentions, each of all heads."""
        seen: list[Tensor] = []
        y, *_ = layer.go_on(y, layer.memorise(states), None, allowed, mask[:, None], seen)
        return y, seen[0], seen[1]


def looks(trained: Trained, source: str, target: str) -> dict[str, Float[Tensor, "layers heads asking answering"]]:
    """Return where every layer and head of a trained model looks while it reads `source` and says `target`.

    "encoder": rows and columns are the source's pieces and </s>. "cross": row t is asked when piece t of the target is
    said. "decoder": so are its rows; its columns are what was heard before that, <s> and the pieces up to t - 1.
    """
    model, device = trained.model, next(trained.model.parameters()).device
    assert isinstance(model, Transformer)
    table, mask = source_batch([trained.source_text.encode(source)])
    inputs = torch.tensor([[BOS, *trained.target_text.encode(target)][:-1] or [BOS]])
    with torch.no_grad():
        found = model.looks(table.to(device), mask.to(device), inputs.to(device))
    return {use: weights[0].float().cpu() for use, weights in found.items()}


def embedding(size: int, d_model: int) -> nn.Embedding:
    """Return embeddings which √d_model makes about as large as positions, and that can be output words too."""
    words = nn.Embedding(size, d_model, padding_idx=PAD)
    with torch.no_grad():
        words.weight.normal_(std=d_model**-0.5)[PAD] = 0.0
    return words


def causal(length: int, past: int, device: torch.device) -> Bool[Tensor, "target all"] | None:
    """Return which words, the past ones and the new, each new one may look at; None for a single one: all."""
    if length == 1:
        return None
    return torch.ones(length, past + length, dtype=torch.bool, device=device).tril(past)


def rate(recipe: Recipe) -> Rate | None:
    """Return the paper's learning rate, equation 3, where the recipe asks for it; steps count from 0 here."""
    if not recipe.warmup_steps:
        return None
    return lambda step, steps: noam_rate(step + 1, recipe.d_model, recipe.warmup_steps, recipe.factor)


SOLUTION = Solution("transformer", Transformer, RECIPES, DEFAULTS, PEERS, rate=rate)
