"""What the lesson on pooling says of its two shaded texts, quoted from the pinned models."""

from book.show.drawn import number
from book.show.erasing import looked, weight, without
from book.show.quoting import quote
from lab.corpora import Document
from lab.kinds.classification import Trained


def relation(model: Trained, document: Document, word: str = "cured") -> None:
    """Quote the weight of the word that decides, and the label without it."""
    place = list(document.words).index(word)
    assert looked(model, document).words[0].argmax() == place, "the text says where most weight is"
    label = model.classify([without(document, [place])])[0]
    assert label != document.label, "the text says that the label goes with its word"
    quote(cured=number(weight(model, document, place), 2), cured_gone=label.partition("(")[0])


def review(first: Trained, second: Trained, document: Document) -> None:
    """Quote where two trainings look in the sentence that decides."""
    start = sum(len(sentence.split()) for sentence in document.sentences[:4])
    words = document.sentences[4].split()
    movie, hardly = (start + words.index(word) for word in ("movie", "hardly"))
    assert looked(first, document).words[0].argmax() == movie, "the text says where the first looks"
    assert looked(second, document).words[0].argmax() == hardly, "and where the second does"
    assert {*first.classify([document.sentences]), *second.classify([document.sentences])} == {document.label}
    quote(
        movie_first=number(weight(first, document, movie), 2),
        hardly_first=number(weight(first, document, hardly), 2),
        hardly_second=number(weight(second, document, hardly), 2),
    )
