"""Luong's models as they are trained: the parameters and values of model.py, all steps at once where they can be.

Without input feeding that is everything; with it, the share of the words in the gates.
"""

from dataclasses import replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lab import recurrent
from lab.decoding import Memory, State
from solutions.luong import model
from solutions.luong.model import Luong


class FastLuong(Luong):
    """The same model with the same state dict; no attention is handed in."""

    recordable = True

    def run(
        self, inputs: Int[Tensor, "batch target"], memory: Memory, state: State
    ) -> tuple[Tensor, Tensor, Tensor, State]:
        """Return h_t, h̃_t and the weights of every step, and the last state."""
        words = self.dropout(self.embedding(inputs))
        time = state["time"][:, None] + torch.arange(inputs.shape[1], device=inputs.device)
        if self.recipe.feeding:
            h, attended, weights, state = self.fed_back(words, memory, state, time)
        else:
            first = tuple(state[name].transpose(0, 1).contiguous().to(words.dtype) for name in ("hidden", "cell"))
            h, (hidden, cell) = recurrent.run(self.network, words, first)
            attended, weights = self.attentional_states(h, memory, time)
            state = {"hidden": hidden.transpose(0, 1), "cell": cell.transpose(0, 1)}
        return h, attended, weights, state | {"time": time[:, -1] + 1}

    def attentional_states(
        self, h_t: Float[Tensor, "batch target units"], memory: Memory, time: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target units"], Float[Tensor, "batch target source"]]:
        """Return what Luong.attentional returns, of any number of steps."""
        weights = self.attention_weights(h_t, memory, time)
        context = weights.to(memory["states"].dtype) @ memory["states"]
        return torch.tanh(self.W_c(torch.cat([context.to(h_t.dtype), h_t], dim=-1))), weights

    def fed_back(
        self,
        words: Float[Tensor, "batch target embedding"],
        memory: Memory,
        state: State,
        time: Int[Tensor, "batch target"],
    ) -> tuple[Tensor, Tensor, Tensor, State]:
        """Run step by step, each with the h̃ of the one before: section 3.3."""
        below, layers = self.gate_params()
        gates_of_words = nn.functional.linear(words, below, layers[0][1])  # all steps at once: no recurrence in it
        hidden, cell = list(state["hidden"].unbind(1)), list(state["cell"].unbind(1))
        fed, tops, attendeds, all_weights = state["fed"], [], [], []
        for t, of_word in enumerate(gates_of_words.unbind(dim=1)):
            layer_input = fed
            for layer, (weight, bias) in enumerate(layers):
                both = torch.cat([layer_input.to(of_word.dtype), hidden[layer].to(of_word.dtype)], dim=-1)
                gates = (
                    of_word + nn.functional.linear(both, weight)
                    if layer == 0
                    else nn.functional.linear(both, weight, bias)
                )
                hidden[layer], cell[layer] = lstm_update(gates, cell[layer])
                layer_input = self.dropout(hidden[layer])
            attended, weights = self.attentional_states(hidden[-1][:, None], memory, time[:, t : t + 1])
            fed = attended[:, 0]
            tops.append(hidden[-1])
            attendeds.append(fed)
            all_weights.append(weights[:, 0])
        last = {"hidden": torch.stack(hidden, dim=1), "cell": torch.stack(cell, dim=1), "fed": fed}
        h, attended, weights = (torch.stack(each, dim=1) for each in (tops, attendeds, all_weights))
        return h, attended, weights, last

    def gate_params(self) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
        """Return the gates' matrix for the words, and for each layer one matrix for [what comes from below ; state]."""
        layers = []
        for W_x, W_h, b_x, b_h in self.network.all_weights:
            layers.append((torch.cat([W_x, W_h], dim=1), b_x + b_h))
        words = self.recipe.embedding_dim
        (first, bias), *rest = layers
        return first[:, :words], [(first[:, words:], bias), *rest]


def lstm_update(
    gates: Float[Tensor, "batch gates"], cell: Float[Tensor, "batch units"]
) -> tuple[Float[Tensor, "batch units"], Float[Tensor, "batch units"]]:
    """Return the next state and cell of an LSTM: c = f ∘ c + i ∘ g, h = o ∘ tanh(c), as torch.nn.LSTM has it."""
    i, f, g, o = gates.chunk(4, dim=-1)
    cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(cell), cell


SOLUTION = replace(model.SOLUTION, build=FastLuong)
