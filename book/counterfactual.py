"""What a trained model says when it is given other weights than its own: the states stay, the weights are changed."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from IPython.display import HTML
from torch import Tensor

from book.tables import table
from lab.corpora import Document
from solutions.bahdanau.attention import masked_softmax, weighted_sum
from solutions.pooling.attention import attention_pool, context_attention

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
            said = trained.classify(texts)
        right = np.mean([label == document.label for label, document in zip(said, documents, strict=True)])
        rows.append([name, f"{100 * right:.1f}"])
    return table(caption, ["weights", "accuracy, %"], rows)
