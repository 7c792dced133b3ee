"""Alignments of words, read off a model's attention while the references are forced, whatever pieces it reads."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lab.corpora import CorpusError, Pair, Parallel
from lab.evaluation import links as scoring
from lab.text.tokenizers import Tokenizer

if TYPE_CHECKING:
    from lab.kinds.translation import Trained

THRESHOLDS = tuple(round(tau, 2) for tau in np.arange(0.05, 0.96, 0.05))

Outputs = dict[str, Any]


def aligned(corpus: Parallel) -> list[str]:
    """Return the test sets that have gold links."""
    return [split for split, pairs in corpus.tests.items() if pairs[0].links is not None]


def alignments(trained: "Trained", corpus: Parallel) -> Outputs:
    """Read links off the weights; a threshold is chosen on the validation part, if that has gold links."""
    links: Outputs = {split: {} for split in aligned(corpus)}
    tau = threshold(trained, corpus.validation) if corpus.validation[0].links is not None else None
    for split in links:
        maps = of_words(trained, corpus.tests[split])
        readings = {"argmax": read(maps, corpus.tests[split], None)}
        if tau is not None:
            readings["threshold"] = read(maps, corpus.tests[split], tau)
        links[split] = {name: [sorted(sentence) for sentence in sentences] for name, sentences in readings.items()}
    return {"links": links} if tau is None else {"links": links, "threshold": tau}


def threshold(trained: "Trained", pairs: Sequence[Pair]) -> float:
    """Return the threshold whose links have the lowest alignment error rate."""
    maps = of_words(trained, pairs)
    sure, possible = gold(pairs)
    return min(THRESHOLDS, key=lambda tau: scoring.aer(read(maps, pairs, tau), sure, possible).value)


def of_words(trained: "Trained", pairs: Sequence[Pair]) -> list[Float[Tensor, "target source"]]:
    """Return the attention of each pair, the target being forced, with the pieces of a word taken together."""
    maps = trained.alignments(pairs)
    return [
        merged(weights, counts(trained.source_text, pair.source), counts(trained.target_text, pair.target))
        for weights, pair in zip(maps, pairs, strict=True)
    ]


def counts(tokenizer: Tokenizer, text: str) -> list[int]:
    """Return the number of pieces of each word of a text."""
    sizes = [len(tokenizer.encode(word)) for word in text.split()]
    whole = len(tokenizer.encode(text))
    if sum(sizes) != whole:
        raise CorpusError(
            f"The words of {text!r} have {sum(sizes)} pieces one by one and {whole} together: its attention cannot be "
            "read word by word. Take a tokenizer that keeps words apart."
        )
    return sizes


def merged(
    weights: Float[Tensor, "pieces source_pieces"], source: Sequence[int], target: Sequence[int]
) -> Float[Tensor, "target source"]:
    """Return weights of words: the sum over a source word's pieces, the mean over a target word's; </s> stays last.

    Each row still adds up to what its pieces' rows did: 1, if the attention is a softmax.
    """
    columns = belongs([*source, 1], weights)
    rows = belongs(target, weights)
    return (rows / rows.sum(dim=1, keepdim=True).clamp(min=1)) @ weights[: sum(target)] @ columns.T


def belongs(sizes: Sequence[int], like: Tensor) -> Float[Tensor, "words pieces"]:
    """Return the table with 1 where a piece belongs to a word."""
    words = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes, dtype=torch.long))
    return torch.nn.functional.one_hot(words, len(sizes)).T.to(like)


def read(maps: Sequence[Tensor], pairs: Sequence[Pair], tau: float | None) -> list[frozenset]:
    """Return the links of each sentence: the strongest source word, or with tau every one that gets at least tau."""
    sizes = [(len(pair.source.split()), len(pair.target.split())) for pair in pairs]
    if tau is None:
        return [scoring.argmax_links(weights, s, t) for weights, (s, t) in zip(maps, sizes, strict=True)]
    return [scoring.threshold_links(weights, tau, s, t) for weights, (s, t) in zip(maps, sizes, strict=True)]


def gold(pairs: Sequence[Pair]) -> tuple[list[frozenset], list[frozenset]]:
    """Return the sure links of each pair and the possible ones, which are the same where nobody told them apart."""
    sure = [pair.links or frozenset() for pair in pairs]
    return sure, [links if pair.possible is None else pair.possible for pair, links in zip(pairs, sure, strict=True)]


def alignment_scores(links: Outputs, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the scores of every reading, and those of a diagonal aligner."""
    sure, possible = gold(pairs)
    readings = {name: [frozenset(map(tuple, sentence)) for sentence in sentences] for name, sentences in links.items()}
    readings["diagonal"] = [
        scoring.diagonal_links(len(pair.source.split()), len(pair.target.split())) for pair in pairs
    ]
    return {
        reading: {name: asdict(value) for name, value in scoring.alignment_scores(sentences, sure, possible).items()}
        for reading, sentences in readings.items()
    }
