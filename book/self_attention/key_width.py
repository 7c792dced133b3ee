"""The figures on the width of a key: scores of random queries and keys, divided by its root or not."""

import math
from collections.abc import Mapping
from functools import cache

import numpy as np
import torch
from matplotlib.axes import Axes
from torch import Tensor

from book.show.drawn import number
from lab.show.plots import STYLES, Picture, panels

Measured = Mapping[tuple[int, bool], Mapping[str, Tensor]]  # (d_k, divided) -> what -> one number for each draw
WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512)
AT_QUERY = "at the query"

PANELS = {
    "spread": "standard deviation of the scores",
    "entropy": "entropy of the weights (nats)",
    "at the scores": "norm of the gradient at the scores",
    AT_QUERY: "norm of the gradient at the query",
}
LINES = {False: "not divided", True: "divided by √d_k"}


def measure(d_k: int, divided: bool, n: int = 20, draws: int = 1000) -> dict[str, Tensor]:
    """Draw a random query and n random keys, a thousand times; send a random gradient back through the softmax."""
    generator = torch.Generator().manual_seed(d_k)
    q = torch.randn(draws, 1, d_k, generator=generator, requires_grad=True)
    k = torch.randn(draws, n, d_k, generator=generator)
    pull = torch.randn(draws, n, generator=generator)  # the gradient of the loss at the weights
    e = (q @ k.transpose(1, 2))[:, 0] / (math.sqrt(d_k) if divided else 1)
    alpha = e.softmax(dim=-1)
    at_scores, at_query = torch.autograd.grad((alpha * pull).sum(), (e, q))
    e, alpha = e.detach(), alpha.detach()
    return {
        "scores": e,
        "spread": e.std(dim=-1),
        "entropy": -(alpha * e.log_softmax(dim=-1)).sum(dim=-1),
        "largest": alpha.amax(dim=-1),
        "at the scores": at_scores.norm(dim=-1),
        AT_QUERY: at_query[:, 0].norm(dim=-1),
    }


@cache
def measured() -> Measured:
    """Return the result of `measure` for each width, divided and not."""
    return {(width, root): measure(width, root) for width in WIDTHS for root in (False, True)}


def quoted() -> dict[str, str]:
    """Return the numbers that the chapter quotes; raise ValueError where the gradient no longer does what it says."""
    plain, root = measured()[512, False], measured()[512, True]
    mean, first, median = plain[AT_QUERY].mean(), measured()[4, False][AT_QUERY].mean(), plain[AT_QUERY].median()
    larger = (plain[AT_QUERY] > root[AT_QUERY].max()).float().mean()
    if not (mean > first > 10 * median and 0.2 < larger < 0.3):
        raise ValueError(
            "the lesson says that without the root the mean gradient at the query grows with the width, while most "
            f"draws have next to none and a quarter much, but it goes from {first:.2f} to {mean:.2f}, the median is "
            f"{median:.2f}, and {larger:.0%} have more than any with the root"
        )
    return {
        "entropy_512": f"{plain['entropy'].mean():.2f}",
        "entropy_root": f"{root['entropy'].mean():.1f}",
        "sure_512": f"{100 * (plain['largest'] > 0.99).float().mean():.0f}",
        "scores_median": number(float(plain["at the scores"].median()), 4),
        "query_4": f"{first:.1f}",
        "query_512": f"{mean:.1f}",
        "query_median": number(float(median), 3),
        "query_high": f"{plain[AT_QUERY].quantile(0.9):.1f}",
        "query_larger": f"{100 * larger:.0f}",
        "query_root": f"{root[AT_QUERY].mean():.1f}",
    }


def grows() -> str:
    """Return the chapter's answer to its guess."""
    mean = quoted()
    return (
        f"Without the root the mean gradient grows, from {mean['query_4']} at 4 features to {mean['query_512']} at 512."
    )


def panel(axes: Axes, what: str) -> str:
    """Draw the mean over the draws by the width of a key, shade where eight of ten lie, and return it in words."""
    texts = []
    for (divided, name), (colour, marker, line) in zip(LINES.items(), STYLES, strict=False):
        draws = [measured()[width, divided][what].numpy() for width in WIDTHS]
        mean = [each.mean() for each in draws]
        low, high = np.quantile(draws, (0.1, 0.9), axis=1)
        axes.plot(WIDTHS, mean, color=colour, marker=marker, linestyle=line, label=name)
        axes.fill_between(WIDTHS, low, high, color=colour, alpha=0.15, linewidth=0)
        texts.append(f"{PANELS[what]}, {name}: {mean[0]:.2g} at d_k = {WIDTHS[0]}, {mean[-1]:.2g} at {WIDTHS[-1]}")
    axes.set_xscale("log", base=2)
    axes.set_xticks(WIDTHS, [str(width) for width in WIDTHS])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    return "; ".join(texts)


TOLD = "Random queries and keys: means over the draws, shaded eight of ten."


def at_query() -> Picture:
    """Draw the gradient at the query by the width of a key."""
    figure, (axes,) = panels((5.6, 3.4))
    description = panel(axes, AT_QUERY)
    axes.set(xlabel="width of a key, d_k", ylabel=PANELS[AT_QUERY])
    axes.legend(frameon=False, fontsize=9)
    return Picture(figure, f"{TOLD} {description}.")


def three_panels() -> Picture:
    """Draw what leads to that gradient: the spread of the scores, the entropy, the gradient at the scores."""
    figure, every = panels((7.2, 2.9), 3)
    texts = []
    for axes, what in zip(every, PANELS, strict=False):
        texts.append(panel(axes, what))
        axes.set_title(PANELS[what], fontsize=9)
        axes.set_xticks(WIDTHS[::2], [str(width) for width in WIDTHS[::2]])
        axes.set_xlabel("width of a key, d_k", fontsize=9)
    every[0].legend(frameon=False, fontsize=9)
    return Picture(figure, f"{TOLD} {'; '.join(texts)}.")


def histograms() -> Picture:
    """Draw how often each score q·k occurs when it is not divided, a panel for each width; dashed: ± the root."""
    figure, every = panels((7.2, 2.3), 3, grid="", sharex=True, sharey=True)
    colour, texts = STYLES[0][0], []
    for axes, width in zip(every, (4, 64, 512), strict=True):
        scores = measured()[width, False]["scores"].flatten().numpy()
        axes.hist(scores, bins=np.linspace(-70, 70, 71), density=True, color=colour)
        for side in (-1, 1):
            axes.axvline(side * width**0.5, color="#888888", lw=1.2, ls="--")
        axes.set(title=f"d_k = {width}, √d_k = {width**0.5:.3g}", yticks=[])
        axes.title.set_fontsize(10)
        axes.spines["left"].set_visible(False)
        texts.append(f"d_k = {width}: standard deviation {scores.std():.1f}")
    figure.supxlabel("score q·k", fontsize=10)
    return Picture(figure, f"Histograms of undivided scores, dashed lines at plus and minus √d_k. {'; '.join(texts)}.")
