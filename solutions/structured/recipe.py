"""Every hyperparameter of the structured self-attentive model, and where it comes from."""

from dataclasses import dataclass, field, replace
from typing import Literal

from lab.kinds.ranges import Amount, Count, Part, Size
from lab.train.training import Training


@dataclass(frozen=True)
class Recipe:
    """The model's sizes and how it is trained."""

    embedding_dim: Size = 100
    embedding_scale: Amount = 1.0  # standard deviation of a fresh word vector's entries (ours)
    vectors: Literal["random", "texts", "glove"] = "random"  # what they start from: lab/text/word_vectors.py
    reader: Literal["lstm", "sum"] = "lstm"  # sum: a state adds its word's vector and that of the one before (ours)
    units: Size = 300  # u: width of one direction of the LSTM; a state has twice as many numbers
    hidden: Size = 350  # d_a: width of the network that scores the words
    hops: Size = 30  # r: rows of A and of M
    penalty: Amount = 0.0  # what ‖AAᵀ - I‖²_F of a text is multiplied with in the loss
    mlp: Size = 3000  # width of the classifier's hidden layer
    pruned: bool = False  # the classifier of the appendix: each row and each column of M by itself
    per_hop: Count = 0  # pruned: hidden units for each row of M
    per_feature: Count = 0  # pruned: hidden units for each column of M
    answers: Count = 0  # questions that a label answers; 0 = a score for each label
    options: Count = 0  # answers that each question has, each with its score; 0 = yes or no, with one score
    pair: bool = False  # two sentences, compared hop by hop
    dropout: Part = 0.0
    word_dropout: Part = 0.0  # share of the words that are read as <unk> in training (ours)
    vocabulary: Count = 0  # most words that are kept; 0 = all
    lowercase: bool = False
    training: Training = field(default_factory=Training)


# The sizes of the authors' program (github.com/hantek/SelfAttentiveSentEmbed). It takes the mean of the n² squares of
# AᵀA − I, words by words, where the paper takes the sum of the r² squares of AAᵀ − I: the gradients agree but for a
# factor, and a weight of 1 there is one of 1/n² here, n the words of the longest text. 1/30² is that of 30 words.
# It begins with word vectors trained elsewhere (`--vectors glove` here), and uses plain SGD (Yelp) or Adagrad (SNLI);
# ours learns them, with AdamW.
YELP = Recipe(
    embedding_dim=300,
    penalty=1 / 30**2,
    dropout=0.3,
    lowercase=True,
    training=Training(tokens=8000, epochs=5, rate=1e-3, clip=0.5),
)
RECIPES = {
    # A minute on a laptop.
    "small": Recipe(
        embedding_dim=64,
        units=64,
        hidden=32,
        hops=4,
        penalty=0.001,
        mlp=64,
        dropout=0.1,
        training=Training(tokens=1000, epochs=4, rate=3e-3),
    ),
    # Eight questions, over states of four numbers that bind nothing.
    "eight": Recipe(
        reader="sum",
        units=2,
        hidden=32,
        hops=8,
        mlp=64,
        answers=8,
        training=Training(tokens=1000, epochs=20, rate=3e-3),
    ),
    # Two facts in a sentence: who does something to whom, twice, 23 answers each.
    "facts": Recipe(
        embedding_dim=64,
        units=64,
        hidden=32,
        hops=2,
        mlp=64,
        answers=2,
        options=23,
        dropout=0.1,
        training=Training(tokens=1000, epochs=8, rate=3e-3),
    ),
    # 20,000 long reviews.
    "imdb": Recipe(
        embedding_dim=200,
        embedding_scale=0.3,
        vectors="texts",
        units=100,
        hidden=64,
        hops=10,
        penalty=0.001,
        mlp=128,
        dropout=0.4,
        word_dropout=0.1,
        vocabulary=30000,
        lowercase=True,
        training=Training(tokens=8000, epochs=4, rate=2e-3, ema=0.995),
    ),
    # 6,920 single sentences.
    "sst": Recipe(
        embedding_dim=128,
        embedding_scale=0.3,
        units=64,
        hidden=32,
        hops=4,
        penalty=0.001,
        mlp=64,
        dropout=0.4,
        lowercase=True,
        training=Training(tokens=500, epochs=6, rate=2e-3, weight_decay=0.01, ema=0.99),
    ),
    # Half a million reviews, five stars.
    "yelp": YELP,
    # Pairs of sentences: the second follows from the first, contradicts it, or neither. Sizes, penalty and dropout of
    # the program that made the paper's 84.4 % (segae_gaereg.py 300 150 4000 30 0.01 0.1 0.5 …, issue 3 there).
    "snli": replace(YELP, hidden=150, mlp=4000, penalty=0.1 / 30**2, dropout=0.5, pair=True),
}
DEFAULTS = {  # corpus: recipe
    "reviews": "small",
    "aspects": "small",
    "verdicts": "eight",
    "two_facts": "facts",
    "imdb": "imdb",
    "sst": "sst",
}
