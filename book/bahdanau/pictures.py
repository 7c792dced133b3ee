"""Pictures of the chapter on additive attention: error rates by what the query has read, links found, gradients."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from book.bahdanau.figures import QUERIES, THRESHOLD, outputs_of, strongest
from book.show.experiments import AER, seeds_of
from book.show.seed_plots import dots, seed_curves
from book.show.tables import PHRASEBOOK, results, score
from lab import corpora
from lab.corpora import Pair
from lab.evaluation.links import diagonal_links
from lab.kinds.translation import Trained
from lab.show.plots import Picture, Point, legend_below, panels, styled
from lab.text.batches import Batch, collate
from lab.text.tokenizers import PAD

READINGS = {"strongest word": AER, "words above a threshold": THRESHOLD}
PLACES = {
    "next": "the source of the next word",
    "previous": "the source of the word before",
    "elsewhere": "elsewhere",
}
FARTHEST = 12  # words off the diagonal: links that lie farther are counted with these


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
    """Return which share of the true links has been found, in per cent, by how far they lie off the diagonal."""
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
    """Return which share of a target word's gradient, in %, reaches each source position, and which its true words.

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
