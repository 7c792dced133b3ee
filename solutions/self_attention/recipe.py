"""Every hyperparameter of the classifier made of self-attention: all of it is ours, no paper has this model."""

from dataclasses import dataclass, field, replace
from typing import Literal

from lab.kinds.ranges import Amount, Count, Part, Size
from lab.train.training import Training


@dataclass(frozen=True)
class Recipe:
    """Which attention, how many blocks of it, the model's sizes, and how it is trained."""

    attention: Literal["simple", "projected"] = "projected"  # softmax(XXᵀ)X, or with three matrices
    scaled: bool = True  # projected: scores are divided by the root of the key's width
    frozen: bool = False  # projected: the matrices stay the identity, which leaves softmax(XXᵀ/√d)X
    blocks: Size = 1
    positions: bool = True  # a vector for each place stands beside that of the word
    place_dim: Size = 16  # its width
    place_scale: Amount = 2.5  # its size: how far near places stand out before anything is learnt
    embedding_dim: Size = 64  # width of a word; keys and values are as wide as word and place together
    vectors: Literal["random", "texts", "glove"] = "random"  # what words start from: lab/text/word_vectors.py
    key_dim: Count = 0  # width of queries and keys, where they are narrower; 0 = as wide as values
    hidden: Count = (
        64  # units that read each word with its context before the text is summed up; 0 = it is summed as is
    )
    reads: str = ""  # the word whose vector alone is read in the end, in place of the mean of all
    most: Size = 400  # words of a text that are read: half of them its first, half its last
    dropout: Part = 0.2
    word_dropout: Part = 0.0  # share of the words that are hidden while training
    vocabulary: Count = 0  # the most frequent words; 0 = all
    lowercase: bool = True
    training: Training = field(default_factory=Training)


# A minute on a laptop.
SMALL = Recipe(most=128, dropout=0.1, training=Training(tokens=1000, epochs=8, rate=3e-3, precision="fp32"))
RECIPES = {
    "small": SMALL,
    # Made reviews, where nothing short of speaker, adjective and *not* together says anything: small and many steps.
    # With the steps of `small` the model had 52.4 % of two labels.
    "reviews": replace(SMALL, dropout=0.0, training=Training(tokens=500, epochs=18, rate=1e-3, precision="fp32")),
    # Reviews of hundreds of words.
    "base": replace(
        SMALL,
        embedding_dim=100,
        vectors="texts",
        most=600,
        dropout=0.4,
        word_dropout=0.2,
        vocabulary=20000,
        training=Training(tokens=16000, epochs=5, rate=3e-3, weight_decay=1e-2, ema=0.99, precision="fp32"),
    ),
    # Sentences: few words, few examples.
    "sentences": replace(
        SMALL,
        most=64,
        dropout=0.3,
        word_dropout=0.1,
        training=Training(tokens=1000, epochs=8, rate=3e-3, weight_decay=1e-2, ema=0.99, precision="fp32"),
    ),
    # One word decides, and one is asked: what *it* has read. Between its vector and the label is a matrix alone.
    "tired": replace(
        SMALL,
        hidden=0,
        reads="it",
        dropout=0.0,
        training=Training(tokens=1000, epochs=10, rate=3e-3, precision="fp32"),
    ),
}
DEFAULTS = {  # corpus: recipe
    "relations": "small",
    "tired": "tired",
    "reviews": "reviews",
    "imdb": "base",
    "sst": "sentences",
}
