"""Every hyperparameter of the language model, with the paper that each part comes from."""

from dataclasses import dataclass, field, replace
from typing import Literal

from lab.kinds.ranges import Count, Part, Positive, Share, Size
from lab.train.training import Training


@dataclass(frozen=True)
class Recipe:
    """The model's parts and sizes, and how it is trained. Each part has the form of 2017 beside that of today."""

    d_model: Size = 128
    d_ff: Size = 512  # of the ReLU network; SwiGLU has three matrices instead of two, each two thirds as wide
    heads: Size = 4
    kv_heads: Count = 0  # keys and values that the heads share in groups; 0 = as many as heads (Ainslie et al., 2023)
    latent: Count = 0  # keys and values are made of so many numbers a token; 0 = of its features (DeepSeek-AI, 2024)
    layers: Size = 4
    norm: Literal["layer", "rms", "rms-qk"] = "rms"  # Zhang and Sennrich (2019); of q and k too: as Qwen3 has it
    pre_norm: bool = True  # before each sublayer instead of behind the sum (Xiong et al., 2020)
    feed_forward: Literal["relu", "gelu", "swiglu"] = "swiglu"  # Shazeer (2020); GELU: Hendrycks and Gimpel (2016)
    positions: Literal["sine", "rope", "learned", "none"] = "rope"  # Su et al. (2021)
    rope_base: Positive = 10000.0
    tied: bool = True  # the readout is the embeddings' matrix (Press and Wolf, 2017)
    biases: bool = False
    dropout: Part = 0.0  # of each sublayer's output, and of the embeddings
    context: Size = 64  # tokens of running text that are read at once; sentences are read whole
    vocabulary: Count = 8000  # subwords, where the corpus is read by them
    share: Share = 1.0  # of the training text that is one epoch, drawn anew each time
    training: Training = field(default_factory=Training)


SMALL = Recipe(
    d_model=64,
    d_ff=192,
    layers=2,
    training=Training(tokens=1000, epochs=3, rate=4e-3, warmup=0.1, weight_decay=0.01, precision="fp32"),
)
SHAKESPEARE = Recipe(
    context=128,
    share=0.25,
    training=Training(tokens=1024, epochs=20, rate=3e-3, warmup=0.05, weight_decay=0.1, precision="fp32"),
)
LARGE = Recipe(
    d_model=384,
    d_ff=1536,
    heads=6,
    layers=6,
    dropout=0.2,
    context=256,
    training=Training(tokens=16384, epochs=24, rate=2e-3, warmup=0.05, weight_decay=0.1),
)
RECIPES = {
    # A minute on a laptop.
    "small": SMALL,
    # Ten minutes on two cores.
    "shakespeare": SHAKESPEARE,
    # The sizes of nanoGPT's run on a GPU; not trained yet, a card is needed.
    "large": LARGE,
    # Film reviews by subwords; for a card.
    "imdb": replace(LARGE, kv_heads=2, dropout=0.1, training=replace(LARGE.training, epochs=5)),
    # The sizes of nanoGPT's run for a laptop, and as many tokens: 2,000 steps of 12 times 64. Everything else is ours.
    "nano": replace(SHAKESPEARE, context=64, training=replace(SHAKESPEARE.training, tokens=768, epochs=6)),
}
DEFAULTS = {"grammar": "small", "shakespeare": "shakespeare", "imdb_text": "imdb"}  # corpus: recipe

# What others got on the same text, and how it was measured.
PEERS = {
    "shakespeare": [
        {
            "system": "nanoGPT, run for a laptop: 4 layers, 128 features, context 64, 1.54 million tokens",
            "score": 1.88,
            "scale": "nats a character of 15,360 characters of the same validation text, drawn in random windows",
        },
        {
            "system": "nanoGPT, run on a GPU: 6 layers, 384 features, context 256",
            "score": 1.4697,
            "scale": "nats a character of random windows of the same validation text, the best of the run",
        },
    ],
}
