"""What the classifiers of several chapters read with: embeddings that drop words, networks without padding's states."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lab.decode import recurrent
from lab.text.batches import word_dropout
from lab.text.tokenizers import PAD
from lab.train.transfer import on_host, sent


class Embedding(nn.Embedding):
    """Word vectors. While it learns, it reads a share `word_dropout` of the words as <unk> (Iyyer et al., 2015)."""

    def __init__(
        self, vocabulary: int, width: int, dropout: float = 0.0, word_dropout: float = 0.0, scale: float = 0.1
    ) -> None:
        super().__init__(vocabulary, width, padding_idx=PAD)
        nn.init.normal_(self.weight, std=scale)
        with torch.no_grad():
            self.weight[PAD] = 0
        self.word_dropout, self.dropout = word_dropout, nn.Dropout(dropout)

    def forward(self, input: Int[Tensor, "*words"]) -> Float[Tensor, "*words width"]:
        return self.dropout(super().forward(word_dropout(input, self.word_dropout if self.training else 0.0)))


def states(
    network: nn.RNNBase, inputs: Float[Tensor, "rows length width"], mask: Bool[Tensor, "rows length"]
) -> Float[Tensor, "rows length states"]:
    """Return the states of a recurrent network at the positions where the mask is True, and zeros elsewhere.

    It runs over these positions alone, wherever they stand; a row without any is left out.
    """
    lengths = on_host(mask).sum(dim=1)
    order = (~mask).int().argsort(dim=1, stable=True)  # the positions to be read first, in their order
    some = lengths.nonzero()[:, 0]
    rows = sent(some, mask.device)
    width = network.hidden_size * (2 if network.bidirectional else 1)
    padded = inputs.new_zeros(*mask.shape, width)
    if not len(rows):
        return padded
    read = inputs.gather(1, order[:, :, None].expand_as(inputs))[rows]
    outputs = recurrent.states(network, read, sent(lengths[some], mask.device))
    return padded.to(outputs.dtype).index_put((rows[:, None], order[rows]), outputs)
