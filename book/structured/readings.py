"""What the lesson on several hops says of its two matrices, and the experiment behind it."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from jaxtyping import Float
from torch import Tensor

from book.pooling.figures import attending
from book.show.drawn import number
from book.show.quoting import quote
from book.show.reading import Reading
from lab.kinds.classification import Trained
from lab.show.attention_table import HeatTable, heat_table
from solutions.structured.model import Reader
from solutions.structured.watched import short_reviews

EXCELLENT, DREADFUL = "for me the film was excellent .", "for me the film was dreadful ."


def hops_of(model: Trained, sentence: str, caption: str) -> tuple[HeatTable, Reading]:
    """Return the weights of every hop as a table, and to be read."""
    weights, words = model.attention_weights([(sentence,)])[0].words, sentence.split()
    hops = [f"hop {place + 1}" for place in range(len(weights))]
    table = heat_table(weights, words, hops, caption, axes="Rows: hops; columns: words.")
    return table, Reading(weights, hops, words)


def with_all_on(model: Trained, sentences: Sequence[str], place: int) -> Float[Tensor, " labels"]:
    """Return the probabilities of the labels if all hops have all their weight on one word of the review."""

    def attend(H: Tensor, *_: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        A = H.new_zeros(len(H), model.model.recipe.hops, H.shape[1])
        A[:, :, place] = 1
        return A @ H, A, H.new_zeros(len(H))

    (reader,) = (module for module in model.model.modules() if isinstance(module, Reader))
    with attending(reader, attend):
        return model.probabilities([sentences])[0]


def positive(model: Trained, sentence: str, word: str) -> float:
    """Return the probability of a positive label if all hops have all their weight on one word."""
    return float(with_all_on(model, [sentence], sentence.split().index(word))[model.labels.index("positive")])


def right_on(models: Mapping[str, Trained], looking: Trained, hop: int) -> dict[str, float]:
    """Return in how many short reviews, in per cent, each model is right with all hops where a hop of `looking` is."""
    documents = short_reviews().validation
    looks = looking.attention_weights([document.sentences for document in documents])
    places = [int(look.words[hop].argmax()) for look in looks]
    return {
        name: 100 * fmean(
            model.labels[with_all_on(model, document.sentences, place).argmax()] == document.label
            for document, place in zip(documents, places, strict=True)
        )
        for name, model in models.items()
    }  # fmt: skip


def excellent_without(free: Trained) -> HeatTable:
    """Return the hops of one review without the penalty, and quote what the text says of them."""
    table, read = hops_of(free, EXCELLENT, "Four hops without the penalty.")
    read.tell({f"free_{hop}": (f"hop {hop}", "excellent") for hop in (1, 2, 3, 4)})
    assert free.classify([(EXCELLENT,)]) == ["positive"], "the text says that the label is right"
    return table


def excellent_with(priced: Trained, free: Trained) -> HeatTable:
    """Return the hops of one review with the penalty, and quote what the text says of them."""
    table, read = hops_of(priced, EXCELLENT, "Four hops with the penalty.")
    read.tell({"priced_film": ("hop 1", "film"), "priced_for": ("hop 2", "for")}, least=0.9)
    read.tell({"priced_3": ("hop 3", "."), "priced_4": ("hop 4", ".")}, least=0.5)
    assert priced.classify([(EXCELLENT,)]) == ["positive"], "the text says that the label is right"
    good, bad = positive(priced, EXCELLENT, "film"), positive(priced, DREADFUL, "film")
    free_good, free_bad = positive(free, EXCELLENT, "film"), positive(free, DREADFUL, "film")
    assert good > 0.9 > 0.1 > bad, "the text says that the state of film knows the verdict"
    assert free_good < 0.5 < free_bad, "and that without the penalty it does not"
    shares = {"film_good": good, "film_bad": bad, "film_free_good": free_good, "film_free_bad": free_bad}
    right = right_on({"priced": priced, "free": free}, priced, hop=0)
    quote(**{name: number(share, 2) for name, share in shares.items()})
    quote(**{f"first_{name}": f"{share:.1f}" for name, share in right.items()})
    return table
