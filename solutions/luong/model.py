"""The models of Luong et al. (2015): stacked LSTMs, a score, a window or none, and input feeding or none.

What can be is computed at all steps at once: without input feeding everything, with it the share of the words in the
gates.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lab.decode import recurrent
from lab.decode.decoding import Memory, State, Translator
from lab.kinds.runs import Solution
from lab.text.batches import Mask, Source, Target
from lab.text.tokenizers import PAD
from solutions.bahdanau.attention import masked_softmax
from solutions.encoder_decoder.model import Encoder, Readout
from solutions.encoder_decoder.recipe import Recipe as EncoderRecipe
from solutions.luong.attention import (
    concat_score,
    dot_score,
    gaussian,
    general_score,
    predicted_position,
    window,
)
from solutions.luong.recipe import DEFAULTS, RECIPES, Recipe

States = Float[Tensor, "batch target units"]
Weights = Float[Tensor, "batch target source"]
Places = Int[Tensor, "batch target"]
Score = Callable[..., Tensor]  # (h_t, h_s, parameters …) -> scores (batch, target, source)
Attend = Callable[..., tuple[Tensor, Tensor]]  # attentional_state, or local_p_weights


def location_score(
    h_t: States, h_s: Float[Tensor, "batch source units"], W_a: Float[Tensor, "longest units"]
) -> Weights:
    """Return the score of each source position, whatever stands there: W_a h_t, one row of W_a a position.

    Luong et al. (2015), equation 8. Positions that W_a has no row for get no weight.
    """
    source = h_s.shape[1]
    scores = h_t @ W_a[:source].T
    return nn.functional.pad(scores, (0, source - scores.shape[-1]), value=torch.finfo(scores.dtype).min)


# The states of a fresh LSTM are small, about 0.1. Behind them, parameters of usual size would give scores and logits
# near 0, and a slow start (measured on the phrasebook: loss 3.6 after 200 steps, with this factor 1.9).
START = 4.0

SCORES: dict[str, Score] = {
    "dot": dot_score,
    "general": general_score,
    "concat": concat_score,
    "location": location_score,
}


GLOBAL, LOCAL = ("general", "global"), ("general", "local_p")  # score and attention of the taught functions


class Luong(Translator):
    """An LSTM decoder that steps first and attends then: the state after the step is the query, section 3.

    `attend` is any function with the arguments of `attentional_state`; it is called once a step, with the general score
    and no window. `local` is one with those of `local_p_weights`, for the general score and a window that is predicted.
    """

    def __init__(
        self,
        recipe: Recipe,
        source_size: int,
        target_size: int,
        attend: Attend | None = None,
        local: Attend | None = None,
    ) -> None:
        super().__init__()
        chosen = recipe.score, recipe.attention
        for given, (score, attention) in ((attend, GLOBAL), (local, LOCAL)):
            if given is not None and chosen != (score, attention):
                raise ValueError(
                    f"the attention that is handed in is called in one model only: expected score = {score} and "
                    f"attention = {attention}, got {recipe.score} and {recipe.attention}"
                )
        units, hidden = recipe.units, recipe.hidden
        self.recipe, self.score = recipe, SCORES[recipe.score]
        self.attend, self.local = attend, local
        self.recordable = attend is None and local is None
        self.encoder = Encoder(source_size, encoder_recipe(recipe))
        self.embedding = nn.Embedding(target_size, recipe.embedding_dim, padding_idx=PAD)
        self.network = nn.LSTM(
            recipe.embedding_dim + (units if recipe.feeding else 0),
            units,
            recipe.layers,
            batch_first=True,
            dropout=recipe.dropout if recipe.layers > 1 else 0.0,
        )
        shapes = {
            "dot": [],
            "general": [(units, units)],
            "concat": [(hidden, 2 * units), (hidden,)],
            "location": [(recipe.longest, units)],
        }
        self.score_weights = nn.ParameterList(parameter(*shape) for shape in shapes[recipe.score])
        if recipe.attention == "local_p":
            self.W_p, self.v_p = parameter(hidden, units), parameter(hidden)
        self.W_c = nn.Linear(2 * units, units, bias=False)
        self.readout = Readout(units, self.embedding, maxout=0, tied=recipe.tied, dropout=recipe.dropout)
        self.dropout = nn.Dropout(recipe.dropout)
        with torch.no_grad():
            for weight in (self.W_c.weight, *([] if recipe.tied else [self.readout.words.weight])):
                weight *= START
            for weight in self.score_weights:
                weight *= recipe.score_start

    def encode(self, source: Source, mask: Mask) -> tuple[Memory, State]:
        """Return the top layer's states, and the last states of all layers, with which the decoder begins."""
        states, final = self.encoder(source, mask)
        # Of an encoder that reads both ways, the two halves of a layer side by side.
        hidden, cell = (
            torch.cat(list(last.unflatten(0, (self.recipe.layers, -1)).unbind(1)), dim=-1) for last in final
        )
        state = {
            "hidden": hidden.transpose(0, 1),
            "cell": cell.transpose(0, 1),
            "time": mask.new_zeros(len(mask)).long(),
        }
        if self.recipe.feeding:
            state["fed"] = states.new_zeros(len(states), self.recipe.units)  # h̃_0 = 0
        return {"states": states, "mask": mask}, state

    def position(self, h_t: States, lengths: Places, time: Places) -> Float[Tensor, "batch target"]:
        """Return the centre of the window: predicted, or as many words into the source as have been generated.

        A translation may be longer than its source: then the window stays at the last word (ours).
        """
        if self.predicts:
            return predicted_position(h_t, self.W_p.to(h_t.dtype), self.v_p.to(h_t.dtype), lengths)
        return torch.minimum(time, lengths - 1).float()

    @property
    def predicts(self) -> bool:
        """Return whether the model predicts the centre of its window."""
        return self.recipe.attention == "local_p"

    def centres(self, source: Source, mask: Mask, inputs: Target) -> Float[Tensor, "batch target"]:
        """Return the centre of the window at each step of a translation that is given."""
        memory, state = self.encode(source, mask)
        h_t, *_ = self.run(inputs, memory, state)
        time = torch.arange(inputs.shape[1], device=inputs.device).expand(len(inputs), -1)
        return self.position(h_t, mask.sum(dim=1)[:, None].expand_as(time), time)

    def attention_weights(self, h_t: States, memory: Memory, time: Places) -> Weights:
        """Return the weights of any number of steps: section 3.1, and equation 10."""
        states, mask, D = memory["states"], memory["mask"], self.recipe.D
        scores = self.score(h_t, states.to(h_t.dtype), *(weight.to(h_t.dtype) for weight in self.score_weights))
        if self.recipe.attention == "global":
            return masked_softmax(scores, mask[:, None].expand_as(scores))
        lengths = mask.sum(dim=1)[:, None].expand_as(time)
        p = self.position(h_t, lengths, time)
        weights = masked_softmax(scores, window(p, lengths, states.shape[1], D))
        return weights * gaussian(p, states.shape[1], D) if self.predicts else weights

    def attentional_states(self, h_t: States, memory: Memory, time: Places) -> tuple[States, Weights]:
        """Return h̃_t = tanh(W_c [c_t ; h_t]), equation 5, and the weights of any number of steps."""
        states, mask = memory["states"], memory["mask"]
        if self.attend is not None:
            W_a, W_c = self.score_weights[0], self.W_c.weight
            each = [self.attend(h, states.to(h.dtype), W_a, W_c, mask) for h in h_t.unbind(dim=1)]
            attended, weights = (torch.stack(parts, dim=1) for parts in zip(*each, strict=True))
            return attended, weights
        if self.local is None:
            weights = self.attention_weights(h_t, memory, time)
        else:  # step by step, by the function that is handed in
            params = [each.to(h_t.dtype) for each in (self.score_weights[0], self.W_p, self.v_p)]
            given = states.to(h_t.dtype), *params, mask.sum(dim=1), self.recipe.D
            weights = torch.stack([self.local(h, *given)[0] for h in h_t.unbind(dim=1)], dim=1)
        context = weights.to(states.dtype) @ states
        return torch.tanh(self.W_c(torch.cat([context.to(h_t.dtype), h_t], dim=-1))), weights

    def decode(self, inputs: Target, memory: Memory, state: State) -> tuple[States, State, Weights]:
        """Return the attentional states h̃_t, the state after the last step, and the weights."""
        _, attended, weights, state = self.run(inputs, memory, state)
        return attended, state, weights

    def run(self, inputs: Target, memory: Memory, state: State) -> tuple[Tensor, Tensor, Tensor, State]:
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

    def fed_back(
        self, words: Float[Tensor, "batch target embedding"], memory: Memory, state: State, time: Places
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


def encoder_recipe(recipe: Recipe) -> EncoderRecipe:
    """Return the encoder's sizes: its states are as wide as the decoder's, in one direction or in two halves."""
    if recipe.bidirectional and recipe.units % 2:
        raise ValueError(f"bidirectional: units must be even, two halves make a state; got units = {recipe.units}")
    return EncoderRecipe(
        cell="lstm",
        embedding_dim=recipe.embedding_dim,
        units=recipe.units // 2 if recipe.bidirectional else recipe.units,
        layers=recipe.layers,
        bidirectional=recipe.bidirectional,
        dropout=recipe.dropout,
    )


def parameter(*shape: int) -> nn.Parameter:
    """Return parameters that start at random, of a size that keeps what they multiply about as large as it was."""
    return nn.Parameter(torch.randn(shape) * shape[-1] ** -0.5)


SOLUTION = Solution("luong", Luong, RECIPES, DEFAULTS)
