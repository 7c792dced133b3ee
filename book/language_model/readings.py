"""What the lesson on language models says of its matrices, and the experiments behind it."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import cast

import torch
from torch import Tensor

from book.language_model.pictures import learned_weights
from book.show.drawn import number
from book.show.quoting import quote
from book.show.reading import Reading
from lab.corpora.grammar import SAYING, SEEING, SLEEPING, third
from lab.kinds.language import Trained, framed
from solutions.language_model.ablation import without_heads
from solutions.language_model.attention import grouped_query_attention
from solutions.language_model.layers import Parts
from solutions.language_model.model import Decoder

ASKS, ABOUT, NEAR = "sees", "cats", "dog"
PLURAL = SEEING + SLEEPING + SAYING


def after(model: Trained, sentence: str, word: str) -> dict[str, float]:
    """Return the probabilities of what comes next after a word of a sentence."""
    tokens = framed(model.text, sentence)[:-1]
    with torch.no_grad():
        step = model.model(torch.tensor([tokens]))[0, 1 + sentence.split().index(word)].softmax(dim=-1)
    return {model.text.decode([place]): float(share) for place, share in enumerate(step)}


def verbs(model: Trained, sentence: str) -> dict[str, float]:
    """Return the probability of all plural verbs after ASKS, and of all singular ones."""
    shares = after(model, sentence, ASKS)
    singular = map(third, PLURAL)
    return {"plural": sum(shares[verb] for verb in PLURAL), "singular": sum(shares[verb] for verb in singular)}


def expected(model: Trained, sentence: str) -> None:
    """Quote what the model expects after some words."""
    cats, sees = after(model, sentence, ABOUT), after(model, sentence, ASKS)
    assert sees["sleep"] > 0.1 > 0.01 > sees["sleeps"], "the text says that plural verbs are left"
    quote(
        that_after_cats=number(cats["that"], 2),
        sleep_after_cats=number(cats["sleep"], 2),
        sleep_after_sees=number(sees["sleep"], 2),
        sleeps_after_sees=f"{sees['sleeps']:.3f}".removeprefix("0"),
    )


def carrier(model: Trained, sentence: str) -> None:
    """Quote the head that looks back at ABOUT, and what is left of the plural without it and without others."""
    words = ["<s>", *sentence.split()]
    first, second = (list(layer) for layer in learned_weights(model, sentence))
    reads = [Reading(head, words, words) for head in second]
    on_both = [read.weight(ASKS, ABOUT) + read.weight(ASKS, "that") for read in reads]
    one = max(range(len(reads)), key=lambda head: reads[head].weight(ASKS, ABOUT))
    three = sorted(range(len(reads)), key=on_both.__getitem__)[1:]
    (left,) = set(range(len(reads))) - set(three)
    reads[one].tell({"sees_cats": (ASKS, ABOUT), "dog_dog": (NEAR, NEAR), "that_start": ("that", "<s>")}, least=0.5)
    reads[left].tell({"left_dog": (ASKS, NEAR)}, least=0.5)
    that = [Reading(head, words, words).weight("that", ABOUT) for head in first]
    by_weight = sorted(range(len(that)), key=that.__getitem__)[-2:]
    early = [that[head] for head in by_weight]
    assert early[0] > 0.5, "the text says that two heads of layer 1 look at it"
    others = [
        plural_without(model, sentence, heads)
        for heads in combinations(range(len(reads)), len(three))
        if set(heads) != set(three)
    ]
    assert min(others) > 0.5 > plural_without(model, sentence, three), "the text says which three are needed"
    alone = {
        (layer, head): plural_without(model, sentence, [head], layer)
        for layer in range(cast(Decoder, model.model).recipe.layers)
        for head in range(len(reads))
    }
    layer, most = min(alone, key=alone.__getitem__)
    assert layer == 1, "the text says of this head what it does in layer 2"
    assert reads[most].weight(ASKS, "that") > 0.9, "the figure begins with a head that looks at one word"
    moved = plural_moved(model, sentence, most, NEAR)
    assert moved < 0.5 < alone[layer, most], "the text says that it is misled, and hardly missed"
    quote(
        plural_moved=number(moved, 3),
        plural_missing=number(alone[layer, most], 3),
        early_one=number(early[1], 2),
        early_two=number(early[0], 2),
        left_head=f"{left + 1}",
        plural_whole=number(verbs(model, sentence)["plural"], 3),
        plural_one=number(plural_without(model, sentence, [one]), 3),
        plural_three=number(plural_without(model, sentence, three), 3),
        plural_others=number(min(others), 3),
        plural_without_early=number(plural_without(model, sentence, by_weight, layer=0), 3),
        plural_none=number(plural_without(model, sentence, range(len(reads))), 3),
    )


def plural_without(model: Trained, sentence: str, heads: Iterable[int], layer: int = -1) -> float:
    """Return the probability of all plural verbs after ASKS, without some heads of a layer, by default the last."""
    with without_heads(cast(Decoder, model.model), layer, heads):
        return verbs(model, sentence)["plural"]


def plural_moved(model: Trained, sentence: str, head: int, to: str) -> float:
    """Return the probability of all plural verbs after ASKS with all weight of a head of the last layer on `to`."""
    trained, places = cast(Decoder, model.model), ["<s>", *sentence.split()]
    asks, looks, read = places.index(ASKS), places.index(to), 0

    def moved(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        nonlocal read
        context, weights = grouped_query_attention(query, key, value, mask)
        read += 1
        if read == trained.recipe.layers:
            context[0, head, asks] = value[0, head, looks]
        return context, weights

    plain = Decoder(trained.recipe, len(model.text), parts=Parts(grouped_query_attention=moved))
    plain.load_state_dict(trained.state_dict())
    return verbs(replace(model, model=plain), sentence)["plural"]
