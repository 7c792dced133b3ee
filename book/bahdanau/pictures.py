"""Pictures of the chapter on additive attention: error rates by what the query has read, links found, gradients."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from book.bahdanau.figures import QUERIES, THRESHOLD, outputs_of, strongest
from book.show.experiments import AER, BLEU, seeds_of
from book.show.seed_plots import KEY, dots, seed_curves, spread
from book.show.tables import PHRASEBOOK, results, score
from lab import corpora
from lab.corpora import Pair
from lab.evaluation.links import diagonal_links
from lab.kinds.translation import Trained
from lab.show.plots import MODEL_STYLES, VIOLET, Picture, Point, legend_below, panels, styled
from lab.text.batches import Batch, collate
from lab.text.tokenizers import PAD
from solutions.bahdanau.attention import additive_attention

READINGS = {"strongest word": AER, "words above a threshold": THRESHOLD}
PLACES = {
    "next": "the source of the next word",
    "previous": "the source of the word before",
    "elsewhere": "elsewhere",
}
FARTHEST = 12  # words off the diagonal: links that lie farther are counted with these


def two_orders() -> Picture:
    """Draw alignment error rate and BLEU by the state that asks: every seed, and the means joined by a line."""
    figure, both = panels((6.4, 3.2), 2)
    texts = []
    for axes, column in zip(both, (AER, BLEU), strict=True):
        seeds = seeds_of("bahdanau", "query", {"": "before", "after": "after"}, column)
        means = [fmean(each) for each in seeds.values()]
        colour, *_ = MODEL_STYLES["additive attention"]
        for place, each in enumerate(seeds.values()):
            axes.plot([place] * len(each), each, ls="", marker="o", ms=3.5, color=colour)
        axes.plot(range(2), means, marker="o", ms=10, mfc="none", mew=1.6, color=colour)
        for place, mean in enumerate(means):
            words = f"{mean:.{column.digits}f}"
            axes.annotate(words, (place, mean), textcoords="offset points", xytext=(14, -4))
        axes.set(title=column.heading, xlim=(-0.4, 1.7))
        axes.set_xticks(range(2), ["not read", "read"])
        axes.margins(y=0.15)
        numbers = "; ".join(f"{name} {spread(each, column.digits)}" for name, each in seeds.items())
        texts.append(f"{column.heading}: {numbers}")
    both[0].set_xlabel(f"the word just said\n{KEY}", fontsize=9.5)
    both[1].set_xlabel("the word just said", fontsize=9.5)
    return Picture(figure, f"AER and BLEU, by whether the query has read the word just said. {'. '.join(texts)}.")


def soft_dictionary(keys: Sequence[float] = (0, 1, 4), values: Sequence[float] = (10, 20, 30)) -> Picture:
    """Draw the answer to each query where a score is the negative squared distance, and the keys with their values."""
    at, places = torch.tensor(keys, dtype=torch.float), torch.linspace(-0.5, 4.5, 200)
    answers = torch.softmax(-((places[:, None] - at) ** 2), dim=-1) @ torch.tensor(values, dtype=torch.float)
    figure, (axes,) = panels((5.4, 2.8), grid="both")
    axes.plot(places, answers, color=VIOLET[0], label="the answer")
    axes.plot(keys, values, ls="", marker="s", ms=8, mfc="none", mew=1.6, color="#222832", label="a key and its value")
    axes.set(xlabel="query", ylabel="answer")
    axes.legend(frameon=False)
    named = ", ".join(f"{answers[n]:.1f} at {places[n]:.1f}" for n in range(0, len(places), 40))
    return Picture(figure, f"The answer by the query, a smooth curve near three keys with their values: {named}.")


def weighted_place(states: Sequence[tuple[float, float]], query: tuple[float, float]) -> Picture:
    """Draw states as points, a line to each as wide as its weight, and the context where the weights put it."""
    keys, one = torch.tensor([states], dtype=torch.float), torch.eye(2)
    c, (weights,) = additive_attention(torch.tensor([query], dtype=torch.float), keys, keys, one, one, torch.ones(2))
    x, y = c[0].tolist()
    figure, (axes,) = panels((3.6, 3.0), grid="both")
    for number, ((left, up), weight) in enumerate(zip(states, weights.tolist(), strict=True), start=1):
        axes.plot([x, left], [y, up], color="#bd7a00", lw=12 * weight, solid_capstyle="butt", zorder=1)
        axes.plot([left], [up], marker="o", ms=9, color="#00427a")
        about = {"textcoords": "offset points", "xytext": (-4, 9), "ha": "right" if left else "left"}
        axes.annotate(f"$h_{number}$: {weight:.3f}".replace("0.", "."), (left, up), **about)
    axes.plot([x], [y], marker="D", ms=9, color="#9e5885")
    words = f"$c$ = ({x:.3f}, {y:.3f})".replace("0.", ".")
    axes.annotate(words, (x, y), textcoords="offset points", xytext=(-2, -18), ha="right")
    axes.set(xlim=(-0.15, 1.2), ylim=(-0.15, 1.25), xticks=(0, 1), yticks=(0, 1), aspect="equal")
    words = ", ".join(f"{state} with {weight:.3f}" for state, weight in zip(states, weights.tolist(), strict=True))
    return Picture(figure, f"The states {words}; between them their weighted sum, the context, at ({x:.3f}, {y:.3f}).")


def query_errors() -> Picture:
    """Draw the alignment error rates by the state that asks, seed by seed, both readings, beside a diagonal's."""
    series = {words: seeds_of("bahdanau", "query", QUERIES, column) for words, column in READINGS.items()}
    aligned = score(results("bahdanau", PHRASEBOOK)[0], "test", "alignment", "diagonal", "aer") or {}
    marks = {"a diagonal aligner": aligned["value"]}
    return dots(series, "alignment error rate (lower is better)", "What the query has read", 3, marks)


def wrong_places(word: str = "the") -> Picture:
    """Draw where the wrong strongest weights of a target word point, by the state that asks, seed by seed."""
    series = {}
    for variant, words in QUERIES.items():
        seeds = strongest(variant, word)
        series[words] = {text: [float(seed[place]) for seed in seeds] for place, text in PLACES.items()}
    return dots(series, "words of the test sentences", f"Where wrong weights of “{word}” point", 0)


def found_by_distance(pairs: Sequence[Pair], links: Iterable[Iterable[Sequence[int]]]) -> list[Point]:
    """Return the share of the true links that were found, in per cent, by their distance from the diagonal."""
    hits, every = Counter(), Counter()
    for pair, own in zip(pairs, links, strict=True):
        own = set(map(tuple, own))
        expected = {j: i for i, j in diagonal_links(len(pair.source.split()), len(pair.target.split()))}
        for i, j in pair.links or ():
            distance = min(abs(i - expected[j]), FARTHEST)
            every[distance] += 1
            hits[distance] += (i, j) in own
    return [(distance, 100 * hits[distance] / count) for distance, count in sorted(every.items())]


def distances(variant: str = "") -> list[list[Point]]:
    """Return the shares of `found_by_distance` on the test sentences of a variant, seed by seed."""
    pairs = corpora.load("phrasebook").tests["test"]
    return [found_by_distance(pairs, run["links"]["test"]["argmax"]) for run in outputs_of(variant)]


def distances_plot(shares: Mapping[str, Sequence[Sequence[Point]]]) -> Picture:
    """Draw the share of true links that the strongest weights find by how far they lie off the diagonal."""
    x_label = f"distance of the true link from the diagonal (words; {FARTHEST}: or more)"
    picture = seed_curves(shares, x_label, "true links found, %", "Links off the diagonal")
    picture.figure.axes[0].set_ylim(0, 100)
    return picture


def reached(network: nn.Module, batch: Batch) -> Float[Tensor, "batch target source"]:
    """Return the norm of the gradient of each target word's loss at the vector of each source word."""
    words: list[Tensor] = []
    hook = network.encoder.embedding.register_forward_hook(lambda *call: words.append(call[-1]))  # type: ignore[union-attr]
    scores = network.eval()(batch.source, batch.mask, batch.inputs, None).reshape(*batch.targets.shape, -1)
    hook.remove()
    losses = functional.cross_entropy(scores.transpose(1, 2), batch.targets, ignore_index=PAD, reduction="none")
    # Sentences do not touch each other, so one backward pass serves the same position of all of them.
    gradients = [torch.autograd.grad(loss.sum(), words, retain_graph=True)[0] for loss in losses.unbind(dim=1)]
    return torch.stack(gradients, dim=1).norm(dim=-1)


def shares_reached(model: Trained, network: nn.Module, pairs: Sequence[Pair]) -> tuple[list[float], float]:
    """Return the share of a target word's gradient, in %, at each source position, and that at its true words.

    The sources are equally long, and the shares means over all target words; `network` reads the words of `model`.
    """
    batch = collate([(model.source_text.encode(each.source), model.target_text.encode(each.target)) for each in pairs])
    norms = reached(network, batch)
    shares = 100 * norms / norms.sum(dim=-1, keepdim=True).clamp_min(torch.finfo(norms.dtype).tiny)
    linked = torch.zeros_like(shares, dtype=torch.bool)
    for row, pair in enumerate(pairs):
        for source, target in pair.links or ():
            linked[row, target, source] = True
    of_true_words = (shares * linked).sum(dim=-1)[linked.any(dim=-1)].mean().item()
    return shares[batch.targets != PAD].mean(dim=0).tolist(), of_true_words


def shares_plot(states: Mapping[str, Mapping[str, Sequence[float]]]) -> Picture:
    """Draw the shares of the gradient by the position of the source word, a panel for each state of the networks."""
    figure, every = panels((7.2, 3.6), len(states), sharey=True)
    texts = []
    for axes, (title, curves) in zip(every, states.items(), strict=True):
        for name, (colour, marker, line) in styled(curves):
            places = range(1, len(curves[name]) + 1)
            axes.plot(places, curves[name], color=colour, marker=marker, ls=line, ms=4, label=name)
            low, high = min(curves[name]), max(curves[name])
            texts.append(f"{title}, {name}: {curves[name][0]:.1f} at the first, lowest {low:.1f}, highest {high:.1f}")
        axes.set(title=title, yscale="log", xlabel="position of the source word")
        axes.yaxis.set_major_formatter("{x:g}")
    every[0].set_ylabel("share of the gradient, %")
    legend_below(figure, 2)
    return Picture(figure, f"Share of a target word's gradient by the position of the source word. {'; '.join(texts)}.")
