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
from lab.classification import TextWeights
from lab.corpora import Document
from lab.evaluation.classification_results import gold as gold_words
from lab.metrics import Weights

START, END = "<s>", "</s>"
DIGITS = 3  # of a weight, as many as the figure shows


class Attends(Protocol):
    """A trained model that translates and gives the attention weights of a translation."""

    def translate(self, sentences: list[str]) -> list[str]: ...

    def attention(self, source: str, target: str) -> Tensor: ...


class Classifies(Protocol):
    """A trained model that gives the attention weights of texts, each its sentences."""

    def attention_weights(self, texts: Sequence[Sequence[str]]) -> list[TextWeights]: ...


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


def last_layer(cross: Float[Tensor, "layers heads target source"]) -> dict[str, Float[Tensor, "target source"]]:
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
    return figure("steps", {"sentences": sentences, "languages": languages}, str(most_weight(recorded[0]).data))


def heads(
    seen: Mapping[str, Float[Tensor, "layers heads queries keys"]],
    source: Sequence[str],
    target: Sequence[str],
    languages: tuple[str, str],
) -> HTML:
    """Return every head of the Transformer's three attentions, what each word attends to; words without end marks.

    `seen` is what `solutions.transformer.model.attention_weights` returns. Without scripts a line points to the
    pictures of all heads.
    """
    of_source, of_target = languages
    read, inputs = [*source, END], [START, *target[:-1]]
    predicts = "the position that predicts"
    uses = [
        use("encoder self-attention", "the source word", (read, of_source), (read, of_source), seen["encoder"]),
        use("decoder self-attention", predicts, (target, of_target), (inputs, of_target), seen["decoder"]),
        use("cross-attention", predicts, (target, of_target), (read, of_source), seen["cross"]),
    ]
    return figure("heads", {"uses": uses}, "<p>The pictures above show the same weights, all heads side by side.</p>")


def use(
    name: str,
    asks: str,
    queries: tuple[Sequence[str], str],
    keys: tuple[Sequence[str], str],
    weights: Float[Tensor, "layers heads queries keys"],
) -> dict[str, Any]:
    """Return one use of attention as the figure reads it; queries and keys are words and their language."""
    return {
        "name": name,
        "asks": asks,
        "queries": queries[0],
        "keys": keys[0],
        "languages": [queries[1], keys[1]],
        "weights": [[rounded(matching(head, keys[0], queries[0])) for head in layer] for layer in weights],
    }


def each_hop(models: Mapping[str, Classifies], documents: Sequence[Document]) -> HTML:
    """Return the weights of every hop of the models over documents whose evidence is known, hop by hop.

    Without scripts a line points to the table of all documents.
    """
    weights = {name: model.attention_weights([each.sentences for each in documents]) for name, model in models.items()}
    reviews = []
    for number, document in enumerate(documents):
        rows = {name: of_model[number].words for name, of_model in weights.items()}
        hops = {name: [f"hop {hop}" for hop in range(len(matrix))] for name, matrix in rows.items()}
        reviews.append(
            {
                "words": document.words,
                "decides": [weight > 0 for weight in gold_words(document).tolist()],
                "models": [
                    {"name": name, "weights": rounded(matching(matrix, document.words, hops[name]))}
                    for name, matrix in rows.items()
                ],
            }
        )
    plain = "<p>The table above has the same weights, as shares over all short reviews.</p>"
    return figure("hops", {"reviews": reviews}, plain)


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
