"""What the two pages on the Transformer say of its heads, quoted from the pinned model."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from jaxtyping import Float
from torch import Tensor

from book.show import experiments
from book.show.drawn import number
from book.show.experiments import BLEU
from book.show.quoting import quote
from book.show.reading import Reading, said
from book.transformer.figures import cache_times
from lab import corpora
from lab.corpora import Pair
from lab.kinds.pinned import pinned
from lab.kinds.translation import Trained
from lab.show.attention_table import HeatTable, heat_table
from solutions.bahdanau.model import SOLUTION as BAHDANAU
from solutions.encoder_decoder.model import SOLUTION as ENCODER_DECODER
from solutions.luong.model import SOLUTION as LUONG
from solutions.self_attention.translator import TRANSLATOR
from solutions.transformer.ablation import (
    Head,
    ablated,
    attentions,
    batches,
    habits_of,
    mean_loss,
    with_values,
    without_head,
)

CHEAP = 0.05  # nats a token


def before() -> dict[str, Trained]:
    """Return the small model of each chapter before that translates."""
    every = {"encoder_decoder": ENCODER_DECODER, "bahdanau": BAHDANAU, "luong": LUONG}
    small = {name: pinned(solution) for name, solution in every.items()}
    return small | {"self_attention": pinned(TRANSLATOR, "translator")}


def positions_quoted() -> dict[str, str]:
    """Return the BLEU of the three kinds of positions, as means over the seeds."""
    mean = partial(experiments.mean, "transformer", "positions", column=BLEU)
    return {"sines": mean(""), "learned": mean("learned"), "unplaced": mean("unplaced")}


def unplaced(model: Trained) -> dict[str, str]:
    """Return the translations of two sentences without positions; raise ValueError where the text does not fit."""
    sentences = ["il m' a entarté", "le chien mord l' homme", "chaque matin un médecin entarte vos nièces"]
    recipe, placed = model.model.recipe, model.translate(sentences)
    model.model.recipe = replace(recipe, positions="none")
    try:
        same, dog, nieces = model.translate(sentences)
    finally:
        model.model.recipe = recipe
    if same != placed[0] or dog == placed[1] or not nieces.startswith("your nieces hit"):
        raise ValueError(f"the text says what is lost without positions: {same}, {dog}, {nieces}")
    return {"dog_unplaced": dog, "nieces_unplaced": nieces}


def training_quoted() -> dict[str, str]:
    """Return the numbers on the page on training: smoothing, norms with a warm-up and without, the cache."""
    mean = partial(experiments.mean, "transformer", column=BLEU)
    first, *_, last = cache_times()
    cold = float(mean("norms", "cold"))
    others = [mean("norms", ""), mean("norms", "pre-norm"), mean("norms", "pre-norm-cold"), mean("norms-slow", "slow")]
    assert cold < min(map(float, others)) - 5, "the text says that only post-norm without a warm-up falls far"
    return {
        "plain": mean("smoothing", ""),
        "smoothed": mean("smoothing", "smooth"),
        "post": others[0],
        "post_cold": mean("norms", "cold"),
        "pre": others[1],
        "pre_cold": others[2],
        "slow": others[3],
        "slow_cold": mean("norms-slow", "slow-cold"),
        "first_ms": f"{first['plain']:.1f}",
        "cache_word": f"{last['length']}",
        "plain_ms": f"{last['plain']:.1f}",
        "cached_ms": f"{last['cached']:.1f}",
    }


def probabilities(model: Trained, french: str, english: str) -> dict[str, float]:
    """Return the probability of each word of a forced translation."""
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


def removed(model: Trained) -> list[Head]:
    """Return each head with its cost on 100 validation sentences, the costliest first; quote the text's numbers."""
    pairs = corpora.load("phrasebook").validation[::10]
    heads, equal = ablated(model, pairs), habits_of(model, pairs, equal=True)
    first, decoders = heads[0], [head for head in heads if head.use == "decoder"]
    aligning = [head for head in heads if head.use == "cross" and head.layer == model.model.recipe.layers]
    mark, second = sorted(decoders, key=lambda head: -head.habits.mark)[:2]
    costly, even = decoders[0], equal["decoder", 0, 0].mark
    linked = [head.habits.linked or 0.0 for head in aligning]
    assert (first.habits.linked or 0) < min(linked) / 2, "the text says that the costliest head does not align"
    assert max(head.cost for head in aligning) < first.cost, "and that those which do cost less"
    assert costly.habits.mark > even, "the text says that a costly head gives much weight to <s>"
    assert mark.cost < costly.cost, "and one that gives more costs less"
    encoders = max(head.cost for head in heads if head.use == "encoder")
    assert min(mark.cost, second.cost) > encoders, (
        "and that two that give most cost more than every head of the encoder"
    )
    quote(
        whole=f"{mean_loss(model.model, batches(model, pairs)):.3f}",
        costliest=first.name,
        costliest_cost=number(first.cost, 3),
        costliest_linked=f"{100 * (first.habits.linked or 0):.0f}",
        aligning_linked=f"{100 * min(linked):.0f} to {100 * max(linked):.0f}",
        equal_mark=f"{100 * even:.0f}",
        most_mark=f"{100 * mark.habits.mark:.0f}",
        most_cost=number(mark.cost, 3),
        second_cost=number(second.cost, 3),
        **of_its_parts(model, pairs, costly),
    )
    return heads


def of_its_parts(model: Trained, pairs: Sequence[Pair], head: Head) -> dict[str, str]:
    """Return a decoder head's cost, and that of its parts: its share from <s>, the rest, the sentence's own <s>.

    The last is the cost of finding the vector at <s> of another sentence of the batch.
    """
    attention, own = attentions(model.model, "decoder")[head.layer - 1], head.number - 1
    examined = batches(model, pairs)
    changes = {
        "from_mark": lambda of_head: of_head[:, :1].zero_(),
        "from_others": lambda of_head: of_head[:, 1:].zero_(),
        "swapped_mark": lambda of_head: of_head[:, 0].copy_(of_head[:, 0].roll(1, dims=0)),
    }

    def changed(v: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
        change((kept := v.clone())[:, own])
        return kept

    whole, costs = mean_loss(model.model, examined), {}
    for name, change in changes.items():
        with with_values(attention, partial(changed, change=change)):
            costs[name] = mean_loss(model.model, examined) - whole
    if not (costs["from_others"] > 3 * costs["from_mark"] and head.layer == 2):
        raise ValueError(f"the text says that a head of layer 2 is missed for what words give it: {head}, {costs}")
    quoted = {"costly_mark": f"{100 * head.habits.mark:.0f}", "costly_cost": number(head.cost, 3)}
    return quoted | {name: number(cost, 3) for name, cost in costs.items()}


def look_at_mark(heads: Sequence[Head]) -> list[Head]:
    """Return the three heads of the decoder with most weight on <s>, the costliest first."""
    decoders = sorted((head for head in heads if head.use == "decoder"), key=lambda head: -head.habits.mark)
    if not decoders[2].habits.mark > 0.4 > decoders[3].habits.mark:
        raise ValueError("the text says that three heads give about half of their weight to <s>")
    return sorted(decoders[:3], key=lambda head: -head.cost)


def on_the_mark(heads: Sequence[Head]) -> str:
    """Return the weight that these heads give to <s>, in per cent: "46 to 60"."""
    shares = [head.habits.mark for head in look_at_mark(heads)]
    return f"{100 * min(shares):.0f} to {100 * max(shares):.0f}"


def costs_much(heads: Sequence[Head]) -> str:
    """Return the chapter's answer to its guess; raise ValueError where no such head is one of the costliest."""
    head = look_at_mark(heads)[0]
    place = list(heads).index(head) + 1
    if place != 2:
        raise ValueError(f"the chapter says that only one head costs more than {head.name}, but it comes {place}.")
    return (
        f"Without it the loss rises by {number(head.cost, 3)} nats a token. Of {len(heads)} heads only one costs more."
    )


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
