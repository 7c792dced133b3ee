"""Every hyperparameter of the Transformer, with the section of the paper it comes from."""

from dataclasses import dataclass, field, replace
from typing import Literal

from lab.kinds.ranges import Count, Part, Positive, Size
from lab.train.training import Training


@dataclass(frozen=True)
class Recipe:
    """The model's sizes and how it is trained."""

    d_model: Size = 512  # section 3.1
    d_ff: Size = 2048  # section 3.3
    heads: Size = 8  # section 3.2.2
    layers: Size = 6  # of the encoder, and as many of the decoder: section 3.1
    pre_norm: bool = False  # LayerNorm before each sublayer instead of behind the sum (not in the paper)
    dropout: Part = 0.1  # of each sublayer's output, and of embedding + position: section 5.4
    inner_dropout: Part = 0.0  # of attention weights and inside the feed-forward network, as torch.nn has it
    warmup_steps: Count = 0  # steps in which the rate rises, then 1/√step: equation 3; 0 = the schedule in `training`
    factor: Positive = 1.0  # of that rate
    shared: bool = True  # one vocabulary, and one matrix for source, target and output words: section 3.4
    vocabulary: Count = 37000  # subwords of both languages together (of each, unless shared); 0 = whole words
    lowercase: bool = False
    positions: Literal["sine", "learned", "none"] = (
        "sine"  # section 3.5; learned: table 3, row E; none: not in the paper
    )
    shift: Count = 0  # in training, positions start at a random one from 0 to this (not in the paper)
    longest: Count = 0  # tokens of the longer side; longer training pairs are left out (0: none is), tested on are all
    training: Training = field(default_factory=Training)


SMALL = Recipe(
    d_model=96,
    d_ff=256,
    heads=4,
    layers=2,
    dropout=0.0,
    shared=False,
    vocabulary=0,
    training=Training(tokens=700, epochs=3, rate=4e-3, warmup=0.1),
)
RECIPES = {
    # A minute on a laptop.
    "small": SMALL,
    # Longer, with as many epochs as the `medium` recipes of the recurrent models.
    "medium": replace(SMALL, dropout=0.1, training=replace(SMALL.training, tokens=1000, epochs=10)),
    # Wu et al. (2021): a model that 29,000 sentence pairs can feed, on lower-cased text. Their published commands: at
    # most 8,000 steps of two times 4,096 tokens, the shape of equation 3 with its top, 0.005, after 2,000 steps, and
    # the mean of ten checkpoints. Ours: fewer tokens, half a cosine, and a moving average of the parameters.
    "tiny": Recipe(
        d_model=128,
        d_ff=256,
        heads=4,
        layers=4,
        dropout=0.3,
        vocabulary=10000,
        lowercase=True,
        training=Training(tokens=4096, epochs=60, rate=5e-3, warmup=0.25, weight_decay=0.0, smoothing=0.1, ema=0.998),
    ),
    # Sections 5.1 to 5.4, 6.1 and table 3: there 100,000 steps of about 25,000 target tokens, on 4.5 million pairs
    # some 19 epochs, and the mean of five checkpoints, written every ten minutes (ours: every epoch).
    "base": Recipe(
        warmup_steps=4000,
        training=Training(tokens=25000, epochs=19, weight_decay=0.0, smoothing=0.1, mean_of=5),
    ),
    # 300,000 steps, and the mean of twenty checkpoints.
    "big": Recipe(
        d_model=1024,
        d_ff=4096,
        heads=16,
        dropout=0.3,
        warmup_steps=4000,
        training=Training(tokens=25000, epochs=57, weight_decay=0.0, smoothing=0.1, mean_of=20),
    ),
}
DEFAULTS = {"phrasebook": "small", "multi30k": "tiny", "tatoeba": "base", "wmt14": "base"}  # corpus: recipe

# What others got on the same test set, and how it was scored: another scale than ours unless it says so.
PEERS = {
    "wmt14-en-de": [
        {"system": f"Vaswani et al. (2017), {size}", "score": score, "scale": "newstest2014, beam 4, alpha 0.6"}
        for size, score in (("base", 27.3), ("big", 28.4))
    ],
    "multi30k-en-de": [
        {
            "system": "Wu et al. (2021), transformer_tiny, as their repository reports it",
            "score": 41.02,
            "scale": "test2016, lower-cased, tokenised by the organisers, beam 5",
        }
    ],
    "multi30k-de-en": [
        {
            "system": "bentrevett/pytorch-seq2seq, Transformer, words",
            "score": 36.5,
            "scale": "test2016, lower-cased, spaCy tokens, greedy",
        }
    ],
}
