"""Every hyperparameter of the encoder–decoder, with the section of the paper it comes from."""

from dataclasses import dataclass, field, replace
from typing import Literal

from lab.kinds.ranges import Count, Part, Size
from lab.train.training import Training


@dataclass(frozen=True)
class Recipe:
    """The model's sizes and how it is trained."""

    cell: Literal["gru", "lstm"] = "gru"  # Cho et al. (2014), section 2.3; Sutskever et al. (2014), section 3.4
    embedding_dim: Size = 256
    units: Size = 512  # width of one direction of the encoder, and of the decoder
    layers: Size = 1
    bidirectional: bool = True  # ours, for a fair comparison with attention: neither paper reads both ways
    reverse: bool = False  # feed the source words last to first: Sutskever et al. (2014), section 3.3
    context_everywhere: bool = True  # c enters each step and the readout: Cho et al. (2014), section 2.2
    maxout: Count = 256  # width of the maxout readout: Cho et al. (2014), appendix A.1.2; 0 = none
    tied: bool = False  # one matrix for target embeddings and output words (ours)
    dropout: Part = 0.0
    vocabulary: Count = 0  # subwords per language; 0 = whole words
    lowercase: bool = False
    training: Training = field(default_factory=Training)


# The same widths and the same training as solutions.bahdanau's `small` and `medium`: only attention differs.
SMALL = Recipe(
    embedding_dim=96,
    units=128,
    maxout=96,
    dropout=0.1,
    training=Training(tokens=1000, epochs=2, rate=6e-3, precision="fp32"),
)
RECIPES = {
    # A minute on a laptop.
    "small": SMALL,
    # Longer: the recipe of the figures by sentence length.
    "medium": replace(SMALL, training=replace(SMALL.training, tokens=2000, epochs=10, rate=4e-3)),
    # Cho's model at the size that 29,000 sentence pairs can feed.
    "base": Recipe(
        tied=True,
        dropout=0.4,
        vocabulary=6000,
        training=Training(tokens=1500, epochs=25, rate=1.5e-3, smoothing=0.1, ema=0.997),
    ),
    # Cho et al. (2014), section 4.1 and appendix A.1 (trained there on phrase pairs with Adadelta).
    "cho": Recipe(
        embedding_dim=500,
        units=1000,
        bidirectional=False,
        maxout=500,
        vocabulary=15000,
        training=Training(tokens=4000, epochs=10, rate=5e-4),
    ),
    # Sutskever et al. (2014), sections 3.3 and 3.4 (trained there with SGD, 7.5 epochs, gradient norm at most 5).
    "sutskever": Recipe(
        cell="lstm",
        embedding_dim=1000,
        units=1000,
        layers=4,
        bidirectional=False,
        reverse=True,
        context_everywhere=False,
        maxout=0,
        vocabulary=32000,
        training=Training(tokens=4000, epochs=8, rate=5e-4, clip=5.0),
    ),
}
DEFAULTS = {"phrasebook": "small", "multi30k": "base"}  # corpus: recipe

# What others got on the same test set, and how it was scored: another scale than ours unless it says so.
PEERS = {
    "multi30k-de-en": [
        {
            "system": "bentrevett/pytorch-seq2seq, GRU without attention, words",
            "score": 20.6,
            "scale": "test2016, lower-cased, spaCy tokens, greedy",
        }
    ]
}
