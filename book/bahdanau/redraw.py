"""The weights in the first two drawings are those of the pinned model: `python -m book.bahdanau.redraw` writes them."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from book.show.long_sentence import SHORT
from lab.dependencies import ROOT
from lab.files import atomic_write
from lab.kinds.pinned import pinned
from lab.text.batches import collate
from solutions.bahdanau.model import SOLUTION

TARGET = "he hit me with a pie"
STEPS = ROOT / "book" / "bahdanau" / "drawings" / "attention_steps.svg"
WAY_AROUND = ROOT / "book" / "encoder_decoder" / "drawings" / "bottleneck.svg"
SHOWN = 2  # the row of `me`, which the second drawing has on paper
NUMBER = r"\d?\.\d\d"


@torch.no_grad()
def weights() -> Float[Tensor, "target source"]:
    """Return the model's weights of the short sentence, with a row for the end mark."""
    trained = pinned(SOLUTION)
    batch = collate([(trained.source_text.encode(SHORT), trained.target_text.encode(TARGET))])
    memory, state = trained.model.encode(batch.source, batch.mask)
    _, _, rows = trained.model.decode(batch.inputs, memory, state)
    assert rows is not None
    return rows[0]


def shown(weight: float) -> str:
    """Return a weight as the drawings write it."""
    return f"{weight:.2f}".removeprefix("0")


def width(weight: float) -> str:
    """Return the width of a weight's line."""
    return f"{0.8 + 8 * weight:.1f}"


def replaced(pattern: str, text: str, new: Iterable[str]) -> str:
    """Return the text with each hit of the pattern's group 2 replaced, one after the other, as many as there are."""
    left: Iterator[str] = iter(new)
    result = re.sub(pattern, lambda hit: hit[1] + next(left) + hit[3], text, flags=re.MULTILINE)
    if next(left, None) is not None:
        raise ValueError(f"expected more places like {pattern}")
    return result


def steps(drawing: str, rows: Float[Tensor, "target source"]) -> str:
    """Return the drawing of three words, one after the other, with these weights."""
    first = rows[:3]
    numbers = [[shown(weight) for weight in row] for row in first.tolist()]
    flat = [number for row in numbers for number in row]
    drawing = replaced(
        r'(class="beam weights" stroke-width=")([^"]*)(")', drawing, map(width, first.flatten().tolist())
    )
    drawing = replaced(r'(<text [^>]*class="small" data-weight=""[^>]*>)([^<]*)(</text>)', drawing, flat)
    lists = (f"{', '.join(row[:-1])} and {row[-1]}" for row in numbers)
    return replaced(rf"()((?:{NUMBER}, )+{NUMBER} and {NUMBER})()", drawing, lists)


def way_around(drawing: str, rows: Float[Tensor, "target source"]) -> str:
    """Return the drawing of the bottleneck and the way around it with these weights, the row of `me` on paper."""
    table, columns = rows.tolist(), rows.T.tolist()
    thick = [width(weight) for row in table for weight in row]
    drawing = replaced(r'(data-at="\d" data-w=")([^"]*)(" class="beam weights")', drawing, thick)
    drawing = replaced(r'(class="beam weights" stroke-width=")([^"]*)(" x1)', drawing, map(width, table[SHOWN]))
    each = ["|".join(map(shown, column)) for column in columns]
    drawing = replaced(r'(data-each=")([\d.|]*)(")', drawing, each)
    drawing = replaced(r'(data-each="[^>]*>)([^<]*)(</text>)', drawing, map(shown, table[SHOWN]))
    return replaced(rf"( )({NUMBER})(?=[,.]())", drawing, map(shown, table[SHOWN]))


def drawn() -> dict[Path, str]:
    """Return the drawings as they have to be."""
    rows = weights()
    return {file: draw(file.read_text("utf-8"), rows) for file, draw in ((STEPS, steps), (WAY_AROUND, way_around))}


if __name__ == "__main__":
    for file, text in drawn().items():
        atomic_write(file, text.encode())
