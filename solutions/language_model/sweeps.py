"""The experiments of the chapter: python -m solutions.language_model sweep EXPERIMENT."""

from lab.evaluation.sweeps import Sweep

# The Transformer's block: its embeddings are tied already. They begin smaller than there.
OLD = {"norm": "layer", "pre_norm": False, "feed_forward": "relu", "positions": "sine", "biases": True}
SWEEPS = {
    "block": Sweep(
        "What does each part of today's block bring to that of 2017, alone and together?",
        corpus="grammar",
        recipe="small",
        variants={
            "2017": OLD,
            "pre": {**OLD, "pre_norm": True},
            "rms": {**OLD, "norm": "rms"},
            "swiglu": {**OLD, "feed_forward": "swiglu"},
            "rope": {**OLD, "positions": "rope"},
            "no-places": {**OLD, "positions": "none"},
            "unbiased": {**OLD, "biases": False},
            "": {},
            "untied": {"tied": False},
            "qk-norm": {"norm": "rms-qk"},
        },
    ),
    "kv-heads": Sweep(
        "Do heads need keys and values of their own? With as many parameters, which move to the feed-forward network.",
        corpus="grammar",
        recipe="small",
        variants={
            "": {},
            "gqa": {"kv_heads": 2, "d_ff": 224},
            "mqa": {"kv_heads": 1, "d_ff": 240},
            "mla": {"latent": 24, "d_ff": 200},
        },
    ),
    "tokens": Sweep(
        "What does a longer training bring? Fewer steps and more; each epoch draws its share of the text anew.",
        corpus="grammar",
        recipe="small",
        variants={
            **{f"share-{part}": {"share": 1 / part} for part in (32, 16, 8, 4, 2)},
            "": {},
            "long": {"epochs": 9},
        },
    ),
    "sizes": Sweep(
        "How near the floor does a model come, and how large must it be?",
        corpus="grammar",
        recipe="small",
        variants={
            **{f"width-{width}": {"d_model": width, "d_ff": 3 * width} for width in (8, 16, 24, 32, 48)},
            "": {},
        },
    ),
    "positions": Sweep(
        "Sines, learned positions, rotary ones, or none: a causal mask alone tells first from last.",
        corpus="grammar",
        recipe="small",
        variants={
            "": {},
            "sine": {"positions": "sine"},
            "learned": {"positions": "learned"},
            "unplaced": {"positions": "none"},
        },
    ),
}
