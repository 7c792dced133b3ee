"""What goes wrong in multi-head attention: how heads are cut, asked, masked and joined."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.checks.bahdanau import softmax_mistakes as masking
from autograder.checks.renamed import renamed
from autograder.checks.together import instead_of
from solutions.bahdanau.attention import masked_softmax
from solutions.transformer.attention import merge_heads, multi_head_attention, split_heads


def rows(mask: Tensor | None, scores: Tensor) -> Tensor | None:
    """Return the mask of every row of every head."""
    return None if mask is None else mask.unsqueeze(-3).expand_as(scores)


@dataclass(frozen=True)
class Heads:
    """Multi-head attention in parts, each of which can be put wrong."""

    project: Callable = lambda x, weights, name: x @ weights[f"W_{name}"].T + weights[f"b_{name}"]
    split: Callable = split_heads
    width: Callable = lambda q, heads: q.shape[-1]  # by whose root the scores are divided
    mask: Callable = rows
    softmax: Callable = masked_softmax
    merge: Callable = merge_heads
    join: Callable = lambda context, weights: context @ weights["W_o"].T + weights["b_o"]

    def __call__(self, query, key, value, weights, heads, mask):
        q, k, v = (
            self.split(self.project(x, weights, name), heads) for x, name in ((query, "q"), (key, "k"), (value, "v"))
        )
        scores = q @ k.transpose(-2, -1) / self.width(q, heads) ** 0.5
        attended = self.softmax(scores, self.mask(mask, scores))
        return self.join(self.merge(attended @ v), weights), attended


RIGHT = Heads()


def heads_with(softmax: Callable) -> Callable:
    """Return multi-head attention with a wrong masked softmax: the same mistake, the same hint."""

    @renamed(softmax)
    def attention(query, key, value, weights, heads, mask):
        return Heads(softmax=softmax)(query, key, value, weights, heads, mask)

    return instead_of(masked_softmax, softmax, attention)


def heads_viewed(query, key, value, weights, heads, mask):
    """The heads are cut with `view` or `reshape` straight to (B, heads, length, …). That mixes positions into heads:
    cut the features first, (B, length, heads, …), then `transpose(1, 2)`."""

    def split(x, heads):
        return x.reshape(len(x), heads, x.shape[1], -1)

    return Heads(split=split)(query, key, value, weights, heads, mask)


def heads_viewed_both(query, key, value, weights, heads, mask):
    """The heads are cut and joined with `view` or `reshape` alone. That mixes positions into heads: cut the features
    first, (B, length, heads, …), then `transpose(1, 2)`; before they are joined, turn the two axes back."""

    def split(x, heads):
        return x.reshape(len(x), heads, x.shape[1], -1)

    def merge(x):
        return x.reshape(len(x), x.shape[2], -1)

    return Heads(split=split, merge=merge)(query, key, value, weights, heads, mask)


def heads_interleaved(query, key, value, weights, heads, mask):
    """A head gets every h-th feature. Head i has the i-th block of d/h features that stand side by side."""

    def split(x, heads):
        return x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)

    def merge(x):
        return x.permute(0, 2, 3, 1).flatten(-2)

    return Heads(split=split, merge=merge)(query, key, value, weights, heads, mask)


def queries_viewed(query, key, value, weights, heads, mask):
    """The queries are cut with `view` or `reshape` straight to (B, heads, length, …), the keys and values are not. Cut
    all three alike: the features first, then `transpose(1, 2)`."""
    q, k, v = (RIGHT.project(x, weights, name) for x, name in ((query, "q"), (key, "k"), (value, "v")))
    q = q.reshape(len(q), heads, q.shape[1], -1)
    scores = q @ split_heads(k, heads).transpose(-2, -1) / q.shape[-1] ** 0.5
    attended = masked_softmax(scores, rows(mask, scores))
    return RIGHT.join(merge_heads(attended @ split_heads(v, heads)), weights), attended


def cut_interleaved(query, key, value, weights, heads, mask):
    """A head gets every h-th feature, and the heads are joined as blocks. Head i has the i-th block of d/h features
    that stand side by side: `view` or `unflatten` to (…, heads, d/h), in that order."""
    return Heads(split=lambda x, heads: x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2))(
        query, key, value, weights, heads, mask
    )


def merged_without_transpose(query, key, value, weights, heads, mask):
    """The heads are joined by `view` or `reshape` while they still stand before the positions. Swap the two axes back
    first, `transpose(1, 2)`: each position joins its own heads."""
    return Heads(merge=lambda x: x.reshape(len(x), x.shape[2], -1))(query, key, value, weights, heads, mask)


def merged_interleaved(query, key, value, weights, heads, mask):
    """The heads are joined feature by feature: first of each head, second of each head. They are concatenated, head
    after head."""
    return Heads(merge=lambda x: x.permute(0, 2, 3, 1).flatten(-2))(query, key, value, weights, heads, mask)


def heads_added(query, key, value, weights, heads, mask):
    """The heads share one piece of the result: they are averaged. They should be concatenated: a block of
    features for each."""

    def merge(x):
        return x.mean(1).repeat(1, 1, heads)

    return Heads(merge=merge)(query, key, value, weights, heads, mask)


def root_of_model(query, key, value, weights, heads, mask):
    """The scores are divided by √d. A head compares d/h features: divide by √(d/h)."""
    return Heads(width=lambda q, heads: q.shape[-1] * heads)(query, key, value, weights, heads, mask)


def not_scaled(query, key, value, weights, heads, mask):
    """The scores are not divided. Divide them by √(d/h)."""
    return Heads(width=lambda q, heads: 1)(query, key, value, weights, heads, mask)


def width_not_root(query, key, value, weights, heads, mask):
    """The scores are divided by d/h. Divide them by its square root. (`scaled_dot_product` divides already: divided
    before as well, a query is divided twice.)"""
    return Heads(width=lambda q, heads: q.shape[-1] ** 2)(query, key, value, weights, heads, mask)


def one_wide_head(query, key, value, weights, heads, mask):
    """All heads have the same weights: one head that compares all d features. Each head compares its own block."""

    def softmax(scores, mask):
        return masked_softmax(scores.mean(1, keepdim=True).expand_as(scores) * heads**0.5, mask)

    return Heads(softmax=softmax)(query, key, value, weights, heads, mask)


def mask_repeated(query, key, value, weights, heads, mask):
    """The masks of the batch meet heads of other sentences: no axis was added for the heads, or the masks were repeated
    one after the other (`repeat`). All heads of a sentence have its mask: an axis of size 1 in the heads' place will
    do."""

    def repeated(mask, scores):
        if mask is None:
            return None
        B = len(scores)
        of_each = mask.expand(B, *scores.shape[2:]).repeat(heads, 1, 1)
        return of_each.view(scores.shape)

    return Heads(mask=repeated)(query, key, value, weights, heads, mask)


def mask_transposed(query, key, value, weights, heads, mask):
    """The mask lies on the queries. It says which keys may be looked at: its last axis is the source."""
    turned = None if mask is None else mask.transpose(-2, -1)
    return multi_head_attention(query, key, value, weights, heads, turned)


def over_heads(query, key, value, weights, heads, mask):
    """The softmax runs over the heads. It has to run over the last axis, the source."""

    def softmax(scores, mask):
        return masked_softmax(scores.transpose(1, -1), None if mask is None else mask.transpose(1, -1)).transpose(1, -1)

    return Heads(softmax=softmax)(query, key, value, weights, heads, mask)


def _over_heads(fill: float) -> Callable:
    """Return the softmax over the heads of scores that were filled where the mask is False: nothing is 0 behind it."""

    def over_heads_filled(query, key, value, weights, heads, mask):
        return Heads(softmax=masking.filled(over_heads, 1, fill))(query, key, value, weights, heads, mask)

    over_heads_filled.__name__ = masking.filled(over_heads, 1, fill).__name__
    over_heads_filled.__doc__ = over_heads.__doc__
    return over_heads_filled


OVER_HEADS_FILLED = tuple(_over_heads(fill) for fill in masking.FILLS)


def mask_added(query, key, value, weights, heads, mask):
    """The mask was added to the scores as it is: that adds 1 where it is True, and 0 where it is False. Scores that may
    not be looked at need -inf, or another number far below all others."""

    def softmax(scores, mask):
        return (scores if mask is None else scores + mask).softmax(-1)

    return Heads(softmax=softmax)(query, key, value, weights, heads, mask)


def weights_averaged(query, key, value, weights, heads, mask):
    """The weights are averaged over the heads. Return those of every head: (B, heads, T, S)."""
    out, attended = multi_head_attention(query, key, value, weights, heads, mask)
    return out, attended.mean(1)


def scores_returned(query, key, value, weights, heads, mask):
    """The second result holds the scores. Return the weights, after the softmax."""
    q, k = (RIGHT.split(RIGHT.project(x, weights, name), heads) for x, name in ((query, "q"), (key, "k")))
    out, _ = multi_head_attention(query, key, value, weights, heads, mask)
    return out, q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5


def results_swapped(query, key, value, weights, heads, mask):
    """The results have changed places. The output comes first, then the weights."""
    return multi_head_attention(query, key, value, weights, heads, mask)[::-1]


def without_W_o(query, key, value, weights, heads, mask):
    """W_o and its bias are missing: this is the concatenation of the heads. W_o mixes them."""
    return Heads(join=lambda context, weights: context)(query, key, value, weights, heads, mask)


def W_o_for_each_head(query, key, value, weights, heads, mask):
    """Each head meets only its own block of W_o, and its own part of the result. W_o acts on the concatenation: every
    head reaches every feature."""

    def join(context, weights):
        blocks = torch.block_diag(*torch.ones(heads, context.shape[-1] // heads, context.shape[-1] // heads))
        return context @ (weights["W_o"] * blocks).T + weights["b_o"]

    return Heads(join=join)(query, key, value, weights, heads, mask)


def without_biases(query, key, value, weights, heads, mask):
    """The biases are missing, all of them: x @ W.T + b."""
    none = {name: weight * (name[0] == "W") for name, weight in weights.items()}
    return multi_head_attention(query, key, value, none, heads, mask)


def without_biases_of_heads(query, key, value, weights, heads, mask):
    """The biases b_q, b_k and b_v are missing; b_o is there. Each of the four products has its own: x @ W.T + b."""
    none = {name: 0 * weight if name in ("b_q", "b_k", "b_v") else weight for name, weight in weights.items()}
    return multi_head_attention(query, key, value, none, heads, mask)


def one_bias(query, key, value, weights, heads, mask):
    """Queries, keys and values have the same bias, b_q. Each has its own: b_q, b_k, b_v."""
    same = weights | {"b_k": weights["b_q"], "b_v": weights["b_q"]}
    return multi_head_attention(query, key, value, same, heads, mask)


def without_b_o(query, key, value, weights, heads, mask):
    """The bias of W_o is missing: + b_o."""
    return multi_head_attention(query, key, value, weights | {"b_o": 0 * weights["b_o"]}, heads, mask)


def without_b_v(query, key, value, weights, heads, mask):
    """The bias of W_v is missing: value @ W_v.T + b_v."""
    return multi_head_attention(query, key, value, weights | {"b_v": 0 * weights["b_v"]}, heads, mask)


def query_from_key(query, key, value, weights, heads, mask):
    """The queries are made from `key`. They come from `query`."""
    if query.shape != key.shape:
        raise ValueError("the keys have another length")
    return multi_head_attention(key, key, value, weights, heads, mask)


def only_W_o_transposed(query, key, value, weights, heads, mask):
    """W_q, W_k and W_v are applied without a transpose. They are stored as (out, in), like W_o: x @ W.T."""
    turned = {name: weight.T if name in ("W_q", "W_k", "W_v") else weight for name, weight in weights.items()}
    return multi_head_attention(query, key, value, turned, heads, mask)


def not_transposed(query, key, value, weights, heads, mask):
    """The weight matrices are applied without a transpose. They are stored as (out, in): x @ W.T."""
    turned = {name: weight.T if name[0] == "W" else weight for name, weight in weights.items()}
    return multi_head_attention(query, key, value, turned, heads, mask)


def W_o_not_transposed(query, key, value, weights, heads, mask):
    """W_o is applied without a transpose. Like the others it is stored as (out, in): context @ W_o.T."""
    return multi_head_attention(query, key, value, weights | {"W_o": weights["W_o"].T}, heads, mask)


def values_not_projected(query, key, value, weights, heads, mask):
    """The values are summed as they came, without W_v and b_v."""

    def project(x, weights, name):
        return x if name == "v" else RIGHT.project(x, weights, name)

    return Heads(project=project)(query, key, value, weights, heads, mask)


def one_matrix(query, key, value, weights, heads, mask):
    """Keys are projected with the matrix of the queries. Each has its own: W_q, W_k, W_v."""
    same = weights | {"W_k": weights["W_q"], "b_k": weights["b_q"]}
    return multi_head_attention(query, key, value, same, heads, mask)


def keys_summed(query, key, value, weights, heads, mask):
    """The keys are what is summed. The weights belong to the values: value @ W_v.T + b_v."""
    return multi_head_attention(query, key, key, weights, heads, mask)


def query_asks_itself(query, key, value, weights, heads, mask):
    """Keys and values are made from the query. They come from `key` and `value`, which may be another sentence."""
    return multi_head_attention(query, query, query, weights, heads, mask)


def residual_inside(query, key, value, weights, heads, mask):
    """The query is added to the result. That sum belongs to the layer around the attention."""
    out, attended = multi_head_attention(query, key, value, weights, heads, mask)
    return query + out, attended


def first_mask(query, key, value, weights, heads, mask):
    """Every sentence is masked with the mask of the first one. Each has its own."""
    first = mask[:1] if mask is not None and mask.ndim > 2 else mask
    return multi_head_attention(query, key, value, weights, heads, first)


# What a masked softmax can do wrong where every row may look somewhere.
SOFTMAX = tuple(
    heads_with(softmax)
    for softmax in (
        masking.mask_ignored,
        masking.mask_upside_down,
        masking.scores_times_mask,
        masking.small_fill,
        masking.mask_after_softmax,
        masking.axis_before_last,
        *masking.BEFORE_LAST_FILLED,
        masking.no_maximum,
        masking.epsilon_in_denominator,
        masking.fills_where_true,
        masking.infinity_where_true,
    )
)

HEADS = (
    *SOFTMAX,
    heads_viewed,
    heads_viewed_both,
    queries_viewed,
    heads_interleaved,
    cut_interleaved,
    merged_without_transpose,
    merged_interleaved,
    heads_added,
    root_of_model,
    not_scaled,
    width_not_root,
    one_wide_head,
    mask_repeated,
    mask_transposed,
    over_heads,
    *OVER_HEADS_FILLED,
    mask_added,
    weights_averaged,
    scores_returned,
    results_swapped,
    without_W_o,
    W_o_for_each_head,
    without_biases,
    without_biases_of_heads,
    one_bias,
    without_b_o,
    without_b_v,
    query_from_key,
    only_W_o_transposed,
    not_transposed,
    W_o_not_transposed,
    values_not_projected,
    one_matrix,
    keys_summed,
    query_asks_itself,
    residual_inside,
    first_mask,
)
