"""What goes wrong in the distribution of top-p sampling."""

import torch
from torch import Tensor

from solutions.encoder_decoder.attention import nucleus


def _ranked(logits: Tensor) -> tuple[Tensor, Tensor]:
    return logits.softmax(dim=-1).sort(dim=-1, descending=True)


def _back(logits: Tensor, words: Tensor, kept: Tensor) -> Tensor:
    """Return kept probabilities at the places of their words, divided by their sum: NaN where nothing is kept."""
    return torch.zeros_like(logits).scatter(-1, words, kept / kept.sum(dim=-1, keepdim=True))


def stops_before(logits: Tensor, p: float) -> Tensor:
    """The word that makes the sum reach p is left out. The set is the smallest that *reaches* p: that word is in it."""
    ranked, words = _ranked(logits)
    return _back(logits, words, ranked * (ranked.cumsum(-1) <= p))


def stops_before_but_keeps_one(logits: Tensor, p: float) -> Tensor:
    """The word that makes the sum reach p is left out, unless it is the first. The set is the smallest that *reaches*
    p: that word is in it."""
    ranked, words = _ranked(logits)
    kept = ranked.cumsum(-1) <= p
    kept[:, 0] = True
    return _back(logits, words, ranked * kept)


def one_word_more(logits: Tensor, p: float) -> Tensor:
    """One word more is kept than needed. The set is the *smallest* whose probability reaches p."""
    ranked, words = _ranked(logits)
    kept = ranked.cumsum(-1) - ranked < p
    return _back(logits, words, ranked * torch.cat([kept[:, :1], kept[:, :-1]], dim=-1))


def not_renormalised(logits: Tensor, p: float) -> Tensor:
    """The kept probabilities do not sum to 1. Divide them by their sum."""
    return logits.softmax(-1) * (nucleus(logits, p) > 0)


def softmax_again(logits: Tensor, p: float) -> Tensor:
    """The kept probabilities go through a softmax once more. Divide them by their sum."""
    kept = logits.softmax(-1).masked_fill(nucleus(logits, p) == 0, -torch.inf)
    return kept.softmax(-1)


def left_sorted(logits: Tensor, p: float) -> Tensor:
    """The probabilities come out sorted. Column v belongs to word v: put each back to its word."""
    return nucleus(logits, p).sort(dim=-1, descending=True).values


def least_probable_first(logits: Tensor, p: float) -> Tensor:
    """The least probable words are taken first. Begin with the most probable."""
    ranked, words = logits.softmax(dim=-1).sort(dim=-1)
    return _back(logits, words, ranked * (ranked.cumsum(-1) - ranked < p))


def in_order_of_number(logits: Tensor, p: float) -> Tensor:
    """Words are taken in the order of their numbers until p is reached. Sort them by probability first."""
    probabilities = logits.softmax(-1)
    words = torch.arange(logits.shape[1]).expand_as(logits)
    return _back(logits, words, probabilities * (probabilities.cumsum(-1) - probabilities < p))


def every_word_by_itself(logits: Tensor, p: float) -> Tensor:
    """Words are kept whose own probability is at least p. It is the *sum* over the set that has to reach p."""
    probabilities = logits.softmax(-1)
    words = torch.arange(logits.shape[1]).expand_as(logits)
    return _back(logits, words, probabilities * (probabilities >= p))


def share_of_the_best(logits: Tensor, p: float) -> Tensor:
    """Words are kept that are at least p times as probable as the best one. Their *sum* has to reach p."""
    probabilities = logits.softmax(-1)
    words = torch.arange(logits.shape[1]).expand_as(logits)
    return _back(logits, words, probabilities * (probabilities >= p * probabilities.amax(-1, keepdim=True)))


def share_of_the_words(logits: Tensor, p: float) -> Tensor:
    """A share p of all words is kept. Their *probability* has to reach p, however many that takes."""
    ranked, words = _ranked(logits)
    count = max(1, round(p * logits.shape[1]))
    return _back(logits, words, ranked * (torch.arange(logits.shape[1]) < count))


def first_row_decides(logits: Tensor, p: float) -> Tensor:
    """Every row keeps as many words as the first. Each row has a nucleus of its own."""
    ranked, words = _ranked(logits)
    count = int((nucleus(logits, p)[0] > 0).sum())
    return _back(logits, words, ranked * (torch.arange(logits.shape[1]) < count))


def one_nucleus_for_all(logits: Tensor, p: float) -> Tensor:
    """The rows share one sum: words of the whole batch are sorted together. Each row has a nucleus of its own."""
    ranked, words = (logits.softmax(-1) / len(logits)).flatten().sort(descending=True)
    kept = torch.zeros(logits.numel()).scatter(0, words, ranked * (ranked.cumsum(-1) - ranked < p)).view_as(logits)
    return kept / kept.sum(dim=-1, keepdim=True)


def evenly(logits: Tensor, p: float) -> Tensor:
    """All kept words have the same probability. They keep their proportions: divide by the sum of the kept."""
    kept = (nucleus(logits, p) > 0).float()
    return kept / kept.sum(-1, keepdim=True)


def only_the_best(logits: Tensor, p: float) -> Tensor:
    """Only the most probable word is kept: that is greedy decoding."""
    return torch.nn.functional.one_hot(logits.argmax(-1), logits.shape[1]).to(logits.dtype)


def nothing_cut(logits: Tensor, p: float) -> Tensor:
    """Every word keeps its probability. Those outside the set get 0."""
    return logits.softmax(-1)


NUCLEUS = (
    stops_before,
    stops_before_but_keeps_one,
    one_word_more,
    not_renormalised,
    softmax_again,
    left_sorted,
    least_probable_first,
    in_order_of_number,
    every_word_by_itself,
    share_of_the_best,
    share_of_the_words,
    first_row_decides,
    one_nucleus_for_all,
    evenly,
    only_the_best,
    nothing_cut,
)
