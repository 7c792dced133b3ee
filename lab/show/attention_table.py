"""An attention matrix to be read: a table for the page, with hover and arrow keys, and shades for the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lab.metrics import Weights, as_matrix

SHADES = "·░▒▓█"
LARGE = 10  # columns from which squares are small and show no number: the line below tells it

# The table brings its own ground and text colour, whatever theme surrounds it.
STYLE = "\n" + Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
SCRIPT = "\n" + Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


@dataclass(frozen=True)
class HeatTable:
    """A heat map that is a table: a notebook and the book show its html, a terminal its text."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def heat_table(
    weights: Weights,
    source_words: Sequence[str],
    target_words: Sequence[str],
    caption: str,
    languages: tuple[str, str] | None = None,
    axes: str = "Rows: output words; columns: input words.",
) -> HeatTable:
    """Return the weights as a table: a row for each of `target_words`, a column for each of `source_words`.

    `axes` says what rows and columns are, behind the caption. The languages (source, target) tell a screen reader how
    to pronounce the words.
    """
    matrix = matching(weights, source_words, target_words)
    source, target = (f' lang="{escape(code)}"' for code in languages) if languages else ("", "")
    heads = "".join(f'<th scope="col"{source}>{escape(word)}</th>' for word in source_words)
    rows = []
    for j, (word, row) in enumerate(zip(target_words, matrix, strict=True)):
        # One cell is reached by Tab, the others from there by the arrow keys.
        cells = (_cell(weight, reached=i == j == 0) for i, weight in enumerate(row))
        rows.append(f'<tr><th scope="row"{target}>{escape(word)}</th>{"".join(cells)}</tr>')
    large = " large" if len(source_words) >= LARGE else ""
    html = (
        f'<div class="heat{large}"><style>{STYLE}</style><table role="grid"><caption>{escape(caption)} '
        f"{escape(axes)}</caption>"
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        '<p aria-live="polite">Point at a cell, tap it, or use Tab and then the arrow keys.</p>'
        f"<script>{SCRIPT}</script></div>"
    )
    return HeatTable(html, f"{caption}\n{alignment_text(matrix, source_words, target_words)}")


def _cell(weight: float, reached: bool) -> str:
    number = short(weight)
    zero = ' class="zero"' if number == ".00" else ""
    return f'<td tabindex="{0 if reached else -1}"{zero} style="--w:{strength(weight)}">{number}</td>'


def short(weight: float) -> str:
    """Return a weight with two digits as the book writes it: no zero before the point, a true minus."""
    text = f"{abs(weight):.2f}".removeprefix("0")
    return f"−{text}" if weight < 0 and text != ".00" else text


def strength(weight: float) -> str:
    """Return the opacity of a weight's ground, as CSS has it."""
    return f"{min(max(weight, 0.0), 1.0):.3f}"


def alignment_text(weights: Weights, source_words: Sequence[str], target_words: Sequence[str], width: int = 100) -> str:
    """Return the weights drawn in shades, a line for each output word; long sentences go on in a block below."""
    matrix = matching(weights, source_words, target_words)
    margin = max(map(len, target_words), default=0)
    blocks = []
    for columns in _blocks([len(word) for word in source_words], width - margin):
        lines = [" " * margin + "".join(f" {source_words[i]}" for i in columns)]
        for word, row in zip(target_words, matrix, strict=True):
            lines.append(word.rjust(margin) + "".join(" " + shade(row[i]) * len(source_words[i]) for i in columns))
        blocks.append("\n".join(line.rstrip() for line in lines))
    return "\n\n".join(blocks)


def bar(weight: float, width: int = 20) -> str:
    """Return a weight between 0 and 1 as a bar of characters, always as wide."""
    length = min(max(round(weight * width), 0), width)
    return "█" * length + "·" * (width - length)


def shade(weight: float) -> str:
    return SHADES[min(max(round(weight * (len(SHADES) - 1)), 0), len(SHADES) - 1)]


def _blocks(lengths: Sequence[int], width: int) -> list[list[int]]:
    """Return the columns in groups that fit the width, each column with a space before it."""
    blocks: list[list[int]] = []
    used = width
    for column, length in enumerate(lengths):
        if not blocks or used + length + 1 > width:
            blocks.append([])
            used = 0
        blocks[-1].append(column)
        used += length + 1
    return blocks


def matching(weights: Weights, source_words: Sequence[str], target_words: Sequence[str]):
    """Return the weights as an array, once they have a row for each output word and a column for each input word."""
    matrix = as_matrix(weights)
    expected = (len(target_words), len(source_words))
    if matrix.shape != expected:
        raise ValueError(
            f"The weights must have a row for each output word and a column for each input word, {expected}; "
            f"they are {matrix.shape}. Transpose them, or add or leave out the end marks."
        )
    return matrix
