"""The Transformer put together from functions that are handed in: the taught ones, or a student's."""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lab.decoding import Memory, State
from solutions.transformer.layers import DecoderLayer, Words
from solutions.transformer.model import Transformer, causal
from solutions.transformer.recipe import Recipe


class Assembled(Transformer):
    """The same parameters as Transformer's, in functions with the arguments of the taught ones; no cache in decoding.

    `attend` is asked for the weights to draw; the layers are expected to use the same.
    """

    def __init__(
        self,
        recipe: Recipe,
        source_size: int,
        target_size: int,
        encode_layer: Callable[..., Tensor],
        decode_layer: Callable[..., Tensor],
        add_positions: Callable[[Tensor], Tensor],
        attend: Callable[..., tuple[Tensor, Tensor]],
    ) -> None:
        super().__init__(recipe, source_size, target_size, add_positions)
        if recipe.pre_norm:
            raise ValueError("the taught layers are post-norm: expected pre_norm = False, got True; use Transformer")
        self.encode_layer, self.decode_layer, self.attend = encode_layer, decode_layer, attend

    def read(
        self,
        source: Int[Tensor, "batch source"],
        mask: Bool[Tensor, "batch source"],
        seen: list[Tensor] | None = None,
        words: Words | None = None,
    ) -> Float[Tensor, "batch source d_model"]:
        """Return the encoder's output; the weights of its layers go into `seen`. Padding is never left out."""
        x = self.embed(self.source_embedding, source)
        for layer in self.encoder_layers:
            weights = layer.taught()
            if seen is not None:
                seen.append(self.attend(x, x, x, layer.self_attn.taught(), self.recipe.heads, mask[:, None])[1])
            x = self.encode_layer(x, weights, self.recipe.heads, mask, layer.norm1.eps)
        return x

    def encode(self, source: Int[Tensor, "batch source"], mask: Bool[Tensor, "batch source"]) -> tuple[Memory, State]:
        """Return the encoder's output, and that nothing has been said."""
        return {"mask": mask, "states": self.read(source, mask)}, {"said": source[:, :0]}

    def decode(
        self, inputs: Int[Tensor, "batch target"], memory: Memory, state: State, look: bool = True
    ) -> tuple[Float[Tensor, "batch target d_model"], State, Float[Tensor, "batch target source"] | None]:
        """Return what Transformer.decode returns, from all words said so far and the new ones."""
        said = torch.cat([state["said"], inputs], dim=1)
        past, length = state["said"].shape[1], said.shape[1]
        allowed = causal(length, 0, said.device)
        y, weights = self.embed(self.embedding, said), None
        for layer in self.decoder_layers:
            asked = y
            y = self.run_layer(layer, y, memory["states"], allowed, memory["mask"])
            if look and layer is self.decoder_layers[-1]:
                *_, weights = self.look_through(layer, asked, memory["states"], allowed, memory["mask"])
        return y[:, past:], {"said": said}, None if weights is None else weights.mean(dim=1)[:, past:]

    def run_layer(
        self,
        layer: DecoderLayer,
        y: Float[Tensor, "batch target d_model"],
        states: Float[Tensor, "batch source d_model"],
        allowed: Bool[Tensor, "target target"] | None,
        mask: Bool[Tensor, "batch source"],
    ) -> Float[Tensor, "batch target d_model"]:
        """Return y after the layer function that was handed in."""
        own_mask = each(allowed, y)
        return self.decode_layer(y, states, layer.taught(), self.recipe.heads, own_mask, mask[:, None], layer.norm1.eps)

    def look_through(
        self,
        layer: DecoderLayer,
        y: Float[Tensor, "batch target d_model"],
        states: Float[Tensor, "batch source d_model"],
        allowed: Bool[Tensor, "target target"] | None,
        mask: Bool[Tensor, "batch source"],
    ) -> tuple[Float[Tensor, "batch target d_model"], Tensor, Tensor]:
        """Return y after a decoder layer, and the weights that `attend` finds in it."""
        heads = self.recipe.heads
        found, own = self.attend(y, y, y, layer.self_attn.taught(), heads, each(allowed, y))
        asking = layer.norm1(y + found)
        _, cross = self.attend(asking, states, states, layer.multihead_attn.taught(), heads, mask[:, None])
        return self.run_layer(layer, y, states, allowed, mask), own, cross


def each(allowed: Bool[Tensor, "target target"] | None, y: Tensor) -> Bool[Tensor, "batch target target"]:
    """Return the mask of the words for each sentence, as the taught decoder_layer has it."""
    length = y.shape[1]
    one = torch.ones(length, length, dtype=torch.bool, device=y.device) if allowed is None else allowed
    return one.expand(len(y), length, length)
