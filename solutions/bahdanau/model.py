"""RNNsearch of Bahdanau et al. (2015): a decoder that attends to the source before each word."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lab.decode.decoding import Memory, State, Translator
from lab.kinds.runs import Solution
from lab.text.batches import Mask, Source, Target
from lab.text.tokenizers import PAD
from solutions.bahdanau.attention import additive_scores, masked_softmax, rnnsearch_step, weighted_sum
from solutions.bahdanau.recipe import DEFAULTS, PEERS, RECIPES, Recipe
from solutions.encoder_decoder.model import Encoder, Readout
from solutions.encoder_decoder.recipe import Recipe as EncoderRecipe

Units = Float[Tensor, "batch units"]
Weights = Float[Tensor, "batch source"]
Attend = Callable[..., tuple[Tensor, Tensor]]  # the arguments of solutions.bahdanau.additive_attention
Step = Callable[..., tuple[Tensor, Tensor, Tensor]]  # the arguments of solutions.bahdanau.rnnsearch_step


class Bahdanau(Translator):
    """Bidirectional GRU encoder, additive attention on s_{i-1}, GRU decoder, maxout readout.

    `attend` is any function with the arguments of `additive_attention`; without one, the same computation
    runs from its parts, with the keys projected once a sentence instead of once a word.
    """

    def __init__(self, recipe: Recipe, source_size: int, target_size: int, attend: Attend | None = None) -> None:
        super().__init__()
        units, states = recipe.units, 2 * recipe.units
        self.recipe, self.attend = recipe, attend
        self.recordable = attend is None
        shape = EncoderRecipe(embedding_dim=recipe.embedding_dim, units=units, dropout=recipe.dropout)
        self.encoder = Encoder(source_size, shape)
        self.embedding = nn.Embedding(target_size, recipe.embedding_dim, padding_idx=PAD)
        self.start = nn.Linear(units, units)
        self.W_q = nn.Parameter(torch.empty(recipe.hidden, units))
        self.W_k = nn.Parameter(torch.empty(recipe.hidden, states))
        self.v = nn.Parameter(torch.empty(recipe.hidden))
        # The three inputs of the GRU's gates (reset, update, candidate), each with a matrix of its own.
        self.from_word = nn.Linear(recipe.embedding_dim, 3 * units)
        self.from_context = nn.Linear(states, 3 * units, bias=False)
        self.from_state = nn.Linear(units, 3 * units)
        readout_input = units + recipe.embedding_dim + states
        self.readout = Readout(readout_input, self.embedding, recipe.maxout, recipe.tied, recipe.dropout)
        self.dropout = nn.Dropout(recipe.dropout)
        for matrix in (self.W_q, self.W_k):
            nn.init.xavier_uniform_(matrix)
        nn.init.normal_(self.v, std=recipe.hidden**-0.5)
        nn.init.orthogonal_(self.from_state.weight)

    def encode(self, source: Source, mask: Mask) -> tuple[Memory, State]:
        """Return the annotations h_j (with their projection W_k h_j) and s_0 = tanh(W_s ←h_1): appendix A.2.2."""
        states = self.encoder.states(source, mask)
        hidden = torch.tanh(self.start(states[:, 0, self.recipe.units :]))
        memory = {"states": states, "mask": mask}
        if self.attend is None:
            memory["projected"] = states @ self.W_k.T
        return memory, {"hidden": hidden}

    def context_and_weights(
        self, query: Units, projected: Float[Tensor, "batch hidden"], memory: Memory
    ) -> tuple[Float[Tensor, "batch states"], Weights]:
        """Return the context and the weights for the state s_{i-1}: equations 5 and 6."""
        if self.attend is not None:
            states = memory["states"]
            return self.attend(query, states, states, self.W_q, self.W_k, self.v, memory["mask"])
        scores = additive_scores(projected, memory["projected"], self.v.to(projected.dtype))
        weights = masked_softmax(scores, memory["mask"])
        return weighted_sum(weights, memory["states"]), weights

    def decode(
        self, inputs: Target, memory: Memory, state: State
    ) -> tuple[Float[Tensor, "batch target readout_input"], State, Float[Tensor, "batch target source"]]:
        """Return the readout's input [s_i ; E y_{i-1} ; c_i], equation 4, the last state, and the weights."""
        words, steps = self.dropout(self.embedding(inputs)), []
        advance = self.stepping(memory)
        for read in self.read(words).unbind(dim=1):
            of_state, context, weights, state = advance(read, state)
            steps.append((of_state, context, weights))
        states, contexts, all_weights = (torch.stack(each, dim=1) for each in zip(*steps, strict=True))
        return torch.cat([states, words.to(states.dtype), contexts.to(states.dtype)], dim=-1), state, all_weights

    def read(
        self, words: Float[Tensor, "batch target embedding_dim"]
    ) -> Float[Tensor, "batch target gates_or_embedding"]:
        """Return the input of each step: the words' share of the gates, all steps at once, as it has no recurrence."""
        return self.from_word(words)

    def stepping(self, memory: Memory) -> Callable[[Tensor, State], tuple[Tensor, Tensor, Tensor, State]]:
        """Return the function of one step: from its gates and the state, what the readout gets, and the next state."""
        # What the state is multiplied with at each step, as one matrix: the gates, and W_q for the next query.
        weight = torch.cat([self.from_state.weight, self.W_q])
        bias = torch.cat([self.from_state.bias, self.W_q.new_zeros(len(self.W_q))])

        def advance(gates_of_word: Tensor, state: State) -> tuple[Tensor, Tensor, Tensor, State]:
            hidden = state["hidden"]
            both = nn.functional.linear(hidden, weight, bias)
            gates_of_state, query = both.split([3 * self.recipe.units, len(self.W_q)], dim=-1)
            context, weights = self.context_and_weights(hidden, query, memory)
            new = gru_update(gates_of_word + self.from_context(context), gates_of_state, hidden)
            return self.for_readout(hidden, new), context, weights, {"hidden": new}

        return advance

    def for_readout(self, previous: Units, new: Units) -> Units:
        """Return s_i, which equation 4 gives to the readout, or s_{i-1}, which appendix A.2.2 does."""
        return new if self.recipe.readout == "new" else previous


def gru_update(
    from_input: Float[Tensor, "batch gates"], from_state: Float[Tensor, "batch gates"], state: Units
) -> Units:
    """Return the next state of a GRU: s_i = (1 - z) ∘ s̃ + z ∘ s_{i-1}, s̃ = tanh(input + r ∘ (U s_{i-1})).

    As torch.nn.GRU has it. Appendix A.1.1 of the paper multiplies by r before the matrix U, and swaps z and 1 - z.
    """
    reset_in, update_in, new_in = from_input.chunk(3, dim=-1)
    reset_state, update_state, new_state = from_state.chunk(3, dim=-1)
    reset = torch.sigmoid(reset_in + reset_state)
    update = torch.sigmoid(update_in + update_state)
    new = torch.tanh(new_in + reset * new_state)
    return torch.lerp(new, state.to(new.dtype), update)


class StepByStep(Bahdanau):
    """The same model and parameters as Bahdanau, decoded by any function with the arguments of `rnnsearch_step`.

    Slower: Bahdanau takes the words' part of the gates out of the loop, and the gates and W_q as one matrix.
    """

    def __init__(self, recipe: Recipe, source_size: int, target_size: int, decoder_step: Step = rnnsearch_step) -> None:
        super().__init__(recipe, source_size, target_size)
        self.decoder_step, self.recordable = decoder_step, False

    def cell(self, x: Float[Tensor, "batch word_and_context"], state: Units) -> Units:
        """Return the GRU's next state; x is [word ; context]."""
        word, context = x.split([self.recipe.embedding_dim, 2 * self.recipe.units], dim=-1)
        return gru_update(self.from_word(word) + self.from_context(context), self.from_state(state), state)

    def read(self, words: Float[Tensor, "batch target embedding_dim"]) -> Float[Tensor, "batch target embedding_dim"]:
        return words

    def stepping(self, memory: Memory) -> Callable[[Tensor, State], tuple[Tensor, Tensor, Tensor, State]]:
        source = (memory["states"], memory["projected"], self.W_q, self.v, self.cell, memory["mask"])

        def advance(word: Tensor, state: State) -> tuple[Tensor, Tensor, Tensor, State]:
            new, context, weights = self.decoder_step(word, state["hidden"], *source)
            return self.for_readout(state["hidden"], new), context, weights, {"hidden": new}

        return advance


class QueryAfter(Bahdanau):
    """The same parameters as Bahdanau's; the query is s_i = f(y_{i-1}, s_{i-1}, c_{i-1}), as Luong et al. (2015) ask.

    The paper's query s_{i-1} has not read y_{i-1}, the word before the one that is to be predicted; s_i has.
    """

    def encode(self, source: Source, mask: Mask) -> tuple[Memory, State]:
        """Return memory and state of Bahdanau.encode, and c_0 = 0."""
        memory, state = super().encode(source, mask)
        states = memory["states"]
        return memory, state | {"context": states.new_zeros(len(states), states.shape[-1])}

    def stepping(self, memory: Memory) -> Callable[[Tensor, State], tuple[Tensor, Tensor, Tensor, State]]:
        def advance(gates_of_word: Tensor, state: State) -> tuple[Tensor, Tensor, Tensor, State]:
            gates = gates_of_word + self.from_context(state["context"])
            hidden = gru_update(gates, self.from_state(state["hidden"]), state["hidden"])
            context, weights = self.context_and_weights(hidden, hidden @ self.W_q.T.to(hidden.dtype), memory)
            return hidden, context, weights, {"hidden": hidden, "context": context}

        return advance


def build(recipe: Recipe, source_size: int, target_size: int) -> Bahdanau:
    """Return the model that the recipe asks for."""
    return {"before": Bahdanau, "after": QueryAfter}[recipe.query](recipe, source_size, target_size)


SOLUTION = Solution("bahdanau", build, RECIPES, DEFAULTS, PEERS)
