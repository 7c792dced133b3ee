"""What published language models use: a row for each, the source of every cell, and the bytes of its cache.

The rows are in todays_models.json. No cell is from memory: where the makers' own page could not be read, `copy` says
in which copy their file was read.
"""

import html
import json
from dataclasses import dataclass
from pathlib import Path

from IPython.display import HTML

from solutions.long_context.attention import kv_bytes

MISSING = "–"
ROWS = Path(__file__).with_suffix(".json")
LONG = 1 << 20  # tokens: more than any window of the table
COLUMNS = {
    "layers": "layers",
    "heads": "query heads",
    "kv_heads": "key–value heads",
    "width": "head width",
    "context": "context, tokens",
    "pattern": "who looks how far",
    "positions": "positions",
    "norm": "norm, and where",
}
WORDS = ("pattern", "positions", "norm")  # columns whose cells may break
LEFT, BREAKS = ' style="text-align: left"', ' class="words" style="min-width: 7rem"'


@dataclass(frozen=True)
class Source:
    """What says some cells of a row: its columns, the place in the file, the address, and the copy that was read."""

    cells: str
    place: str
    url: str
    copy: str = ""


@dataclass(frozen=True)
class Model:
    """A row. `uncached` layers keep no cache; `latent` numbers replace keys and values, if not 0."""

    name: str
    layers: int
    heads: int
    kv_heads: int
    width: int
    context: str
    pattern: str
    positions: str
    norm: str
    sources: tuple[Source, ...]
    local_layers: int = 0
    window: int = 0
    uncached: int = 0  # layers with one state in the place of a cache, or without attention
    latent: int = 0
    index: int = 0  # width of the key, one a token and layer, by which a query chooses what to read
    key_width: int = 0  # of a query and a key, where a value is narrower

    def bytes(self, tokens: int) -> int:
        """Return the bytes of the cache of a text, two for each number.

        `kv_bytes` counts a key and a value of equal width; a latent vector and an index's key are kept once, so that
        each gets half of them.
        """
        heads, width = (1, (self.latent + self.index) // 2) if self.latent else (self.kv_heads, self.width)
        return kv_bytes(tokens, self.layers - self.uncached, heads, width, self.local_layers, self.window)

    def cell(self, column: str) -> str:
        """Return the words of a cell."""
        if column == "kv_heads" and self.latent:
            return f"latent: {self.latent}" + (f"; index: {self.index}" if self.index else "")
        if column == "width" and self.key_width:
            return f"{self.key_width}, {self.width}"
        return f"{getattr(self, column)}"


def models() -> list[Model]:
    """Return the rows, the largest cache of a token first."""
    rows = json.loads(ROWS.read_text(encoding="utf8"))
    made = [Model(**row | {"sources": tuple(Source(**source) for source in row["sources"])}) for row in rows]
    return sorted(made, key=lambda model: -model.bytes(1))


def models_table() -> HTML:
    """Return the table of all models, the largest cache of a token first."""
    rows = [
        [
            html.escape(model.name),
            kibibytes(model.bytes(1)),
            kibibytes(model.bytes(LONG + 1) - model.bytes(LONG)),
            *(html.escape(model.cell(column)) for column in COLUMNS),
        ]
        for model in models()
    ]
    head = ["model", "KiB a token", "once windows are full", *COLUMNS.values()]
    caption = "Sizes and parts of published models; the bytes of keys and values at two bytes a number"
    return _table(caption, head, rows, [list(COLUMNS).index(column) + 3 for column in WORDS])


def sources_table() -> HTML:
    """Return the source of each cell of the table."""
    rows = []
    for model in models():
        for source in model.sources:
            columns = ", ".join(COLUMNS[cell].split(",")[0] for cell in source.cells.split())
            link = f'<a href="{html.escape(source.url)}">{html.escape(source.place)}</a>'
            copy = f"; read in {html.escape(source.copy)}" if source.copy else ""
            rows.append([html.escape(model.name), html.escape(columns), link + copy])
    return _table("Where each cell was read", ["model", "cells", "source"], rows, [1, 2])


def kibibytes(count: int) -> str:
    """Return bytes as KiB, with no more digits than they need."""
    return f"{count / 1024:,.3f}".rstrip("0").rstrip(".")


def _table(caption: str, head: list[str], rows: list[list[str]], wide: list[int]) -> HTML:
    """Return a table that scrolls, its cells HTML; those of the `wide` columns may break."""
    columns = (f'<th scope="col"{LEFT if place in wide else ""}>{each}</th>' for place, each in enumerate(head))
    lines = [
        f'<tr><th scope="row">{name}</th>'
        + "".join(f"<td{BREAKS if place in wide else ''}>{cell}</td>" for place, cell in enumerate(cells, 1))
        + "</tr>"
        for name, *cells in rows
    ]
    return HTML(
        f'<table class="results glance"><caption>{caption}</caption>'
        f"<thead><tr>{''.join(columns)}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )
