"""The encoder–decoder as it is taught: a decoder that goes step by step, and a loss over all positions of a batch.

model.py trains the same model faster: a library's network takes all steps in one call, and the readout leaves out the
padding. A test proves values and gradients equal.
"""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lab.text.batches import Batch, Real
from lab.text.tokenizers import BOS, EOS, PAD
from solutions.encoder_decoder import attention
from solutions.encoder_decoder.model import EncoderDecoder
from solutions.encoder_decoder.recipe import Recipe

Step = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]  # gru_step
Shift = Callable[[Tensor, int, int, int], tuple[Tensor, Tensor]]
Loss = Callable[[Tensor, Tensor, int], Tensor]  # sequence_loss


class SteppedGRU(nn.GRU):
    """A GRU of one layer and one direction that calls a function for each step."""

    def __init__(self, step: Step, inputs: int, units: int) -> None:
        super().__init__(inputs, units, batch_first=True)
        self.step = step

    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, inputs: Float[Tensor, "batch target inputs"], first: Float[Tensor, "1 batch units"]
    ) -> tuple[Float[Tensor, "batch target units"], Float[Tensor, "1 batch units"]]:
        """Return the state after each step, and the last one."""
        params = self.all_weights[0]
        state, states = first[0], []
        for x in inputs.unbind(dim=1):
            state = self.step(x, state, *params)
            states.append(state)
        return torch.stack(states, dim=1), state[None]


class PlainEncoderDecoder(EncoderDecoder):
    """The model with the taught functions handed in: they read, step, shift and measure the loss."""

    def __init__(
        self,
        recipe: Recipe,
        source_size: int,
        target_size: int,
        read: Callable[[Tensor, Tensor], Tensor] = attention.last_states,
        step: Step = attention.gru_step,
        shift: Shift = attention.shift,
        sequence_loss: Loss = attention.sequence_loss,
    ) -> None:
        if recipe.cell != "gru" or recipe.layers != 1:
            raise ValueError(
                f"the steps are those of one layer of GRUs: expected cell = gru and layers = 1, got {recipe.cell} and "
                f"{recipe.layers}; take the recipe small"
            )
        super().__init__(recipe, source_size, target_size, read)
        self.network = SteppedGRU(step, int(self.network.input_size), recipe.units)
        self.shift, self.sequence_loss, self.recordable = shift, sequence_loss, False

    def loss(self, batch: Batch, real: Real, smoothing: float) -> Float[Tensor, ""]:
        """Return the cross-entropy at the real target positions; `real` is not needed, the targets tell."""
        if smoothing:
            raise ValueError(f"the taught loss smoothes no labels: expected smoothing = 0, got {smoothing}")
        inputs, targets = self.shift(sentences(batch), BOS, EOS, PAD)
        memory, state = self.encode(batch.source, batch.mask)
        features, _, _ = self.decode(inputs, memory, state)
        return self.sequence_loss(self.readout(features), targets, PAD)


def sentences(batch: Batch) -> Int[Tensor, "batch words"]:
    """Return the target sentences of a batch as they were before they were shifted, padded and without end marks."""
    return batch.inputs[:, 1:]


def with_gradient(step: Callable[..., Tensor], backward: Callable[..., tuple[Tensor, ...]]) -> Callable[..., Tensor]:
    """Return a step whose gradients are those that `backward` (gru_step_backward) works out: autograd has no part."""

    class Stepped(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *arguments: Tensor) -> Tensor:
            ctx.save_for_backward(*arguments)
            return step(*arguments)

        @staticmethod
        def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, ...]:
            return backward(outer[0], *ctx.saved_tensors)

    return lambda *arguments: Stepped.apply(*arguments)
