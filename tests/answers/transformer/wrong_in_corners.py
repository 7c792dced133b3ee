"""Sly answers of the Transformer exercise: right nearly everywhere, wrong at one size, one number, one gradient."""

import torch

from solutions.transformer.attention import (
    decoder_layer,
    encoder_layer,
    label_smoothed_loss,
    make_masks,
    multi_head_attention,
    noam_rate,
    positional_encoding,
)


def _scaled_gradient(x, factor):
    return x * factor + (x * (1 - factor)).detach()


def _when(condition, wrong, right):
    """Return a function that is wrong where the condition holds."""
    return lambda *arguments: (wrong if condition(*arguments) else right)(*arguments)


def _first(right, change):
    def wrong(*arguments):
        result = right(*arguments)
        return (change(result[0]), *result[1:]) if isinstance(result, tuple) else change(result)

    return wrong


def _weights_changed(right, where, name, change):
    def wrong(*arguments):
        weights = arguments[where]
        changed = weights | {name: change(weights[name])}
        return right(*arguments[:where], changed, *arguments[where + 1 :])

    return wrong


def _one_head(query, key, value, weights, heads, mask):
    return multi_head_attention(query, key, value, weights, 1, mask)


def _same(x):
    return 0 * x


def _detached(right, where, *names):
    return {f"no gradient for {name}": _weights_changed(right, where, name, torch.Tensor.detach) for name in names} | {
        f"the gradient of {name} doubled": _weights_changed(right, where, name, lambda w: _scaled_gradient(w, 2))
        for name in names
    }


LAYER_NAMES = ["W_q", "W_k", "W_v", "W_o", "b_v", "b_o", "W_1", "b_1", "W_2", "b_2", "gamma_1", "beta_1", "gamma_2"]
CROSS_NAMES = ["W_q_cross", "W_k_cross", "W_v_cross", "b_o_cross", "gamma_3", "beta_3"]

HEADS = {
    "one sentence is another": _when(
        lambda q, *_: len(q) == 1, _first(multi_head_attention, _same), multi_head_attention
    ),
    "no mask is another": _when(
        lambda *a: a[5] is None, _first(multi_head_attention, lambda x: x + 0.01), multi_head_attention
    ),
    "one mask for all is ignored": _when(
        lambda *a: a[5] is not None and a[5].ndim == 2,
        lambda *a: multi_head_attention(*a[:5], None),
        multi_head_attention,
    ),
    "a mask for each query is cut to one": lambda *a: multi_head_attention(
        *a[:5], a[5] if a[5] is None or a[5].ndim == 2 else a[5][:, :1]
    ),
    "four heads are one": _when(lambda *a: a[4] == 4, _one_head, multi_head_attention),
    "three heads are one": _when(lambda *a: a[4] == 3, _one_head, multi_head_attention),
    "square is another": _when(
        lambda q, k, *_: q.shape[1] == k.shape[1],
        _first(multi_head_attention, lambda x: x * 1.01),
        multi_head_attention,
    ),
    "weights rounded": lambda *a: (multi_head_attention(*a)[0], multi_head_attention(*a)[1].mul(1e3).round() / 1e3),
    **_detached(multi_head_attention, 3, "W_q", "W_k", "W_v", "W_o", "b_q", "b_v", "b_o"),
}

POSITIONS = {
    "one sentence is another": _when(lambda x: len(x) == 1, lambda x: x * 1.01, positional_encoding),
    "one feature is left alone": _when(lambda x: x.shape[-1] == 1, lambda x: x * 1, positional_encoding),
    "odd widths are left alone": _when(lambda x: x.shape[-1] % 2 == 1, lambda x: x * 1, positional_encoding),
    "one position gets nothing": _when(lambda x: x.shape[1] == 1, lambda x: x * 1, positional_encoding),
    "square is another": _when(lambda x: x.shape[0] == x.shape[1], lambda x: x * 1, positional_encoding),
}

MASKS = {
    "one sentence is not masked": _when(lambda s, *_: len(s) == 1, lambda s, t, pad: make_masks(s, t, -1), make_masks),
    "the source's second word is always seen": lambda s, t, pad: (
        make_masks(s, t, pad)[0] | (torch.arange(s.shape[1]) < 2),
        *make_masks(s, t, pad)[1:],
    ),
    "words above 6 are hidden": lambda s, t, pad: (
        make_masks(s, t, pad)[0] & (s < 7)[:, None],
        make_masks(s, t, pad)[1],
        make_masks(s, t, pad)[2] & (t < 7)[:, None],
    ),
}

ENCODER = {
    "one position is another": _when(
        lambda x, *_: x.shape[1] == 1, _first(encoder_layer, lambda x: x * 1.01), encoder_layer
    ),
    "no mask is another": _when(lambda *a: a[3] is None, _first(encoder_layer, lambda x: x * 1.01), encoder_layer),
    "one head is two": _when(lambda *a: a[2] == 1, _first(encoder_layer, _same), encoder_layer),
    "square is another": _when(
        lambda x, *_: x.shape[0] == x.shape[1], _first(encoder_layer, lambda x: x + 0.01), encoder_layer
    ),
    "gaps are filled": lambda x, w, h, mask, eps: encoder_layer(
        x, w, h, None if mask is None else mask.flip(1).cummax(1).values.flip(1), eps
    ),
    **_detached(encoder_layer, 1, *LAYER_NAMES),
}

DECODER = {
    "one position is another": _when(
        lambda y, *_: y.shape[1] == 1, _first(decoder_layer, lambda x: x * 1.01), decoder_layer
    ),
    "one head is two": _when(lambda *a: a[3] == 1, _first(decoder_layer, _same), decoder_layer),
    "no masks is another": _when(lambda *a: a[4] is None, _first(decoder_layer, lambda x: x * 1.01), decoder_layer),
    "square is another": _when(
        lambda y, memory, *_: y.shape == memory.shape, _first(decoder_layer, lambda x: x + 0.01), decoder_layer
    ),
    "the last source word is never seen": lambda *a: decoder_layer(
        *a[:5], a[5] if a[5] is None else a[5] & (torch.arange(a[5].shape[-1]) < a[5].shape[-1] - 1), a[6]
    ),
    **_detached(decoder_layer, 2, *LAYER_NAMES, *CROSS_NAMES),
}

LOSS = {
    "no epsilon is another": _when(
        lambda *a: a[2] == 0, lambda *a: label_smoothed_loss(a[0], a[1], 0.01, a[3]), label_smoothed_loss
    ),
    "one target is another": _when(lambda x, *_: x.shape[1] == 1, lambda x, *_: x.mean(), label_smoothed_loss),
    "square is another": _when(
        lambda x, *_: x.shape[0] == x.shape[1], lambda *a: label_smoothed_loss(*a) * 1.01, label_smoothed_loss
    ),
    "epsilon no more than 0.3": lambda x, target, epsilon, pad: label_smoothed_loss(x, target, min(epsilon, 0.3), pad),
}

RATE = {
    "the first step is 0": _when(lambda step, *_: step == 1, lambda *_: 0.0, noam_rate),
    "never below a tenth of the peak": lambda step, d, warmup, factor: max(
        noam_rate(step, d, warmup, factor), 0.2 * factor * (d * warmup) ** -0.5
    ),
    "counts its calls": (lambda calls: lambda *a: noam_rate(*a) * (1 if calls.append(0) or len(calls) % 7 else 2))([]),
}

WRONG = {
    "transformer.multi_head_attention": HEADS,
    "transformer.positional_encoding": POSITIONS,
    "transformer.make_masks": MASKS,
    "transformer.encoder_layer": ENCODER,
    "transformer.decoder_layer": DECODER,
    "transformer.label_smoothed_loss": LOSS,
    "transformer.noam_rate": RATE,
}
