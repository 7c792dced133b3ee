"""What goes wrong by hand, and in a decoder step."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.checks.bahdanau import softmax_mistakes
from autograder.checks.bahdanau.mistakes import added
from autograder.checks.renamed import renamed
from autograder.checks.together import instead_of
from solutions.bahdanau.attention import masked_softmax, rnnsearch_step


def not_divided():
    """In (a) the exponentials were not divided by their sum. The weights add up to 1."""
    return 30.0, -2.8


def no_exponential():
    """In (a) the scores themselves were divided by their sum. Take the exponential of each first."""
    return 5.0, -2.8


def padding_has_weight():
    """In (a) the third position has weight, although its mask is False. Leave it out of the sum."""
    return 4.5, -2.8


def masked_at_the_end():
    """In (a) the third position was left out only after the division: what is left no longer adds up to 1."""
    return 1.5, -2.8


def score_of_zero():
    """In (a) the third score was set to 0. exp(0) is 1, so the position still has weight: leave it out."""
    return 5.67, -2.8


def equal_weights():
    """In (a) this is the plain mean of the two values. The context weighs them."""
    return 7.5, -2.8


def mean_of_products():
    """In (a) the weighted sum was divided by the number of words. The weights add up to 1 already."""
    return 3.0, -2.8


def tanh_left_out():
    """In (b) there is no tanh: v was multiplied with the sums themselves."""
    return 6.0, -4.11


def tanh_at_the_end():
    """In (b) the tanh comes last. It is taken of each sum, before v is multiplied: a score may be below -1."""
    return 6.0, -1.0


def sign_lost():
    """In (b) the second tanh has lost its sign: tanh(-x) = -tanh(x)."""
    return 6.0, 5.2


BY_HAND = (
    not_divided,
    no_exponential,
    padding_has_weight,
    masked_at_the_end,
    score_of_zero,
    equal_weights,
    mean_of_products,
    tanh_left_out,
    tanh_at_the_end,
    sign_lost,
)


def _joined(word: Tensor, context: Tensor) -> Tensor:
    return torch.cat([word, context], dim=-1)


@dataclass(frozen=True)
class Step:
    """A decoder step in parts, each of which can be put wrong."""

    meet: Callable = added
    squash: Callable = torch.tanh
    score: Callable = lambda hidden, v: hidden @ v
    softmax: Callable = masked_softmax
    join: Callable = _joined

    def __call__(self, word, state, annotations, projected, W_q, v, cell, mask=None):
        hidden = self.squash(self.meet(state @ W_q.T, projected))
        weights = self.softmax(self.score(hidden, v), mask)
        context = torch.einsum("bs,bsa->ba", weights, annotations)
        return cell(self.join(word, context), state), context, weights


def with_softmax(softmax: Callable) -> Callable:
    """Return a step with a wrong masked softmax: the same mistake, the same hint."""

    @renamed(softmax)
    def step(*arguments):
        return Step(softmax=softmax)(*arguments)

    return instead_of(masked_softmax, softmax, step)


def context_first(*arguments):
    """The cell is given [context ; word]. The word comes first: [word ; context]."""
    return Step(join=lambda word, context: torch.cat([context, word], dim=-1))(*arguments)


def context_left_out(*arguments):
    """The cell is given zeros where the context belongs: what attention has found does not enter the new state."""
    return Step(join=lambda word, context: _joined(word, torch.zeros_like(context)))(*arguments)


def word_left_out(*arguments):
    """The cell is given zeros where the word belongs."""
    return Step(join=lambda word, context: _joined(torch.zeros_like(word), context))(*arguments)


def asks_after_the_step(word, state, annotations, projected, W_q, v, cell, mask=None):
    """Context and weights are those of the new state. The state before the step asks, and only it."""
    new, *_ = rnnsearch_step(word, state, annotations, projected, W_q, v, cell, mask)
    _, context, weights = rnnsearch_step(word, new, annotations, projected, W_q, v, cell, mask)
    return new, context, weights


def two_steps(word, state, annotations, projected, W_q, v, cell, mask=None):
    """The cell is called twice, one time on its own result. A step calls it once."""
    new, context, weights = rnnsearch_step(word, state, annotations, projected, W_q, v, cell, mask)
    return cell(_joined(word, context), new), context, weights


def starts_anew(word, state, annotations, projected, W_q, v, cell, mask=None):
    """The cell is given zeros for the state before: every step begins from nothing."""
    _, context, weights = rnnsearch_step(word, state, annotations, projected, W_q, v, cell, mask)
    return cell(_joined(word, context), torch.zeros_like(state)), context, weights


def old_state_returned(word, state, annotations, projected, W_q, v, cell, mask=None):
    """The first result is the state before the step. Return what the cell gives."""
    return state, *rnnsearch_step(word, state, annotations, projected, W_q, v, cell, mask)[1:]


def context_comes_first(*arguments):
    """The results have changed places. The state comes first, then the context, then the weights."""
    new, context, weights = rnnsearch_step(*arguments)
    return context, new, weights


def state_comes_last(*arguments):
    """The state comes last here. It comes first, then the context, then the weights."""
    new, context, weights = rnnsearch_step(*arguments)
    return context, weights, new


def sums_projections(word, state, annotations, projected, W_q, v, cell, mask=None):
    """The context is a weighted sum of the projected keys. It is one of the annotations."""
    return rnnsearch_step(word, state, projected, projected, W_q, v, cell, mask)


def scores_returned(word, state, annotations, projected, W_q, v, cell, mask=None):
    """The third result holds the scores. Return the weights, after the softmax."""
    new, context, _ = rnnsearch_step(word, state, annotations, projected, W_q, v, cell, mask)
    return new, context, torch.tanh((state @ W_q.T)[:, None] + projected) @ v


def first_state_for_all(word, state, annotations, projected, W_q, v, cell, mask=None):
    """Every sentence is asked with the state of the first one. Each has its own."""
    _, context, weights = rnnsearch_step(word, state[:1].expand_as(state), annotations, projected, W_q, v, cell, mask)
    return cell(_joined(word, context), state), context, weights


def query_cancels(*arguments):
    """The weights do not depend on the state: it is left out, or its tanh is taken apart from the keys' tanh."""
    return Step(meet=lambda asked, keys: keys)(*arguments)


def no_tanh(*arguments):
    """The tanh is missing from the score. Without it the state adds the same number to every score, and cancels."""
    return Step(squash=lambda x: x)(*arguments)


def tanh_outside(*arguments):
    """The tanh comes after the product with v. It stands inside: v · tanh(W_q s + projected)."""
    return Step(squash=lambda x: x, score=lambda hidden, v: torch.tanh(hidden @ v))(*arguments)


def scaled(*arguments):
    """The scores are divided by √H. Additive attention does not scale: that belongs to the dot product."""
    return Step(score=lambda hidden, v: hidden @ v / len(v) ** 0.5)(*arguments)


def without_v(*arguments):
    """v is missing: the scores are plain sums of the tanh."""
    return Step(score=lambda hidden, v: hidden.sum(-1))(*arguments)


def axes_mixed(*arguments):
    """The projected state (B,H) is added to the keys (B,S,H) without a new axis: write (state @ W_q.T)[:, None]."""
    return Step(meet=lambda asked, keys: asked + keys)(*arguments)


SOFTMAX = (
    softmax_mistakes.mask_ignored,
    softmax_mistakes.mask_upside_down,
    softmax_mistakes.scores_times_mask,
    softmax_mistakes.filled_and_masked,
    softmax_mistakes.small_fill,
    softmax_mistakes.mask_after_softmax,
    softmax_mistakes.first_axis,
    *softmax_mistakes.FIRST_AXIS_FILLED,
    softmax_mistakes.not_divided,
    softmax_mistakes.softmax_twice,
    softmax_mistakes.first_mask_for_all,
)
STEP = (
    *map(with_softmax, SOFTMAX),
    context_first,
    context_left_out,
    word_left_out,
    asks_after_the_step,
    two_steps,
    starts_anew,
    old_state_returned,
    context_comes_first,
    state_comes_last,
    sums_projections,
    scores_returned,
    first_state_for_all,
    query_cancels,
    no_tanh,
    tanh_outside,
    scaled,
    without_v,
    axes_mixed,
)
