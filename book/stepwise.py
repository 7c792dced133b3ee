"""What a page's trained model has put out, as figures that can be moved: one decoding step, or one head, at a time.

The numbers stand as JSON in an attribute of a `div`, and `_static/recorded.js` makes the figure of them. What stands
inside the `div` is what a reader without scripts gets.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

from IPython.display import HTML
from jaxtyping import Float
from torch import Tensor

from book.tables import table
from lab.attention_table import matching
from lab.metrics import Weights

END = "</s>"
DIGITS = 3  # of a weight, as many as the figure shows


class Attends(Protocol):
    """A trained model that translates and gives the attention weights of a translation."""

    def translate(self, sentences: Sequence[str]) -> list[str]: ...

    def attention(self, source: str, target: str) -> Tensor: ...


@dataclass(frozen=True)
class Decoded:
    """A sentence, its greedy translation, and the weights of each output word over the source, by their name."""

    source: Sequence[str]
    output: Sequence[str]
    weights: Mapping[str, Weights]


def decoded(
    model: Attends,
    sentences: Iterable[str],
    weights_of: Callable[[str, str], Mapping[str, Weights]] | None = None,
) -> list[Decoded]:
    """Return what the model makes of the sentences, those left out that it translates by nothing.

    The weights are those of the model forced to its own output. They are the same as while it decoded greedily, since
    its own output is what it read then. `weights_of` takes source and output and returns them where `model.attention`
    does not.
    """
    recorded = []
    sentences = list(sentences)
    for source, output in zip(sentences, model.translate(sentences), strict=True):
        if output:
            named = weights_of(source, output) if weights_of else {"attention weights": model.attention(source, output)}
            recorded.append(Decoded([*source.split(), END], output.split(), named))
    return recorded


def last_layer(cross: Float[Tensor, "layers heads target source"]) -> dict[str, Weights]:
    """Return the cross-attention of the last layer: the mean over its heads, then head by head."""
    heads = {f"last layer, head {number}": weights for number, weights in enumerate(cross[-1], start=1)}
    return {"last layer, mean of the heads": cross[-1].mean(dim=0), **heads}


def steps(recorded: Sequence[Decoded], languages: tuple[str, str]) -> HTML:
    """Return the decoding step by step; without scripts, of the first sentence, where each word attends to most."""
    sentences = [
        {
            "source": each.source,
            "output": each.output,
            "views": [
                {"name": name, "weights": rounded(matching(weights, each.source, each.output))}
                for name, weights in each.weights.items()
            ],
        }
        for each in recorded
    ]
    return figure("steps", {"sentences": sentences, "languages": languages}, most_weight(recorded[0]).data)


def most_weight(sentence: Decoded) -> HTML:
    """Return for each output word of a sentence the source word with the largest weight, as a table."""
    name, weights = next(iter(sentence.weights.items()))
    matrix = matching(weights, sentence.source, sentence.output)
    rows = [
        [word, sentence.source[row.argmax()], f"{row.max():.{DIGITS}f}"]
        for word, row in zip(sentence.output, matrix, strict=True)
    ]
    return table(f"{' '.join(sentence.source)}: {name}", ["output word", "most weight on", "weight"], rows)


def figure(kind: str, recording: Mapping[str, Any], plain: str) -> HTML:
    """Return the `div` of a figure that `_static/recorded.js` makes; `plain` is html for readers without scripts."""
    data = escape(json.dumps(recording, ensure_ascii=False, separators=(",", ":")))
    return HTML(f'<div class="moved {kind}" data-recording="{data}">{plain}</div>')


def rounded(matrix: Iterable[Iterable[float]]) -> list[list[float]]:
    return [[round(float(weight), DIGITS) for weight in row] for row in matrix]
