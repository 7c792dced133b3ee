"""What goes wrong in the pruned hidden layer, and in the way back through the penalty."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax
from solutions.structured.attention import penalization, pruned_output


def _rows(M: Tensor, W_v: Tensor) -> Tensor:
    """Return the units of each row before ReLU, (B, r, p)."""
    return torch.einsum("brd,rpd->brp", M, W_v)


def _columns(M: Tensor, W_h: Tensor) -> Tensor:
    """Return the units of each column before ReLU, (B, d, q)."""
    return torch.einsum("brd,dqr->bdq", M, W_h)


def _joined(of_rows: Tensor, of_columns: Tensor) -> Tensor:
    return torch.cat([of_rows.flatten(1), of_columns.flatten(1)], dim=1)


def no_relu(M, W_v, W_h):
    """The ReLU is missing: no unit of a hidden layer is below 0."""
    return _joined(_rows(M, W_v), _columns(M, W_h))


def relu_of_rows(M, W_v, W_h):
    """Only the units of the rows go through the ReLU. Those of the columns do too."""
    return _joined(_rows(M, W_v).relu(), _columns(M, W_h))


def relu_of_columns(M, W_v, W_h):
    """Only the units of the columns go through the ReLU. Those of the rows do too."""
    return _joined(_rows(M, W_v), _columns(M, W_h).relu())


def relu_first(M, W_v, W_h):
    """The ReLU is taken of M, before the weights. It comes last."""
    return no_relu(M.relu(), W_v, W_h)


def tanh(M, W_v, W_h):
    """There is a tanh where the ReLU belongs."""
    return no_relu(M, W_v, W_h).tanh()


def sigmoid(M, W_v, W_h):
    """There is a sigmoid where the ReLU belongs."""
    return no_relu(M, W_v, W_h).sigmoid()


def columns_first(M, W_v, W_h):
    """The units of the columns stand in front. Those of the rows come first, those of the columns behind them."""
    return torch.cat([_columns(M, W_h).flatten(1), _rows(M, W_v).flatten(1)], dim=1).relu()


def units_of_rows_first(M, W_v, W_h):
    """Of the rows, all first units stand in front, then all second ones. All units of row 1 come first, then those of
    row 2."""
    return _joined(_rows(M, W_v).transpose(1, 2), _columns(M, W_h)).relu()


def units_of_columns_first(M, W_v, W_h):
    """Of the columns, all first units stand in front, then all second ones. All units of column 1 come first, then
    those of column 2."""
    return _joined(_rows(M, W_v), _columns(M, W_h).transpose(1, 2)).relu()


def units_first(M, W_v, W_h):
    """All first units stand in front, then all second ones, of the rows and of the columns. All units of row 1 come
    first, then those of row 2; with the columns it is the same."""
    return _joined(_rows(M, W_v).transpose(1, 2), _columns(M, W_h).transpose(1, 2)).relu()


def one_matrix_for_rows(M, W_v, W_h):
    """All rows of M use the first matrix of W_v. Row i has W_v[i]."""
    return pruned_output(M, W_v[:1].expand_as(W_v), W_h)


def one_matrix_for_columns(M, W_v, W_h):
    """All columns of M use the first matrix of W_h. Column j has W_h[j]."""
    return pruned_output(M, W_v, W_h[:1].expand_as(W_h))


def rows_read_all(M, W_v, W_h):
    """The units of a row read the sum of all rows of M. They read their own row alone."""
    return _joined(_rows(M.sum(1, keepdim=True).expand_as(M), W_v), _columns(M, W_h)).relu()


def columns_read_all(M, W_v, W_h):
    """The units of a column read the sum of all columns of M. They read their own column alone."""
    return _joined(_rows(M, W_v), _columns(M.sum(2, keepdim=True).expand_as(M), W_h)).relu()


def rows_for_columns(M, W_v, W_h):
    """M is put into the shape (B, d, r) by `view` or `reshape` to read its columns. That does not move a number: the
    columns are the rows of `M.transpose(1, 2)`."""
    turned = M.reshape(M.shape[0], M.shape[2], M.shape[1])
    return _joined(_rows(M, W_v), torch.einsum("bdr,dqr->bdq", turned, W_h)).relu()


def rows_not_transposed(M, W_v, W_h):
    """The matrices of W_v are used as (in, out). They are stored as (out, in): p rows, each as long as a row of M."""
    viewed = W_v.reshape(W_v.shape[0], W_v.shape[2], W_v.shape[1])
    return _joined(torch.einsum("brd,rdp->brp", M, viewed), _columns(M, W_h)).relu()


def columns_not_transposed(M, W_v, W_h):
    """The matrices of W_h are used as (in, out). They are stored as (out, in): q rows, each as long as a column of
    M."""
    viewed = W_h.reshape(W_h.shape[0], W_h.shape[2], W_h.shape[1])
    return _joined(_rows(M, W_v), torch.einsum("brd,drq->bdq", M, viewed)).relu()


def only_rows(M, W_v, W_h):
    """The units of the columns are missing: the layer has r·p + d·q units."""
    return _rows(M, W_v).flatten(1).relu()


PRUNED = (
    no_relu,
    relu_of_rows,
    relu_of_columns,
    relu_first,
    tanh,
    sigmoid,
    columns_first,
    units_of_rows_first,
    units_of_columns_first,
    units_first,
    one_matrix_for_rows,
    one_matrix_for_columns,
    rows_read_all,
    columns_read_all,
    rows_for_columns,
    rows_not_transposed,
    columns_not_transposed,
    only_rows,
)


def _residue(A: Tensor) -> Tensor:
    """Return AAᵀ - I, (B, r, r)."""
    return A @ A.transpose(1, 2) - torch.eye(A.shape[1])


def _weights(scores: Tensor, mask: Tensor | None) -> Tensor:
    return masked_softmax(scores, None if mask is None else mask[:, None].expand_as(scores))


def _through_softmax(A: Tensor, d_A: Tensor) -> Tensor:
    return A * (d_A - (A * d_A).sum(-1, keepdim=True))


@dataclass(frozen=True)
class Backward:
    """The penalty backwards in parts, each of which can be put wrong."""

    weights: Callable = _weights
    into_weights: Callable = lambda A: 4 * _residue(A) @ A
    softmax: Callable = _through_softmax

    def __call__(self, d_penalty, scores, mask=None):
        A = self.weights(scores, mask)
        return self.softmax(A, d_penalty[:, None, None] * self.into_weights(A))


def half(*arguments):
    """This is half of the gradient: A stands in AAᵀ twice, and both of its places move the penalty."""
    return Backward(into_weights=lambda A: 2 * _residue(A) @ A)(*arguments)


def a_quarter(*arguments):
    """This is a quarter of the gradient: the square gives a factor of 2, and A stands in AAᵀ twice."""
    return Backward(into_weights=lambda A: _residue(A) @ A)(*arguments)


def identity_missing(*arguments):
    """The identity is missing: what is derived here is ‖AAᵀ‖², without - I."""
    return Backward(into_weights=lambda A: 4 * A @ A.transpose(1, 2) @ A)(*arguments)


def diagonal_left_out(*arguments):
    """What comes back from the diagonal of AAᵀ - I is missing. The penalty asks each hop to be narrow, too."""
    return Backward(into_weights=lambda A: 4 * (_residue(A) * (1 - torch.eye(A.shape[1]))) @ A)(*arguments)


def ones_subtracted(*arguments):
    """1 is subtracted from every entry of AAᵀ. The identity has zeros beside its diagonal: torch.eye(r)."""
    return Backward(into_weights=lambda A: 4 * (A @ A.transpose(1, 2) - 1) @ A)(*arguments)


def root_derived(*arguments):
    """This is the gradient of the norm, with its root. The penalty is the norm squared."""
    return Backward(into_weights=lambda A: 2 * _residue(A) @ A / penalization(A).sqrt()[:, None, None])(*arguments)


def mean_derived(*arguments):
    """This is divided by r²: the gradient of a mean of the squares. The penalty adds them up."""
    return Backward(into_weights=lambda A: 4 * _residue(A) @ A / A.shape[1] ** 2)(*arguments)


def downhill(*arguments):
    """The sign is the other one: this is the way down. Return the gradient itself."""
    return -Backward()(*arguments)


def softmax_forgotten(*arguments):
    """∂L/∂A stands in the place of ∂L/∂scores: the softmax lies between them."""
    return Backward(softmax=lambda A, d_A: d_A)(*arguments)


def each_by_itself(*arguments):
    """The softmax is taken back by a (1 - a), the diagonal of its derivative alone: how a score moves the weights of
    the other words is left out."""
    return Backward(softmax=lambda A, d_A: A * (1 - A) * d_A)(*arguments)


def mean_not_subtracted(*arguments):
    """∂L/∂e is a times ∂L/∂a here, as if each weight depended on its own score alone. All scores of a hop share one
    denominator: subtract the hop's weighted mean of ∂L/∂a."""
    return Backward(softmax=lambda A, d_A: A * d_A)(*arguments)


def plain_mean_subtracted(*arguments):
    """What is subtracted is the plain mean of ∂L/∂a over the words. It is the mean with the hop's own weights."""
    return Backward(softmax=lambda A, d_A: A * (d_A - d_A.mean(-1, keepdim=True)))(*arguments)


def summed_over_hops(*arguments):
    """The sum that is subtracted runs over the hops. Each hop has a softmax of its own: it runs over the words."""
    return Backward(softmax=lambda A, d_A: A * (d_A - (A * d_A).sum(1, keepdim=True)))(*arguments)


def summed_over_everything(*arguments):
    """The sum that is subtracted runs over words and hops. Each hop has a softmax of its own: it runs over the
    words."""
    return Backward(softmax=lambda A, d_A: A * (d_A - (A * d_A).sum((1, 2), keepdim=True)))(*arguments)


def mask_ignored(d_penalty, scores, mask):
    """The mask has no effect: padding has weight, and gets a gradient."""
    return Backward()(d_penalty, scores, None)


def masked_at_the_end(d_penalty, scores, mask):
    """The mask comes last, when padding has had its weight already. Leave it out of the softmax."""
    d_scores = Backward()(d_penalty, scores, None)
    return d_scores if mask is None else d_scores * mask[:, None]


def mask_upside_down(d_penalty, scores, mask):
    """The mask is read upside down: padding has all the weight. True means: a word."""
    return Backward()(d_penalty, scores, None if mask is None else ~mask)


def outer_left_out(d_penalty, scores, mask):
    """∂L/∂P has no effect. By the chain rule, all that reaches a sentence's scores is multiplied by it."""
    return Backward()(torch.ones_like(d_penalty), scores, mask)


def outer_added_up(d_penalty, scores, mask):
    """∂L/∂P is added up over the batch. Each sentence has a penalty, and a ∂L/∂P, of its own."""
    return Backward()(d_penalty.sum().expand_as(d_penalty), scores, mask)


BACKWARD = (
    half,
    a_quarter,
    identity_missing,
    diagonal_left_out,
    ones_subtracted,
    root_derived,
    mean_derived,
    downhill,
    softmax_forgotten,
    each_by_itself,
    mean_not_subtracted,
    plain_mean_subtracted,
    summed_over_hops,
    summed_over_everything,
    mask_ignored,
    masked_at_the_end,
    mask_upside_down,
    outer_left_out,
    outer_added_up,
)
