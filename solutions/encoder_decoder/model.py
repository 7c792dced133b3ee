"""The encoder–decoder of Cho et al. (2014), and with other options of its recipe Sutskever et al. (2014)."""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lab.decode import recurrent
from lab.decode.decoding import Memory, State, Translator
from lab.kinds.runs import Solution
from lab.text.batches import Mask, Source, Target
from lab.text.tokenizers import PAD
from lab.train.transfer import row_lengths
from solutions.encoder_decoder.attention import last_states
from solutions.encoder_decoder.recipe import DEFAULTS, PEERS, RECIPES, Recipe


class Encoder(nn.Module):
    """A recurrent network that reads the source, in one direction or in both."""

    def __init__(self, size: int, recipe: Recipe) -> None:
        super().__init__()
        self.reverse = recipe.reverse
        self.embedding = nn.Embedding(size, recipe.embedding_dim, padding_idx=PAD)
        network = nn.GRU if recipe.cell == "gru" else nn.LSTM
        self.network = network(
            recipe.embedding_dim,
            recipe.units,
            recipe.layers,
            batch_first=True,
            bidirectional=recipe.bidirectional,
            dropout=recipe.dropout if recipe.layers > 1 else 0.0,
        )
        self.dropout = nn.Dropout(recipe.dropout)

    def forward(self, source: Source, mask: Mask) -> tuple[Float[Tensor, "batch source states"], recurrent.Final]:
        """Return the state at each position and the final states of all layers (h, and for an LSTM the cell c too)."""
        states, final = recurrent.states_and_final(self.network, *self.words(source, mask))
        return self.dropout(states), final

    def states(self, source: Source, mask: Mask) -> Float[Tensor, "batch source states"]:
        """Return the state at each position alone, which a CPU finds faster."""
        return self.dropout(recurrent.states(self.network, *self.words(source, mask)))

    def words(
        self, source: Source, mask: Mask
    ) -> tuple[Float[Tensor, "batch source embedding_dim"], Int[Tensor, " batch"]]:
        """Return the vectors of the words in the order in which they are read, and how many each row has."""
        lengths = row_lengths(mask)
        if self.reverse:
            source = reversed_source(source, lengths)
        return self.dropout(self.embedding(source)), lengths


def reversed_source(source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]) -> Int[Tensor, "batch source"]:
    """Return the words of each row last to first, with </s> still at the end and the padding behind it.

    Sutskever et al. (2014), section 3.3.
    """
    position = torch.arange(source.shape[1], device=source.device)[None]
    words = lengths[:, None] - 1
    return source.gather(1, torch.where(position < words, words - 1 - position, position))


class Readout(nn.Module):
    """From what the decoder knows to scores of words: a maxout layer over pairs, then one matrix.

    t_k = max(t̃_{2k-1}, t̃_{2k}), p(y) ∝ exp(yᵀ W_o t): Cho et al. (2014), appendix A.1.2.
    """

    def __init__(self, inputs: int, embedding: nn.Embedding, maxout: int, tied: bool, dropout: float) -> None:
        super().__init__()
        self.pairs = nn.Linear(inputs, 2 * maxout) if maxout else None
        self.words = nn.Linear(maxout or inputs, embedding.num_embeddings)
        self.dropout = nn.Dropout(dropout)
        if tied:
            if self.words.weight.shape != embedding.weight.shape:
                raise ValueError(
                    f"tied embeddings: the readout's width must equal embedding_dim = {embedding.embedding_dim}, "
                    f"got {self.words.in_features}; set maxout = {embedding.embedding_dim}, or tied = False"
                )
            nn.init.normal_(embedding.weight, std=embedding.embedding_dim**-0.5)
            self.words.weight = embedding.weight

    def forward(self, features: Float[Tensor, "*rows inputs"]) -> Float[Tensor, "*rows vocabulary"]:
        if self.pairs is not None:
            features = self.pairs(features).unflatten(-1, (-1, 2)).amax(dim=-1)
        return self.words(self.dropout(features))


class EncoderDecoder(Translator):
    """One vector for the source, and a decoder that speaks from it; `read` makes the vector from the states."""

    attends = False

    def __init__(
        self, recipe: Recipe, source_size: int, target_size: int, read: Callable[[Tensor, Tensor], Tensor] = last_states
    ) -> None:
        super().__init__()
        self.recipe, self.read = recipe, read
        self.recordable = read is last_states
        self.encoder = Encoder(source_size, recipe)
        self.embedding = nn.Embedding(target_size, recipe.embedding_dim, padding_idx=PAD)
        summary_dim = recipe.units * (2 if recipe.bidirectional else 1)
        context_dim = summary_dim if recipe.context_everywhere else 0
        # Sutskever et al. (2014) hand the states of all layers over as they are; all others need a matrix.
        handed_over = recipe.cell == "lstm" and not recipe.bidirectional
        self.start = None if handed_over else nn.Linear(summary_dim, recipe.layers * recipe.units)
        network = nn.GRU if recipe.cell == "gru" else nn.LSTM
        between = recipe.dropout if recipe.layers > 1 else 0.0
        self.network = network(
            recipe.embedding_dim + context_dim, recipe.units, recipe.layers, batch_first=True, dropout=between
        )
        readout_input = recipe.units + context_dim + (recipe.embedding_dim if recipe.context_everywhere else 0)
        self.readout = Readout(readout_input, self.embedding, recipe.maxout, recipe.tied, recipe.dropout)
        self.dropout = nn.Dropout(recipe.dropout)

    def encode(self, source: Source, mask: Mask) -> tuple[Memory, State]:
        """Return the one vector c, and the decoder's first state: tanh(V' c), or that of a one-way encoder itself."""
        if self.start is None:
            _, final = self.encoder(source, mask)
            return {"context": final[0][-1]}, {
                name: h.transpose(0, 1) for name, h in zip(("hidden", "cell"), final, strict=False)
            }
        if self.recipe.bidirectional:
            context = self.read(self.encoder.states(source, mask), mask.sum(dim=1))
        else:
            context = self.encoder(source, mask)[1][0][-1]
        hidden = torch.tanh(self.start(context)).unflatten(-1, (self.recipe.layers, self.recipe.units))
        state = {"hidden": hidden}
        if self.recipe.cell == "lstm":
            state["cell"] = torch.zeros_like(hidden)
        return {"context": context}, state

    def decode(
        self, inputs: Target, memory: Memory, state: State
    ) -> tuple[Float[Tensor, "batch target readout_input"], State, None]:
        """Return the readout's input at each step, the state after the last one, and no weights."""
        words = self.dropout(self.embedding(inputs))
        if self.recipe.context_everywhere:
            context = memory["context"][:, None].expand(-1, inputs.shape[1], -1)
            words = torch.cat([words, context], dim=-1)
        first = tuple(h.transpose(0, 1).contiguous().to(words.dtype) for h in state.values())
        outputs, last = recurrent.run(self.network, words, first if self.recipe.cell == "lstm" else first[0])
        if self.recipe.context_everywhere:
            outputs = torch.cat([outputs, words], dim=-1)
        last = last if isinstance(last, tuple) else (last,)
        return outputs, {name: h.transpose(0, 1) for name, h in zip(state, last, strict=True)}, None


SOLUTION = Solution("encoder_decoder", EncoderDecoder, RECIPES, DEFAULTS, PEERS)
