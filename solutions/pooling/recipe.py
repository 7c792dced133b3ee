"""Every hyperparameter of Att-BLSTM and HAN, and where it comes from."""

from dataclasses import dataclass, field, replace
from typing import Literal

from lab.kinds.ranges import Amount, Count, Part, Size
from lab.train.training import Training


@dataclass(frozen=True)
class Recipe:
    """The model's sizes and how it is trained."""

    model: Literal["att_blstm", "han"] = "att_blstm"
    pooling: Literal["attention", "last", "mean", "max", "uniform"] = "attention"  # Att-BLSTM's; see pools.py
    adversary: Amount = 0.0  # λ, the weight of the divergence from another run's attention; 0 = none; see adversary.py
    base: str = ""  # the run of the same seed, or the pinned model, that the adversary predicts like and attends unlike
    embedding_dim: Size = 100
    units: Size = 100  # width of one direction of each recurrent network
    hidden: Size = 100  # HAN: a, the width of the attention's hidden layer
    embedding_scale: Amount = 0.1  # standard deviation of the entries of a word vector before training (ours)
    embedding_dropout: Part = 0.0
    states_dropout: Part = 0.0  # on the states that are pooled
    dropout: Part = 0.0  # on the pooled vector
    word_dropout: Part = 0.0  # share of the words that are read as <unk> in training (ours)
    vectors: Literal["random", "texts", "glove"] = (
        "random"  # what the word vectors start from; see lab/text/word_vectors.py
    )
    vocabulary: Count = 0  # the most frequent words; 0 = all
    lowercase: bool = False
    longest: Count = 0  # words of a sentence; a longer one is read in parts (0 = never)
    training: Training = field(default_factory=Training)


SMALL = Recipe(
    embedding_dim=50,
    units=50,
    embedding_dropout=0.1,
    states_dropout=0.1,
    dropout=0.2,
    training=Training(tokens=1000, epochs=3, rate=5e-3),
)
RECIPES = {
    "small": SMALL,  # Att-BLSTM in a minute on a laptop
    "small_han": replace(SMALL, model="han", hidden=50, training=Training(tokens=2000, epochs=6, rate=5e-3)),
    # Att-BLSTM for SemEval-2010 Task 8. Zhou et al. (2016), the section on experiments: dropout 0.3 on the embeddings,
    # 0.3 on the LSTM, 0.5 before the labels, L2 1e-5; there AdaDelta with rate 1 and 10 sentences a batch, here AdamW.
    # The widths are ours.
    "zhou": Recipe(
        embedding_dim=200,
        embedding_dropout=0.3,
        states_dropout=0.3,
        dropout=0.5,
        vocabulary=9000,
        lowercase=True,
        training=Training(tokens=1000, epochs=8, rate=2e-3, ema=0.99),
    ),
    # HAN for 20,000 reviews. Yang et al. (2016): word vectors of 200, units 50, context vectors of 100.
    "yang": Recipe(
        model="han",
        embedding_dim=200,
        units=50,
        embedding_dropout=0.4,
        states_dropout=0.2,
        dropout=0.3,
        word_dropout=0.1,
        vocabulary=20000,
        lowercase=True,
        longest=60,
        training=Training(tokens=12000, epochs=4, rate=2e-3, ema=0.99),
    ),
    # HAN in half a minute, on lab.corpora.reviews.short(): for the chapter and its notebook.
    "short_han": Recipe(model="han", embedding_dim=50, units=50, hidden=50, training=SMALL.training),
}
# Word vectors that start from what the training sentences and IMDB's reviews say of a word, and all that was chosen
# on the validation part with them (ours): wide states, and more dropout than the paper's.
RECIPES["zhou_texts"] = replace(
    RECIPES["zhou"],
    vectors="texts",
    vocabulary=40000,
    embedding_scale=0.6,
    embedding_dropout=0.4,
    units=200,
    states_dropout=0.5,
    training=replace(RECIPES["zhou"].training, smoothing=0.1),
)
DEFAULTS = {  # corpus: recipe
    "roles": "small",
    "relations": "small",
    "reviews": "small_han",
    "votes": "small",
    "semeval2010": "zhou_texts",
    "sst": "zhou",
    "imdb": "yang",
}

# What others got on the same test set, and how it was scored.
PEERS = {
    "semeval2010": [
        {
            "system": "Zhou et al. (2016), Att-BLSTM",
            "score": 84.0,
            "scale": "official macro-F1, word vectors from GloVe",
        }
    ]
}
