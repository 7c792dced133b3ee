"""What goes wrong in greedy decoding with a cache, and in one step of attention with keys and values kept."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from solutions.bahdanau.attention import masked_softmax
from solutions.transformer.attention import cached_heads, greedy_cached, merge_heads, split_heads


def bos_in_front(start, step, bos, eos, max_len):
    """The list begins with bos. bos is what the first step reads; the translation begins behind it."""
    return [bos, *greedy_cached(start, step, bos, eos, max_len)]


def eos_left_out(start, step, bos, eos, max_len):
    """The list ends before eos. The eos that ends a translation belongs to it."""
    return [token for token in greedy_cached(start, step, bos, eos, max_len) if token != eos]


def goes_on_behind_eos(start, step, bos, eos, max_len):
    """The loop goes on behind eos, up to max_len. It ends with the first eos."""
    return greedy_cached(start, step, bos, -1, max_len)


def forgets_max_len(start, step, bos, eos, max_len):
    """max_len plays no part: where no eos comes, the translation is longer. It ends after max_len tokens."""
    return greedy_cached(start, step, bos, eos, max_len + 40)


def one_too_many(start, step, bos, eos, max_len):
    """A translation without eos has one token more than max_len. max_len counts the tokens of the list, without bos."""
    return greedy_cached(start, step, bos, eos, max_len + 1)


def one_too_few(start, step, bos, eos, max_len):
    """A translation without eos has one token less than max_len. max_len counts the tokens of the list: bos is not in
    it."""
    return greedy_cached(start, step, bos, eos, max_len - 1)


def from_the_start_each_time(start, step, bos, eos, max_len):
    """Each token is found by reading the whole prefix again from `start`. The cache that the last step gave knows the
    prefix: hand it on, with the newest token alone."""
    tokens: list[int] = []
    while len(tokens) < max_len and eos not in tokens:
        logits, cache = step(bos, start)
        for token in tokens:
            logits, cache = step(token, cache)
        tokens.append(int(logits.argmax()))
    return tokens


def cache_not_handed_on(start, step, bos, eos, max_len):
    """Every step gets `start`. Each gets the cache that the step before gave: the model forgets what it has said."""
    return greedy_cached(start, lambda token, cache: step(token, start), bos, eos, max_len)


def bos_each_time(start, step, bos, eos, max_len):
    """Every step reads bos. Only the first does; each of the others reads the token that was written last."""
    return greedy_cached(start, lambda token, cache: step(bos, cache), bos, eos, max_len)


def asks_twice(start, step, bos, eos, max_len):
    """`step` is called twice for each token, once for the logits and once for the cache. One call gives both."""

    def twice(token, cache):
        return step(token, cache)[0], step(token, cache)[1]

    return greedy_cached(start, twice, bos, eos, max_len)


def asks_behind_the_last(start, step, bos, eos, max_len):
    """`step` is called once more behind the last token. Nobody reads what it gives: end the loop before."""
    calls = []

    def noted(token, cache):
        calls.append(cache)
        return step(token, cache)

    tokens = greedy_cached(start, noted, bos, eos, max_len)
    step(tokens[-1], calls[-1])
    return tokens


def smallest_logit(start, step, bos, eos, max_len):
    """The token with the smallest logit is taken. Take the largest: `argmax`."""

    def negative(token, cache):
        logits, cache = step(token, cache)
        return -logits, cache

    return greedy_cached(start, negative, bos, eos, max_len)


GREEDY = (
    bos_in_front,
    eos_left_out,
    goes_on_behind_eos,
    forgets_max_len,
    one_too_many,
    one_too_few,
    from_the_start_each_time,
    cache_not_handed_on,
    bos_each_time,
    asks_twice,
    asks_behind_the_last,
    smallest_logit,
)


@dataclass(frozen=True)
class Step:
    """One step in parts, each of which can be put wrong."""

    split: Callable = split_heads
    project: Callable = lambda x, weights, name: x @ weights[f"W_{name}"].T + weights[f"b_{name}"]
    root: Callable = lambda q: q.shape[-1] ** 0.5
    seen: Callable = lambda cache: cache  # the part of the cache that is attended to
    softmax: Callable = lambda scores: masked_softmax(scores, None)
    merge: Callable = merge_heads

    def __call__(self, x, cache, weights, heads):
        q, k, v = (self.split(self.project(x, weights, name)[:, None], heads) for name in "qkv")
        cache = torch.cat([cache, torch.stack([k, v])], dim=-2)
        keys, values = self.seen(cache)
        context = self.softmax(q @ keys.transpose(-2, -1) / self.root(q)) @ values
        return (self.merge(context) @ weights["W_o"].T + weights["b_o"])[:, 0], cache


def without_the_past(x, cache, weights, heads):
    """The newest position looks only at itself. It looks at all positions in the cache, and at itself."""
    return Step(seen=lambda cache: cache[..., -1:, :])(x, cache, weights, heads)


def without_itself(x, cache, weights, heads):
    """The newest position does not look at itself: its key and value come into the cache before it asks."""
    return Step(seen=lambda cache: cache[..., :-1, :])(x, cache, weights, heads)


def newest_first(x, cache, weights, heads):
    """The newest key and value stand before those of the past. The cache has the order of the sentence: newest last."""
    out, cache = cached_heads(x, cache, weights, heads)
    return out, cache.roll(1, dims=-2)


def cache_as_it_was(x, cache, weights, heads):
    """The cache comes back as it was. The newest position's key and value belong into it."""
    return cached_heads(x, cache, weights, heads)[0], cache


def newest_alone(x, cache, weights, heads):
    """Only the newest key and value come back. The cache keeps those of all positions."""
    out, cache = cached_heads(x, cache, weights, heads)
    return out, cache[..., -1:, :]


def places_swapped(x, cache, weights, heads):
    """Keys and values have changed places: cache[0] holds the keys, cache[1] the values."""
    return Step(seen=lambda cache: cache.flip(0))(x, cache, weights, heads)


def newest_swapped(x, cache, weights, heads):
    """The newest value stands among the keys, and the newest key among the values."""
    q, k, v = "qkv"
    other = {q: q, k: v, v: k}

    def project(x, weights, name):
        return x @ weights[f"W_{other[name]}"].T + weights[f"b_{other[name]}"]

    return Step(project=project)(x, cache, weights, heads)


def not_projected(x, cache, weights, heads):
    """x itself comes into the cache. What is kept is its key, W_k x + b_k, and its value, W_v x + b_v."""

    def project(x, weights, name):
        return x @ weights["W_q"].T + weights["b_q"] if name == "q" else x

    return Step(project=project)(x, cache, weights, heads)


def without_biases(x, cache, weights, heads):
    """The biases are missing, all of them. That of the keys counts too: the keys in the cache have it."""
    none = {name: weight * (name[0] == "W") for name, weight in weights.items()}
    return cached_heads(x, cache, none, heads)


def without_biases_of_heads(x, cache, weights, heads):
    """The biases b_q, b_k and b_v are missing; b_o is there. The keys and values in the cache have theirs."""
    return Step(project=lambda x, weights, name: x @ weights[f"W_{name}"].T)(x, cache, weights, heads)


def without_b_k(x, cache, weights, heads):
    """The bias of the newest key is missing. It cancels only where all keys are without it, and those in the cache are
    not."""
    return cached_heads(x, cache, weights | {"b_k": 0 * weights["b_k"]}, heads)


def without_W_o(x, cache, weights, heads):
    """W_o and its bias are missing: this is the concatenation of the heads."""
    one = torch.eye(x.shape[-1])
    return cached_heads(x, cache, weights | {"W_o": one, "b_o": 0 * weights["b_o"]}, heads)


def root_of_model(x, cache, weights, heads):
    """The scores are divided by √d. A head compares d/h features: divide by √(d/h)."""
    return Step(root=lambda q: (q.shape[-1] * heads) ** 0.5)(x, cache, weights, heads)


def not_scaled(x, cache, weights, heads):
    """The scores are not divided. Divide them by √(d/h)."""
    return Step(root=lambda q: 1)(x, cache, weights, heads)


def heads_interleaved(x, cache, weights, heads):
    """A head gets every h-th feature. Head i has the i-th block of d/h features that stand side by side."""

    def split(x, heads):
        return x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)

    def merge(x):
        return x.permute(0, 2, 3, 1).flatten(-2)

    return Step(split=split, merge=merge)(x, cache, weights, heads)


def over_heads(x, cache, weights, heads):
    """The softmax runs over the heads. It runs over the positions, the last axis of the scores."""
    return Step(softmax=lambda scores: scores.softmax(1))(x, cache, weights, heads)


def not_transposed(x, cache, weights, heads):
    """The weight matrices are applied without a transpose. They are stored as (out, in): x @ W.T."""
    turned = {name: weight.T if name[0] == "W" else weight for name, weight in weights.items()}
    return cached_heads(x, cache, turned, heads)


def results_swapped(x, cache, weights, heads):
    """The results have changed places. The output comes first, then the cache."""
    return cached_heads(x, cache, weights, heads)[::-1]


STEP = (
    without_the_past,
    without_itself,
    newest_first,
    cache_as_it_was,
    newest_alone,
    places_swapped,
    newest_swapped,
    not_projected,
    without_biases,
    without_biases_of_heads,
    without_b_k,
    without_W_o,
    root_of_model,
    not_scaled,
    heads_interleaved,
    over_heads,
    not_transposed,
    results_swapped,
)
