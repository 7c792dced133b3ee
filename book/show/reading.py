"""An attention matrix in prose: its numbers are quoted, and what the text says of them has to be so."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import torch
from jaxtyping import Float
from torch import Tensor

from book.show.drawn import number
from book.show.quoting import quote
from lab.corpora import Pair
from lab.kinds.translation import Trained, encoded
from lab.metrics import Weights, as_matrix
from lab.text.batches import collate


class StoryError(Exception):
    """The matrix is another one than the text tells of."""


class Reading:
    """A matrix with the words of its rows and columns; a word that comes twice is asked for as "me 2"."""

    def __init__(self, weights: Weights, rows: Sequence[str], columns: Sequence[str]) -> None:
        self.matrix, self.rows, self.columns = as_matrix(weights), numbered(rows), numbered(columns)

    def weight(self, row: str, column: str) -> float:
        """Return the number in a row and a column."""
        return float(self.matrix[place(self.rows, row), place(self.columns, column)])

    def largest(self, row: str) -> str:
        """Return the column where a row is largest."""
        return self.columns[self.matrix[place(self.rows, row)].argmax()]

    def tell(self, story: Mapping[str, tuple[str, str]], digits: int = 2, least: float = 0.0) -> None:
        """Quote numbers by name, each of a row and of the column where that row is largest, and above `least`.

        Raises StoryError where it is not: then the sentence has to be rewritten, or the model made anew.
        """
        for row, column in story.values():
            most, weight = self.largest(row), self.weight(row, column)
            if most != column or weight < least:
                largest = number(self.weight(row, most), digits)
                raise StoryError(
                    f"the text says that the row {row} is largest on {column}, and at least {least}: there it has "
                    f"{number(weight, digits)}, and most on {most}, {largest}"
                )
        self.quote(story, digits)

    def quote(self, cells: Mapping[str, tuple[str, str]], digits: int = 2) -> None:
        """Quote numbers by name, each of a row and a column, whatever they are."""
        quote(**{name: number(self.weight(*cell), digits) for name, cell in cells.items()})


def numbered(words: Sequence[str]) -> list[str]:
    """Return the words, one that has been there already with how often: me, me 2."""
    return [f"{word} {count}" if (count := words[: at + 1].count(word)) > 1 else word for at, word in enumerate(words)]


def place(words: Sequence[str], word: str) -> int:
    if word not in words:
        raise StoryError(f"the text tells of {word}, and the matrix has {', '.join(words)}")
    return words.index(word)


@torch.no_grad()
def said(trained: Trained, source: str, target: str) -> Float[Tensor, "target vocabulary"]:
    """Return the probabilities of all words at each step of a target that is forced, without that of its </s>."""
    batch = collate(encoded([Pair(source, target)], trained.source_text, trained.target_text))
    return trained.model(batch.source, batch.mask, batch.inputs, None).softmax(dim=-1)[:-1]


def all_on_one(
    trained: Trained, attend: Callable[..., tuple[Tensor, Tensor]], source: str, target: str
) -> Float[Tensor, "target source"]:
    """Return each target word's probability if its step, and no other, has all its weight on one source word.

    The target is forced. `attend` is the taught attention of the model, whose last argument is the mask: hiding all
    words but one gives that one the weight 1.
    """
    words, columns = trained.target_text.encode(target), len(trained.source_text.encode(source)) + 1
    own, shares = trained.model.attend, torch.zeros(len(words), columns)
    try:
        for row, column in product(range(len(words)), range(columns)):
            trained.model.attend = narrowed(attend, row, column)
            shares[row, column] = said(trained, source, target)[row, words[row]]
    finally:
        trained.model.attend = own
    return shares


def narrowed(attend: Callable[..., tuple[Tensor, Tensor]], step: int, column: int) -> Callable[..., tuple]:
    """Return attention that sees one source word alone in one of its calls."""
    calls = 0

    def attending(*given: Tensor) -> tuple[Tensor, Tensor]:
        nonlocal calls
        *others, mask = given
        if calls == step:
            mask = torch.zeros_like(mask)
            mask[:, column] = True
        calls += 1
        return attend(*others, mask)

    return attending
