"""Word vectors that a model starts from: random ones, or vectors made of the texts at hand."""

from collections.abc import Callable, Iterable

import torch

from lab.tokenizers import Words


def start_from(kind: str, embedding: torch.nn.Embedding, words: Words, sentences: Callable[[], Iterable[str]]) -> None:
    """Put in the word vectors that a recipe names; `sentences` gives the text, where they are made of one.

    Their numbers spread as widely as those they replace.
    """
    if kind == "random":
        return
    from lab.cooccurrence import of_texts  # scipy and scikit-learn, which other trainings do without

    vectors, known = of_texts(words, sentences(), embedding.embedding_dim)
    with torch.no_grad():
        embedding.weight[known] = vectors[known] * (embedding.weight[known].std() / vectors[known].std())
