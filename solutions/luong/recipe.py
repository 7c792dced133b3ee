"""Every hyperparameter of Luong's models, with the section of the paper it comes from."""

from dataclasses import dataclass, field, replace
from typing import Literal

from lab.kinds.ranges import Count, Part, Positive, Size
from lab.train.training import Training
from solutions.encoder_decoder.recipe import RECIPES as PLAIN


@dataclass(frozen=True)
class Recipe:
    """Which attention, the model's sizes, and how it is trained."""

    score: Literal["dot", "general", "concat", "location"] = "general"  # section 3.1
    attention: Literal["global", "local_m", "local_p"] = "global"  # sections 3.1 and 3.2
    D: Size = 10  # half the window's width: section 4.1
    feeding: bool = True  # section 3.3
    embedding_dim: Size = 512
    units: Size = 512  # width of a layer, of a source state, and of the attentional state
    layers: Size = 1  # stacked LSTMs: section 2; the paper has 4
    bidirectional: bool = False  # the paper reads one way; True: two encoders of half the width
    hidden: Size = 128  # rows of W_a in the concat score, and of W_p
    longest: Size = 100  # positions that the location score has a row for
    score_start: Positive = 1.0  # what the score's fresh weights are multiplied with (ours): see below
    tied: bool = False  # one matrix for target embeddings and output words (ours)
    dropout: Part = 0.0
    vocabulary: Count = 0  # subwords per language; 0 = whole words
    lowercase: bool = False
    training: Training = field(default_factory=Training)


# score_start: with 4.0 in place of 1.0, nearly all weight of a model of 512 units on Multi30k lay at the sentence's end
# (validation BLEU 9.8 after two epochs, 25.1 after 13; with 1.0 it had 17.9 after two).

# The widths of word vectors and decoder, and the training, of solutions.bahdanau's `small` and `medium`. The encoder
# reads both ways as there, but with LSTMs of half the width.
SMALL = Recipe(
    embedding_dim=96,
    units=128,
    bidirectional=True,
    hidden=64,
    dropout=0.1,
    training=PLAIN["small"].training,
)
RECIPES = {
    # A minute on a laptop.
    "small": SMALL,
    # Longer: the recipe of the tables of variants.
    "medium": replace(SMALL, training=PLAIN["medium"].training),
    # The size that 29,000 sentence pairs can feed.
    "base": Recipe(
        bidirectional=True,
        tied=True,
        dropout=0.4,
        vocabulary=6000,
        training=Training(tokens=1500, epochs=20, rate=1.5e-3, smoothing=0.1, ema=0.997),
    ),
    # Many short sentences, 20 minutes on one core: the cheapest of the scores that do well, smaller than `base`.
    "short": Recipe(
        score="dot",
        bidirectional=True,
        embedding_dim=256,
        units=256,
        tied=True,
        dropout=0.1,
        vocabulary=4000,
        training=Training(tokens=2000, epochs=4, rate=3e-3),
    ),
    # Luong et al. (2015), section 4.1: there plain SGD with rate 1 for eight epochs, then halved in each.
    "paper": Recipe(
        attention="local_p",
        embedding_dim=1000,
        units=1000,
        layers=4,
        hidden=1000,
        dropout=0.2,
        vocabulary=50000,
        training=Training(tokens=4000, epochs=12, rate=5e-4, clip=5.0, warmup=0.0, halve_after=8),
    ),
}
DEFAULTS = {"phrasebook": "small", "tatoeba": "short", "hansards": "short", "multi30k": "base"}  # corpus: recipe
