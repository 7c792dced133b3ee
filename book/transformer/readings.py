"""What the two pages on the Transformer say of its heads, quoted from the pinned model."""

from collections.abc import Sequence
from contextlib import ExitStack

from IPython.display import HTML
from jaxtyping import Float
from torch import Tensor

from book.show.drawn import number
from book.show.quoting import quote
from book.show.reading import Reading, said
from book.transformer.figures import heads_table
from lab.corpora import Pair
from lab.kinds.translation import Trained
from lab.show.attention_table import HeatTable, heat_table
from solutions.transformer.ablation import Head, ablated, attentions, batches, habits_of, mean_loss, without_head

CHEAP = 0.05  # nats a token


def probabilities(model: Trained, french: str, english: str) -> dict[str, float]:
    """Return how probable each word of a translation that is forced is."""
    steps, words = said(model, french, english), model.target_text.encode(english)
    return {word: float(step[place]) for word, step, place in zip(english.split(), steps, words, strict=True)}


def last_layer(model: Trained, mean: Float[Tensor, "target source"], french: str, english: str) -> None:
    """Quote the mean of the last layer's cross-attention, and what is left of the words without that layer's heads."""
    read = Reading(mean, english.split(), [*french.split(), "</s>"])
    read.tell({"hit_verb": ("hit", "entarté"), "me_m": ("me", "m'"), "pie_verb": ("pie", "entarté")}, least=0.5)
    attention, heads = attentions(model.model, "cross")[-1], model.model.recipe.heads
    before = probabilities(model, french, english)
    with ExitStack() as gone:
        for head in range(heads):
            gone.enter_context(without_head(attention, head, heads))
        after = probabilities(model, french, english)
    assert max(after["hit"], after["me"]) < 0.1, "the text says that these need the layer"
    assert min(before["hit"], before["me"], after["pie"]) > 0.99, "and that pie does not"
    quote(
        hit_whole=number(before["hit"], 3),
        hit_gone=f"{after['hit']:.3f}".removeprefix("0"),
        me_gone=number(after["me"], 3),
        pie_gone=number(after["pie"], 3),
    )


def removed(model: Trained, pairs: Sequence[Pair]) -> HTML:
    """Return the costliest heads and the cheapest ones, and quote what the text says of them."""
    heads, equal = ablated(model, pairs), habits_of(model, pairs, equal=True)
    first, decoders = heads[0], [head for head in heads if head.use == "decoder"]
    aligning = [head for head in heads if head.use == "cross" and head.layer == model.model.recipe.layers]
    mark, costly = max(decoders, key=lambda head: head.habits.mark), decoders[0]
    linked = [head.habits.linked or 0.0 for head in aligning]
    even = equal["decoder", 0, 0].mark
    assert (first.habits.linked or 0) < min(linked) / 2, "the text says that the costliest head does not align"
    assert costly.habits.mark > even, "the text says that a costly head gives much weight to <s>"
    assert mark.cost < costly.cost, "and one that gives more costs less"
    quote(
        whole=f"{mean_loss(model.model, batches(model, pairs)):.3f}",
        costliest=first.name,
        costliest_cost=f"{first.cost:.3f}",
        costliest_linked=f"{100 * (first.habits.linked or 0):.0f}",
        aligning_linked=f"{100 * min(linked):.0f} to {100 * max(linked):.0f}",
        aligning_cost=f"{max(head.cost for head in aligning):.3f}",
        cheap=f"{sum(head.cost < CHEAP for head in heads)}",
        all_heads=f"{len(heads)}",
        equal_mark=f"{100 * even:.0f}",
        costly_mark=f"{100 * costly.habits.mark:.0f}",
        costly_cost=f"{costly.cost:.3f}",
        most_mark=f"{100 * mark.habits.mark:.0f}",
        most_cost=f"{mark.cost:.3f}",
    )
    return heads_table([*heads[:3], *heads[-2:]], which="The three costliest heads and the two cheapest")


def two_heads(seen: dict[str, Tensor], heads: Sequence[Head], french: str, english: str) -> tuple[HeatTable, HeatTable]:
    """Return the costliest head of cross-attention and the decoder's head with most weight on <s>; both are quoted."""
    costly = next(head for head in heads if head.use == "cross")
    sink = max((head for head in heads if head.use == "decoder"), key=lambda head: head.habits.mark)
    said_words, source, inputs = english.split(), [*french.split(), "</s>"], ["<s>", *english.split()[:-1]]
    of_costly, of_sink = (seen[head.use][head.layer - 1, head.number - 1] for head in (costly, sink))
    Reading(of_costly, said_words, source).tell(
        {"costly_me": ("me", "m'"), "costly_pie": ("pie", "entarté"), "costly_hit": ("hit", "a")}
    )
    of_rows = Reading(of_sink, said_words, inputs)
    of_rows.tell({"sink_hit": ("hit", "<s>"), "sink_pie": ("pie", "<s>"), "sink_me": ("me", "hit")}, least=0.9)
    of_rows.tell({"sink_with": ("with", "hit")}, least=0.9)
    axes = "Rows: the word to be predicted; columns: the words read so far."
    return (
        heat_table(of_costly, source, said_words, f"{costly.name}.", ("fr", "en")),
        heat_table(of_sink, inputs, said_words, f"{sink.name}.", ("en", "en"), axes),
    )
