"""The experiments of the chapter: python -m solutions.self_attention sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep

FORMS = {
    "": {},
    "unplaced": {"positions": False},
    "simple": {"attention": "simple"},
    "simple-unplaced": {"attention": "simple", "positions": False},
}
# frozen: no parameters either, but divided scores, as the form with parameters has them
PARTS = FORMS | {"two": {"blocks": 2}, "four": {"blocks": 4}, "frozen": {"frozen": True}}
# A key is as wide as word and place together: 80, 32 and 272 features. The matrices start as the identity, so that at
# the start a score is the dot product of two words with their places, divided or not.
WIDTHS = {
    "": {},
    "unscaled": {"scaled": False},
    "narrow": {"embedding_dim": 16},
    "narrow-unscaled": {"embedding_dim": 16, "scaled": False},
    "wide": {"embedding_dim": 256},
    "wide-unscaled": {"embedding_dim": 256, "scaled": False},
}
ON_PARTS = Sweep(
    "What do positions, parameters and a second block bring?", corpus="relations", recipe="small", variants=PARTS
)
ON_SCALE = Sweep(
    "What does training make of scores that are not divided by the root of the key's width?",
    corpus="relations",
    recipe="small",
    variants=WIDTHS,
)
# Read at one word, by a matrix alone. Two blocks with narrower keys have as many parameters as one: 22,882.
ON_TIRED = Sweep(
    "What is *it*? One block, or two of the same number of parameters?",
    corpus="tired",
    recipe="tired",
    variants={"": {}, "two": {"blocks": 2, "key_dim": 20}},
)
# Beside RNNsearch's own runs, solutions/bahdanau/results/phrasebook-fr-en-medium-seed*: they differ in the encoder.
TRANSLATING = {
    "encoders": Sweep(
        "What becomes of a translator whose encoder is self-attention, and what without its positions, or without it?",
        corpus="phrasebook",
        recipe="medium",
        variants={"": {}, "unplaced": {"positions": False}, "none": {"blocks": 0}},
    ),
}
SWEEPS = TRANSLATING | {
    "tired": ON_TIRED,
    "parts": ON_PARTS,
    "parts-long": ON_PARTS.longer(30),
    "scale": ON_SCALE,
    "scale-long": ON_SCALE.longer(30),
    "reviews": Sweep(
        "And where speaker, adjective and 'not' have to come together?",
        corpus="reviews",
        recipe="reviews",
        variants=FORMS | {"two": {"blocks": 2}},
    ),
    "imdb": Sweep("And on long reviews of real films?", corpus="imdb", recipe="base", variants=FORMS, seeds=(1,)),
    "sst": Sweep("And on single sentences of real reviews?", corpus="sst", recipe="sentences", variants=FORMS),
}
