"""Word vectors that a model starts from: GloVe, or vectors made of the texts at hand."""

import zipfile
from collections.abc import Iterable

import numpy as np
import torch
from jaxtyping import Bool, Float
from scipy.sparse import coo_array, csr_array
from sklearn.utils.extmath import randomized_svd
from torch import Tensor

from lab import tokenizers
from lab.corpora import CorpusError
from lab.corpora.sources import Source, fetch
from lab.tokenizers import UNK

# Pennington, Socher and Manning (2014): 6 billion words of Wikipedia and news; PDDL. The file was never fetched here:
# the checksum is the one that public programs which read it agree on.
GLOVE = Source(
    "https://downloads.cs.stanford.edu/nlp/data/glove.6B.zip",
    "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
    "glove/glove.6B.zip",
)
WIDTHS = (50, 100, 200, 300)
WINDOW = 5  # words on either side that a word is seen with
SHIFT = 1.0  # log of the number of negative samples that the shift stands for

Vectors = tuple[Float[Tensor, "words width"], Bool[Tensor, " words"]]  # and which words have one


def glove(words: tokenizers.Words, width: int) -> Vectors:
    """Return GloVe's vectors of a vocabulary: a download of 860 MB, once."""
    if width not in WIDTHS:
        raise CorpusError(f"GloVe has vectors of {', '.join(map(str, WIDTHS))} numbers, got embedding_dim = {width}.")
    vectors, known = torch.zeros(len(words), width), torch.zeros(len(words), dtype=torch.bool)
    path = fetch(GLOVE)
    try:
        with zipfile.Path(path, f"glove.6B.{width}d.txt").open(encoding="utf-8") as file:
            for line in file:
                word, *numbers = line.rstrip("\n").split(" ")
                if (row := words.index.get(word)) is not None:
                    vectors[row], known[row] = torch.tensor([float(number) for number in numbers]), True
    except (zipfile.BadZipFile, FileNotFoundError) as error:
        raise CorpusError(f"{path} is not GloVe's archive ({error}). Delete it: it is fetched again.") from None
    return vectors, known


def of_texts(words: tokenizers.Words, sentences: Iterable[str], width: int) -> Vectors:
    """Return vectors of length 1, made of which words stand near each other in the sentences.

    The square root of the singular values times the left singular vectors of the shifted positive pointwise mutual
    information of words at most WINDOW apart: Levy and Goldberg (2014).
    """
    counts = together(words, (sentence.lower() for sentence in sentences))
    known = torch.from_numpy(np.asarray(counts.sum(axis=1)).ravel() > 0)
    left, singular, _ = randomized_svd(shifted_information(counts), min(width, len(words) - 1), random_state=0)
    vectors = torch.zeros(len(words), width)
    vectors[:, : left.shape[1]] = torch.from_numpy(left * np.sqrt(singular))
    return torch.nn.functional.normalize(vectors, dim=1), known


def together(words: tokenizers.Words, sentences: Iterable[str]) -> csr_array:
    """Return how often two words of the vocabulary stand at most WINDOW apart in a sentence."""
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
    found = coo_array((values, (table.row, table.col)), shape=table.shape).tocsr()
    found.eliminate_zeros()
    return found


def start(embedding: torch.nn.Embedding, vectors: Float[Tensor, "words width"], known: Bool[Tensor, " words"]) -> None:
    """Put the vectors in, scaled so that their numbers spread as widely as those they replace."""
    if not known.any():
        return
    with torch.no_grad():
        scale = embedding.weight[known].std() / vectors[known].std()
        embedding.weight[known] = vectors[known] * scale
