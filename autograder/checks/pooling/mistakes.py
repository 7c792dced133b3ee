"""What goes wrong when a sentence is pooled into one vector: the weights, what is summed, what comes after the sum."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.checks.bahdanau import softmax_mistakes as masking
from autograder.checks.renamed import renamed
from autograder.checks.together import instead_of
from solutions.bahdanau.attention import masked_softmax
from solutions.pooling.attention import attention_pool, context_attention


def itself(x: Tensor) -> Tensor:
    return x


def _sum(weights: Tensor, vectors: Tensor) -> Tensor:
    return torch.einsum("bs,bsd->bd", weights, vectors)


@dataclass(frozen=True)
class Pool:
    """One level of attention in parts, each of which can be put wrong: Yang's."""

    project: Callable = lambda H, W, b: H @ W.T + b
    squash: Callable = torch.tanh
    score: Callable = lambda hidden, u: hidden @ u
    scale: float = 1.0
    outside: Callable = itself
    softmax: Callable = masked_softmax
    pooled: Callable = lambda H, hidden: H
    add: Callable = _sum
    after: Callable = itself

    def __call__(self, H, W, b, u, mask=None):
        hidden = self.squash(self.project(H, W, b))
        weights = self.softmax(self.outside(self.score(hidden, u) * self.scale), mask)
        return self.after(self.add(weights, self.pooled(H, hidden))), weights


@dataclass(frozen=True)
class Zhou(Pool):
    """attention_pool in parts."""

    project: Callable = lambda H, W, b: H
    after: Callable = torch.tanh

    def __call__(self, H, w, mask=None):  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().__call__(H, None, None, w, mask)


def with_softmax(softmax: Callable, level: Callable) -> Callable:
    """Return what `level` makes with a wrong masked softmax: the same mistake, the same hint."""

    @renamed(softmax)
    def wrong(*arguments):
        return level(softmax=softmax)(*arguments)

    return instead_of(masked_softmax, softmax, wrong)


# What a masked softmax can do wrong where every row may look somewhere.
SOFTMAX = (
    *masking.MASKED,
    masking.filled_and_masked,
    masking.softmax_twice,
    masking.not_divided,
    masking.over_everything,
    masking.first_mask_for_all,
)


def uniform(scores: Tensor, mask: Tensor | None) -> Tensor:
    return masked_softmax(torch.zeros_like(scores), mask)


def no_tanh(H, w, mask):
    """The tanh inside the scores is missing: M = tanh(H), and w meets M."""
    return Zhou(squash=itself)(H, w, mask)


def relu(H, w, mask):
    """There is a ReLU where M has a tanh."""
    return Zhou(squash=torch.relu)(H, w, mask)


def sigmoid(H, w, mask):
    """There is a sigmoid where M has a tanh."""
    return Zhou(squash=torch.sigmoid)(H, w, mask)


def tanh_outside(H, w, mask):
    """The tanh comes after the product with w. It stands inside: softmax(tanh(H) w)."""
    return Zhou(squash=itself, outside=torch.tanh)(H, w, mask)


def no_tanh_after(H, w, mask):
    """The tanh after the sum is missing: the result is h* = tanh(r), not r."""
    return Zhou(after=itself)(H, w, mask)


def no_tanh_at_all(H, w, mask):
    """Both tanh are missing: the one inside the scores, and the one after the sum."""
    return Zhou(squash=itself, after=itself)(H, w, mask)


def pools_tanh(H, w, mask):
    """The sum is one of tanh(H). M serves to score: what is summed are the states H themselves."""
    return Zhou(pooled=lambda H, hidden: hidden)(H, w, mask)


def pools_tanh_alone(H, w, mask):
    """The tanh is taken of each state before the sum, and not of the sum. Add up the states H, then tanh."""
    return Zhou(pooled=lambda H, hidden: hidden, after=itself)(H, w, mask)


def mean_of_states(H, w, mask):
    """Every position has the same weight, and w plays no part: this is the mean. The weights are softmax(tanh(H) w)."""
    return Zhou(softmax=uniform)(H, w, mask)


def without_w(H, w, mask):
    """w is missing: the scores are plain sums of tanh(H). Each feature has its weight in w."""
    return Zhou(score=lambda hidden, u: hidden.sum(-1))(H, w, mask)


def scaled(H, w, mask):
    """The scores are divided by √d. Nothing is scaled here: that belongs to the dot products of the Transformer."""
    return Zhou(scale=H.shape[-1] ** -0.5)(H, w, mask)


def averaged(H, w, mask):
    """The sum is divided by the number of positions. The weights already sum to 1: add up, do not average."""
    return Zhou(add=lambda weights, vectors: _sum(weights, vectors) / vectors.shape[1])(H, w, mask)


def states_times_mask(H, w, mask):
    """The states at padding are set to 0, and the scores are not masked. A state of 0 has the score 0, and exp(0) is 1:
    padding still takes weight away from the words."""
    kept = H if mask is None else H * mask[..., None]
    return attention_pool(kept, w, None)


def columns_for_rows(H, w, mask):
    """The states are taken for columns. Here they are rows, H is (S, d): the scores are tanh(H) w and the sum is αᵀ H.
    tanh(Hᵀ) with H α mixes both forms; it runs only where S and d happen to be equal."""
    weights = masked_softmax(torch.einsum("s,bsd->bd", w, torch.tanh(H)), mask)
    return torch.tanh(torch.einsum("bsd,bd->bs", H, weights)), weights


def scores_returned(H, w, mask):
    """The second result holds the scores. Return the weights, after the softmax."""
    return attention_pool(H, w, mask)[0], torch.tanh(H) @ w


def results_swapped(H, w, mask):
    """The results have changed places. The vector comes first, then the weights."""
    return attention_pool(H, w, mask)[::-1]


def pooled_keeps_axis(H, w, mask):
    """The vector is (B,1,d): the axis that the matrix product needed is still there. Take it away: `[:, 0]`."""
    pooled, weights = attention_pool(H, w, mask)
    return pooled[:, None], weights


def weights_keep_axis(H, w, mask):
    """The weights are (B,S,1): the axis that the matrix product needed is still there. Take it away: `[..., 0]`."""
    pooled, weights = attention_pool(H, w, mask)
    return pooled, weights[..., None]


def states_weighted(H, w, mask):
    """The first result is (B,S,d): each state times its weight. They are still to be added up over the positions."""
    _, weights = attention_pool(H, w, mask)
    return torch.tanh(H * weights[..., None]), weights


POOL = (
    *(with_softmax(softmax, Zhou) for softmax in SOFTMAX),
    no_tanh,
    relu,
    sigmoid,
    tanh_outside,
    no_tanh_after,
    no_tanh_at_all,
    pools_tanh,
    pools_tanh_alone,
    mean_of_states,
    without_w,
    scaled,
    averaged,
    states_times_mask,
    columns_for_rows,
    scores_returned,
    results_swapped,
    pooled_keeps_axis,
    weights_keep_axis,
    states_weighted,
)


def context_without_tanh(H, W, b, u, mask):
    """The tanh is missing: u_t = tanh(W h_t + b). Without it b adds the same to every score, and cancels."""
    return Pool(squash=itself)(H, W, b, u, mask)


def context_with_relu(H, W, b, u, mask):
    """There is a ReLU where the formula has a tanh."""
    return Pool(squash=torch.relu)(H, W, b, u, mask)


def context_with_sigmoid(H, W, b, u, mask):
    """There is a sigmoid where the formula has a tanh."""
    return Pool(squash=torch.sigmoid)(H, W, b, u, mask)


def tanh_after_context(H, W, b, u, mask):
    """The tanh comes after the product with the context vector u. It stands inside: tanh(W h_t + b) · u."""
    return Pool(squash=itself, outside=torch.tanh)(H, W, b, u, mask)


def bias_forgotten(H, W, b, u, mask):
    """b plays no part: it is missing, or it is added outside the tanh, where every score gets the same and it cancels.
    It stands inside: tanh(W h_t + b)."""
    return Pool(project=lambda H, W, b: H @ W.T)(H, W, b, u, mask)


def bias_subtracted(H, W, b, u, mask):
    """b is subtracted. It is added: tanh(W h_t + b)."""
    return Pool(project=lambda H, W, b: H @ W.T - b)(H, W, b, u, mask)


def W_not_transposed(H, W, b, u, mask):
    """W is applied without a transpose. It is stored as (out, in): H @ W.T + b."""
    return Pool(project=lambda H, W, b: H @ W + b)(H, W, b, u, mask)


def without_u(H, W, b, u, mask):
    """The context vector u is missing: the scores are plain sums of the tanh. They are u_t · u."""
    return Pool(score=lambda hidden, u: hidden.sum(-1))(H, W, b, u, mask)


def context_scaled(H, W, b, u, mask):
    """The scores are divided by a square root of the width. Yang's scores are not scaled."""
    return Pool(scale=len(u) ** -0.5)(H, W, b, u, mask)


def tanh_on_output(H, W, b, u, mask):
    """There is a tanh around the sum. That is Zhou's: here the result is the weighted sum itself."""
    return Pool(after=torch.tanh)(H, W, b, u, mask)


def hidden_pooled(H, W, b, u, mask):
    """The sum is one of u_t = tanh(W h_t + b). These serve to score: what is summed are the states h_t themselves."""
    return Pool(pooled=lambda H, hidden: hidden)(H, W, b, u, mask)


def context_mean(H, W, b, u, mask):
    """Every word has the same weight: this is the mean. The weights are the softmax of u_t · u."""
    return Pool(softmax=uniform)(H, W, b, u, mask)


def context_averaged(H, W, b, u, mask):
    """The sum is divided by the number of words. The weights already sum to 1: add up, do not average."""
    return Pool(add=lambda weights, vectors: _sum(weights, vectors) / vectors.shape[1])(H, W, b, u, mask)


def context_of_masked_states(H, W, b, u, mask):
    """The states at padding are set to 0, and the scores are not masked. A state of 0 still has a score, tanh(b) · u:
    padding takes weight away from the words."""
    return context_attention(H if mask is None else H * mask[..., None], W, b, u, None)


def context_scores_returned(H, W, b, u, mask):
    """The second result holds the scores. Return the weights, after the softmax."""
    return context_attention(H, W, b, u, mask)[0], torch.tanh(H @ W.T + b) @ u


def context_results_swapped(H, W, b, u, mask):
    """The results have changed places. The vector comes first, then the weights."""
    return context_attention(H, W, b, u, mask)[::-1]


def context_keeps_axis(H, W, b, u, mask):
    """The vector is (B,1,d): the axis that the matrix product needed is still there. Take it away: `[:, 0]`."""
    pooled, weights = context_attention(H, W, b, u, mask)
    return pooled[:, None], weights


def context_weights_keep_axis(H, W, b, u, mask):
    """The weights are (B,T,1): the axis that the matrix product needed is still there. Take it away: `[..., 0]`."""
    pooled, weights = context_attention(H, W, b, u, mask)
    return pooled, weights[..., None]


CONTEXT = (
    *(with_softmax(softmax, Pool) for softmax in SOFTMAX),
    context_without_tanh,
    context_with_relu,
    context_with_sigmoid,
    tanh_after_context,
    bias_forgotten,
    bias_subtracted,
    W_not_transposed,
    without_u,
    context_scaled,
    tanh_on_output,
    hidden_pooled,
    context_mean,
    context_averaged,
    context_of_masked_states,
    context_scores_returned,
    context_results_swapped,
    context_keeps_axis,
    context_weights_keep_axis,
)
