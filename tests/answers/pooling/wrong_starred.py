"""Wrong answers of the tasks about weights as reasons: positions left out, weights that pool the same vector."""

import torch

from solutions.pooling.attention import adversarial_weights, leave_one_out

L, W = leave_one_out, adversarial_weights


def _eye(a):
    return torch.eye(a.shape[1], dtype=torch.bool)


def _others(a):
    return a[:, None] * ~_eye(a)


def _share(x):
    return x / x.sum(-1, keepdim=True).clamp(min=1e-9)


def _real(x, m):
    return x if m is None else x * m[..., None]


def _without(change):
    """Leave one out, with the weights that are left changed: (B, S, S)."""
    return lambda v, a, m=None: _real(change(_others(a)) @ v, m)


def _most_left_out(v, a, m=None):
    return L(v, a, m).gather(1, a.argmax(1)[:, None, None].expand(-1, 1, v.shape[2])).expand_as(v).clone()


def _zeroes_values(v, a, m=None):
    result = L(v, a, m)
    v[:, 0] = 0
    return result


LEAVE = {
    "the sum of all": lambda v, a, m=None: _real((a[:, None] @ v).expand_as(v), m),
    "values alone": lambda v, a, m=None: _real(v, m),
    "mean without": lambda v, a, m=None: _real(_share((~_eye(a)).float()) @ v, m),
    "mean of the real ones": lambda v, a, m=None: _real(_share((_others(a) > 0).float()) @ v, m),
    "squared": _without(lambda o: _share(o**2)),
    "root": _without(lambda o: _share(o.sqrt())),
    "softmax": _without(lambda o: o.softmax(-1)),
    "largest alone": _without(lambda o: (o == o.amax(-1, keepdim=True)).float()),
    "not divided": _without(lambda o: o),
    "divided by the number": _without(lambda o: o / max(1, o.shape[-1] - 1)),
    "divided over the wrong axis": _without(lambda o: o / o.sum(1, keepdim=True).clamp(min=1e-9)),
    "wrong axis of the weights": _without(lambda o: _share(o.transpose(1, 2))),
    "epsilon of a hundredth": _without(lambda o: o / (o.sum(-1, keepdim=True) + 0.01)),
    "nothing left is uniform": _without(
        lambda o: torch.where(o.sum(-1, keepdim=True) == 0, 1 / o.shape[-1], _share(o))
    ),
    "nothing left below a tenth": _without(lambda o: _share(o) * (o.sum(-1, keepdim=True) > 0.1)),
    "a share of the first row": _without(lambda o: _share(o[:1].expand_as(o))),
    "one plus": lambda v, a, m=None: _real(((a[:, None] @ v) - a[..., None] * v) / (1 + a)[..., None], m),
    "added": lambda v, a, m=None: _real(((a[:, None] @ v) + a[..., None] * v) / (1 + a)[..., None], m),
    "weight forgotten": lambda v, a, m=None: _real(((a[:, None] @ v) - v) / (1 - a).clamp(min=1e-9)[..., None], m),
    "nan for nothing": lambda v, a, m=None: _real(_others(a) @ v / _others(a).sum(-1, keepdim=True), m),
    "infinite for nothing": lambda v, a, m=None: L(v, a, m).masked_fill((a == 1)[..., None], torch.inf),
    "itself for nothing": lambda v, a, m=None: torch.where((a == 1)[..., None], v, L(v, a, m)),
    "padding kept": lambda v, a, m=None: L(v, a),
    "padding is nan": lambda v, a, m=None: L(v, a) if m is None else L(v, a).masked_fill(~m[..., None], torch.nan),
    "padding keeps its value": lambda v, a, m=None: L(v, a) if m is None else torch.where(m[..., None], L(v, a), v),
    "padding by weight": lambda v, a, m=None: L(v, a) * (a > 0)[..., None],
    "padding by weight, with a mask": lambda v, a, m=None: (
        L(v, a) if m is None else L(v, a) * (a.cumsum(1) > 0)[..., None]
    ),
    "prefix": lambda v, a, m=None: L(
        v, a, m if m is None else torch.arange(a.shape[1]) < m.sum(1, keepdim=True)
    ),
    "first mask for all": lambda v, a, m=None: L(v, a, m if m is None else m[:1].expand_as(m)),
    "no mask for one sentence": lambda v, a, m=None: L(v, a, None if len(v) == 1 else m),
    "needs a mask": lambda v, a, m=None: L(v, a, m & m),
    "the next": lambda v, a, m=None: _real(L(v, a).roll(1, 1), m),
    "backwards": lambda v, a, m=None: _real(L(v, a).flip(1), m),
    "the most important everywhere": _most_left_out,
    "change": lambda v, a, m=None: _real(a[:, None] @ v - L(v, a), m),
    "negative": lambda v, a, m=None: -L(v, a, m),
    "tanh": lambda v, a, m=None: L(v, a, m).tanh(),
    "transposed": lambda v, a, m=None: L(v, a, m).transpose(1, 2),
    "length of the change": lambda v, a, m=None: (a[:, None] @ v - L(v, a)).norm(dim=-1),
    "a list": lambda v, a, m=None: (L(v, a, m), a),
    "changes the values": _zeroes_values,
    "arguments back": lambda v, a, m=None: v,
    "nan": lambda v, a, m=None: v * torch.nan,
    "huge": lambda v, a, m=None: torch.zeros(600, 600),
    "text": lambda v, a, m=None: "zeros",
}  # fmt: skip


def _matrix(x):
    return torch.cat([x, torch.ones_like(x[:, :1])], 1).T


def _free(x, d):
    A = _matrix(x)
    return d - torch.linalg.pinv(A) @ (A @ d)


def _first(a, p):
    return torch.where(p < 0, -a / p, torch.inf).min()


def _along(project=_free, step=_first, least=1e-3, still=lambda a: a.clone()):
    """The weights along a direction, some part of which is another."""

    def way(a, x, d):
        p = project(x, d)
        return still(a) if p.norm() <= least * d.norm() else a + step(a, p) * p

    return way


def _transposed(x, d):
    return d - (x @ torch.linalg.pinv(x)) @ d


def _values_not_joined(x, d):
    p = _transposed(x, d)
    return p - p.mean()


def _row_by_row(x, d):
    for row in _matrix(x):
        d = d - (d @ row) / (row @ row) * row
    return d


def _until_one(a, p):
    return torch.where(p > 0, (1 - a) / p, torch.inf).min()


def _searched(a, x, d, steps=200):
    """A search by optimisation, which comes near and not there."""
    p, t = _free(x, d), 0.0
    if p.norm() <= 1e-3 * d.norm():
        return a
    for _ in range(steps):
        if (a + (t + 0.01) * p).min() >= 0:
            t += 0.01
    return a + t * p


def _changes(a, x, d):
    result = W(a, x, d)
    d /= d.norm()
    return result


ALONG = {
    "the direction itself": _along(lambda x, d: d),
    "sum alone": _along(lambda x, d: d - d.mean()),
    "vector alone": _along(_transposed),
    "one after the other": _along(_values_not_joined),
    "row by row": _along(_row_by_row),
    "first feature alone": _along(lambda x, d: _free(x[:, :1], d)),
    "all features but the last": _along(lambda x, d: _free(x[:, :-1], d)),
    "transposed A": _along(lambda x, d: _free(x.T, d) if x.shape[0] == x.shape[1] else _free(x, d) * 0 + d),
    "absolute": _along(lambda x, d: _free(x, d).abs()),
    "away": _along(lambda x, d: -_free(x, d)),
    "what it loses": _along(lambda x, d: d - _free(x, d)),
    "threshold of a half": _along(least=0.5),
    "threshold without the length": lambda a, x, d: W(a, x, d) if _free(x, d).norm() > 1e-3 * 10 else a,
    "no threshold": _along(least=-1.0),
    "vanishes to zeros": _along(still=torch.zeros_like),
    "vanishes to equal weights": _along(still=lambda a: torch.full_like(a, 1 / len(a))),
    "vanishes to nan": _along(still=lambda a: a * torch.nan),
    "vanishes to the direction's weights": _along(still=lambda a: a.softmax(0)),
    "half": _along(step=lambda a, p: _first(a, p) / 2),
    "nine tenths": _along(step=lambda a, p: 0.9 * _first(a, p)),
    "up to a thousandth before": _along(step=lambda a, p: 0.999 * _first(a, p)),
    "one": _along(step=lambda a, p: 1.0),
    "until a weight is 1": _along(step=_until_one),
    "any sign": _along(step=lambda a, p: (a / p.abs()).min()),
    "largest quotient": _along(step=lambda a, p: torch.where(p < 0, -a / p, 0).max()),
    "signed smallest": _along(step=lambda a, p: (-a / p).min()),
    "mean quotient": _along(step=lambda a, p: (a[p < 0] / -p[p < 0]).mean()),
    "a limit of a tenth": lambda a, x, d: a if _free(x, d).norm() <= 0.1 * d.norm() else W(a, x, d),
    "smallest weight": _along(step=lambda a, p: a.min() / -p.min()),
    "clamped": lambda a, x, d: (a + _free(x, d)).clamp(min=0),
    "clamped and divided": lambda a, x, d: (k := (a + _free(x, d)).clamp(min=0)) / k.sum(),
    "softmax": lambda a, x, d: (a.log() + _free(x, d)).softmax(0),
    "unprojected and clamped": lambda a, x, d: (k := (a + d).clamp(min=0)) / k.sum(),
    "searched": _searched,
    "the step": lambda a, x, d: _first(a, _free(x, d)),
    "the change": lambda a, x, d: W(a, x, d) - a,
    "the projection": lambda a, x, d: _free(x, d),
    "both": lambda a, x, d: (W(a, x, d), _free(x, d)),
    "a column": lambda a, x, d: W(a, x, d)[:, None],
    "sorted": lambda a, x, d: W(a, x, d).sort().values,
    "rounded": lambda a, x, d: (W(a, x, d) * 1000).round() / 1000,
    "unchanged": lambda a, x, d: a,
    "unchanged for long texts": lambda a, x, d: a if len(a) > 20 else W(a, x, d),
    "six words at most": lambda a, x, d: torch.cat([W(a[:6], x[:6], d[:6]), a[6:]]),
    "changes the direction": _changes,
    "nan": lambda a, x, d: a * torch.nan,
    "equal": lambda a, x, d: torch.full_like(a, 1 / len(a)),
    "one word": lambda a, x, d: (d == d.max()).float(),
    "huge": lambda a, x, d: torch.zeros(600, 600),
    "text": lambda a, x, d: "weights",
}  # fmt: skip


WRONG = {
    "pooling.leave_one_out": LEAVE,
    "pooling.adversarial_weights": ALONG,
}
