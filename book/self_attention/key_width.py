"""The figures on the width of a key: scores of random queries and keys, divided by its root or not."""

from collections.abc import Mapping

import numpy as np
from torch import Tensor

from lab.show.plots import STYLES, Picture, panels

Measured = Mapping[tuple[int, bool], Mapping[str, Tensor]]  # (d_k, divided) -> what -> one number for each draw

PANELS = {
    "spread": "standard deviation of the scores",
    "entropy": "entropy of the weights (nats)",
    "at the scores": "norm of the gradient at the scores",
    "at the query": "norm of the gradient at the query",
}
LINES = {False: "not divided", True: "divided by √d_k"}


def four_panels(measured: Measured) -> Picture:
    """Draw the mean over the draws by the width of a key, and shade where eight draws of ten lie: a panel for each."""
    widths = sorted({width for width, _ in measured})
    figure, every = panels((7.2, 5.4), 2, 2, sharex=True)
    texts = []
    for axes, (what, label) in zip(every, PANELS.items(), strict=True):
        for (divided, name), (colour, marker, line) in zip(LINES.items(), STYLES, strict=False):
            draws = [measured[width, divided][what].numpy() for width in widths]
            mean = [each.mean() for each in draws]
            low, high = np.quantile(draws, (0.1, 0.9), axis=1)
            axes.plot(widths, mean, color=colour, marker=marker, linestyle=line, label=name)
            axes.fill_between(widths, low, high, color=colour, alpha=0.15, linewidth=0)
            texts.append(f"{label}, {name}: {mean[0]:.2g} at d_k = {widths[0]}, {mean[-1]:.2g} at {widths[-1]}")
        axes.set_title(label, fontsize=10)
        axes.set_xscale("log", base=2)
        axes.set_xticks(widths, [str(width) for width in widths])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
    every[0].legend(frameon=False, fontsize=9)
    for axes in every[2:]:
        axes.set_xlabel("width of a key, d_k")
    return Picture(figure, f"Random queries and keys: means over the draws, shaded eight of ten. {'; '.join(texts)}.")


def histograms(measured: Measured) -> Picture:
    """Draw how often each score q·k occurs when it is not divided, a panel for each width; dashed: ± the root."""
    figure, every = panels((7.2, 2.3), 3, grid="", sharex=True, sharey=True)
    colour, texts = STYLES[0][0], []
    for axes, width in zip(every, (4, 64, 512), strict=True):
        scores = measured[width, False]["scores"].flatten().numpy()
        axes.hist(scores, bins=np.linspace(-70, 70, 71), density=True, color=colour)
        for side in (-1, 1):
            axes.axvline(side * width**0.5, color="#888888", lw=1.2, ls="--")
        axes.set(title=f"d_k = {width}, √d_k = {width**0.5:.3g}", yticks=[])
        axes.title.set_fontsize(10)
        axes.spines["left"].set_visible(False)
        texts.append(f"d_k = {width}: standard deviation {scores.std():.1f}")
    figure.supxlabel("score q·k", fontsize=10)
    return Picture(figure, f"Histograms of undivided scores, dashed lines at plus and minus √d_k. {'; '.join(texts)}.")
