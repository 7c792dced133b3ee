"""Input feeding as it is taught, in a model: one plain recurrent layer, and the function itself is the decoder.

It goes through the words so far anew for each word that it says: `input_feeding` begins at the first word.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lab.decode.decoding import Memory, State, Translator
from lab.text.batches import Mask, Source, Target
from lab.text.tokenizers import PAD
from solutions.encoder_decoder.model import Encoder, Readout
from solutions.luong.attention import input_feeding
from solutions.luong.model import START, encoder_recipe, parameter
from solutions.luong.recipe import Recipe

Decoder = Callable[..., tuple[Tensor, Tensor]]  # the arguments of input_feeding


class PlainFeeding(Translator):
    """The taught input feeding behind the encoder of Luong's models, section 3.3 with one plain layer."""

    def __init__(self, recipe: Recipe, source_size: int, target_size: int, decoder: Decoder = input_feeding) -> None:
        super().__init__()
        chosen = recipe.score, recipe.attention, recipe.feeding, recipe.layers
        if chosen != ("dot", "global", True, 1):
            raise ValueError(
                "the taught decoder is one layer with the dot score and input feeding: expected score = dot, "
                f"attention = global, feeding = True and layers = 1, got {chosen}"
            )
        units, embedding_dim = recipe.units, recipe.embedding_dim
        self.decoder = decoder
        self.encoder = Encoder(source_size, encoder_recipe(recipe))
        self.embedding = nn.Embedding(target_size, embedding_dim, padding_idx=PAD)
        self.W_x, self.W_h = parameter(units, embedding_dim + units), parameter(units, units)
        self.W_c = parameter(units, 2 * units)
        self.readout = Readout(units, self.embedding, maxout=0, tied=recipe.tied, dropout=recipe.dropout)
        self.dropout = nn.Dropout(recipe.dropout)
        with torch.no_grad():
            self.W_c *= START
            self.readout.words.weight *= 1.0 if recipe.tied else START

    def encode(self, source: Source, mask: Mask) -> tuple[Memory, State]:
        """Return the source states; the decoder begins with the encoder's last ones, its two halves side by side."""
        states, (hidden, *_) = self.encoder(source, mask)
        first = torch.cat(list(hidden.unbind(0)), dim=-1)
        return {"states": states, "mask": mask}, {"first": first, "words": source.new_zeros(len(source), 0)}

    def decode(
        self, inputs: Target, memory: Memory, state: State
    ) -> tuple[Float[Tensor, "batch target units"], State, Float[Tensor, "batch target source"]]:
        """Return the attentional states and the weights of the new words, and the words so far."""
        words, before = torch.cat([state["words"], inputs], dim=1), state["words"].shape[1]
        emb, enc = self.dropout(self.embedding(words)), memory["states"]
        attended, weights = self.decoder(emb, state["first"], enc, self.W_x, self.W_h, self.W_c, memory["mask"])
        return attended[:, before:], {"first": state["first"], "words": words}, weights[:, before:]
