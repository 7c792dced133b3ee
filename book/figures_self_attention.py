"""Figures of the chapter on self-attention: Vaswani's table as benchmarks.complexity measured it, and classifiers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from IPython.display import HTML
from matplotlib.figure import Figure

from book.tables import MISSING, ROOT, budget, results, summary, table
from lab.evaluation.result_files import read_json
from lab.plots import STYLES, Picture

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


def measured(device: str = "cpu") -> dict[str, Any] | None:
    """Return what was measured on a device, or None where nobody has."""
    path = ROOT / "solutions" / "self_attention" / "results" / f"complexity-{device}.json"
    return read_json(path) if path.exists() else None


def exponents(device: str = "cpu") -> HTML:
    """Return the exponents of n and of d: counted multiplications, numbers kept, times with their range."""
    kept = measured(device)
    if not kept:
        return missing("Exponents")
    rows = [[words, *_fits(kept["exponents"][name])] for name, words in KINDS.items()]
    first, last = kept["over_length"][0], kept["over_length"][-1]
    return table(
        f"Exponents, fitted over n = {first['n']}–{last['n']} at d = {first['d']}, and over d = "
        f"{kept['over_width'][0]['d']}–{kept['over_width'][-1]['d']} at n = {kept['over_width'][0]['n']}; "
        f"time: the median of one fit a pass, in brackets the lowest and the highest. {about(kept)}",
        ["layer", *(f"{what}, {axis}" for axis in "nd" for what in ("products", "memory", "time"))],
        rows,
    )


def _fits(of: Mapping[str, Any]) -> list[str]:
    cells = []
    for axis in "nd":
        fit = of[axis]
        times = fit["seconds"]
        cells += [
            f"{fit['multiplications']:.2f}",
            f"{fit['kept_bytes']:.2f}",
            f"{times['median']:.2f} ({times['lowest']:.2f}–{times['highest']:.2f})",
        ]
    return cells


def about(kept: Mapping[str, Any]) -> str:
    """Return what the figures were measured on."""
    return f"{kept['device']}, PyTorch {kept['versions']['torch']}, commit {kept['commit']}."


def times(device: str = "cpu") -> HTML:
    """Return the median time of a forward and backward pass, with the fastest and the slowest."""
    kept = measured(device)
    if not kept:
        return missing("Times")
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


def memory(device: str = "cpu") -> HTML:
    """Return the megabytes that a forward pass keeps for the backward pass."""
    kept = measured(device)
    if not kept:
        return missing("Memory")
    lengths = sorted({row["n"] for row in kept["over_length"]})
    by = {(row["layer"], row["n"]): row["kept_bytes"] / 2**20 for row in kept["over_length"]}
    rows = [[words, *(f"{by[name, n]:.3g}" for n in lengths)] for name, words in KINDS.items()]
    caption = (
        "Mebibytes kept for the backward pass, weights left out (but for the copy that PyTorch's LSTM keeps), "
        f"d = {kept['over_length'][0]['d']}, float32"
    )
    return table(caption, ["layer", *(f"n = {n}" for n in lengths)], rows)


def crossings(device: str = "cpu") -> HTML:
    """Return from which length on self-attention is dearer than a recurrent layer: counted, and in time."""
    kept = measured(device)
    rows = []
    for name, gates in GATES.items():
        # 2n²d (+ 3nd²) against 2 · gates · nd²: the n at which both are equal.
        with_projections = f"{gates - 1.5:g} d" if gates > 1.5 else "always"
        row = [KINDS[name], f"{gates} d" if gates > 1 else "d", with_projections]
        for attention in ("self_attention", "self_attention, projected", "self_attention, projected, fused"):
            row.append(_from(kept, attention, name) if kept else MISSING)
        rows.append(row)
    width = kept["over_length"][0]["d"] if kept else "…"
    return table(
        f"Self-attention is dearer than a recurrent layer from this n on; times at d = {width}",
        ["against", "counted, no projections", "counted, with them", "in time, no projections", "with them", "fused"],
        rows,
    )


def _from(kept: Mapping[str, Any], attention: str, recurrent: str) -> str:
    lengths = [row["n"] for row in kept["over_length"]]
    n = kept["timed_crossings"][attention][recurrent]
    if n is None:
        return f"beyond {max(lengths)}"
    return f"below {min(lengths)}" if n <= min(lengths) else f"{n:.0f}"


def missing(what: str) -> HTML:
    return HTML(f'<p class="results">{what}: {MISSING}.</p>')


def picture(device: str = "cpu") -> Picture | HTML:
    """Draw the median times over the length, with the range from the fastest to the slowest pass."""
    kept = measured(device)
    if not kept:
        return missing("Picture of the times")
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    texts = []
    for name, (colour, marker, line) in zip(DRAWN, STYLES, strict=True):
        rows = [row for row in kept["over_length"] if row["layer"] == name]
        n = [row["n"] for row in rows]
        passes = [1000 * np.array(row["seconds"]) for row in rows]
        median = np.array([np.median(p) for p in passes])
        reach = [median - [p.min() for p in passes], [p.max() for p in passes] - median]
        axes.errorbar(n, median, yerr=reach, color=colour, marker=marker, linestyle=line, capsize=3, label=KINDS[name])
        texts.append(f"{KINDS[name]}: {median[0]:.3g} ms at n = {n[0]}, {median[-1]:.3g} ms at n = {n[-1]}")
    axes.set(xscale="log", yscale="log", xlabel="length n (words)", ylabel="milliseconds, forward and backward")
    axes.set_xticks(n, [str(x) for x in n])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#dddddd")
    axes.legend(frameon=False, fontsize=9)
    width = kept["over_length"][0]["d"]
    return Picture(figure, f"Time of one pass by length, d = {width}, both axes logarithmic. {'; '.join(texts)}.")


# Variant of the run: what differs from the recipe.
VARIANTS = {
    "": "with parameters, with positions",
    "unplaced": "with parameters, no positions",
    "simple": "no parameters, with positions",
    "simple-unplaced": "no parameters, no positions",
}
DEEPER = {"two": "two blocks", "four": "four blocks"}  # with parameters and positions


def percent(runs: Sequence[dict[str, Any]]) -> str:
    """Return the accuracy in percent: the mean with the lowest and highest seed, or the interval of the only one."""
    shares = [result["scores"]["test"]["accuracy"] for result in runs]
    scores = [{"accuracy": {key: 100 * share[key] for key in ("value", "low", "high")}} for share in shares]
    return summary([{"scores": score} for score in scores], "accuracy")


def classifiers(run: str, caption: str, linear: str = "", evidence: bool = False, deeper: Sequence[str] = ()) -> HTML:
    """Return the variants of one run: accuracy on the test set, weights learnt, seeds; below, the linear baseline."""
    rows = []
    for variant, words in (VARIANTS | {name: DEEPER[name] for name in deeper}).items():
        runs = results("self_attention", f"{run}-{variant}" if variant else run)
        weights = f"{runs[0]['parameters']:,}" if runs else MISSING
        rows.append(
            [
                words + budget(runs),
                percent(runs),
                weights,
                *([share(runs)] if evidence else []),
                f"{len(runs)}" if runs else MISSING,
            ]
        )
    if linear:
        runs = next((f for name in ("self_attention", "structured", "pooling") if (f := results(name, linear))), [])
        none = ["", ""] if evidence else [""]
        rows.append(["linear: words and pairs of words", percent(runs), *none, f"{len(runs) or MISSING}"])
    columns = ["classifier", "accuracy, %", "weights", *(["on the evidence"] if evidence else []), "seeds"]
    return table(caption, columns, rows)


def share(runs: Sequence[dict[str, Any]]) -> str:
    """Return how much of its attention falls on the gold evidence, and how much equal weights would give."""
    if not runs:
        return MISSING
    even = runs[0]["scores"]["test"]["evidence_uniform"]["value"]
    return f"{summary(runs, 'test', 'evidence', digits=3)}; even: {even:.3f}"
