"""The Transformer of Vaswani et al. (2017), made of the functions of attention.py.

fast.py has the same model, with the same parameters and the same values, as it is trained.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lab.decode.decoding import Memory, State, Translator, at
from lab.kinds.runs import Solution
from lab.kinds.translation import Trained
from lab.text.batches import Batch, Mask, Real, Source, Target, source_batch
from lab.text.tokenizers import BOS, PAD
from lab.train.schedules import Rate
from solutions.transformer import attention
from solutions.transformer.layers import DecoderLayer, EncoderLayer, LearnedPositions
from solutions.transformer.recipe import DEFAULTS, PEERS, RECIPES, Recipe


@dataclass(frozen=True)
class Parts:
    """The functions that a Transformer is made of: those of attention.py, or others with the same arguments."""

    multi_head_attention: Callable[..., tuple[Tensor, Tensor]] = attention.multi_head_attention
    positional_encoding: Callable[[Tensor], Tensor] = attention.positional_encoding
    make_masks: Callable[..., tuple[Tensor, Tensor, Tensor]] = attention.make_masks
    encoder_layer: Callable[..., Tensor] = attention.encoder_layer
    decoder_layer: Callable[..., Tensor] = attention.decoder_layer
    label_smoothed_loss: Callable[..., Tensor] | None = None  # None: torch's cross-entropy, smoothed in the same way


TAUGHT = Parts(label_smoothed_loss=attention.label_smoothed_loss)


class Transformer(Translator):
    """Stacks of encoder and decoder layers between one embedding matrix and its transpose: figure 1."""

    encoder: Any  # torch.nn.ModuleList of EncoderLayers
    decoder: Any  # torch.nn.ModuleList of DecoderLayers
    layers: ClassVar[tuple[type[EncoderLayer], type[DecoderLayer]]] = EncoderLayer, DecoderLayer
    # What the taught layers do not have.
    lacks: ClassVar[tuple[str, ...]] = "pre_norm", "dropout", "inner_dropout", "shift"

    def __init__(self, recipe: Recipe, source_size: int, target_size: int, parts: Parts = TAUGHT) -> None:
        super().__init__()
        if recipe.shared and source_size != target_size:
            raise ValueError(
                "shared embeddings need one vocabulary for both languages: expected equal sizes, got "
                f"{source_size} and {target_size}; hand in the joint one, or set shared = False"
            )
        if recipe.layers < 1:
            raise ValueError(f"expected layers of 1 or more, got {recipe.layers}")
        for name in self.lacks:
            if value := getattr(recipe, name):
                expected = f"expected {name} = {type(value)()}, got {value}"
                raise ValueError(f"the taught layers are post-norm, without dropout: {expected}; use FastTransformer")
        self.recipe, self.parts = recipe, parts
        self.embedding = embedding(target_size, recipe.d_model)
        self.source_embedding = self.embedding if recipe.shared else embedding(source_size, recipe.d_model)
        encoder_layer, decoder_layer = self.layers
        self.encoder = nn.ModuleList(encoder_layer(recipe) for _ in range(recipe.layers))
        self.decoder = nn.ModuleList(decoder_layer(recipe) for _ in range(recipe.layers))
        self.readout = nn.Linear(recipe.d_model, target_size, bias=False)
        self.readout.weight = self.embedding.weight
        self.learned = LearnedPositions(recipe.d_model) if recipe.positions == "learned" else None

    def embed(
        self, embeddings: nn.Embedding, tokens: Int[Tensor, "batch length"]
    ) -> Float[Tensor, "batch length d_model"]:
        """Return √d_model times the embeddings, plus the positions: sections 3.4 and 3.5."""
        x = embeddings(tokens) * math.sqrt(self.recipe.d_model)
        if self.recipe.positions == "sine":
            return self.parts.positional_encoding(x)
        return x if self.learned is None else x + self.learned(0, tokens.shape[1])

    def encoder_states(self, source: Source, mask: Mask) -> list[Float[Tensor, "batch source d_model"]]:
        """Return the input of the first encoder layer, and the output of each."""
        states = [self.embed(self.source_embedding, source)]
        for layer in self.encoder:
            states.append(self.parts.encoder_layer(states[-1], layer.named(), self.recipe.heads, mask, layer.eps))
        return states

    def decoder_states(self, words: Target, memory: Memory) -> list[Float[Tensor, "batch target d_model"]]:
        """Return the input of the first decoder layer, and the output of each."""
        source_mask, _, target_mask = self.parts.make_masks(memory["source"], words, PAD)
        states = [self.embed(self.embedding, words)]
        for layer in self.decoder:
            params, heads = layer.named(), self.recipe.heads
            y = self.parts.decoder_layer(
                states[-1], memory["states"], params, heads, target_mask, source_mask, layer.eps
            )
            states.append(y)
        return states

    def forward(self, source: Source, mask: Mask, inputs: Target, real: Real) -> Float[Tensor, "real vocabulary"]:
        """Return the scores of the next word at the real target positions, or at all of them (None), row after row."""
        memory, _ = self.encode(source, mask)
        return self.readout(at(real, self.decoder_states(inputs, memory)[-1]))

    def encode(self, source: Source, mask: Mask) -> tuple[Memory, State]:
        """Return the encoder's output, and the words of the translation so far: none.

        What may be looked at, the parts say: their mask is `mask`, or they are wrong.
        """
        source_mask, _, _ = self.parts.make_masks(source, source[:, :1], PAD)
        states = self.encoder_states(source, source_mask[:, 0])
        return {"source": source, "states": states[-1]}, {"words": source[:, :0]}

    def loss(self, batch: Batch, real: Real, smoothing: float) -> Float[Tensor, ""]:
        """Return the loss that the parts have, of the scores at all positions: padding is what it leaves out."""
        if self.parts.label_smoothed_loss is None:
            return super().loss(batch, real, smoothing)
        memory, _ = self.encode(batch.source, batch.mask)
        logits = self.readout(self.decoder_states(batch.inputs, memory)[-1])
        return self.parts.label_smoothed_loss(logits, batch.targets, smoothing, PAD)

    def decode(
        self, inputs: Target, memory: Memory, state: State
    ) -> tuple[Float[Tensor, "batch target d_model"], State, Float[Tensor, "batch target source"]]:
        """Return the decoder's output at the new words, all words, and the mean over the last layer's cross-attention.

        All words are read again at each step: nothing is kept but the words themselves.
        """
        words = torch.cat([state["words"], inputs], dim=1)
        new = slice(state["words"].shape[1], None)
        *_, before, output = self.decoder_states(words, memory)
        _, cross = self.decoder_weights(self.decoder[-1], before, words, memory)
        return output[:, new], {"words": words}, cross.mean(dim=1)[:, new]

    def decoder_weights(
        self, layer: DecoderLayer, y: Float[Tensor, "batch target d_model"], words: Target, memory: Memory
    ) -> tuple[Float[Tensor, "batch heads target target"], Float[Tensor, "batch heads target source"]]:
        """Return the weights of self-attention and of cross-attention in a decoder layer that gets y."""
        attend, heads = self.parts.multi_head_attention, self.recipe.heads
        source_mask, _, target_mask = self.parts.make_masks(memory["source"], words, PAD)
        attended, own = attend(y, y, y, layer.self_attn.named(), heads, target_mask)
        query, states = layer.norm1(y + attended), memory["states"]
        return own, attend(query, states, states, layer.multihead_attn.named(), heads, source_mask)[1]

    def attention_weights(
        self, source: Source, mask: Mask, inputs: Target
    ) -> dict[str, Float[Tensor, "batch layers heads queries keys"]]:
        """Return the weights of every layer and head in the three uses of attention, section 3.2.3, with post-norm."""
        if self.recipe.pre_norm:
            raise ValueError("the weights are those of the taught layers: expected pre_norm = False, got True")
        attend, heads = self.parts.multi_head_attention, self.recipe.heads
        *states, output = self.encoder_states(source, mask)
        layers = zip(self.encoder, states, strict=True)
        encoder = [attend(x, x, x, layer.self_attn.named(), heads, mask[:, None])[1] for layer, x in layers]
        memory = {"source": source, "states": output}
        *states, _ = self.decoder_states(inputs, memory)
        layers = zip(self.decoder, states, strict=True)
        own, cross = zip(*(self.decoder_weights(layer, y, inputs, memory) for layer, y in layers), strict=True)
        return {use: torch.stack(w, dim=1) for use, w in {"encoder": encoder, "decoder": own, "cross": cross}.items()}


def attention_weights(
    trained: Trained, source: str, target: str
) -> dict[str, Float[Tensor, "layers heads queries keys"]]:
    """Return the weights of every layer and head of a trained model that reads `source` and is forced to `target`.

    "encoder": rows and columns are the source's pieces and </s>. "cross": row t belongs to the step that predicts piece
    t of the target. So it does in "decoder", whose columns are that step's inputs: <s> and the pieces up to t - 1.
    """
    model, device = trained.model, next(trained.model.parameters()).device
    assert isinstance(model, Transformer)
    table, mask = source_batch([trained.source_text.encode(source)])
    inputs = torch.tensor([[BOS, *trained.target_text.encode(target)][:-1] or [BOS]])
    with torch.no_grad():
        weights = model.attention_weights(table.to(device), mask.to(device), inputs.to(device))
    return {use: of_use[0].float().cpu() for use, of_use in weights.items()}


def decoding_steps(trained: Trained, source: str) -> tuple[State, Callable[[int, State], tuple[Tensor, State]]]:
    """Return `start` and `step` of the taught `greedy_cached`: how a trained model translates this sentence."""
    model, device = trained.model, next(trained.model.parameters()).device
    table, mask = source_batch([trained.source_text.encode(source)])
    with torch.no_grad():
        memory, start = model.encode(table.to(device), mask.to(device))

    @torch.no_grad()
    def step(token: int, cache: State) -> tuple[Float[Tensor, " vocabulary"], State]:
        logits, cache, _ = model.step(torch.tensor([token], device=device), memory, cache)
        return logits[0], cache

    return start, step


def embedding(size: int, d_model: int) -> nn.Embedding:
    """Return embeddings which √d_model makes about as large as positions, and that can be output words too."""
    words = nn.Embedding(size, d_model, padding_idx=PAD)
    with torch.no_grad():
        words.weight.normal_(std=d_model**-0.5)[PAD] = 0.0
    return words


def rate(recipe: Recipe, noam_rate: Callable[..., float] = attention.noam_rate) -> Rate | None:
    """Return the paper's learning rate, equation 3, where the recipe asks for it; steps count from 0 here."""
    if not recipe.warmup_steps:
        return None
    return lambda step, steps: noam_rate(step + 1, recipe.d_model, recipe.warmup_steps, recipe.factor)


SOLUTION = Solution("transformer", Transformer, RECIPES, DEFAULTS, PEERS, rate=rate)
