"""What is left of a label when words are taken out of a text: what the text below a shaded text says of its words."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from lab.corpora import Document
from lab.kinds.classification import TextWeights, Trained
from lab.show.highlighted_text import shaded_text


def looked(model: Trained, document: Document) -> TextWeights:
    """Return the weights of one text."""
    return model.attention_weights([document.sentences])[0]


def shown(model: Trained, document: Document, caption: str):
    """Return a text shaded by its weights; the caption goes on with its label and the model's."""
    weights, sentences = looked(model, document), [sentence.split() for sentence in document.sentences]
    rows = weights.words[0].split([len(sentence) for sentence in sentences])
    label = model.classify([document.sentences])[0]
    caption = f"{caption} Label: {document.label}; the model's label: {label}."
    return shaded_text(sentences, rows, weights.sentences, caption, document.evidence or ())


def weight(model: Trained, document: Document, place: int) -> float:
    """Return the weight of the word at a place, counted through the text."""
    return float(looked(model, document).words[0][place])


def without(document: Document, gone: Collection[int] | NDArray[np.int_]) -> tuple[str, ...]:
    """Return the sentences without the words at these places, counted through the text."""
    left, place = [], 0
    for sentence in document.sentences:
        words = sentence.split()
        left.append(" ".join(word for t, word in enumerate(words, start=place) if t not in gone))
        place += len(words)
    return tuple(left)


def probability(model: Trained, sentences: Sequence[str], label: str) -> float:
    """Return the probability of a label."""
    return float(model.probabilities([sentences])[0, model.labels.index(label)])
