"""What the pages on pooling say of their shaded texts and of the pools, quoted from models and results."""

from collections.abc import Collection
from statistics import fmean

import torch
from torch import Tensor

from book.pooling.figures import attending
from book.pooling.pictures import POOLS
from book.show.drawn import number
from book.show.erasing import looked, probability, shown, weight, without
from book.show.experiments import ACCURACY, EQUAL, EVIDENCE, MACRO_F1, mean, span, values
from book.show.long_sentence import SHORT, long_sentence
from book.show.quoting import quote
from book.show.reading import StoryError
from lab.corpora import Document, roles
from lab.kinds.classification import Trained
from lab.kinds.runs import joined
from lab.show.attention_table import HeatTable
from solutions.pooling.attention import attention_pool

PIE = Document((SHORT,), "he → me", frozenset({(0, 0), (0, 1), (0, 3)}))
MISSED = "la reine me manque"  # i miss the queen
COUSIN = "ma cousine a refusé d' écouter ce voleur , mais des princesses l' ont volé"


def so(is_so: bool, says: str) -> None:
    """Raise StoryError where what the text says is no longer so."""
    if not is_so:
        raise StoryError(f"the text says that {says}: rewrite it")


def of_pools() -> None:
    """Quote the pools' scores after 3 and after 30 epochs, and what the tests of explanation gave."""
    short = {pool: fmean(values("pooling", "roles", pool, ACCURACY)) for pool in POOLS}
    long = [value for pool in POOLS for value in values("pooling", "roles-long", joined(pool, "long"), ACCURACY)]
    of_attention = values("pooling", "roles", "", ACCURACY)
    so(short[""] > max(short["mean"], short["uniform"]) + 3, "attention adds some points to the mean")
    so(min(of_attention) < short["max"] < max(of_attention), "the seeds of attention and of the maximum overlap")
    so(min(long) > 97, "all are nearly alike in the end")
    for experiment, end in (("roles", ""), ("roles-long", "long")):
        attention, *simpler = (
            values("pooling", experiment, joined(pool, end), ACCURACY) for pool in ("", "mean", "uniform")
        )
        ahead = all(ours > theirs for each in simpler for ours, theirs in zip(attention, each, strict=True))
        so(ahead, f"attention is ahead of mean and frozen form with every seed of {experiment}")
    away = ("pooling", "adversary-long", "away-strong-long")
    quote(
        **{f"pool_{pool}": f"{short[pool]:.0f}" for pool in ("max", "uniform", "last")},
        pool_adds=f"{short[''] - short['mean']:.0f}",
        pool_attentions=span("pooling", "roles", ""),
        pool_maxima=span("pooling", "roles", "max"),
        pool_low=f"{min(long):.1f}",
        pool_high=f"{max(long):.1f}",
        pool_uniform_long=mean("pooling", "roles-long", "uniform-long"),
        away_f1=mean(*away, MACRO_F1),
        away_evidence=mean(*away, EVIDENCE),
        equal_evidence=mean("pooling", "poolings", "", EQUAL),
    )


def best_pool() -> str:
    """Return the chapter's answer to its guess."""
    most, attention, equal = (mean("pooling", "roles", pool) for pool in ("max", "", "mean"))
    return f"After three epochs attention reads {attention} % right, the mean {equal} %, and the maximum {most} %."


def largest(model: Trained, document: Document) -> str:
    """Return the word with most weight."""
    return document.words[int(looked(model, document).words[0].argmax())]


def label_with(model: Trained, document: Document, kept: Collection[int]) -> str:
    """Return the label if only the words at these places have weight, in their own proportion."""

    def attend(H: Tensor, w: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        chosen = mask & torch.tensor([[place in kept for place in range(mask.shape[1])]])
        return attention_pool(H, w, chosen)

    with attending(model.model, attend):
        return model.classify([document.sentences])[0]


def pie(model: Trained) -> HeatTable:
    """Return the shortest sentence, shaded, and quote what the text says of it."""
    she = Document((SHORT.replace("il", "elle"),), "she → me")
    for document in (PIE, she):
        so(model.classify([document.sentences])[0] == document.label, f"the label is {document.label}")
        so(largest(model, document) == "m'", "most weight is on m'")
        so(label_with(model, document, {1}) == document.label, "the state at m' alone gives the label")
    others = [SHORT.replace("entarté", verb) for verb in ("puni", "suivi")]
    so(set(model.classify([(each,) for each in others])) == {PIE.label}, "the label stays with other verbs")
    quote(
        **{f"pie_{name}": number(weight(model, PIE, place), 2) for place, name in {0: "il", 1: "me", 3: "hit"}.items()},
        pie_she=number(weight(model, she, 1), 2),
    )
    return shown(model, PIE, "Att-BLSTM on four words.")


def example(model: Trained) -> HeatTable:
    """Return a longer sentence, shaded, and quote what the text says of it."""
    (document,) = (each for each in roles.load().tests["test"] if each.sentences[0] == COUSIN)
    thieves = Document((COUSIN.replace("ce voleur", "ces voleurs"),), "she → them")
    for each in (document, thieves):
        so(model.classify([each.sentences])[0] == each.label, f"the label is {each.label}")
        kept = set(range(len(each.words))) - {6, 7}  # neither ce nor voleur
        so(label_with(model, each, kept) == each.label, "other states have carried the thief")
    so(largest(model, document) == "cousine", "most weight is on cousine")
    places = {name: document.words.index(name) for name in ("cousine", "voleur")}
    shares = {name: number(weight(model, document, place), 3) for name, place in places.items()}
    quote(
        cousine=number(weight(model, document, places["cousine"]), 2),
        thief=shares["voleur"],
        thieves=number(weight(model, thieves, places["voleur"]), 3),
    )
    return shown(model, document, "Att-BLSTM on a test sentence.")


def mistakes(model: Trained) -> None:
    """Quote how often the model is wrong on the test, and how often where somebody is missed."""
    documents = roles.load().tests["test"]
    labels = model.classify([document.sentences for document in documents])
    wrong = [document for label, document in zip(labels, documents, strict=True) if label != document.label]
    missing = [any(word.startswith("manqu") for word in document.words) for document in wrong]
    every = sum(any(word.startswith("manqu") for word in document.words) for document in documents)
    so(model.classify([(MISSED,)])[0] == "she → me", "the queen who is missed is taken for the one who acts")
    quote(wrong=f"{len(wrong)}", wrong_missing=f"{sum(missing)}", missing=f"{every}")


def eighteen(model: Trained) -> None:
    """Quote the two most probable labels of the eighteen words."""
    sentences = (long_sentence().source,)
    scores = {label: probability(model, sentences, label) for label in model.labels}
    first, second = sorted(scores, key=scores.__getitem__, reverse=True)[:2]
    so((first, second) == ("she → him", "he → him"), "the second fact is first, and then a mixture")
    document = Document(sentences, first)
    words = document.words
    quote(
        eighteen_first=number(scores[first], 2),
        eighteen_second=number(scores[second], 2),
        eighteen_me=number(weight(model, document, words.index("me")), 2),
        eighteen_sister=number(weight(model, document, words.index("sœur")), 2),
    )


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
