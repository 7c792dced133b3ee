"""Where the attention of a model that reads a stream rests: its weights on first tokens and on ends of sentences."""

from dataclasses import replace
from functools import cache
from statistics import fmean

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from book.long_context.figures import kept
from book.show.drawn import number
from book.show.quoting import quote
from book.show.reading import Reading
from lab.corpora.running import rows_of
from lab.kinds.pinned import pinned_weights
from lab.show.attention_table import HeatTable, heat_table
from lab.text.tokenizers import BOS, EOS
from solutions.language_model.fast import FAST
from solutions.language_model.induction import predicted
from solutions.language_model.model import Decoder
from solutions.long_context.lengths import LENGTH, TEST, made, words
from solutions.long_context.model import SMALL, reader

RECIPE, LATE, ROWS = replace(SMALL, positions="rope"), LENGTH // 2, 64
EXAMPLE, SHOWN = 3, 18  # which row is shown, and how many of its tokens
Marks = Bool[Tensor, "rows length"]


@cache
def model() -> Decoder:
    """Return the pinned model, with weights to show."""
    plain = Decoder(RECIPE, len(words()))
    plain.load_state_dict(pinned_weights("long_context", "reads"))
    return plain.eval()


@cache
def text() -> Int[Tensor, "rows length"]:
    """Return rows of test sentences, as long as those of the training."""
    return rows_of(made(TEST, 2), LENGTH)[0][:ROWS]


def share(weights: Float[Tensor, "rows length length"], marked: Marks) -> float:
    """Return the mean weight, in per cent, that the later half of the queries gives to marked tokens."""
    return 100 * float((weights * marked[:, None]).sum(dim=-1)[:, LATE:].mean())


@torch.no_grad()
def loss_without(hidden: Marks) -> float:
    """Return the loss of the later half in nats, when each of its tokens sees no marked token but itself."""
    places = torch.arange(LENGTH)
    late, itself = (places >= LATE)[:, None], torch.eye(LENGTH, dtype=torch.bool)
    causal = places[:, None] >= places
    seen = causal & ~(hidden[:, None, None, :] & late & ~itself)

    def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(query, key, value, seen)

    blind = reader(RECIPE, len(words()), [attend] * RECIPE.layers, FAST)
    blind.load_state_dict(model().state_dict())
    return float(predicted(blind(text()), text())[:, LATE:].mean())


def resting() -> HeatTable:
    """Return the head with most weight on ends of sentences, on some sentences; what the text says is quoted."""
    with torch.no_grad():
        looks = model().attention_weights(text())
    ends, first = text() == EOS, torch.zeros_like(text(), dtype=torch.bool)
    first[:, 0] = True
    equal = torch.ones(LENGTH, LENGTH).tril()
    equal = (equal / equal.sum(dim=-1, keepdim=True)).expand(ROWS, -1, -1)
    heads = {(layer, head): looks[layer][:, head] for layer in range(len(looks)) for head in range(RECIPE.heads)}
    on_first = [share(weights, first) for weights in heads.values()]
    layer, head = max(heads, key=lambda place: share(heads[place], ends))
    others = (torch.rand(text().shape, generator=torch.Generator().manual_seed(0)) < ends.float().mean()) & ~ends
    losses = {name: loss_without(marks) for name, marks in (
        ("whole", torch.zeros_like(first)), ("first", first), ("ends", ends), ("others", others),
    )}  # fmt: skip
    assert abs(losses["first"] - losses["whole"]) < 0.005, "the text says that the first token is not missed"
    assert losses["ends"] - losses["whole"] > 2 * (losses["others"] - losses["whole"]), "and that the ends are"
    tokens = text()[EXAMPLE, :SHOWN].tolist()
    names = [{BOS: "<s>", EOS: "</s>"}.get(token) or words().decode([token]) for token in tokens]
    weights = heads[layer, head][EXAMPLE, :SHOWN, :SHOWN]
    read = Reading(weights, names, names)
    read.tell({"verb_end": ("chase", "</s>"), "second_verb_end": ("sees", "</s> 2")}, least=0.9)
    read.tell({"noun_verb": ("king", "chase")}, least=0.9)
    quote(
        least_first=f"{min(on_first):.1f}", most_first=f"{max(on_first):.1f}", even_first=f"{share(equal, first):.1f}",
        most_ends=f"{share(heads[layer, head], ends):.0f}", even_ends=f"{share(equal, ends):.0f}",
        **{f"blind_{name}": f"{loss:.2f}" for name, loss in losses.items()},
    )  # fmt: skip
    caption = f"Layer {layer + 1}, head {head + 1}, on three sentences of the stream."
    return heat_table(weights, names, names, caption, axes="Rows: the token that looks; columns: all tokens so far.")


def streamed() -> None:
    """Quote the losses of the stream."""
    means = {
        name: [fmean(run["stream"][name]) for run in kept("lengths", "rope")]
        for name in ("everything", "window", "sinks")
    }
    assert max(means["sinks"]) < min(means["everything"]) - 0.5, "the text says that a full cache is worse"
    pairs = zip(means["sinks"], means["window"], strict=True)
    assert all(sinks < window < sinks + 0.05 for sinks, window in pairs), "and that sinks bring little"
    quote(
        stream_all=number(fmean(means["everything"]), 2),
        stream_window=number(fmean(means["window"]), 3),
        stream_sinks=number(fmean(means["sinks"]), 3),
    )
