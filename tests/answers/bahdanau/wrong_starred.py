"""Wrong answers of the starred tasks: the coverage penalty, and additive attention backwards."""

import torch

from solutions.bahdanau.attention import (
    additive_attention,
    additive_attention_backward,
    coverage_penalty,
    masked_softmax,
)
from tests.answers.not_by_hand import not_by_hand

C = coverage_penalty


def _kept(w, m):
    return torch.ones_like(w[:, 0], dtype=torch.bool) if m is None else m


def _covered(w, m):
    return w.sum(1).masked_fill(~_kept(w, m), 1)


def _slope_alone(x):
    return x - x.detach()


COVERAGE = {
    "not below a ten-thousandth": lambda w, m, b: b * _covered(w, m).clamp(1e-4, 1).log().sum(-1),
    "gradient not a number": lambda w, m, b: b * torch.where(_kept(w, m), w.sum(1).clamp(max=1).log(), 0.0).sum(-1),
    "0 times minus infinity": lambda w, m, b: b * (w.sum(1).clamp(max=1).log() * _kept(w, m)).sum(-1),
    "epsilon 1e-3": lambda w, m, b: b * (_covered(w, m) + 1e-3).clamp(max=1).log().sum(-1),
    "epsilon after the minimum": lambda w, m, b: b * (_covered(w, m).clamp(max=1) + 1e-2).log().sum(-1),
    "clamped at a hundredth": lambda w, m, b: b * _covered(w, m).clamp(0.01, 1).log().sum(-1),
    "clamped logarithm": lambda w, m, b: b * _covered(w, m).clamp(max=1).log().clamp(min=-3).sum(-1),
    "minimum after the logarithm at 1": lambda w, m, b: b * _covered(w, m).log().clamp(max=1).sum(-1),
    "minimum of each weight": lambda w, m, b: b * _covered(w.clamp(max=1), m).log().sum(-1),
    "largest weight": lambda w, m, b: b * w.amax(1).masked_fill(~_kept(w, m), 1).log().sum(-1),
    "product of the weights": lambda w, m, b: b * w.prod(1).masked_fill(~_kept(w, m), 1).log().sum(-1),
    "over the source": lambda w, m, b: b * w.sum(2).clamp(max=1).log().sum(-1),
    "base two": lambda w, m, b: C(w, m, b) / 0.6931,
    "log1p": lambda w, m, b: b * torch.log1p(_covered(w, m).clamp(max=1)).sum(-1),
    "square": lambda w, m, b: b * ((1 - _covered(w, m)).clamp(min=0) ** 2).sum(-1),
    "one minus": lambda w, m, b: -b * (1 - _covered(w, m)).clamp(min=0).sum(-1),
    "beta squared": lambda w, m, b: C(w, m, b * b),
    "divided by beta": lambda w, m, b: C(w, m, 1 / b),
    "beta inside": lambda w, m, b: C(w * b, m, 1.0),
    "mean of the batch": lambda w, m, b: C(w, m, b).mean().expand(len(w)),
    "mean": lambda w, m, b: C(w, m, b) / w.shape[2],
    "kept axis": lambda w, m, b: C(w, m, b)[:, None],
    "each word": lambda w, m, b: b * _covered(w, m).clamp(max=1).log(),
    "a number": lambda w, m, b: C(w, m, b).sum().item(),
    "numbers": lambda w, m, b: C(w, m, b).tolist(),
    "mask on the target axis": lambda w, m, b: C(
        w if m is None or m.shape[1] != w.shape[1] else w * m[..., None], m, b
    ),
    "weights masked and renormalised": lambda w, m, b: C(
        w if m is None else w * m[:, None] / (w * m[:, None]).sum(-1, keepdim=True), m, b
    ),
    "prefix of the mask": lambda w, m, b: C(
        w, m if m is None else torch.arange(w.shape[2]) < m.sum(1, keepdim=True), b
    ),
    "first mask for all": lambda w, m, b: C(w, m if m is None else m[:1].expand_as(m), b),
    "mask ignored for one sentence": lambda w, m, b: C(w, None if len(w) == 1 else m, b),
    "padding free only where it got nothing": lambda w, m, b: C(w, None if m is None else w.sum(1) > 0, b),
    "last target word left out": lambda w, m, b: C(w[:, :-1] if w.shape[1] > 1 else w, m, b),
    "detached minimum": lambda w, m, b: b * torch.where(_covered(w, m) > 1, 1.0, _covered(w, m).detach()).log().sum(-1),
    "slope above 1": lambda w, m, b: C(w, m, b) + _slope_alone(b * _covered(w, m).log().sum(-1)),
    "changes the weights": lambda w, m, b: (C(w, m, b), w.data.clamp_(max=0.1))[0],
    "nan": lambda w, m, b: C(w, m, b) * float("nan"),
    "zeros": lambda w, m, b: torch.zeros(len(w)),
    "arguments back": lambda w, m, b: w,
    "needs a mask": lambda w, m, b: C(w, m & m, b),
    "huge": lambda w, m, b: torch.zeros(600, 600),
}  # fmt: skip

B = additive_attention_backward


def _way(d_context, query, keys, values, W_q, W_k, v, mask=None, **parts):
    """The way back, some part of which is another."""
    hidden = torch.tanh((query @ W_q.T)[:, None] + keys @ W_k.T)
    weights = parts.get("weights", masked_softmax)(hidden @ v, mask)
    context = (weights[:, None] @ values)[:, 0]
    d_weights = parts.get("d_weights", lambda g, x, c: ((x - c[:, None]) * g[:, None]).sum(-1))(
        d_context, values, context
    )
    d_scores = parts.get("d_scores", lambda a, d: a * d)(weights, d_weights)
    d_sums = parts.get("d_sums", lambda d, v, z: d[..., None] * v * (1 - z * z))(d_scores, v, hidden)
    d_values = parts.get("d_values", lambda a, g: a[..., None] * g[:, None])(weights, d_context)
    return d_sums.sum(1) @ W_q, d_sums @ W_k, d_values, (d_scores[..., None] * hidden).sum((0, 1))


def _share(grown):
    return grown / grown.sum(-1, keepdim=True)


def _with(**parts):
    return lambda *given: _way(*given, **parts)


def _then(change):
    return lambda *given: change(*B(*given))


def _by_autograd(d_context, query, keys, values, W_q, W_k, v, mask=None):
    with torch.enable_grad():
        given = [x.clone().requires_grad_() for x in (query, keys, values, v)]
        context, _ = additive_attention(*given[:3], W_q, W_k, given[3], mask)
        return torch.autograd.grad((context * d_context).sum(), given)


def _by_backward(d_context, query, keys, values, W_q, W_k, v, mask=None):
    given = [x.requires_grad_() for x in (query, keys, values, v)]
    context, _ = additive_attention(*given[:3], W_q, W_k, given[3], mask)
    context.backward(d_context)
    return tuple(x.grad for x in given)


def _by_differences(d_context, query, keys, values, W_q, W_k, v, mask=None):
    """One-sided differences with a large step."""
    given = [query, keys, values, v]

    def loss(*changed):
        q, k, x, u = changed
        return (additive_attention(q, k, x, W_q, W_k, u, mask)[0] * d_context).sum()

    grads, base = [], loss(*given)
    for place, tensor in enumerate(given):
        grad = torch.zeros_like(tensor).flatten()
        for number in range(tensor.numel()):
            moved = tensor.clone().flatten()
            moved[number] += 0.01
            grad[number] = (loss(*given[:place], moved.view_as(tensor), *given[place + 1 :]) - base) / 0.01
        grads.append(grad.view_as(tensor))
    return tuple(grads)


BACKWARD = {
    **not_by_hand(lambda *given: additive_attention(*given)[0], (0, 1, 2, 5)),
    "by autograd": _by_autograd,
    "by backward": _by_backward,
    "by differences": _by_differences,
    "context of the mean": _with(d_weights=lambda g, x, c: ((x - x.mean(1, keepdim=True)) * g[:, None]).sum(-1)),
    "context added": _with(d_weights=lambda g, x, c: ((x + c[:, None]) * g[:, None]).sum(-1)),
    "sign": _with(d_weights=lambda g, x, c: ((c[:, None] - x) * g[:, None]).sum(-1)),
    "without values": _with(d_weights=lambda g, x, c: g.sum(-1, keepdim=True).expand(x.shape[:2])),
    "softmax squared": _with(d_scores=lambda a, d: a * a * d),
    "softmax diagonal": _with(d_scores=lambda a, d: a * (1 - a) * d),
    "no softmax": _with(d_scores=lambda a, d: d),
    "softmax left of d": _with(d_scores=lambda a, d: d * a - a),
    "slope of relu": _with(d_sums=lambda d, v, z: d[..., None] * v * (z > 0)),
    "slope of the slope": _with(d_sums=lambda d, v, z: d[..., None] * v * (1 - (1 - z * z) ** 2)),
    "tanh twice": _with(d_sums=lambda d, v, z: d[..., None] * v * (1 - z.tanh() ** 2)),
    "v left out": _with(d_sums=lambda d, v, z: d[..., None] * (1 - z * z)),
    "v summed": _with(d_sums=lambda d, v, z: d[..., None] * v.sum() * (1 - z * z)),
    "values get the score's": _with(d_values=lambda a, g: (a * (1 - a))[..., None] * g[:, None]),
    "values get g": _with(d_values=lambda a, g: g[:, None].expand(-1, a.shape[1], -1)),
    "values averaged": _with(d_values=lambda a, g: a[..., None] * g[:, None] / a.shape[1]),
    "mask ignored": lambda *g: B(*g[:7], None),
    "mask ignored for one sentence": lambda *g: B(*g[:7], None if len(g[1]) == 1 else g[7]),
    "fill 0": _with(weights=lambda e, m: (e if m is None else e * m).softmax(-1)),
    "fill -20": _with(weights=lambda e, m: (e if m is None else e.masked_fill(~m, -20.0)).softmax(-1)),
    "softmax by exp": _with(weights=lambda e, m: _share(e.exp() * (1 if m is None else m))),
    "softmax over the batch": _with(weights=lambda e, m: (e if m is None else e.masked_fill(~m, -1e9)).softmax(0)),
    "keys and values together": _then(lambda q, k, x, v: (q, k + x if k.shape == x.shape else k * 2, x, v)),
    "three results": _then(lambda q, k, x, v: (q, k, x)),
    "reversed": _then(lambda q, k, x, v: (v, x, k, q)),
    "keys and values exchanged": _then(lambda q, k, x, v: (q, x, k, v)),
    "v per sentence": _then(lambda q, k, x, v: (q, k, x, v.expand(len(q), -1))),
    "query per position": _then(lambda q, k, x, v: (q[:, None].expand(-1, k.shape[1], -1), k, x, v)),
    "query of the batch": _then(lambda q, k, x, v: (q.sum(0, keepdim=True).expand_as(q), k, x, v)),
    "query halved": _then(lambda q, k, x, v: (q / 2, k, x, v)),
    "negative": _then(lambda q, k, x, v: (-q, -k, -x, -v)),
    "zeros": _then(lambda *all: tuple(map(torch.zeros_like, all))),
    "nan": _then(lambda *all: tuple(x * float("nan") for x in all)),
    "arguments back": lambda g, q, k, x, W_q, W_k, v, m=None: (q, k, x, v),
    "values right alone": _then(lambda q, k, x, v: (0 * q, 0 * k, x, 0 * v)),
    "changes g": lambda g, *rest: (B(g, *rest), g.zero_())[0],
    "clipped": _then(lambda *all: tuple(x.clamp(-1, 1) for x in all)),
    "normalised": _then(lambda *all: tuple(x / x.norm().clamp_min(1e-9) for x in all)),
    "rounded": _then(lambda *all: tuple((x * 100).round() / 100 for x in all)),
    "half": _then(lambda *all: tuple(x.half().float() for x in all)),
    "huge": lambda *g: (torch.zeros(600, 600),) * 4,
}  # fmt: skip

WRONG = {
    "bahdanau.coverage_penalty": COVERAGE,
    "bahdanau.additive_attention_backward": BACKWARD,
}
