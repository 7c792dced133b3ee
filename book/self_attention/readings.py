"""The chapter's classifier and one sentence: a figure that runs it, and the shares of the words, quoted and shaded."""

from IPython.display import HTML

from book.live.export import figure
from book.show.drawn import number
from book.show.erasing import looked, probability, shown, weight, without
from book.show.quoting import quote
from lab import corpora
from lab.corpora import Document
from lab.kinds.classification import Trained
from lab.kinds.pinned import pinned
from solutions.language_model.fast import SOLUTION as LANGUAGE_MODEL

SENTENCE = "the cats that the dog sees sleep"


def shares(model: Trained, document: Document):
    """Return the sentence shaded by each word's share of the rollout, and quote what the text says of two of them."""
    words, label = list(document.words), document.label
    whole = probability(model, document.sentences, label)
    places = {word: words.index(word) for word in ("who", "taught")}
    left = {word: probability(model, without(document, [place]), label) for word, place in places.items()}
    assert looked(model, document).words[0].argmax() == places["who"], "the text says which share is the largest"
    assert left["taught"] < whole < left["who"], "the text says what is missed and what is not"
    quote(
        equal_share=number(1 / len(words), 2),
        label_whole=number(whole, 3),
        **{f"{word}_share": number(weight(model, document, place), 2) for word, place in places.items()},
        **{f"{word}_left": number(share, 3) for word, share in left.items()},
    )
    return shown(model, document, "Shares of the words in the end.")


def relations_figure(model: Trained) -> HTML:
    """Return the figure of the classifier that runs in the page, which begins with a test sentence."""
    example = corpora.load("relations").tests["test"][0]
    return figure(
        "classifier",
        {"self_attention": model},
        " ".join(example.words),
        question={
            "ask": "Take the vectors of the places away. What happens to the label?",
            "set": {"away": "positions"},
            "options": [
                ["it stays as probable", -1, 0.05],
                ["it loses some", 0.05, 0.5],
                ["it is hardly left", 0.5, 1.01],
            ],
        },
    )


def trained_head() -> HTML:
    """Return the figure of one head of the language model, whose vectors are narrow enough to be shown whole."""
    model = pinned(LANGUAGE_MODEL)
    return figure("head", {"language_model": model}, SENTENCE)
