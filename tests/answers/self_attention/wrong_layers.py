"""Wrong answers to what stands around the formula, none of them a known mistake: none may get all points."""

import math

import torch
import torch.nn as nn

from solutions.self_attention.attention import (
    SelfAttention,
    chunked_attention,
    crossing_length,
    exact_layer_cost,
    rotated,
    scaled_dot_product,
    self_attention,
    weights_by_hand,
)
from tests.answers.spoilers import spoiled

WEIGHTS, OUTPUTS = weights_by_hand()


def hand_one_row():
    return WEIGHTS[0], OUTPUTS[0]


def hand_swapped():
    return OUTPUTS, WEIGHTS


def hand_padding_first():
    return WEIGHTS[::-1], OUTPUTS[::-1]


def hand_rounded_to_tenths():
    return [[0.3, 0.2, 0.5], [0.7, 0.3, 0.0]], OUTPUTS


def hand_padding_kept():
    return [WEIGHTS[0]] * 2, [OUTPUTS[0]] * 2


def hand_nothing():
    return None


def hand_text():
    return "1/3", "3"


def hand_nan():
    return torch.full((2, 3), math.nan), torch.full((2, 2), math.nan)


def hand_ones():
    return torch.ones(2, 3), torch.ones(2, 2)


def hand_weights_alone():
    return WEIGHTS


class _Changed(SelfAttention):
    """The right module; those below change what goes in, what comes out, or how it is made."""


class module_not_registered(nn.Module):
    def __init__(self, d, k, v):
        super().__init__()
        self.W_q, self.W_k, self.W_v = torch.randn(k, d), torch.randn(k, d), torch.randn(v, d)

    def forward(self, X, mask=None):
        return self_attention(X, self.W_q, self.W_k, self.W_v, mask)


class module_of_linears(nn.Module):
    def __init__(self, d, k, v):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Linear(d, rows, bias=False) for rows in (k, k, v))

    def forward(self, X, mask=None):
        return scaled_dot_product(self.W_q(X), self.W_k(X), self.W_v(X), None if mask is None else mask[:, None])


class module_stored_the_other_way(nn.Module):
    def __init__(self, d, k, v):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Parameter(torch.randn(d, rows)) for rows in (k, k, v))

    def forward(self, X, mask=None):
        return self_attention(X, self.W_q.T, self.W_k.T, self.W_v.T, mask)


class module_other_names(nn.Module):
    def __init__(self, d, k, v):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Parameter(torch.randn(rows, d)) for rows in (k, k, v))

    def forward(self, X, mask=None):
        return self_attention(X, self.W_Q, self.W_K, self.W_V, mask)


class module_with_a_bias(_Changed):
    def __init__(self, d, k, v):
        super().__init__(d, k, v)
        self.b_v = nn.Parameter(torch.zeros(v))


class module_with_a_buffer(_Changed):
    def __init__(self, d, k, v):
        super().__init__(d, k, v)
        self.register_buffer("root", torch.tensor(float(k) ** 0.5))


class module_with_a_hidden_buffer(_Changed):
    def __init__(self, d, k, v):
        super().__init__(d, k, v)
        self.register_buffer("root", torch.tensor(float(k) ** 0.5), persistent=False)


class module_that_remembers(_Changed):
    """The weights of the last call with this shape are kept."""

    def forward(self, X, mask=None):
        weights = self_attention(X, self.W_q, self.W_k, self.W_v, mask)[1]
        if getattr(self, "kept", weights[:, :0]).shape != weights.shape:
            self.kept = weights
        return self.kept.to(X.dtype) @ (X @ self.W_v.T), self.kept


class module_of_the_last_mask(_Changed):
    """Without a mask, the one of the last call counts."""

    def forward(self, X, mask=None):
        last = getattr(self, "last", None)
        self.last = mask
        kept = last if mask is None and last is not None and last.shape == X.shape[:2] else mask
        return self_attention(X, self.W_q, self.W_k, self.W_v, kept)


class module_frozen(_Changed):
    def __init__(self, d, k, v):
        super().__init__(d, k, v)
        self.requires_grad_(False)


class module_of_copies(_Changed):
    """The matrices are copied when it is made: what is loaded later plays no part."""

    def __init__(self, d, k, v):
        super().__init__(d, k, v)
        self.copies = [matrix.detach().clone() for matrix in self.parameters()]

    def forward(self, X, mask=None):
        return self_attention(X, *(matrix.to(X.dtype) for matrix in self.copies), mask)


class module_turned_once(_Changed):
    """The transposed matrices are made once: `to` does not move them."""

    def __init__(self, d, k, v):
        super().__init__(d, k, v)
        self.turned = [matrix.T for matrix in self.parameters()]

    def forward(self, X, mask=None):
        return scaled_dot_product(*(X @ turned for turned in self.turned), None if mask is None else mask[:, None])


class module_in_float32(_Changed):
    def forward(self, X, mask=None):
        return self_attention(X.float(), self.W_q.float(), self.W_k.float(), self.W_v.float(), mask)


class module_through_float32(_Changed):
    """Computed in float32, and given back in the dtype of X."""

    def forward(self, X, mask=None):
        output, weights = self_attention(X.float(), self.W_q.float(), self.W_k.float(), self.W_v.float(), mask)
        return output.to(X.dtype), weights.to(X.dtype)


class module_scores_in_float32(_Changed):
    def forward(self, X, mask=None):
        Q, K, V = X @ self.W_q.T, X @ self.W_k.T, X @ self.W_v.T
        scores = (Q @ K.mT).float() / K.shape[-1] ** 0.5
        weights = (scores if mask is None else scores.masked_fill(~mask[:, None], -1e9)).softmax(-1).to(X.dtype)
        return weights @ V, weights


class module_output_alone(_Changed):
    def forward(self, X, mask=None):
        return super().forward(X, mask)[0]


class module_mask_lost(_Changed):
    def forward(self, X, mask=None):
        return super().forward(X)


class module_with_dropout(_Changed):
    def forward(self, X, mask=None):
        output, weights = super().forward(X, mask)
        return nn.functional.dropout(output, 0.1), weights


class module_output_only_in_eval(_Changed):
    def forward(self, X, mask=None):
        return super().forward(X, mask) if self.training else super().forward(X, mask)[0]


class module_detached(_Changed):
    def forward(self, X, mask=None):
        return self_attention(X, self.W_q.detach(), self.W_k.detach(), self.W_v.detach(), mask)


class module_data(_Changed):
    def forward(self, X, mask=None):
        return self_attention(X, self.W_q.data, self.W_k, self.W_v, mask)


class module_words_changed(_Changed):
    def forward(self, X, mask=None):
        result = super().forward(X, mask)
        X.data.mul_(2)
        return result


class module_matrices_shrink(_Changed):
    """Each call divides the matrix of the queries by √d_k, for good."""

    def forward(self, X, mask=None):
        self.W_q.data.div_(len(self.W_k) ** 0.5)
        return scaled_dot_product(
            X @ self.W_q.T * len(self.W_k) ** 0.5,
            X @ self.W_k.T,
            X @ self.W_v.T,
            None if mask is None else mask[:, None],
        )


class module_arguments_returned(_Changed):
    def forward(self, X, mask=None):
        return X, X


class module_nan(_Changed):
    def forward(self, X, mask=None):
        output, weights = super().forward(X, mask)
        return output * math.nan, weights


class module_softmax_of_queries(_Changed):
    def forward(self, X, mask=None):
        Q, K, V = X @ self.W_q.T, X @ self.W_k.T, X @ self.W_v.T
        weights = (Q @ K.mT / K.shape[-1] ** 0.5).softmax(1)
        return weights @ V, weights


class module_transposed_when_square(_Changed):
    def forward(self, X, mask=None):
        square = self.W_q.shape[0] == self.W_q.shape[1]
        return self_attention(X, self.W_q.T if square else self.W_q, self.W_k, self.W_v, mask)


class module_padding_of_the_first(_Changed):
    def forward(self, X, mask=None):
        return super().forward(X, None if mask is None else mask[:1].expand_as(mask))


class module_no_module:
    def __init__(self, *sizes):
        self.sizes = sizes

    def __call__(self, X, mask=None):
        return X, X


def module_a_function(X, W_q, W_k, W_v, mask=None):
    return self_attention(X, W_q, W_k, W_v, mask)


class module_one_head_of_torch(nn.Module):
    def __init__(self, d, k, v):
        super().__init__()
        self.inner = nn.MultiheadAttention(d, 1, batch_first=True)

    def forward(self, X, mask=None):
        return self.inner(X, X, X, key_padding_mask=None if mask is None else ~mask)


def exact_with_bias(kind, n, d, k, r):
    return exact_layer_cost(kind, n, d, k, r) + n * d


def exact_scaled_scores(kind, n, d, k, r):
    return exact_layer_cost(kind, n, d, k, r) + (n * n if kind == "self_attention" else 0)


def exact_restricted_cut(kind, n, d, k, r):
    return exact_layer_cost(kind, n, d, k, min(r, n))


def exact_convolution_cut(kind, n, d, k, r):
    return exact_layer_cost(kind, n, d, min(k, n), r)


def exact_causal(kind, n, d, k, r):
    return 3 * n * d * d + n * (n + 1) * d if kind == "self_attention" else exact_layer_cost(kind, n, d, k, r)


def exact_tuple(kind, n, d, k, r):
    return exact_layer_cost(kind, n, d, k, r), n, 1


def exact_text(kind, n, d, k, r):
    return str(exact_layer_cost(kind, n, d, k, r))


def exact_millions(kind, n, d, k, r):
    return exact_layer_cost(kind, n, d, k, r) / 1e6


def exact_r_and_k(kind, n, d, k, r):
    return exact_layer_cost(kind, n, d, r, k)


def exact_edges_saved(kind, n, d, k, r):
    return exact_layer_cost(kind, n, d, k, r) - (k * (k - 1) // 2 * d * d if kind == "convolution" else 0)


def exact_recurrent_lstm(kind, n, d, k, r):
    return 8 * n * d * d if kind == "recurrent" else exact_layer_cost(kind, n, d, k, r)


def exact_nothing(kind, n, d, k, r):
    return 0


def crossing_float(d, gates):
    return (gates - 1.5) * d


def crossing_rounded(d, gates):
    return max(1, round((gates - 1.5) * d) + 1)


def crossing_half(d, gates):
    return max(1, (gates - 2) * d + d // 2)


def crossing_pair(d, gates):
    return crossing_length(d, gates), gates


def crossing_bounded(d, gates):
    return min(100, crossing_length(d, gates))


def crossing_doubled(d, gates):
    return 2 * crossing_length(d, gates)


def crossing_even_only(d, gates):
    return max(1, (2 * gates - 3) * (d // 2) + 1)


def crossing_never(d, gates):
    return math.inf if gates == 1 else crossing_length(d, gates)


def rotated_added_angles(x, positions, base):
    d = x.shape[-1]
    return x + positions[:, None] * base ** (-torch.arange(d) / d)


def rotated_unturned(x, positions, base):
    return x.clone()


def rotated_first_pair_only(x, positions, base):
    return torch.cat([rotated(x[..., :2], positions, base), x[..., 2:]], dim=-1)


def rotated_by_differences(x, positions, base):
    return rotated(x, positions - positions[0], base)


def rotated_by_ranks(x, positions, base):
    return rotated(x, positions.argsort().argsort(), base)


def rotated_by_features(x, positions, base):
    return rotated(x.mT, torch.arange(x.shape[-1]), base).mT if x.shape[-2] % 2 == 0 else rotated(x, positions, base)


def rotated_over_the_batch(x, positions, base):
    if x.ndim < 3:
        return rotated(x, positions, base)
    return rotated(x.transpose(0, -2), torch.arange(len(x)), base).transpose(0, -2)


def rotated_degrees(x, positions, base):
    width = x.shape[-1]
    angles = torch.deg2rad(positions[:, None] * base ** (-torch.arange(0, width, 2) / width))
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = [even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()]
    return torch.stack(turned, -1).flatten(-2)


def rotated_exponent_over_half(x, positions, base):
    width = x.shape[-1]
    steps = torch.linspace(0, 1, width // 2)
    angles = positions[:, None] * base**-steps
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = [even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()]
    return torch.stack(turned, -1).flatten(-2)


def rotated_reversed_pairs(x, positions, base):
    return rotated(x.flip(-1), positions, base).flip(-1)


def rotated_twice(x, positions, base):
    return rotated(rotated(x, positions, base), positions, base)


def rotated_scaled(x, positions, base):
    return rotated(x, positions, base) * x.shape[-1] ** 0.5


def rotated_three_axes_only(x, positions, base):
    B, S, d = x.shape
    return rotated(x.reshape(B, S, d), positions, base)


def chunked_whole(Q, K, V, chunk, mask=None):
    return scaled_dot_product(Q, K, V, mask)[0]


def chunked_whole_in_parts(Q, K, V, chunk, mask=None):
    """The scores are made chunk by chunk, and put together."""
    scores = torch.cat([Q @ keys.mT for keys in K.split(chunk, -2)], -1) / Q.shape[-1] ** 0.5
    scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
    return scores.softmax(-1) @ V


def chunked_queries(Q, K, V, chunk, mask=None):
    """The queries are read in chunks, each with all keys."""
    rows = []
    for start in range(0, Q.shape[-2], chunk):
        part = None if mask is None else mask.expand(*Q.shape[:-1], K.shape[-2])[..., start : start + chunk, :]
        rows.append(scaled_dot_product(Q[..., start : start + chunk, :], K, V, part)[0])
    return torch.cat(rows, -2)


def chunked_values_and_weights(Q, K, V, chunk, mask=None):
    return chunked_attention(Q, K, V, chunk, mask), torch.zeros(1)


def chunked_first_maximum(Q, K, V, chunk, mask=None):
    """The maximum of the first chunk is used for all."""
    top = (Q @ K[..., :chunk, :].mT / Q.shape[-1] ** 0.5).amax(-1, keepdim=True)
    total, output = 0, 0
    for start in range(0, K.shape[-2], chunk):
        scores = Q @ K[..., start : start + chunk, :].mT / Q.shape[-1] ** 0.5
        if mask is not None:
            part = mask.expand(*Q.shape[:-1], K.shape[-2])[..., start : start + chunk]
            scores = scores.masked_fill(~part, -1e9)
        grown = (scores - top).exp()
        total, output = total + grown.sum(-1, keepdim=True), output + grown @ V[..., start : start + chunk, :]
    return output / total


def chunked_infinity_minus_infinity(Q, K, V, chunk, mask=None):
    """−∞ everywhere: NaN where a query has no key in the first chunk."""
    m = torch.full((*Q.shape[:-1], 1), -math.inf)
    total, output = torch.zeros_like(m), torch.zeros(*Q.shape[:-1], V.shape[-1])
    for start in range(0, K.shape[-2], chunk):
        scores = Q @ K[..., start : start + chunk, :].mT / Q.shape[-1] ** 0.5
        if mask is not None:
            part = mask.expand(*Q.shape[:-1], K.shape[-2])[..., start : start + chunk]
            scores = scores.masked_fill(~part, -math.inf)
        larger = torch.maximum(m, scores.amax(-1, keepdim=True))
        grown, factor = (scores - larger).exp(), (m - larger).exp()
        total, output = (
            factor * total + grown.sum(-1, keepdim=True),
            factor * output + grown @ V[..., start : start + chunk, :],
        )
        m = larger
    return output / total


def chunked_detached_sums(Q, K, V, chunk, mask=None):
    return chunked_attention(Q.detach(), K, V, chunk, mask)


def chunked_no_gradients(Q, K, V, chunk, mask=None):
    with torch.no_grad():
        return chunked_attention(Q, K, V, chunk, mask)


def chunked_unmasked_when_broadcast(Q, K, V, chunk, mask=None):
    same = mask is not None and mask.shape == (*Q.shape[:-1], K.shape[-2])
    return chunked_attention(Q, K, V, chunk, mask if same else None)


def chunked_whole_chunks_only(Q, K, V, chunk, mask=None):
    if K.shape[-2] % chunk:
        raise ValueError("the chunks do not divide the keys")
    return chunked_attention(Q, K, V, chunk, mask)


def chunked_three_axes_only(Q, K, V, chunk, mask=None):
    B, T, k = Q.shape
    return chunked_attention(Q.view(B, T, k), K, V, chunk, mask)


def chunked_mask_of_first_query(Q, K, V, chunk, mask=None):
    return chunked_attention(Q, K, V, chunk, None if mask is None else mask[..., :1, :])


def chunked_clamped(Q, K, V, chunk, mask=None):
    return chunked_attention(Q.clamp(-5, 5), K.clamp(-5, 5), V, chunk, mask)


def chunked_by_query(Q, K, V, chunk, mask=None):
    """All scores of one query at once, the chunk unused."""
    masks = [None] * Q.shape[-2] if mask is None else mask.expand(*Q.shape[:-1], K.shape[-2]).unbind(-2)
    rows = [scaled_dot_product(q[..., None, :], K, V, None if m is None else m[..., None, :])[0]
            for q, m in zip(Q.unbind(-2), masks, strict=True)]  # fmt: skip
    return torch.cat(rows, dim=-2)


def chunked_always_512(Q, K, V, chunk, mask=None):
    return chunked_attention(Q, K, V, 512, mask)


def exact_in_floats(kind, n, d, k, r):
    return float(exact_layer_cost(kind, n, d, k, r))


def crossing_in_floats(d, gates):
    return float(crossing_length(d, gates))


def crossing_up_to_a_thousand(d, gates):
    return min(crossing_length(d, gates), 1_001)


def chunked_small_fill(Q, K, V, chunk, mask=None):
    """Masked keys score −50: not low enough where all scores are far below 0."""
    m = torch.full((*Q.shape[:-1], 1), -1e30)
    total, output = torch.zeros_like(m), torch.zeros(*Q.shape[:-1], V.shape[-1])
    for start in range(0, K.shape[-2], chunk):
        scores = Q @ K[..., start : start + chunk, :].mT / Q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask.expand(*Q.shape[:-1], K.shape[-2])[..., start : start + chunk], -50.0)
        larger = torch.maximum(m, scores.amax(-1, keepdim=True))
        grown, factor = (scores - larger).exp(), (m - larger).exp()
        total, output = (
            factor * total + grown.sum(-1, keepdim=True),
            factor * output + grown @ V[..., start : start + chunk, :],
        )
        m = larger
    return output / total


def _answers(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_") and callable(value)]


TAUGHT = {crossing_length, rotated, chunked_attention, exact_layer_cost}
WRONG = {
    "self_attention.weights_by_hand": _answers("hand"),
    "self_attention.SelfAttention": _answers("module"),
    "self_attention.exact_layer_cost": _answers("exact"),
    "self_attention.crossing_length": _answers("crossing"),
    "self_attention.rotated": [*_answers("rotated"), *spoiled(rotated)],
    "self_attention.chunked_attention": [*_answers("chunked"), *spoiled(chunked_attention)],
}
RIGHT_ALL_THE_SAME = {"rotated_second_argument_detached"}  # whole numbers have no gradient
WRONG = {
    check_id: [each for each in answers if each not in TAUGHT and each.__name__ not in RIGHT_ALL_THE_SAME]
    for check_id, answers in WRONG.items()
}
