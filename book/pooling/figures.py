"""Figures of the chapter on pooling: weights on the words that decide, words taken away, weights exchanged."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from IPython.display import HTML
from numpy.typing import NDArray
from torch import Tensor

from book.show.erasing import without
from book.show.tables import outputs, results, spread, summary, table
from lab.corpora import Document
from lab.evaluation.classification_results import evidence_scores, evidence_weights, gold
from lab.kinds.classification import Trained
from lab.kinds.pinned import pinned
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
    return pinned(SOLUTION, f"han-{seed}")


def agreement(one: Any, two: Any, documents: Sequence[Document], caption: str) -> HTML:
    """Return the rates at which two models give the same label, and attend to the same place."""
    texts = [document.sentences for document in documents]
    pairs = [
        (first.words[0].numpy(), second.words[0].numpy())
        for first, second in zip(one.attention_weights(texts), two.attention_weights(texts), strict=True)
    ]
    rates = {
        "they give the same label": _same(one.classify(texts), two.classify(texts)),
        "they give most weight to the same word": 100 * np.mean([a.argmax() == b.argmax() for a, b in pairs]),
        "weight that lies on the same words": 100 * np.mean([np.minimum(a, b).sum() for a, b in pairs]),
    }
    rows = [[name, f"{rate:.1f}"] for name, rate in rates.items()]
    return table(caption, ["of two trainings", "%"], rows)


def shares(named: dict[str, tuple[Any, Sequence[Document]]]) -> HTML:
    """Return the share of the weight on the evidence, for each model and its texts, beside what equal weights give."""
    rows = []
    for name, (trained, documents) in named.items():
        scores = evidence_scores(evidence_weights(trained, documents), documents)
        rows.append([name, *(f"{scores[key]['value']:.2f}" for key in COLUMNS)])
    caption = "Shares, from 0 to 1: means over the test texts that have evidence"
    return table(caption, ["model", *COLUMNS.values()], rows)


RULES: dict[str, Rule] = {
    "the gold evidence": lambda weights, marked, rng: np.flatnonzero(marked),
    "as many words, those with the most weight": lambda weights, marked, rng: np.argsort(-weights)[: marked.sum()],
    "as many words, at random": lambda weights, marked, rng: rng.choice(len(marked), marked.sum(), replace=False),
}
FEWEST = 10  # texts of which a share is worth a row
HEAVIEST, RANDOM = list(RULES)[1:]
KEPT, HIT = ("the heaviest, where no evidence is among them", "the heaviest, where evidence is among them")


@dataclass(frozen=True)
class Erased:
    """What is left of the labels, in per cent, of so many texts from which words are gone."""

    texts: int
    right: float
    changed: float


def erasures(trained: Any, documents: Sequence[Document], seed: int = 1) -> dict[str, Erased]:
    """Return the outcome without the evidence, without the heaviest words (with any of it or none), without others."""
    documents = [document for document in documents if document.evidence]
    texts, rng = [document.sentences for document in documents], np.random.default_rng(seed)
    weights, before = [each.words[0].numpy() for each in trained.attention_weights(texts)], trained.classify(texts)
    marked = [gold(document).bool().numpy() for document in documents]
    every = np.ones(len(documents), dtype=bool)
    rows = {"nothing": _outcome(before, before, documents, every)}
    for name, rule in RULES.items():
        gone = [rule(row, each, rng) for row, each in zip(weights, marked, strict=True)]
        left = [without(document, places) for document, places in zip(documents, gone, strict=True)]
        after = trained.classify(left)
        rows[name] = _outcome(after, before, documents, every)
        if name == HEAVIEST:
            hit = np.array([each[places].any() for each, places in zip(marked, gone, strict=True)])
            if min(hit.sum(), (~hit).sum()) >= FEWEST:
                rows[KEPT] = _outcome(after, before, documents, ~hit)
                rows[HIT] = _outcome(after, before, documents, hit)
    return rows


def _outcome(
    after: Sequence[str], before: Sequence[str], documents: Sequence[Document], chosen: NDArray[np.bool_]
) -> Erased:
    right = np.array([label == document.label for label, document in zip(after, documents, strict=True)])
    changed = np.array([one != two for one, two in zip(after, before, strict=True)])
    return Erased(int(chosen.sum()), 100 * float(right[chosen].mean()), 100 * float(changed[chosen].mean()))


Change = Callable[[Tensor, Tensor], Tensor]  # weights and mask → other weights


def learned(weights: Tensor, mask: Tensor) -> Tensor:
    return weights


def equal(weights: Tensor, mask: Tensor) -> Tensor:
    """Return the same weight for every real position."""
    return masked_softmax(torch.zeros_like(weights), mask)


def others(weights: Tensor, mask: Tensor) -> Tensor:
    """Return the same weight for every real position but the heaviest, which has none."""
    return equal(weights, mask & (weights < weights.max(dim=-1, keepdim=True).values))


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

    def attend(*arguments):  # those of the taught `hierarchical_attention`
        H, W_w, b_w, u_w, W_s, b_s, u_s, mask, sentence_encoder = arguments
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
    "the heaviest sentence none, the others equal": hierarchy_with(learned, others),
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
    trained: Any, documents: Sequence[Document], attends: Mapping[str, Callable], seed: int = 1
) -> dict[str, float]:
    """Return the accuracy, in per cent, with the model's own weights and with others in their place."""
    torch.manual_seed(seed)
    texts, accuracy = [document.sentences for document in documents], {}
    for name, attend in attends.items():
        with attending(trained.model, attend):
            predicted = trained.classify(texts)
        right = [label == document.label for label, document in zip(predicted, documents, strict=True)]
        accuracy[name] = 100 * float(np.mean(right))
    return accuracy


def counterfactual_table(columns: Mapping[str, Mapping[str, float]], caption: str) -> HTML:
    """Return the accuracies of some models (their names), a row for the weights that they were given."""
    rows = [[name, *(f"{column[name]:.1f}" for column in columns.values())] for name in next(iter(columns.values()))]
    return table(caption, ["weights", *(f"{name}: accuracy, %" for name in columns)], rows)


def departures(words: Mapping[str, str], experiment: str, base: str = "relations-small") -> HTML:
    """Return the agreement of the adversaries (variant: its words) with their base in labels, and in attention."""
    rows = []
    for variant, text in words.items():
        runs = results("pooling", f"{base}-{variant}")
        pairs = list(zip(outputs("pooling", f"{base}-{variant}"), outputs("pooling", base), strict=False))
        labels = [_same(one["labels"]["test"], two["labels"]["test"]) for one, two in pairs]
        tops = [_same(*([row["top"] for row in each["looks"]["test"]] for each in pair)) for pair in pairs]
        f1, evidence = (summary(runs, "test", key, scale=100) for key in ("macro_f1", "evidence"))
        rows.append([text, f1, spread(labels), spread(tops), evidence, f"{len(runs)}"])
    caption = f"Relations, test: models trained to attend elsewhere (python -m solutions.pooling sweep {experiment})"
    columns = ["λ", "macro-F1, %", "label as its base, %", "heaviest word as its base, %", "weight on the evidence, %"]
    return table(caption, [*columns, "seeds"], rows)


def _same(one: Sequence, two: Sequence) -> float:
    return 100 * float(np.mean([a == b for a, b in zip(one, two, strict=True)]))
