"""What goes wrong in Luong's scores and in the attentional state."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.checks.bahdanau import softmax_mistakes as masking
from autograder.checks.renamed import renamed
from autograder.checks.together import instead_of
from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import attentional_state, concat_score, dot_score, general_score


def scaled(score: Callable, h_t, h_s, *weights):
    """The scores are divided by a square root of a width. Luong's scores are not scaled: that came two years later."""
    return score(h_t, h_s, *weights) / (weights[-1] if len(weights) == 2 else h_t).shape[-1] ** 0.5


def softmax_taken(score: Callable, h_t, h_s, *weights):
    """These are weights. The function returns the scores, before any softmax."""
    return score(h_t, h_s, *weights).softmax(-1)


def axes_swapped(score: Callable, h_t, h_s, *weights):
    """The target and the source axis have changed places. The result is (B, T, S): a row for each target state."""
    return score(h_t, h_s, *weights).transpose(1, 2)


def first_sentence(score: Callable, h_t, h_s, *weights):
    """Every target state is compared with the source states of the first sentence. Each has its own sentence's."""
    return score(h_t, h_s[:1].expand_as(h_s), *weights)


def last_query(score: Callable, h_t, h_s, *weights):
    """All rows are those of the last target state. Each target state has scores of its own."""
    return score(h_t[:, -1:].expand_as(h_t), h_s, *weights)


def squashed(score: Callable, h_t, h_s, *weights):
    """There is a tanh around the scores. The formula has none there."""
    return torch.tanh(score(h_t, h_s, *weights))


def of(score: Callable, *mistakes: Callable) -> tuple[Callable, ...]:
    """Return mistakes that any of the three scores can have, made with this one."""

    def made(mistake: Callable) -> Callable:
        @renamed(mistake)
        def wrong(h_t, h_s, *weights):
            return mistake(score, h_t, h_s, *weights)

        return wrong

    return tuple(made(mistake) for mistake in mistakes)


ANY_SCORE = (scaled, softmax_taken, axes_swapped, first_sentence, last_query)


def viewed(h_t, h_s):
    """The source states are given another shape by `view` or `reshape`, or not turned at all. That does not move a
    number: swap the last two axes with `transpose(1, 2)`."""
    return h_t @ h_s.reshape(h_s.shape[0], h_s.shape[2], h_s.shape[1])


def all_axes_turned(h_t, h_s):
    """`.T` turns all three axes round, the batch too. Swap the last two: `transpose(1, 2)`."""
    return h_t @ h_s.permute(2, 1, 0)


def cosine(h_t, h_s):
    """The states are divided by their lengths first: this is the cosine. The dot score takes them as they are."""
    return dot_score(torch.nn.functional.normalize(h_t, dim=-1), torch.nn.functional.normalize(h_s, dim=-1))


def mean_of_products(h_t, h_s):
    """The products are averaged. A dot product adds them up."""
    return dot_score(h_t, h_s) / h_t.shape[-1]


DOT = (*of(dot_score, *ANY_SCORE, squashed), viewed, all_axes_turned, cosine, mean_of_products)


def matrix_transposed(h_t, h_s, W_a):
    """The matrix is turned round: h_t W_aᵀ h_s. W_a is (H, A): h_t stands on its left, h_s on its right."""
    return h_t @ W_a.T @ h_s.transpose(1, 2)


def matrix_missing(h_t, h_s, W_a):
    """W_a plays no part: this is the dot score. The general score has the matrix between the two states."""
    return dot_score(h_t, h_s)


def tanh_between(h_t, h_s, W_a):
    """There is a tanh between the matrix and the dot product. The general score is linear in both states."""
    return torch.tanh(h_t @ W_a) @ h_s.transpose(1, 2)


def matrix_twice(h_t, h_s, W_a):
    """Both states are multiplied by the matrix. It stands once, between them."""
    return (h_t @ W_a) @ (h_s @ W_a.T @ W_a).transpose(1, 2)


def general_viewed(h_t, h_s, W_a):
    """The source states are given another shape by `view` or `reshape`, or not turned at all. That does not move a
    number: swap the last two axes with `transpose(1, 2)`."""
    return h_t @ W_a @ h_s.reshape(h_s.shape[0], h_s.shape[2], h_s.shape[1])


GENERAL = (
    *of(general_score, *ANY_SCORE, squashed),
    matrix_transposed,
    matrix_missing,
    tanh_between,
    matrix_twice,
    general_viewed,
)


def _parts(h_t: Tensor, h_s: Tensor, W_a: Tensor) -> tuple[Tensor, Tensor]:
    """Return the projected target states with an axis for the source, and the other way round."""
    units = h_t.shape[-1]
    return (h_t @ W_a[:, :units].T)[:, :, None], (h_s @ W_a[:, units:].T)[:, None]


def _sum(h_t: Tensor, h_s: Tensor, W_a: Tensor) -> Tensor:
    target, source = _parts(h_t, h_s, W_a)
    return target + source


def order_swapped(h_t, h_s, W_a, v_a):
    """The states are concatenated as [h_s ; h_t]. The target state comes first."""
    return concat_score(h_s, h_t, W_a, v_a).transpose(1, 2)


def no_tanh(h_t, h_s, W_a, v_a):
    """The tanh is missing (many summaries leave it out). Without it the target state adds the same number to every
    score of its row and cancels in the softmax."""
    return _sum(h_t, h_s, W_a) @ v_a


def no_vector(h_t, h_s, W_a, v_a):
    """v_a plays no part (many summaries leave it out): the hidden units are simply added up. v_a weighs them."""
    return torch.tanh(_sum(h_t, h_s, W_a)).sum(-1)


def tanh_outside(h_t, h_s, W_a, v_a):
    """The tanh comes after the product with v_a. It stands inside: v_a · tanh(W_a [h_t ; h_s])."""
    return torch.tanh(_sum(h_t, h_s, W_a) @ v_a)


def relu(h_t, h_s, W_a, v_a):
    """There is a ReLU where the formula has a tanh."""
    return torch.relu(_sum(h_t, h_s, W_a)) @ v_a


def sigmoid(h_t, h_s, W_a, v_a):
    """There is a sigmoid where the formula has a tanh."""
    return torch.sigmoid(_sum(h_t, h_s, W_a)) @ v_a


def tanh_apart(h_t, h_s, W_a, v_a):
    """Each half goes through a tanh of its own. Then the target state cancels in the softmax: add first, then tanh."""
    target, source = _parts(h_t, h_s, W_a)
    return (torch.tanh(target) + torch.tanh(source)) @ v_a


def multiplied(h_t, h_s, W_a, v_a):
    """The two halves are multiplied. A matrix times a concatenation is a sum."""
    target, source = _parts(h_t, h_s, W_a)
    return torch.tanh(target * source) @ v_a


def repeated_in_the_wrong_order(h_t, h_s, W_a, v_a):
    """The target states are repeated one after the other (`repeat`) and cut into rows: each row mixes several of them.
    Give them an axis for the source, h_t[:, :, None], and `expand`, or use `repeat_interleave`."""
    B, T, H = h_t.shape
    S = h_s.shape[1]
    target = h_t.repeat(1, S, 1).view(B, T, S, H)
    return torch.tanh(target @ W_a[:, :H].T + (h_s @ W_a[:, H:].T)[:, None]) @ v_a


def without_target(h_t, h_s, W_a, v_a):
    """The target state plays no part: every row is the same."""
    target, source = _parts(h_t, h_s, W_a)
    return torch.tanh(0 * target + source) @ v_a


def identity_for_target(h_t, h_s, W_a, v_a):
    """The target state is added as it is: W_a has columns for it too. (The paper's own code set a half of W_a to the
    identity, and its authors suspected that this made it worse.)"""
    _, source = _parts(h_t, h_s, W_a)
    return torch.tanh(h_t[:, :, None] + source) @ v_a


CONCAT = (
    *of(concat_score, *ANY_SCORE),
    order_swapped,
    no_tanh,
    no_vector,
    tanh_outside,
    relu,
    sigmoid,
    tanh_apart,
    multiplied,
    repeated_in_the_wrong_order,
    without_target,
    identity_for_target,
)


@dataclass(frozen=True)
class State:
    """The attentional state in parts, each of which can be put wrong."""

    score: Callable = general_score
    scale: float = 1.0
    softmax: Callable = masked_softmax
    summed: Callable = lambda h_s, W_a: h_s
    join: Callable = lambda context, h_t: torch.cat([context, h_t], -1)
    squash: Callable = torch.tanh

    def __call__(self, h_t, h_s, W_a, W_c, mask):
        weights = self.softmax(self.score(h_t[:, None], h_s, W_a)[:, 0] * self.scale, mask)
        context = torch.einsum("bs,bse->be", weights, self.summed(h_s, W_a))
        return self.squash(self.join(context, h_t) @ W_c.T), weights


def state_with(softmax: Callable) -> Callable:
    """Return the attentional state with a wrong masked softmax: the same mistake, the same hint."""

    @renamed(softmax)
    def state(*arguments):
        return State(softmax=softmax)(*arguments)

    return instead_of(masked_softmax, softmax, state)


def concatenated_the_other_way(*arguments):
    """The concatenation is [h_t ; c_t]. The context comes first: W_c [c_t ; h_t]."""
    return State(join=lambda context, h_t: torch.cat([h_t, context], -1))(*arguments)


def state_without_tanh(*arguments):
    """The tanh around W_c [c_t ; h_t] is missing."""
    return State(squash=lambda x: x)(*arguments)


def context_alone(*arguments):
    """Only the context goes into the attentional state. It is made from both: W_c [c_t ; h_t]."""
    return State(join=lambda context, h_t: torch.cat([context, 0 * h_t], -1))(*arguments)


def state_alone(*arguments):
    """The context plays no part in the attentional state. It is made from both: W_c [c_t ; h_t]."""
    return State(join=lambda context, h_t: torch.cat([0 * context, h_t], -1))(*arguments)


def dot_for_general(*arguments):
    """W_a plays no part: the scores are plain dot products. This function uses the general score, h_tᵀ W_a h_s."""
    return State(score=lambda h_t, h_s, W_a: dot_score(h_t, h_s))(*arguments)


def W_a_transposed(*arguments):
    """W_a is turned round: h_t W_aᵀ h_s. It is (H, A): h_t stands on its left, h_s on its right."""
    return State(score=lambda h_t, h_s, W_a: general_score(h_t, h_s, W_a.T))(*arguments)


def scores_scaled(*arguments):
    """The scores are divided by √H. Luong's scores are not scaled."""
    return State(scale=arguments[0].shape[-1] ** -0.5)(*arguments)


def projected_summed(*arguments):
    """The context is a sum of projected states, W_a h_s. It is the weighted sum of the states h_s themselves."""
    return State(summed=lambda h_s, W_a: h_s @ W_a.T)(*arguments)


def context_averaged(*arguments):
    """The context is divided by the number of positions. The weights already sum to 1: add up, do not average."""
    return State(summed=lambda h_s, W_a: h_s / h_s.shape[1])(*arguments)


def context_returned(h_t, h_s, W_a, W_c, mask):
    """The first result is the context. The attentional state goes on from there: tanh(W_c [c_t ; h_t])."""
    _, weights = attentional_state(h_t, h_s, W_a, W_c, mask)
    return torch.einsum("bs,bse->be", weights, h_s), weights


def scores_returned(h_t, h_s, W_a, W_c, mask):
    """The second result holds the scores. Return the weights, after the softmax."""
    return attentional_state(h_t, h_s, W_a, W_c, mask)[0], general_score(h_t[:, None], h_s, W_a)[:, 0]


def results_swapped(h_t, h_s, W_a, W_c, mask):
    """The results have changed places. The attentional state comes first, then the weights."""
    return attentional_state(h_t, h_s, W_a, W_c, mask)[::-1]


STATE = (
    *(state_with(softmax) for softmax in masking.MASKED),
    concatenated_the_other_way,
    state_without_tanh,
    context_alone,
    state_alone,
    dot_for_general,
    W_a_transposed,
    scores_scaled,
    projected_summed,
    context_averaged,
    context_returned,
    scores_returned,
    results_swapped,
)
