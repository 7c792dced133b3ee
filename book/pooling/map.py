"""A map that lies: two models that give the same labels and other weights, side by side, and three tests of both."""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

import torch
from IPython.display import HTML
from torch import Tensor

from book.live.export import figure
from book.pooling.figures import attending, pool_with
from book.show.erasing import without
from book.show.quoting import quote
from lab import corpora
from lab.corpora import Document
from lab.kinds.classification import Trained
from lab.kinds.pinned import pinned
from solutions.pooling.model import SOLUTION

NAMES = ("base", "adversary")
TESTS = {  # the name in the script: its words
    "erase": "erase the heaviest word",
    "move": "move its weight to the other words",
    "swap": "give each the other's weights",
}
SENTENCE = "the merchant once hired the rich porter , while the <e1> farmer </e1> later saved the <e2> judge </e2> ."
TEXTS = 300  # test sentences


def models() -> tuple[Trained, Trained]:
    """Return the base and its adversary."""
    return pinned(SOLUTION, "relations"), pinned(SOLUTION, "away")


def moved(weights: Tensor, mask: Tensor) -> Tensor:
    """Return the weights with that of the heaviest position moved to the others, in proportion to what they have."""
    rest = weights.scatter(-1, weights.argmax(dim=-1, keepdim=True), 0.0)
    return rest / rest.sum(dim=-1, keepdim=True)


def given(weights: Tensor) -> Callable[..., tuple[Tensor, Tensor]]:
    """Return attention_pool with these weights, batch × source, in the place of its own."""
    return pool_with(lambda own, mask: weights.to(own.dtype))


def labels(pair: Sequence[Trained], documents: Sequence[Document]) -> dict[str, list[list[str]]]:
    """Return the label of each document by each of two models: as they are, under "", and under each test."""
    texts = [document.sentences for document in documents]
    answers: dict[str, list[list[str]]] = {test: [] for test in ("", *TESTS)}
    for trained, other in zip(pair, reversed(pair), strict=True):
        answers[""].append(trained.classify(texts))
        heaviest = [int(each.words[0].argmax()) for each in trained.attention_weights(texts)]
        left = [without(document, [place]) for document, place in zip(documents, heaviest, strict=True)]
        answers["erase"].append(trained.classify(left))
        with attending(trained.model, pool_with(moved)):
            answers["move"].append(trained.classify(texts))
        answers["swap"].append(exchanged(trained, other, texts))
    return answers


@torch.no_grad()
def exchanged(trained: Trained, other: Trained, texts: Sequence[Sequence[str]]) -> list[str]:
    """Return the labels of a model whose words have the weights of another one, which knows the same words."""
    names = [""] * len(texts)
    for rows, tokens, mask in trained.batches(texts):
        with attending(trained.model, given(other.model.attention_weights(tokens, mask))):
            best = trained.model(tokens, mask).argmax(dim=-1).tolist()
        for place, label in zip(rows, best, strict=True):
            names[place] = trained.labels[label]
    return names


def counts(answers: dict[str, list[list[str]]]) -> dict[str, Any]:
    """Return the number of texts whose label changes: for each test one for each model."""
    changed = {
        test: [sum(a != b for a, b in zip(*each, strict=True)) for each in zip(answers[""], answers[test], strict=True)]
        for test in TESTS
    }
    return {"texts": len(answers[""][0]), **changed}


def lying_map() -> HTML:
    """Return the figure, and quote what its tests gave."""
    pair, changes = models(), quote_map()
    named: dict[str, Trained] = {"pooling-relations": pair[0], "pooling-away": pair[1]}
    return figure("map", named, SENTENCE, counts=changes)


def quote_map() -> dict[str, Any]:
    """Return the number of texts whose label changes; quote it, and the share that each model has right."""
    pair, documents = models(), corpora.load("relations").tests["test"][:TEXTS]
    answers, truth = labels(pair, documents), [document.label for document in documents]
    flips, right = counts(answers), [100 * fmean(map(str.__eq__, each, truth)) for each in answers[""]]
    quote(
        map_texts=f"{TEXTS}",
        **{f"map_{test}_{name}": f"{count}" for test in TESTS for name, count in zip(NAMES, flips[test], strict=True)},
        **{f"map_{name}": f"{share:.1f}" for name, share in zip(NAMES, right, strict=True)},
    )
    return flips
