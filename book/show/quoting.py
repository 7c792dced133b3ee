"""Numbers in prose: a cell quotes them from result files, the text says {glue:text}`name`."""

from collections.abc import Sequence

from myst_nb import glue


def quote(**numbers: str) -> None:
    """Make each number known to the page by its name; nothing is shown where the cell stands.

    A number is a text with its quotation marks, which the page takes off: without them 824,201 would be read as a
    pair, and 0.240 as 0.24.
    """
    for name, text in numbers.items():
        glue(name, text, display=False)


def listed(counts: Sequence[int]) -> str:
    """Return the counts of several seeds in words: "13, 27 and 18"."""
    *first, last = (f"{count:,}" for count in counts)
    return f"{', '.join(first)} and {last}"
