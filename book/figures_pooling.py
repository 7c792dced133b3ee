"""Figures of the chapter on pooling: weights on the words that decide, words taken away, weights exchanged."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from IPython.display import HTML
from numpy.typing import NDArray
from torch import Tensor

from book.tables import table
from lab.classification import Run, Trained, train
from lab.corpora import Document, reviews
from lab.evaluation.classification_results import evidence_scores, evidence_weights, gold
from solutions.bahdanau.attention import masked_softmax, weighted_sum
from solutions.pooling.attention import attention_pool, context_attention
from solutions.pooling.model import SOLUTION

Weights = NDArray[np.floating]
Rule = Callable[[Weights, NDArray[np.bool_], np.random.Generator], NDArray[np.int_]]  # the places of the words to erase

COLUMNS = {
    "evidence": "weight on the evidence",
    "evidence_uniform": "with equal weights",
    "evidence_top": "the heaviest word is evidence",
}


def reader(seed: int) -> Trained:
    """Return HAN, trained on short reviews."""
    run = Run(SOLUTION.name, "reviews", "short_han", seed=seed)
    recipe = SOLUTION.recipes[run.recipe]
    with tempfile.TemporaryDirectory() as folder:
        return train(SOLUTION, run, recipe, quiet=True, folder=Path(folder), corpus=reviews.short())


def agreement(one: Any, two: Any, documents: Sequence[Document], caption: str) -> HTML:
    """Return how often two models say the same, and how often they look at the same place."""
    texts = [document.sentences for document in documents]
    pairs = [
        (first.words[0].numpy(), second.words[0].numpy())
        for first, second in zip(one.attention_weights(texts), two.attention_weights(texts), strict=True)
    ]
    labels = zip(one.classify(texts), two.classify(texts), strict=True)
    rows = [
        ["they give the same label", f"{100 * np.mean([a == b for a, b in labels]):.1f}"],
        [
            "they give most weight to the same word",
            f"{100 * np.mean([a.argmax() == b.argmax() for a, b in pairs]):.1f}",
        ],
        ["weight that lies on the same words", f"{100 * np.mean([np.minimum(a, b).sum() for a, b in pairs]):.1f}"],
    ]
    return table(caption, ["of two trainings", "%"], rows)


def shares(named: dict[str, tuple[Any, Sequence[Document]]]) -> HTML:
    """Return the share of the weight on the evidence, for each model and its texts, beside what equal weights give."""
    rows = []
    for name, (trained, documents) in named.items():
        scores = evidence_scores(evidence_weights(trained, documents), documents)
        rows.append([name, *(f"{scores[key]['value']:.2f}" for key in COLUMNS)])
    caption = "Shares, from 0 to 1: means over the test texts that have evidence"
    return table(caption, ["model", *COLUMNS.values()], rows)


def without(document: Document, gone: NDArray[np.int_]) -> tuple[str, ...]:
    """Return the sentences without the words at these places, counted through the text."""
    left, place = [], 0
    for sentence in document.sentences:
        words = sentence.split()
        left.append(" ".join(word for t, word in enumerate(words, start=place) if t not in gone))
        place += len(words)
    return tuple(left)


RULES: dict[str, Rule] = {
    "the gold evidence": lambda weights, marked, rng: np.flatnonzero(marked),
    "as many words, those with the most weight": lambda weights, marked, rng: np.argsort(-weights)[: marked.sum()],
    "as many words, at random": lambda weights, marked, rng: rng.choice(len(marked), marked.sum(), replace=False),
}


def erasures(trained: Any, documents: Sequence[Document], caption: str, seed: int = 1) -> HTML:
    """Return what is left of the labels when the evidence is erased, or the heaviest words, or any."""
    documents = [document for document in documents if document.evidence]
    texts, rng = [document.sentences for document in documents], np.random.default_rng(seed)
    weights, before = [look.words[0].numpy() for look in trained.attention_weights(texts)], trained.classify(texts)
    rows = [["nothing", *_told(before, before, documents)]]
    for name, rule in RULES.items():
        left = [
            without(document, rule(row, gold(document).bool().numpy(), rng))
            for document, row in zip(documents, weights, strict=True)
        ]
        rows.append([name, *_told(trained.classify(left), before, documents)])
    return table(caption, ["erased", "accuracy, %", "label has changed, %"], rows)


def _told(after: Sequence[str], before: Sequence[str], documents: Sequence[Document]) -> list[str]:
    right = np.mean([label == document.label for label, document in zip(after, documents, strict=True)])
    changed = np.mean([one != two for one, two in zip(after, before, strict=True)])
    return [f"{100 * right:.1f}", f"{100 * changed:.1f}"]


Change = Callable[[Tensor, Tensor], Tensor]  # weights and mask → other weights


def learned(weights: Tensor, mask: Tensor) -> Tensor:
    return weights


def equal(weights: Tensor, mask: Tensor) -> Tensor:
    """Return the same weight for every real position."""
    return masked_softmax(torch.zeros_like(weights), mask)


def shuffled(weights: Tensor, mask: Tensor) -> Tensor:
    """Return the weights of each row in random order among its real positions."""
    onto = torch.rand(weights.shape).masked_fill(~mask, 2.0).argsort(dim=-1)  # the real positions first, in any order
    real = (~mask).int().argsort(dim=-1, stable=True)  # the real positions first, in their order
    return torch.zeros_like(weights).scatter(-1, onto, weights.gather(-1, real)) * mask


def pool_with(change: Change) -> Callable[..., tuple[Tensor, Tensor]]:
    """Return attention_pool with its weights changed before the sum."""

    def attend(H: Tensor, w: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        weights = change(attention_pool(H, w, mask)[1], mask)
        return torch.tanh(weighted_sum(weights, H)), weights

    return attend


def hierarchy_with(words: Change, sentences: Change) -> Callable[..., tuple[Tensor, Tensor, Tensor]]:
    """Return hierarchical_attention with the weights of its levels changed before their sums."""

    def attend(H, W_w, b_w, u_w, W_s, b_s, u_s, mask, sentence_encoder):
        states, real, filled = H.flatten(0, 1), mask.flatten(0, 1), mask.any(dim=-1)
        of_words = words(context_attention(states, W_w, b_w, u_w, real)[1], real)
        vectors = sentence_encoder(weighted_sum(of_words, states).unflatten(0, mask.shape[:2]), filled)
        of_sentences = sentences(context_attention(vectors, W_s, b_s, u_s, filled)[1], filled)
        return weighted_sum(of_sentences, vectors), of_words.unflatten(0, mask.shape[:2]), of_sentences

    return attend


FLAT = {"its own": pool_with(learned), "shuffled": pool_with(shuffled), "all equal": pool_with(equal)}
NESTED = {
    "its own": hierarchy_with(learned, learned),
    "words shuffled in their sentence": hierarchy_with(shuffled, learned),
    "words all equal": hierarchy_with(equal, learned),
    "sentences shuffled": hierarchy_with(learned, shuffled),
    "sentences all equal": hierarchy_with(learned, equal),
}


@contextmanager
def attending(model: Any, attend: Callable):
    """Give the model another attention for a while."""
    own, model.attend = model.attend, attend
    try:
        yield
    finally:
        model.attend = own


def counterfactuals(
    trained: Any, documents: Sequence[Document], others: Mapping[str, Callable], caption: str, seed: int = 1
) -> HTML:
    """Return the accuracy with the model's own weights, and with others in their place."""
    torch.manual_seed(seed)
    texts, rows = [document.sentences for document in documents], []
    for name, attend in others.items():
        with attending(trained.model, attend):
            predicted = trained.classify(texts)
        right = np.mean([label == document.label for label, document in zip(predicted, documents, strict=True)])
        rows.append([name, f"{100 * right:.1f}"])
    return table(caption, ["weights", "accuracy, %"], rows)
