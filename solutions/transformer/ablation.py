"""What a head is worth: a trained Transformer without one of its heads, and where that head attended.

Michel, Levy and Neubig (2019) remove the heads of a trained model one by one; so does this file, on a smaller model.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lab.corpora import Pair
from lab.kinds.translation import Trained, encoded
from lab.text.batches import Batch, bucketed, collate
from lab.text.tokenizers import PAD
from solutions.transformer.layers import MultiHeadAttention
from solutions.transformer.model import Transformer, attention_weights

USES = ("encoder", "decoder", "cross")


@dataclass(frozen=True)
class Habits:
    """Where a head attends, each a mean over the queries; of cross-attention only the mark and the linked words."""

    mark: float  # on </s> of the source; in the decoder on <s>
    before: float | None = None  # on the word before the query's own place; of its own word; of the word after
    own: float | None = None
    after: float | None = None  # not in the decoder: the mask hides it
    linked: float | None = None  # on the source words that the corpus links to the word which is predicted


@dataclass(frozen=True)
class Head:
    """A head by its place (layer and number count from 1), what its loss costs in nats a token, and its habits."""

    use: str
    layer: int
    number: int
    cost: float
    habits: Habits

    @property
    def name(self) -> str:
        return f"{self.use}, layer {self.layer}, head {self.number}"


def attentions(model: Transformer, use: str) -> list[MultiHeadAttention]:
    """Return the attentions of one use, layer by layer."""
    if use == "encoder":
        return [layer.self_attn for layer in model.encoder]
    return [layer.multihead_attn if use == "cross" else layer.self_attn for layer in model.decoder]


@contextmanager
def without_head(attention: MultiHeadAttention, head: int, heads: int) -> Iterator[None]:
    """Leave out one head, counted from 0, inside the `with` block: the columns of W_o that read its features are 0."""
    weight = attention.out_proj.weight
    width = weight.shape[1] // heads
    block = slice(head * width, (head + 1) * width)
    kept = weight.detach()[:, block].clone()
    with torch.no_grad():
        weight[:, block] = 0.0
    try:
        yield
    finally:
        with torch.no_grad():
            weight[:, block] = kept


@contextmanager
def with_values(
    attention: Any, change: Callable[[Float[Tensor, "batch heads source head_dim"]], Tensor]
) -> Iterator[None]:
    """Add up changed values inside the `with` block; queries, keys and weights stay. The attention is a FastAttention.

    A value of 0 leaves out what comes from its position.
    """
    attend = attention.attend
    attention.attend = lambda q, k, v, *others, **named: attend(q, k, change(v), *others, **named)
    try:
        yield
    finally:
        attention.attend = attend


def batches(trained: Trained, pairs: Sequence[Pair], tokens: int = 1000) -> list[Batch]:
    """Return the pairs in batches of sentences of similar length."""
    device = next(trained.model.parameters()).device
    examples = encoded(pairs, trained.source_text, trained.target_text)
    return [collate(group).to(device) for group in bucketed(examples, tokens)]


@torch.no_grad()
def mean_loss(model: Transformer, every: Sequence[Batch]) -> float:
    """Return the cross-entropy of the batches' target tokens, teacher-forced, in nats a token."""
    losses = [model.loss(batch, batch.targets != PAD, 0.0).item() * batch.tokens for batch in every]
    return sum(losses) / sum(batch.tokens for batch in every)


def ablated(trained: Trained, pairs: Sequence[Pair]) -> list[Head]:
    """Return every head with what the loss on `pairs` rises by when it alone is left out, the costliest first."""
    model = trained.model
    assert isinstance(model, Transformer)
    heads, habits, examined = model.recipe.heads, habits_of(trained, pairs), batches(trained, pairs)
    whole = mean_loss(model, examined)
    every = []
    for use in USES:
        for layer, attention in enumerate(attentions(model, use)):
            for head in range(heads):
                with without_head(attention, head, heads):
                    cost = mean_loss(model, examined) - whole
                every.append(Head(use, layer + 1, head + 1, cost, habits[use, layer, head]))
    return sorted(every, key=lambda head: -head.cost)


def habits_of(trained: Trained, pairs: Sequence[Pair], equal: bool = False) -> dict[tuple[str, int, int], Habits]:
    """Return the habits of every head, by use, layer and number (counted from 0), as means over the pairs' words.

    With `equal`, those of heads that attend equally to all that they may attend to, for comparison. Words must be the
    model's tokens: links are between words.
    """
    rows: dict[str, list[Tensor]] = {use: [] for use in USES}
    for pair in pairs:
        weights = attention_weights(trained, pair.source, pair.target)
        if equal:
            allowed = {
                use: torch.ones_like(w) if use != "decoder" else torch.ones_like(w).tril() for use, w in weights.items()
            }
            weights = {use: w / w.sum(dim=-1, keepdim=True) for use, w in allowed.items()}
        rows["encoder"].append(self_shares(weights["encoder"], mark=-1))
        rows["decoder"].append(self_shares(weights["decoder"], mark=0)[..., :3])
        rows["cross"].append(cross_shares(weights["cross"], pair))
    means = {use: torch.cat(shares, dim=2).nanmean(dim=2) for use, shares in rows.items()}
    return {
        (use, layer, head): Habits(*shares) if use != "cross" else Habits(shares[0], linked=shares[1])
        for use, of_use in means.items()
        for layer, of_layer in enumerate(of_use.tolist())
        for head, shares in enumerate(of_layer)
    }


def self_shares(
    weights: Float[Tensor, "layers heads queries queries"], mark: int
) -> Float[Tensor, "layers heads queries 4"]:
    """Return of each query the weights on the mark, the word before, its own and the next; NaN where there is none."""
    shares = [weights[..., mark]]
    for offset in (-1, 0, 1):
        diagonal = weights.diagonal(offset, dim1=-2, dim2=-1)
        ends = (max(0, -offset), max(0, offset))
        shares.append(torch.nn.functional.pad(diagonal, ends, value=torch.nan))
    return torch.stack(shares, dim=-1)


def cross_shares(
    weights: Float[Tensor, "layers heads queries keys"], pair: Pair
) -> Float[Tensor, "layers heads queries 2"]:
    """Return of each query the weights on </s> and on the linked words; NaN where the predicted word has no link."""
    linked = torch.zeros(weights.shape[-2:])
    for source, target in pair.links or ():
        linked[target, source] = 1.0
    share = (weights * linked).sum(dim=-1)
    share = share.masked_fill(linked.sum(dim=-1) == 0, torch.nan)
    return torch.stack([weights[..., -1], share], dim=-1)
