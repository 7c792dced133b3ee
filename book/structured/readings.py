"""What the pages on several hops say of their matrices, and the experiments behind it."""

from collections.abc import Mapping, Sequence
from operator import eq
from statistics import fmean

import torch
from jaxtyping import Float
from torch import Tensor

from book.pooling.figures import attending
from book.show.drawn import number
from book.show.eighteen_words import FACTS
from book.show.long_sentence import long_sentence
from book.show.quoting import quote
from book.show.reading import Reading, StoryError
from lab.corpora import two_facts
from lab.kinds.classification import Trained
from lab.show.attention_table import HeatTable, heat_table
from solutions.structured.attention import penalization
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


def of_eighteen(model: Trained, caption: str) -> tuple[HeatTable, Reading]:
    """Return the hops over the eighteen words, whose two facts the model has to read."""
    source = long_sentence().source
    if model.classify([(source,)])[0].split(", ") != list(FACTS):
        raise StoryError("the text says that both facts are right")
    return hops_of(model, source, caption)


def without_penalty(free: Trained) -> HeatTable:
    """Return the hops over the eighteen words without the penalty, and quote what the text says of them."""
    table, read = of_eighteen(free, "Four hops without the penalty.")
    read.tell(
        {"free_1": ("hop 1", ","), "free_2": ("hop 2", "puis"), "free_3": ("hop 3", "me"), "free_4": ("hop 4", ",")}
    )
    read.quote({"free_1_puis": ("hop 1", "puis"), "free_2_comma": ("hop 2", ",")})
    quote(penalty_free=penalty_of(read))
    return table


def with_penalty(priced: Trained) -> HeatTable:
    """Return the hops over the eighteen words with the penalty, and quote what the text says of them."""
    table, read = of_eighteen(priced, "Four hops with the penalty, λ = 0.1.")
    read.tell({"priced_1": ("hop 1", "puis"), "priced_2": ("hop 2", ",")}, least=0.95)
    read.tell({"priced_3": ("hop 3", "il"), "priced_4": ("hop 4", "sœur")}, least=0.6)
    quote(penalty_priced=penalty_of(read))
    return table


def penalty_of(read: Reading) -> str:
    return number(float(penalization(torch.as_tensor(read.matrix, dtype=torch.float32)[None])), 2)


def at_the_joint(model: Trained, every: int = 3) -> None:
    """Quote how often both facts are right with all weight on the comma between them, and with all on the first word.

    Of every third test sentence that has one comma: their labels come in turn.
    """
    documents = [each for each in two_facts.load().tests["test"] if each.words.count(",") == 1][::every]
    labels = [each.label for each in documents]
    right = {"joint_own": model.classify([each.sentences for each in documents])}
    for name, place in {"joint": lambda words: words.index(","), "joint_first": lambda words: 0}.items():
        scores = [with_all_on(model, each.sentences, place(each.words)) for each in documents]
        right[name] = [model.labels[int(each.argmax())] for each in scores]
    shares = {name: 100 * fmean(map(eq, predictions, labels)) for name, predictions in right.items()}
    if not shares["joint"] > 60 > 20 > shares["joint_first"]:
        raise StoryError(f"the text says that the state at the comma has read both facts: {shares}")
    quote(joint_count=f"{len(documents)}", **{name: f"{share:.0f}" for name, share in shares.items()})


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
