"""The encoder–decoder in two functions, as the chapter shows it: the source into one vector, the vector into scores."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from solutions.encoder_decoder.attention import last_states
from solutions.encoder_decoder.model import EncoderDecoder


def encode(
    model: EncoderDecoder, source: Int[Tensor, "batch source"], mask: Bool[Tensor, "batch source"]
) -> tuple[Float[Tensor, "batch both_units"], Float[Tensor, "batch units"]]:
    """Return the vector c of each sentence, and the decoder's first state."""
    states = model.encoder.states(source, mask)  # (batch, source, both_units)
    c = last_states(states, mask.sum(dim=1))  # (batch, both_units)
    return c, torch.tanh(model.start(c))  # the matrix V' is in `start`


def decode(
    model: EncoderDecoder,
    inputs: Int[Tensor, "batch target"],
    c: Float[Tensor, "batch both_units"],
    first: Float[Tensor, "batch units"],
) -> Float[Tensor, "batch target vocabulary"]:
    """Return the scores of the next word after each input word."""
    words = model.embedding(inputs)  # (batch, target, embedding_dim)
    c = c[:, None].expand(-1, inputs.shape[1], -1)  # the same c at every step
    states, _ = model.network(torch.cat([words, c], dim=-1), first[None])
    return model.readout(torch.cat([states, words, c], dim=-1))
