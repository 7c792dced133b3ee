"""More wrong answers of the Bahdanau exercise: right nearly everywhere, wrong at one size, one number, one gradient."""

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import additive_attention, masked_softmax
from tests.answers.bahdanau import wrong_without_mask

R = masked_softmax
LOW = torch.finfo(torch.float32).min
_memory: dict = {}


def _kept(s, m):
    return torch.ones_like(s, dtype=torch.bool) if m is None else m


def _when(condition, wrong, right=R):
    """Return a function that is wrong where the condition holds."""
    return lambda s, m=None: wrong(s, m) if condition(s, m) else right(s, m)


def _scaled_gradient(x, factor):
    return x * factor + (x * (1 - factor)).detach()


def _remembered(key, value):
    return _memory.setdefault(key, value)


def _after(number, key, wrong, right):
    _memory[key] = _memory.get(key, 0) + 1
    return wrong() if _memory[key] > number else right()


def _assigned(s, m):
    weights = R(s, m)
    out = torch.zeros_like(weights)
    out[..., :-1] = weights[..., :-1]
    return out


def _in_place_weights(s, m=None):
    s -= s.max(-1, keepdim=True).values
    return R(s, m)


def _scores_zeroed(s, m=None):
    result = R(s, m)
    s.data.zero_()
    return result


def _pruned(s, m, below):
    weights = R(s, m)
    return weights * (weights >= below)


def _top(s, m, k):
    weights = R(s, m)
    least = weights.topk(min(k, weights.shape[-1]), -1).values[..., -1:]
    weights = weights * (weights >= least)
    return weights / weights.sum(-1, keepdim=True).clamp_min(1e-30)


def _loop(s, m):
    if m is None:
        return s.softmax(-1)
    rows = [torch.softmax(row[keep], 0) for row, keep in zip(s.flatten(0, -2), m.flatten(0, -2), strict=True)]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True).view(*s.shape[:-1], -1)


def _filled(s, m, fill, after=True):
    if m is None:
        return s.softmax(-1)
    weights = s.masked_fill(~m, fill).softmax(-1)
    return weights * m if after else weights


SOFTMAX = {
    "wrong axis for one axis": _when(lambda s, m: s.ndim == 1, lambda s, m: s * 0),
    "wrong axis for two axes": _when(lambda s, m: s.ndim == 2, lambda s, m: _axis(s, m, 0)),
    "wrong axis for three axes": _when(lambda s, m: s.ndim == 3, lambda s, m: _axis(s, m, 1)),
    "wrong axis for four axes": _when(lambda s, m: s.ndim == 4, lambda s, m: _axis(s, m, 2)),
    "axis 1": lambda s, m=None: _axis(s, m, min(1, s.ndim - 1)),
    "wrong for four axes with a mask": _when(lambda s, m: s.ndim == 4 and m is not None, lambda s, m: s.softmax(-1)),
    "wrong for two axes without a mask": _when(lambda s, m: s.ndim == 2 and m is None, lambda s, m: _axis(s, m, 0)),
    "wrong for one sentence": _when(lambda s, m: s.shape[0] == 1, lambda s, m: s.softmax(-1)),
    "wrong for square scores": _when(lambda s, m: s.shape[0] == s.shape[-1], lambda s, m: R(s.mT, m)),
    "mask transposed where it fits": _when(
        lambda s, m: m is not None and s.ndim == 2 and s.shape[0] == s.shape[1], lambda s, m: R(s, m.T)
    ),
    "wrong for one position": _when(lambda s, m: s.shape[-1] == 1, lambda s, m: s),
    "squeezed": lambda s, m=None: R(s, m).squeeze(-1),
    "squeezed first": lambda s, m=None: R(s, m).squeeze(0),
    "all True is no mask, and any True too": _when(lambda s, m: m is not None and m.any(), lambda s, m: s.softmax(-1)),
    "one True decides": _when(lambda s, m: m is not None and (m.sum(-1) == 1).any(), lambda s, m: s.softmax(-1) * m),
    "empty rows only in two axes": _when(
        lambda s, m: m is not None and s.ndim > 2, lambda s, m: _filled(s, m, -1e9, after=False)
    ),
    "empty rows uniform in two axes": _when(
        lambda s, m: m is not None and s.ndim == 2, lambda s, m: _filled(s, m, -1e9, after=False)
    ),
    "nothing at all is uniform": _when(lambda s, m: m is not None and not m.any(), lambda s, m: s.softmax(-1)),
    "first position always kept": lambda s, m=None: R(s, m if m is None else m | (torch.arange(s.shape[-1]) == 0)),
    "last position always lost": lambda s, m=None: R(s, _kept(s, m) & (torch.arange(s.shape[-1]) < s.shape[-1] - 1)),
    "mask shifted": lambda s, m=None: R(s, m if m is None else m.roll(1, -1)),
    "mask of every row at once": lambda s, m=None: R(s, m if m is None else m & m.flatten(0, -2).all(0)),
    "long sentences unmasked": _when(lambda s, m: s.shape[-1] > 7, lambda s, m: s.softmax(-1)),
    "sorted": lambda s, m=None: R(s, m).sort(-1, descending=True).values,
    "packed to the left": lambda s, m=None: _loop(s, m),
    "fill 0 then mask": lambda s, m=None: _filled(s, m, 0.0),
    "fill -30, zero after": lambda s, m=None: _filled(s, m, -30.0),
    "fill -50, zero after": lambda s, m=None: _filled(s, m, -50.0),
    "fill -500": lambda s, m=None: _filled(s, m, -500.0),
    "fill +1e9": lambda s, m=None: _filled(s, m, 1e9, after=False),
    "minus 10": lambda s, m=None: R(s) if m is None else (s - 10 * ~m).softmax(-1) * m,
    "minus 35": lambda s, m=None: R(s) if m is None else (s - 35 * ~m).softmax(-1) * m,
    "times -1e9": lambda s, m=None: R(s) if m is None else (s * torch.where(m, 1.0, -1e9)).softmax(-1) * m,
    "clamped to 20": lambda s, m=None: R(s.clamp(-20, 20), m),
    "clamped to 100": lambda s, m=None: R(s.clamp(-100, 100), m),
    "clamped to 700": lambda s, m=None: R(s.clamp(-700, 700), m),
    "clamped above": lambda s, m=None: R(s.clamp_max(80), m),
    "clamped below": lambda s, m=None: R(s.clamp_min(-80), m),
    "temperature 1.001": lambda s, m=None: R(s / 1.001, m),
    "temperature 1.0001": lambda s, m=None: R(s / 1.0001, m),
    "square root of S": lambda s, m=None: R(s / s.shape[-1] ** 0.5, m),
    "weights below 0.01 pruned": lambda s, m=None: _pruned(s, m, 1e-2),
    "weights below 0.001 pruned": lambda s, m=None: _pruned(s, m, 1e-3),
    "weights below 0.0001 pruned": lambda s, m=None: _pruned(s, m, 1e-4),
    "five best": lambda s, m=None: _top(s, m, 5),
    "rounded to three digits": lambda s, m=None: (R(s, m) * 1e3).round() / 1e3,
    "bfloat16": lambda s, m=None: R(s.bfloat16(), m).float(),
    "half weights": lambda s, m=None: R(s, m).half(),
    "maximum of the tensor": lambda s, m=None: _exp(s - s.max(), m),
    "epsilon 1e-3": lambda s, m=None: _exp(s - s.amax(-1, True), m, 1e-3),
    "hard, straight through": lambda s, m=None: (
        R(s, m) + (F.one_hot(R(s, m).argmax(-1), s.shape[-1]) - R(s, m)).detach()
    ),
    "minus one over n": lambda s, m=None: R(s, m) - 1e-3,
    "leaks 1e-5": lambda s, m=None: R(s, m) + 1e-5 * ~_kept(s, m),
    "gradient none with a mask": _when(lambda s, m: m is not None, lambda s, m: R(s.detach(), m)),
    "gradient none without a mask": _when(lambda s, m: m is None, lambda s, m: R(s.detach(), m)),
    "gradient none in three axes": _when(lambda s, m: s.ndim == 3, lambda s, m: R(s.detach(), m)),
    "gradient of the sum cut": lambda s, m=None: _grown(s, m) / _grown(s, m).sum(-1, keepdim=True).detach(),
    "subtracts in place": _in_place_weights,
    "zeroes the scores": _scores_zeroed,
    "remembers by shape": lambda s, m=None: _remembered(("shape", s.shape), R(s, m)),
    "remembers by first number": lambda s, m=None: _remembered(("sum", s.ndim, m is None), R(s, m)).expand_as(s),
    "remembers the first mask": lambda s, m=None: R(s, _remembered(("mask", s.shape), m)),
    "remembers by address": lambda s, m=None: _remembered(("id", id(s)), R(s, m)),
    "tires after ten calls": lambda s, m=None: _after(10, "ten", lambda: s.softmax(-1), lambda: R(s, m)),
    "tires after twenty calls": lambda s, m=None: _after(20, "twenty", lambda: s * 0, lambda: R(s, m)),
    "dropout 0.01": lambda s, m=None: F.dropout(R(s, m), 0.01),
    "random once in ten": lambda s, m=None: R(s, m) * (1 + (torch.rand(()) < 0.1)),
    "a pair": lambda s, m=None: (R(s, m), m),
    "flattened": lambda s, m=None: R(s, m).flatten(),
    "two axes come back": lambda s, m=None: R(s, m).flatten(0, -2),
    "transposed": lambda s, m=None: R(s, m).transpose(0, -1),
}


def _axis(s, m, dim):
    return s.masked_fill(~_kept(s, m), LOW).softmax(dim) * _kept(s, m)


def _grown(s, m):
    return (s - s.masked_fill(~_kept(s, m), LOW).amax(-1, True).detach()).exp() * _kept(s, m)


def _exp(s, m, epsilon=0.0):
    grown = s.exp() * _kept(s, m)
    total = grown.sum(-1, keepdim=True)
    return torch.where(_kept(s, m).any(-1, True), grown / (total + epsilon), 0.0)


def _share(x, m):
    x = x * _kept(x, m)
    return x / x.sum(-1, keepdim=True).clamp_min(1e-30)


A = additive_attention


def _parts(q, k, W_q, W_k):
    return (q @ W_q.T)[:, None] + k @ W_k.T


def _attend(scores, values, mask, softmax=masked_softmax):
    weights = softmax(scores, mask)
    return (weights[:, None] @ values)[:, 0], weights


def _given(change):
    """Return attention whose arguments are changed before."""
    return lambda q, k, x, W_q, W_k, v, m=None: A(*change(q, k, x, W_q, W_k, v, m))


def _scored(score):
    """Return attention with another score."""
    return lambda q, k, x, W_q, W_k, v, m=None: _attend(score(q, k, W_q, W_k, v), x, m)


def _softened(softmax):
    """Return attention with another masked softmax."""
    return lambda q, k, x, W_q, W_k, v, m=None: _attend(torch.tanh(_parts(q, k, W_q, W_k)) @ v, x, m, softmax)


def _then(change):
    """Return attention whose results are changed after."""
    return lambda q, k, x, W_q, W_k, v, m=None: change(*A(q, k, x, W_q, W_k, v, m), k, x, m)


def _only(condition, wrong):
    return lambda q, k, x, W_q, W_k, v, m=None: (wrong if condition(q, k, x, W_q, W_k, v, m) else A)(
        q, k, x, W_q, W_k, v, m
    )


IGNORED = _given(lambda q, k, x, W_q, W_k, v, m: (q, k, x, W_q, W_k, v, None))
SOFT = [
    "wrong for one sentence",
    "wrong for square scores",
    "mask transposed where it fits",
    "wrong for one position",
    "squeezed",
    "squeezed first",
    "one True decides",
    "fill -30, zero after",
    "minus 10",
    "times -1e9",
    "clamped to 20",
    "clamped to 100",
    "temperature 1.001",
    "temperature 1.0001",
    "weights below 0.01 pruned",
    "five best",
    "rounded to three digits",
    "bfloat16",
    "leaks 1e-5",
    "gradient none with a mask",
    "gradient none without a mask",
    "remembers the first mask",
    "dropout 0.01",
    "transposed",
]
ADDITIVE = {
    **{f"softmax: {name}": _softened(SOFTMAX[name]) for name in SOFT},
    "values reversed": _given(lambda q, k, x, *rest: (q, k, x.flip(-1), *rest)),
    "tanh of the values": _given(lambda q, k, x, *rest: (q, k, x.tanh(), *rest)),
    "W_q for both where it fits": _only(
        lambda q, k, x, W_q, W_k, v, m: W_q.shape == W_k.shape,
        lambda q, k, x, W_q, W_k, v, m: A(q, k, x, W_q, W_q, v, m),
    ),
    "keys for values where they fit": _only(
        lambda q, k, x, W_q, W_k, v, m: k.shape == x.shape, lambda q, k, x, W_q, W_k, v, m: A(q, k, k, W_q, W_k, v, m)
    ),
    "mask ignored in a large batch": _only(lambda q, *rest: len(q) >= 5, IGNORED),
    "mask ignored for prefixes": _only(
        lambda q, k, x, W_q, W_k, v, m: m is not None and not (m.int().diff(dim=1) > 0).any(), IGNORED
    ),
    "context over positions": _then(lambda c, w, k, x, m: (c / (1 if m is None else m.sum(1, keepdim=True)), w)),
    "context zero for one position": _then(lambda c, w, k, x, m: (c * (x.shape[1] > 1), w)),
    "context squeezed": _then(lambda c, w, k, x, m: (c.squeeze(), w)),
    "context squeezed at the end": _then(lambda c, w, k, x, m: (c.squeeze(-1), w)),
    "weights as logarithm": _then(lambda c, w, k, x, m: (c, w.log())),
    "weights of the first": _then(lambda c, w, k, x, m: (c, w[:1].expand_as(w))),
    "weights transposed": _then(lambda c, w, k, x, m: (c, w.T)),
    "three results": _then(lambda c, w, k, x, m: (c, w, m)),
    "first unit left out": _scored(lambda q, k, W_q, W_k, v: torch.tanh(_parts(q, k, W_q, W_k))[..., 1:] @ v[1:]),
    "scores clipped to 3": _scored(lambda q, k, W_q, W_k, v: (torch.tanh(_parts(q, k, W_q, W_k)) @ v).clamp(-3, 3)),
    "remembers the values": _given(
        lambda q, k, x, *rest: (q, k, _remembered(("values", x.shape), x.detach().clone()) + 0 * x, *rest)
    ),
    "noise": _given(lambda q, *rest: (q + 1e-3 * torch.randn_like(q), *rest)),
}

WRONG = {
    "bahdanau.masked_softmax": SOFTMAX | {answer.__name__: answer for answer in wrong_without_mask.SOFTMAX},
    "bahdanau.additive_attention": ADDITIVE | {answer.__name__: answer for answer in wrong_without_mask.ADDITIVE},
    "bahdanau.repaired_attention": ADDITIVE | {answer.__name__: answer for answer in wrong_without_mask.ADDITIVE},
}
