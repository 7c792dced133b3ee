"""Numbers in prose: a cell quotes them from result files, the text says {glue:text}`name`."""

from myst_nb import glue


class Written(str):
    """A text that a page shows as it is, without quotation marks."""

    __repr__ = str.__str__


def quote(**numbers: str) -> None:
    """Make each number known to the page by its name; nothing is shown where the cell stands."""
    for name, text in numbers.items():
        glue(name, Written(text), display=False)
