"""Every hyperparameter of Bahdanau's RNNsearch, with the section of the paper it comes from."""

from dataclasses import dataclass, field, replace
from typing import Literal

from lab.kinds.ranges import Count, Part, Size
from lab.train.training import Training
from solutions.encoder_decoder.recipe import RECIPES as PLAIN


@dataclass(frozen=True)
class Recipe:
    """The model's sizes and how it is trained."""

    embedding_dim: Size = 256  # m in appendix A.2.3
    units: Size = 512  # n: width of one direction of the encoder, and of the decoder
    hidden: Size = 512  # n′: width of the alignment model
    maxout: Size = 256  # l: width of the maxout readout
    query: Literal["before", "after"] = "before"  # the state that asks: s_{i-1}, the paper; s_i, as Luong et al. do
    readout: Literal["new", "previous"] = "new"  # which state the readout gets: s_i, equation 4; s_{i-1}, A.2.2
    tied: bool = False  # one matrix for target embeddings and output words (ours)
    dropout: Part = 0.0
    vocabulary: Count = 0  # subwords per language; 0 = whole words
    lowercase: bool = False
    training: Training = field(default_factory=Training)


# The same widths and the same training as solutions.encoder_decoder's `small` and `medium`: only attention differs.
SMALL = Recipe(
    embedding_dim=96,
    units=128,
    hidden=128,
    maxout=96,
    dropout=0.1,
    training=PLAIN["small"].training,
)
RECIPES = {
    # A minute on a laptop.
    "small": SMALL,
    # Longer: the recipe of the figures by sentence length and of the alignment error rate.
    "medium": replace(SMALL, training=PLAIN["medium"].training),
    # The size that 29,000 sentence pairs can feed.
    "base": Recipe(
        hidden=256,
        tied=True,
        dropout=0.4,
        vocabulary=6000,
        readout="previous",  # as the results were trained that are kept
        training=Training(tokens=1500, epochs=20, rate=1.5e-3, smoothing=0.1, ema=0.997),
    ),
    # Bahdanau et al. (2015), appendix A.2.3 and B.2 (there: Adadelta, 80 sentences a batch, gradient norm at most 1).
    "paper": Recipe(
        embedding_dim=620,
        units=1000,
        hidden=1000,
        maxout=500,
        vocabulary=30000,
        readout="previous",
        training=Training(tokens=4000, epochs=5, rate=5e-4, clip=1.0),
    ),
}
DEFAULTS = {"phrasebook": "small", "multi30k": "base"}  # corpus: recipe

# What others got on the same test set, and how it was scored: another scale than ours unless it says so.
PEERS = {
    "multi30k-de-en": [
        {
            "system": "bentrevett/pytorch-seq2seq, additive attention, words",
            "score": 28.3,
            "scale": "test2016, lower-cased, spaCy tokens, greedy",
        }
    ]
}
