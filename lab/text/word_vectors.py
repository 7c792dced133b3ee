"""Word vectors that a model starts from: GloVe, or vectors made of the texts at hand."""

import zipfile
from collections.abc import Callable, Iterable

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lab.corpora import CorpusError
from lab.corpora.sources import Source, fetch
from lab.text.tokenizers import Words

# Pennington, Socher and Manning (2014): 6 billion words of Wikipedia and news; PDDL. The file was never fetched here:
# the checksum is the one that public programs which read it agree on.
GLOVE = Source(
    "https://downloads.cs.stanford.edu/nlp/data/glove.6B.zip",
    "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
    "glove/glove.6B.zip",
)
WIDTHS = (50, 100, 200, 300)

Vectors = tuple[Float[Tensor, "words width"], Bool[Tensor, " words"]]  # and which words have one


def start_from(kind: str, embedding: torch.nn.Embedding, words: Words, sentences: Callable[[], Iterable[str]]) -> None:
    """Put in the word vectors that a recipe names; `sentences` gives the text for vectors made from one."""
    if kind == "random":
        return
    if kind == "glove":
        start(embedding, *glove(words, embedding.embedding_dim))
        return
    from lab.text.cooccurrence import of_texts  # late: only this needs scipy and scikit-learn

    start(embedding, *of_texts(words, sentences(), embedding.embedding_dim))


def glove(words: Words, width: int) -> Vectors:
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


def start(embedding: torch.nn.Embedding, vectors: Float[Tensor, "words width"], known: Bool[Tensor, " words"]) -> None:
    """Put the vectors in, scaled so that their numbers spread as widely as those they replace."""
    if not known.any():
        return
    with torch.no_grad():
        scale = embedding.weight[known].std() / vectors[known].std()
        embedding.weight[known] = vectors[known] * scale
