"""The two heads that copy what followed last time, in a pinned model of two layers, and what is lost without them."""

from dataclasses import replace
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from book.show.drawn import number
from book.show.quoting import quote
from book.show.reading import Reading
from lab.corpora.repeats import repeats
from lab.kinds.pinned import pinned_weights
from lab.show.attention_table import HeatTable, heat_table
from solutions.language_model.ablation import without_heads
from solutions.language_model.induction import LENGTH, RECIPE, VOCABULARY, look
from solutions.language_model.model import Decoder

PERIOD, SHOWN = 12, 20  # tokens of a round; tokens that are shown
Place = tuple[int, int]  # layer and head, counted from 0


@cache
def model() -> Decoder:
    """Return the pinned model, with weights to show."""
    plain = Decoder(replace(RECIPE, layers=2), VOCABULARY)
    plain.load_state_dict(pinned_weights("language_model", "copies"))
    return plain.eval()


def sequence() -> Tensor:
    """Return tokens that begin again after PERIOD of them."""
    return repeats(1, LENGTH, VOCABULARY, torch.Generator().manual_seed(3), PERIOD)[0][:, : SHOWN + 1]


@torch.no_grad()
def weights() -> Float[Tensor, "layers heads length length"]:
    return model().attention_weights(sequence()[:, :SHOWN])[:, 0]


def most_at(layer: int, back: int) -> Place:
    """Return the head of a layer that looks most so many tokens back, in the second round."""
    rows = torch.arange(PERIOD, SHOWN)
    return layer, int(weights()[layer][:, rows, rows - back].mean(dim=-1).argmax())


def shown(place: Place, caption: str) -> HeatTable:
    """Return the second round's rows of a head."""
    names = [str(token) for token in sequence()[0, :SHOWN].tolist()]
    rows, axes = weights()[place][PERIOD:], "Rows: the tokens of the second round; columns: all tokens so far."
    return heat_table(rows, names, names[PERIOD:], f"Layer {place[0] + 1}, head {place[1] + 1}: {caption}", axes=axes)


def looks_back() -> HeatTable:
    """Return the head of layer 1 that looks one token back."""
    return shown(most_at(0, 1), "the token before.")


def copies() -> HeatTable:
    """Return the head of layer 2 that looks at what followed last time, and quote what the text says of both heads."""
    before, after = most_at(0, 1), most_at(1, PERIOD - 1)
    names = [str(token) for token in sequence()[0, :SHOWN].tolist()]
    first, second = (Reading(weights()[place][PERIOD:], names[PERIOD:], names) for place in (before, after))
    asks, behind = names[PERIOD + 1], names[PERIOD + 2]
    first.tell({"one_back": (asks, f"{names[PERIOD]} 2")}, least=0.5)
    second.tell({"followed": (asks, behind)}, least=0.9)
    with torch.no_grad():
        right = [
            float(step[token])
            for step, token in zip(model()(sequence())[0].softmax(dim=-1), sequence()[0, 1:], strict=False)
        ]
    worst = min(range(PERIOD, SHOWN), key=right.__getitem__)
    second.tell({"worst_weight": (names[worst], names[worst - PERIOD + 1])}, least=0.9)
    others = [look_without([(0, head)]) for head in range(RECIPE.heads)]
    assert look_without([before]) > 1 > 2 * min(others), "the text says that one head of layer 1 is needed, one is not"
    quote(
        copy_asks=asks, copy_before=names[PERIOD], copy_follows=behind,
        copy_worst=names[worst], worst_right=number(right[worst], 2),
        most_right=number(sorted(right[PERIOD:SHOWN])[1], 2),
        copy_whole=number(look_without([]), 2), copy_without=f"{look_without([before]):.2f}",
        copy_without_second=f"{look_without([after]):.2f}", copy_spared=number(min(others), 2),
        copy_spared_head=f"{others.index(min(others)) + 1}",
    )  # fmt: skip
    return shown(after, "what followed last time.")


def look_without(places: list[Place]) -> float:
    """Return the loss on tokens that were seen before, in nats, without some heads (of one layer)."""
    layer = places[0][0] if places else 0
    with without_heads(model(), layer, [head for _, head in places]):
        return look(model())["again"]
