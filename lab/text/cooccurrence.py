"""Word vectors made from the counts of neighbouring words in the texts at hand."""

from collections.abc import Iterable

import numpy as np
import torch
from jaxtyping import Bool, Float
from scipy.sparse import coo_array, csr_array
from sklearn.utils.extmath import randomized_svd
from torch import Tensor

from lab.text.tokenizers import UNK, Words

WINDOW = 5  # words on either side that a word is seen with
SHIFT = 1.0  # log of the number of negative samples that the shift stands for


def of_texts(
    words: Words, sentences: Iterable[str], width: int
) -> tuple[Float[Tensor, "words width"], Bool[Tensor, " words"]]:
    """Return vectors of length 1, made from counts of neighbouring words, and a mask of the words that have one.

    The square root of the singular values times the left singular vectors of the shifted positive pointwise mutual
    information of words at most WINDOW apart: Levy and Goldberg (2014).
    """
    counts = together(words, (sentence.lower() for sentence in sentences))
    known = torch.from_numpy(np.asarray(counts.sum(axis=1)).ravel() > 0)
    left, singular, _ = randomized_svd(shifted_information(counts), min(width, len(words) - 1), random_state=0)
    vectors = torch.zeros(len(words), width)
    vectors[:, : left.shape[1]] = torch.from_numpy(left * np.sqrt(singular))
    return torch.nn.functional.normalize(vectors, dim=1), known


def together(words: Words, sentences: Iterable[str]) -> csr_array:
    """Return the counts of each two words of the vocabulary at most WINDOW apart in a sentence."""
    gap = [-1] * WINDOW  # so that no two sentences meet in a window
    numbers = np.array([n for sentence in sentences for n in (*words.encode(sentence), *gap)])
    numbers[numbers == UNK] = -1
    size = len(words)
    total = csr_array((size, size))
    for distance in range(1, WINDOW + 1):
        first, second = numbers[:-distance], numbers[distance:]
        real = (first >= 0) & (second >= 0)
        pairs = coo_array((np.ones(real.sum()), (first[real], second[real])), shape=(size, size)).tocsr()
        total = total + pairs + pairs.T
    return total.tocsr()


def shifted_information(counts: csr_array) -> csr_array:
    """Return max(log(p(a, b) / (p(a) p(b))) − SHIFT, 0), with p(b) smoothed by the exponent 3/4.

    The exponent is that of Levy, Goldberg and Dagan (2015).
    """
    table = counts.tocoo()
    rows = np.asarray(counts.sum(axis=1)).ravel()
    columns = rows**0.75
    expected = rows[table.row] * columns[table.col] / columns.sum()
    values = np.maximum(np.log(table.data / expected) - SHIFT, 0)
    information = coo_array((values, (table.row, table.col)), shape=table.shape).tocsr()
    information.eliminate_zeros()
    return information
