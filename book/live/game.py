"""The game of the chapter on additive attention: the reader is the attention."""

from IPython.display import HTML

from book.live.export import figure
from lab.kinds.pinned import pinned
from solutions.bahdanau.model import SOLUTION


def game(french: str, english: str) -> HTML:
    """Return the figure in which a reader sets the weights of the chapter's model: a sentence and its translation."""
    return figure("game", {SOLUTION.name: pinned(SOLUTION)}, french, truth=english)
