"""Pictures of the chapter on the encoder–decoder: what passes its one vector, and how far back a way reaches."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from book.encoder_decoder.figures import ORDERS, over_seeds
from book.show.experiments import runs_of, validations
from book.show.seed_plots import lines, seed_curves
from book.show.tables import PHRASEBOOK, results
from lab.kinds.translation import Trained
from lab.show.plots import STYLES, Picture, bleu_by_length_plot, legend_below, panels
from lab.text.batches import source_batch
from solutions.encoder_decoder.attention import gru_step

SEARCHES = {"greedy": "greedy", "beam5": "beam of five"}
COMMON = 100  # the first words of a vocabulary, mostly function words: none of them is put in another's place
DISTANCES = [1, 2, 5, 10, 20, 40, 60]
NETWORKS = {
    "tanh": (nn.RNN, False),
    "GRU": (nn.GRU, False),
    "GRU, gate open": (nn.GRU, True),
    "LSTM": (nn.LSTM, False),
    "LSTM, gate open": (nn.LSTM, True),
}
ORDERED = {  # who does it to whom: sentences of the same words in two orders
    "the king first": ("le roi punit la reine", "le roi embrasse la reine", "le roi cherche la reine"),
    "the queen first": ("la reine punit le roi", "la reine embrasse le roi", "la reine cherche le roi"),
}


def reversed_curves() -> Picture:
    """Draw validation BLEU by epoch with the source as it is and reversed, a line for each seed."""
    curves = {words: validations(runs_of("encoder_decoder", "reversed", variant)) for variant, words in ORDERS.items()}
    return seed_curves(curves, "epoch", "validation BLEU", "An encoder that reads one way, while it learns")


def searches_plot(run: str = PHRASEBOOK) -> Picture:
    """Draw BLEU by length of greedy decoding and of a beam of five, over all seeds."""
    scored = results("encoder_decoder", run)
    curves = {words: over_seeds(scored, search) for search, words in SEARCHES.items()}
    return bleu_by_length_plot(curves, title="BLEU by length, two searches", intervals="lowest to highest seed")


def reach(network: type[nn.RNNBase], length: int, open_gate: bool, width: int = 64, trials: int = 8) -> float:
    """Return the mean norm of the gradient of the last state, in a random direction, at the first input."""
    norms = []
    for trial in range(trials):
        torch.manual_seed(trial)
        layer = network(width, width, batch_first=True)
        if open_gate:  # the gate that lets the old state through: GRU's update, LSTM's forget gate
            layer.bias_hh_l0.data[width : 2 * width] += 2.0
        inputs = torch.randn(1, length, width, requires_grad=True)
        last = layer(inputs)[0][0, -1]
        (last @ nn.functional.normalize(torch.randn(width), dim=0)).backward()
        norms.append(inputs.grad[0, 0].norm())
    return torch.stack(norms).mean().item()


def gradient_norms() -> dict[str, list[float]]:
    """Return the norm of the gradient over each distance, of five untrained networks."""
    return {name: [reach(network, n, is_open) for n in DISTANCES] for name, (network, is_open) in NETWORKS.items()}


def gradient_plot(norms: Mapping[str, Sequence[float]]) -> Picture:
    """Draw the norm of a gradient by the number of steps that it goes back."""
    curves = {name: list(zip(DISTANCES, of, strict=True)) for name, of in norms.items()}
    y_label = "norm of the gradient at the first input"
    return lines(curves, "length of the sequence (steps)", y_label, "How far back a gradient reaches", log="y")


def vectors(model: Trained, sentences: Sequence[str]) -> Float[Tensor, "sentences both_units"]:
    """Return the vector c of each sentence."""
    with torch.no_grad():
        source, mask = source_batch([model.source_text.encode(sentence) for sentence in sentences])
        return model.model.encode(source, mask)[0]["context"]


@dataclass(frozen=True)
class Changes:
    """How much one changed word changes each half of c, in per cent of what two sentences differ by: by words after."""

    forward: list[float]
    backward: list[float]


def changed_words(model: Trained, sentences: Sequence[str], reach: int = 16, tries: int = 3, seed: int = 1) -> Changes:
    """Return the mean change of the halves of c when a word is exchanged, by how many words are read after it.

    The forward half reads the words to its right afterwards, the backward half those to its left. All sentences have at
    least `reach` words; each word is exchanged `tries` times for a random one.
    """
    rng, words = random.Random(seed), model.source_text.words[COMMON:]
    halves = vectors(model, sentences).chunk(2, dim=-1)
    usual = [torch.pdist(half).mean() for half in halves]
    changes: tuple[list[list[float]], ...] = ([[] for _ in range(reach)], [[] for _ in range(reach)])
    for sentence, own in zip(sentences, zip(*halves, strict=True), strict=True):
        place_of, texts = [], []
        for place in range(length := len(sentence.split())):
            for _ in range(tries):
                texts.append(" ".join([*sentence.split()[:place], rng.choice(words), *sentence.split()[place + 1 :]]))
                place_of.append(place)
        for half, (new, old) in enumerate(zip(vectors(model, texts).chunk(2, dim=-1), own, strict=True)):
            for place, change in zip(place_of, (new - old).norm(dim=-1) / usual[half], strict=True):
                after = place if half else length - 1 - place
                if after < reach:
                    changes[half][after].append(100 * change.item())
    return Changes(*([fmean(each) for each in half] for half in changes))


def changed_words_plot(kept: Changes) -> Picture:
    """Draw how much a changed word changes each half of c, by how many words are read after it."""
    curves = {"half read from the left": kept.forward, "half read from the right": kept.backward}
    points = {name: list(enumerate(of)) for name, of in curves.items()}
    y_label = "change of the half, % of the distance\nbetween two sentences"
    picture = lines(points, "words read after the changed one", y_label, "What one changed word does to c")
    picture.figure.axes[0].set_ylim(bottom=0)
    return picture


@dataclass(frozen=True)
class Projection:
    """Sentences in two dimensions, those of one order together; shares of variance; distances in the whole space."""

    places: dict[str, list[tuple[str, float, float]]]
    shares: tuple[float, float]
    orders: float  # mean distance of two sentences with the same verb in the two orders
    verbs: float  # mean distance of two sentences in the same order with different verbs


def projection(model: Trained, groups: Mapping[str, Sequence[str]] = ORDERED) -> Projection:
    """Return the first two principal components of the vectors c of some sentences."""
    sentences = [sentence for group in groups.values() for sentence in group]
    centred = vectors(model, sentences)
    centred = centred - centred.mean(dim=0)
    _, sizes, directions = torch.linalg.svd(centred, full_matrices=False)
    shares = (sizes**2 / (sizes**2).sum()).tolist()
    flat = (centred @ directions[:2].T).tolist()
    place = dict(zip(sentences, flat, strict=True))
    places = {name: [(sentence, *place[sentence]) for sentence in group] for name, group in groups.items()}
    apart = torch.cdist(centred, centred)
    each = len(sentences) // 2
    same_order = torch.block_diag(*[torch.ones(each, each)] * 2).triu(1).bool()
    orders = apart[torch.arange(each), torch.arange(each) + each].mean().item()
    return Projection(places, (shares[0], shares[1]), orders, apart[same_order].mean().item())


def projection_plot(states: Projection) -> Picture:
    """Draw sentences by the first two principal components of their vectors."""
    figure, (axes,) = panels((6.4, 3.8), grid="")
    texts = []
    for (name, points), (colour, marker, _) in zip(states.places.items(), STYLES, strict=False):
        _, x, y = zip(*points, strict=True)
        axes.plot(x, y, ls="", color=colour, marker=marker, ms=8, label=name)
        left = fmean(x) < 0
        for sentence, a, b in points:
            side = {"xytext": (9 if left else -9, 0), "ha": "left" if left else "right", "va": "center"}
            axes.annotate(sentence, (a, b), textcoords="offset points", fontsize=9.5, **side)
        texts.append(f"{name}: {'; '.join(f'{sentence} at ({a:.1f}, {b:.1f})' for sentence, a, b in points)}")
    first, second = (f"{100 * share:.0f} %" for share in states.shares)
    axes.set(xlabel=f"first component ({first} of the variance)", ylabel=f"second component ({second})")
    axes.margins(0.1, 0.25)
    legend_below(figure, 2)
    return Picture(figure, f"Vectors c of six sentences, first two principal components. {'. '.join(texts)}.")


def update_gates(network: nn.GRU, inputs: Float[Tensor, "length width"]) -> Float[Tensor, "length units"]:
    """Return the update gate z of the left-to-right half of a GRU at each word."""
    W, U = network.weight_ih_l0, network.weight_hh_l0
    b, c = network.bias_ih_l0, network.bias_hh_l0
    h, gates = inputs.new_zeros(1, network.hidden_size), []
    with torch.no_grad():
        for x in inputs[:, None]:
            gates.append(torch.sigmoid((x @ W.T + b + h @ U.T + c).chunk(3, dim=-1)[1]))
            h = gru_step(x, h, W, U, b, c)
    return torch.cat(gates)


def encoder_gates(net: nn.Module, tokens: Int[Tensor, " length"]) -> Float[Tensor, "length units"]:
    """Return the update gates of an encoder–decoder's left-to-right encoder over a sentence."""
    return update_gates(net.encoder.network, net.encoder.embedding(tokens).detach())  # type: ignore[union-attr]


def gates_plot(gates: Mapping[str, Float[Tensor, "length units"]], words: Sequence[str]) -> Picture:
    """Draw the median of the update gates at each word, and shade where eight units of ten lie."""
    figure, (axes,) = panels((6.4, 4.0), grid="")
    axes.grid(axis="y", color="#dddddd")  # above the shade
    texts = []
    for (name, of), (colour, marker, line) in zip(gates.items(), STYLES, strict=False):
        low, middle, high = torch.quantile(of, torch.tensor([0.1, 0.5, 0.9]), dim=1).numpy()
        axes.plot(range(len(words)), middle, color=colour, marker=marker, ls=line, ms=5, label=name)
        axes.fill_between(range(len(words)), low, high, color=colour, alpha=0.15, linewidth=0)
        texts.append(f"{name}: {', '.join(f'{word} {z:.2f}' for word, z in zip(words, middle, strict=True))}")
    axes.set_xticks(range(len(words)), words, rotation=60, ha="right", rotation_mode="anchor")
    axes.set(ylim=(0, 1.03), xlabel="word that is read", ylabel="update gate z (1: the old state is kept)")
    legend_below(figure, 2)
    return Picture(figure, f"Update gates by word, median of the units, shaded eight of ten. {'. '.join(texts)}.")
