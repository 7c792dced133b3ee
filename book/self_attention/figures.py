"""Figures of the chapter on self-attention: Vaswani's table as benchmarks.complexity measured it, and classifiers."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from IPython.display import HTML

from book.show import experiments
from book.show.tables import ROOT, results, table
from lab.evaluation.result_files import read_json
from lab.show.plots import Picture, panels, ranges, styled
from solutions.self_attention.model import SelfAttentive
from solutions.self_attention.recipe import RECIPES

KINDS = {
    "self_attention": "self-attention, no projections",
    "self_attention, projected": "self-attention with W_q, W_k, W_v",
    "self_attention, projected, fused": "the same, fused kernel",
    "recurrent": "recurrent, plain",
    "recurrent, GRU": "recurrent, GRU",
    "recurrent, LSTM": "recurrent, LSTM",
    "convolution": "convolution",
    "restricted": "restricted, no projections",
    "restricted, projected": "restricted with W_q, W_k, W_v",
}
GATES = {"recurrent": 1, "recurrent, GRU": 3, "recurrent, LSTM": 4}
DRAWN = ("self_attention, projected", "self_attention, projected, fused", "recurrent", "recurrent, LSTM", "convolution")


def measured(device: str = "cpu") -> dict[str, Any]:
    """Return the measurements on a device."""
    return read_json(ROOT / "solutions" / "self_attention" / "results" / f"complexity-{device}.json")


def exponents(device: str = "cpu") -> HTML:
    """Return the exponents of n and of d: products, numbers kept for the backward pass, median time."""
    kept = measured(device)
    rows = []
    for name, words in KINDS.items():
        of = kept["exponents"][name]
        counted = [of[axis][what] for what in ("multiplications", "kept_bytes") for axis in "nd"]
        times = [of[axis]["seconds"]["median"] for axis in "nd"]
        rows.append([words, *(f"{exponent:.2f}" for exponent in (*counted, *times))])
    first, last = kept["over_length"][0], kept["over_length"][-1]
    return table(
        f"Exponents, fitted over n = {first['n']}–{last['n']} at d = {first['d']}, and over d = "
        f"{kept['over_width'][0]['d']}–{kept['over_width'][-1]['d']} at n = {kept['over_width'][0]['n']}; "
        f"time: the median of a fit for each of five passes. {about(kept)}",
        ["layer", *(f"{what}, {axis}" for what in ("products", "memory", "time") for axis in "nd")],
        rows,
    )


def about(kept: Mapping[str, Any]) -> str:
    """Return the device and the versions behind the figures."""
    return f"{kept['device']}, PyTorch {kept['versions']['torch']}, commit {kept['commit']}."


def times(device: str = "cpu") -> HTML:
    """Return the median time of a forward and backward pass, with the fastest and the slowest."""
    kept = measured(device)
    lengths = sorted({row["n"] for row in kept["over_length"]})
    by = {(row["layer"], row["n"]): 1000 * np.array(row["seconds"]) for row in kept["over_length"]}
    rows = [
        [
            words,
            *(f"{np.median(by[name, n]):.3g} ({by[name, n].min():.3g}–{by[name, n].max():.3g})" for n in lengths),
        ]
        for name, words in KINDS.items()
    ]
    caption = (
        f"Milliseconds of a forward and backward pass, d = {kept['over_length'][0]['d']}: median (fastest–slowest). "
    )
    return table(caption + about(kept), ["layer", *(f"n = {n}" for n in lengths)], rows)


def crossings(device: str = "cpu") -> HTML:
    """Return from which length on self-attention costs more than a recurrent layer: counted, and in time."""
    kept = measured(device)
    rows = []
    for name, gates in GATES.items():
        # 2n²d (+ 3nd²) against 2 · gates · nd²: the n at which both are equal.
        with_projections = f"{gates - 1.5:g} d" if gates > 1.5 else "always"
        row = [KINDS[name], f"{gates} d" if gates > 1 else "d", with_projections]
        for attention in ("self_attention", "self_attention, projected", "self_attention, projected, fused"):
            row.append(_from(kept, attention, name))
        rows.append(row)
    width = kept["over_length"][0]["d"]
    return table(
        f"Self-attention costs more than a recurrent layer from this n on (projected: with W_q, W_k and W_v); "
        f"times at d = {width}",
        ["against", "products", "products, projected", "time", "time, projected", "time, fused"],
        rows,
    )


def _from(kept: Mapping[str, Any], attention: str, recurrent: str) -> str:
    lengths = [row["n"] for row in kept["over_length"]]
    n = kept["timed_crossings"][attention][recurrent]
    if n is None:
        return f"beyond {max(lengths)}"
    return f"below {min(lengths)}" if n <= min(lengths) else f"{n:.0f}"


def growth(layer: str, n: int) -> float:
    """Return by which factor the median time grows from n words to twice as many."""
    return milliseconds(layer, 2 * n) / milliseconds(layer, n)


def pace(layer: str, n: int) -> float:
    """Return the millions of products of the forward pass in a millisecond, the backward pass timed along."""
    row = _row(layer, n)
    return row["multiplications"] / 1e9 / float(np.median(row["seconds"]))


def milliseconds(layer: str, n: int, device: str = "cpu") -> float:
    """Return the median time of a forward and backward pass."""
    return 1000 * float(np.median(_row(layer, n, device)["seconds"]))


def timed() -> dict[str, str]:
    """Return the times of self-attention and of an LSTM at 2,048 words, on one thread and on a GPU."""
    layers = {"attention": "self_attention, projected", "lstm": "recurrent, LSTM"}
    thread, gpu = ({name: milliseconds(layer, 2048, of) for name, layer in layers.items()} for of in ("cpu", "cuda"))
    if not (thread["attention"] > thread["lstm"] and 10 * gpu["attention"] < gpu["lstm"]):
        raise ValueError(f"the text says that a GPU turns the order round: {thread}, {gpu}")
    return {f"thread_{name}": f"{ms:.0f}" for name, ms in thread.items()} | {
        f"gpu_{name}": f"{ms:.1f}" if ms < 10 else f"{ms:.0f}" for name, ms in gpu.items()
    }


def _row(layer: str, n: int, device: str = "cpu") -> dict[str, Any]:
    return next(row for row in measured(device)["over_length"] if (row["layer"], row["n"]) == (layer, n))


def picture(device: str = "cpu") -> Picture:
    """Draw the median times over the length, with the range from the fastest to the slowest pass."""
    kept = measured(device)
    figure, (axes,) = panels((6.4, 4.2), grid="both")
    n = sorted({row["n"] for row in kept["over_length"]})
    texts = []
    for name, (_, (colour, marker, line)) in zip(DRAWN, styled([KINDS[name] for name in DRAWN]), strict=True):
        rows = [row for row in kept["over_length"] if row["layer"] == name]
        passes = [1000 * np.array(row["seconds"]) for row in rows]
        median = [np.median(p) for p in passes]
        ranges(axes, n, passes, median, color=colour, marker=marker, linestyle=line, capsize=3, label=KINDS[name])
        texts.append(f"{KINDS[name]}: {median[0]:.3g} ms at n = {n[0]}, {median[-1]:.3g} ms at n = {n[-1]}")
    axes.set(xscale="log", yscale="log", xlabel="length n (words)", ylabel="milliseconds, forward and backward")
    axes.set_xticks(n, [str(x) for x in n])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=9)
    width = kept["over_length"][0]["d"]
    return Picture(figure, f"Time of one pass by length, d = {width}, both axes logarithmic. {'; '.join(texts)}.")


FORMS = {
    "": "with parameters, with positions",
    "unplaced": "with parameters, no positions",
    "simple": "no parameters, with positions",
    "simple-unplaced": "no parameters, no positions",
}
KEYS = {"narrow": 32, "": 80, "wide": 272}  # variant of the experiment `scale`: features of a key
DEEPER = {"two": "two blocks, with both", "four": "four blocks, with both"}
FROZEN = {"frozen": "no parameters, with positions, scores divided"}


def linear(solution: str, corpus: str, metric: str = "accuracy") -> str:
    """Return the score, in per cent, of the linear model on words and pairs of words, kept with `solution`."""
    return f"{100 * results(solution, f'{corpus}-linear')[0]['scores']['test'][metric]['value']:.1f}"


def of_parts() -> dict[str, str]:
    """Return the scores that the chapter quotes of its classifiers, as means over the seeds."""
    mean = partial(experiments.mean, "self_attention")
    macro_f1 = partial(mean, column=experiments.MACRO_F1)
    return {
        "both": macro_f1("parts", ""),
        "unplaced": macro_f1("parts", "unplaced"),
        "simple": macro_f1("parts", "simple"),
        "two": macro_f1("parts", "two"),
        "both_long": macro_f1("parts-long", "long"),
        "two_long": macro_f1("parts-long", "two-long"),
        "linear_relations": linear("pooling", "relations", "macro_f1"),
        "reviews_both": mean("reviews", ""),
        "linear_reviews": linear("pooling", "reviews"),
        "imdb": mean("imdb", ""),
        "linear_imdb": linear("pooling", "imdb"),
    }


def own_weight(**changes: object) -> float:
    """Return the share of weight that a word gives itself before training: random words, recipe small with changes."""
    torch.manual_seed(0)
    net = SelfAttentive(replace(RECIPES["small"], **changes), vocabulary_size=500, labels=9).eval()
    tokens = torch.randint(4, 500, (8, 20))
    _, weights = net.blocks[0](net.placed(tokens), torch.ones_like(tokens, dtype=torch.bool))
    return weights.diagonal(dim1=1, dim2=2).mean().item()
