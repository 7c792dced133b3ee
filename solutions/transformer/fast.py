"""The Transformer as it is trained: the parameters and values of model.py, several times faster.

Training packs the words of a batch and never holds all scores; decoding keeps the keys and values that it has.
"""

import math
from dataclasses import replace
from functools import cache

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lab.decode.decoding import Memory, State, Translator, at
from lab.text.batches import Batch, Mask, Real, Source, Target
from lab.train.losses import linear_cross_entropy
from solutions.transformer import model
from solutions.transformer.attention import sinusoids
from solutions.transformer.fast_layers import Dropout, FastDecoderLayer, FastEncoderLayer, PackedPositions
from solutions.transformer.model import Transformer
from solutions.transformer.recipe import Recipe


class FastTransformer(Transformer):
    """The same model with the same state dict; it also has what the taught layers lack: pre-norm, and dropout."""

    layers = FastEncoderLayer, FastDecoderLayer
    lacks = ()

    def __init__(self, recipe: Recipe, source_size: int, target_size: int) -> None:
        super().__init__(recipe, source_size, target_size)
        # With pre-norm nothing has normalised the last sum.
        self.encoder_norm = nn.LayerNorm(recipe.d_model) if recipe.pre_norm else nn.Identity()
        self.decoder_norm = nn.LayerNorm(recipe.d_model) if recipe.pre_norm else nn.Identity()
        self.dropout = Dropout(recipe.dropout)
        self.recordable = not recipe.shift  # which the host draws

    def embed(
        self, embeddings: nn.Embedding, tokens: Int[Tensor, "batch length"], start: int = 0
    ) -> Float[Tensor, "batch length d_model"]:
        """Return √d_model times the embeddings, plus the positions from `start` on: sections 3.4 and 3.5."""
        x = embeddings(tokens) * math.sqrt(self.recipe.d_model)
        if self.recipe.positions == "none":
            return self.dropout(x)
        if self.training and self.recipe.shift:
            start += int(torch.randint(self.recipe.shift + 1, ()))
        end = start + tokens.shape[1]
        if self.learned is None:
            length = max(64, 2 ** (end - 1).bit_length())
            return self.dropout(x + sines(length, x.shape[-1], x.device, x.dtype)[start:end])
        return self.dropout(x + self.learned(start, end))

    def encode(self, source: Source, mask: Mask) -> tuple[Memory, State]:
        """Return keys and values of the encoder's output for each decoder layer, and a cache with nothing in it."""
        packed = PackedPositions.of(mask)
        x = self.embed(self.source_embedding, source)
        x = x if packed is None else packed.pack(x)
        for layer in self.encoder:
            x = layer(x, mask[:, None, None], packed)
        states = self.encoder_norm(x)
        memory, state = {"mask": mask}, {}
        for number, layer in enumerate(self.decoder):
            k, v = layer.project_memory(states, packed)
            memory |= {f"keys{number}": k, f"values{number}": v}
            state |= {f"keys{number}": k[:, :, :0], f"values{number}": v[:, :, :0]}
        return memory, state

    def decode(  # pyright: ignore[reportIncompatibleMethodOverride] — no weights only where they are not asked for
        self, inputs: Target, memory: Memory, state: State, need_weights: bool = True
    ) -> tuple[Float[Tensor, "batch target d_model"], State, Float[Tensor, "batch target source"] | None]:
        """Return the decoder's output, the cache with the new words in it, and the cross-attention where it is needed.

        That is the mean over the heads of the last layer.
        """
        past = state["keys0"].shape[2]
        allowed = causal(inputs.shape[1], past, inputs.device)
        y = self.embed(self.embedding, inputs, past)
        state, weights = dict(state), None
        for number, layer in enumerate(self.decoder):
            names = f"keys{number}", f"values{number}"
            before = (state[names[0]], state[names[1]]) if past else None
            source = memory[names[0]], memory[names[1]]
            last = need_weights and number == len(self.decoder) - 1
            y, after, weights = layer(y, source, before, allowed, memory["mask"][:, None, None], last)
            state |= dict(zip(names, after, strict=True))
        return self.decoder_norm(y), state, weights.mean(dim=1) if need_weights and weights is not None else None

    def forward(
        self, source: Source, mask: Mask, inputs: Target, real: Real, *, scored: bool = True
    ) -> Float[Tensor, "real vocabulary"]:
        """Return the scores of the next word at the real target positions, or, not `scored`, the readout's input."""
        memory, state = self.encode(source, mask)
        features = at(real, self.decode(inputs, memory, state, need_weights=False)[0])
        return self.readout(features) if scored else features

    def loss(self, batch: Batch, real: Real, smoothing: float) -> Float[Tensor, ""]:
        """Return the cross-entropy that the scores would give, without the table of all of them."""
        if real is None:
            return Translator.loss(self, batch, real, smoothing)
        features = self(batch.source, batch.mask, batch.inputs, real, scored=False)
        return linear_cross_entropy(features, self.embedding.weight, at(real, batch.targets), smoothing)


@cache
def sines(length: int, d_model: int, device: torch.device, dtype: torch.dtype) -> Float[Tensor, "length d_model"]:
    """Return the taught `sinusoids`, made once for each device: recorded kernels go on reading it."""
    return sinusoids(length, d_model).to(device, dtype)


def causal(length: int, past: int, device: torch.device) -> Bool[Tensor, "target all"] | None:
    """Return the mask of the past and new words that each new one may attend to; None for a single one: all."""
    if length == 1:
        return None
    return torch.ones(length, past + length, dtype=torch.bool, device=device).tril(past)


SOLUTION = replace(model.SOLUTION, build=FastTransformer)
