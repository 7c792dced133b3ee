"""Wrong answers: the numbers by hand, a decoder step, links and the alignment error rate, and the bug hunt."""

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import alignment_error_rate, links_of, masked_softmax, rnnsearch_step

_memory: dict = {}

HAND = {
    "nothing": lambda: None,
    "one number": lambda: 6.0,
    "exchanged": lambda: (-2.8, 6.0),
    "text": lambda: ("6", "-2.8"),
    "a sign": lambda: (6.0, 2.8),
    "one decimal too few": lambda: (6.0, -3),
    "close": lambda: (6.1, -2.8),
    "nan": lambda: (float("nan"), float("nan")),
    "infinite": lambda: (float("inf"), -2.8),
    "huge": lambda: (torch.zeros(600, 600), torch.zeros(1000)),
    "many": lambda: (6.0, -2.8, 0.0),
    "weights": lambda: ([0.2, 0.8], -2.8),
    "a dictionary": lambda: {"context": 6.0, "score": -2.8},
    "truth": lambda: (True, True),
}

R = rnnsearch_step


def _step(word, state, annotations, projected, W_q, v, cell, mask=None, **parts):
    """A step some part of which is another."""
    hidden = parts.get("squash", torch.tanh)(parts.get("inside", lambda s, p: s[:, None] + p)(state @ W_q.T, projected))
    weights = parts.get("softmax", masked_softmax)(parts.get("score", lambda z, v: z @ v)(hidden, v), mask)
    context = parts.get("sum", lambda w, h: (w[:, None] @ h)[:, 0])(weights, annotations)
    x = parts.get("join", lambda y, c: torch.cat([y, c], -1))(word, context)
    return cell(x, parts.get("before", lambda s: s)(state)), context, weights


def _with(**parts):
    return lambda *given: _step(*given, **parts)


def _then(change):
    return lambda *given: change(*R(*given))


def _when(condition, wrong):
    """A step that is wrong where the condition on (word, annotations, mask) holds."""

    def step(word, state, annotations, projected, W_q, v, cell, mask=None):
        function = wrong if condition(word, annotations, mask) else R
        return function(word, state, annotations, projected, W_q, v, cell, mask)

    return step


def _scaled_before_it_returns(word, state, annotations, projected, W_q, v, cell, mask=None):
    new, context, weights = R(word, state, annotations, projected, W_q, v, cell, mask)
    state *= 1.0001
    return new, context, weights


def _masks_in_place(word, state, annotations, projected, W_q, v, cell, mask=None):
    if mask is not None:
        projected.data[~mask] = -1e4
    return R(word, state, annotations, projected, W_q, v, cell, mask)


def _remembers_the_mask(word, state, annotations, projected, W_q, v, cell, mask=None):
    kept = _memory.setdefault(("mask", annotations.shape), mask)
    return R(word, state, annotations, projected, W_q, v, cell, kept)


NO_MASK = [None]


def _cell_twice(word, state, annotations, projected, W_q, v, cell, mask=None):
    new, context, weights = R(word, state, annotations, projected, W_q, v, cell, mask)
    return (new + cell(torch.cat([word, context], dim=-1), state)) / 2, context, weights


STEP = {
    "cell called twice": _cell_twice,
    "relu": _with(squash=torch.relu),
    "sigmoid": _with(squash=torch.sigmoid),
    "hardtanh": _with(squash=F.hardtanh),
    "softsign": _with(squash=F.softsign),
    "product": _with(inside=lambda s, p: s[:, None] * p),
    "difference": _with(inside=lambda s, p: s[:, None] - p),
    "tanh apart": _with(inside=lambda s, p: s.tanh()[:, None] + p.tanh(), squash=lambda z: z),
    "concatenated": _with(inside=lambda s, p: torch.cat([s[:, None].expand_as(p), p], -1)),
    "projection of the batch": _with(inside=lambda s, p: s.mean(0) + p),
    "mean score": _with(score=lambda z, v: (z * v).mean(-1)),
    "clamped score": _with(score=lambda z, v: (z @ v).clamp(-20, 20)),
    "temperature": _with(score=lambda z, v: 1.001 * (z @ v)),
    "softmax without a mask": _with(softmax=lambda e, m: e.softmax(-1)),
    "softmax by exp": _with(softmax=lambda e, m: _by_exp(e, m)),
    "fill -50": _with(softmax=lambda e, m: (e if m is None else e.masked_fill(~m, -50.0)).softmax(-1)),
    "fill 0 and mask": _with(softmax=lambda e, m: e.softmax(-1) if m is None else (e * m).softmax(-1) * m),
    "log softmax": _with(softmax=lambda e, m: masked_softmax(e, m).clamp_min(1e-30).log()),
    "half": _with(softmax=lambda e, m: masked_softmax(e, m).half().float()),
    "hard": _with(softmax=lambda e, m: F.one_hot(masked_softmax(e, m).argmax(-1), e.shape[1]).float()),
    "prefix of the mask": _with(softmax=lambda e, m: masked_softmax(e, m if m is None else _prefix(m))),
    "mean context": _with(sum=lambda w, h: h.mean(1)),
    "last context": _with(sum=lambda w, h: h[:, -1]),
    "divided context": _with(sum=lambda w, h: (w[:, None] @ h)[:, 0] / w.shape[1]),
    "tanh of the context": _with(sum=lambda w, h: ((w[:, None] @ h)[:, 0]).tanh()),
    "detached context": _with(sum=lambda w, h: (w[:, None] @ h)[:, 0].detach()),
    "detached weights": _with(sum=lambda w, h: (w.detach()[:, None] @ h)[:, 0]),
    "word twice": _with(join=lambda y, c: torch.cat([y, y], -1)),
    "sum for a joint": _with(join=lambda y, c: y + c),
    "word alone": _with(join=lambda y, c: y),
    "interleaved": _with(join=lambda y, c: torch.cat([y, c.flip(-1)], -1)),
    "detached word": _with(join=lambda y, c: torch.cat([y.detach(), c], -1)),
    "detached state": _with(before=torch.Tensor.detach),
    "tanh of the state": _with(before=torch.tanh),
    "state of another": _with(before=lambda s: s.roll(1, 0)),
    "arguments exchanged": lambda y, s, h, p, W, v, cell, m=None: (
        cell(s, torch.cat([y, s], -1)),
        *R(y, s, h, p, W, v, cell, m)[1:],
    ),
    "order reversed": _then(lambda s, c, w: (w, c, s)),
    "weights before context": _then(lambda s, c, w: (s, w, c)),
    "two results": _then(lambda s, c, w: (s, c)),
    "only the state": _then(lambda s, c, w: s),
    "four results": _then(lambda s, c, w: (s, c, w, w)),
    "state and output": _then(lambda s, c, w: ((s, s), c, w)),
    "state with an axis": _then(lambda s, c, w: (s[:, None], c, w)),
    "context with an axis": _then(lambda s, c, w: (s, c[:, None], w)),
    "weights with an axis": _then(lambda s, c, w: (s, c, w[:, None])),
    "squeezed": _then(lambda s, c, w: (s.squeeze(), c.squeeze(), w.squeeze())),
    "squeezed at the end": _then(lambda s, c, w: (s, c, w.squeeze(-1))),
    "state not a number": _then(lambda s, c, w: (s * float("nan"), c, w)),
    "constants": _then(lambda s, c, w: (torch.zeros_like(s), torch.zeros_like(c), torch.ones_like(w) / w.shape[1])),
    "arguments back": lambda y, s, h, p, W, v, cell, m=None: (s, h[:, 0], p[..., 0]),
    "huge": lambda *given: (torch.zeros(600, 600),) * 3,
    "mask forgotten in a batch of one": _when(lambda y, h, m: len(y) == 1, lambda *g: R(*g[:-1], None)),
    "mask forgotten where it is no prefix": _when(
        lambda y, h, m: m is not None and not torch.equal(m, _prefix(m)), lambda *g: R(*g[:-1], None)
    ),
    "mask forgotten where the first row is full": _when(
        lambda y, h, m: m is not None and bool(m[0].all()), lambda *g: R(*g[:-1], None)
    ),
    "one position": _when(lambda y, h, m: h.shape[1] == 1, _then(lambda s, c, w: (s, c, w * 0))),
    "needs a mask": lambda y, s, h, p, W, v, cell, m: R(y, s, h, p, W, v, cell, m & m),
    "changes the state": _scaled_before_it_returns,
    "changes the keys": _masks_in_place,
    "remembers the mask": _remembers_the_mask,
}


def _prefix(mask):
    return torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True)


def _by_exp(scores, mask):
    grown = scores.exp() if mask is None else scores.exp() * mask
    return grown / grown.sum(-1, keepdim=True)


L = links_of


def _in(weights, threshold, change):
    return {change(t, s) for t, s in L(weights, threshold)}


LINKS = {
    "rounded to two decimals": lambda w, t: L(w if t is None else (w * 100).round() / 100, t),
    "rounded to four decimals": lambda w, t: L(w.round(decimals=4), t),
    "in float16": lambda w, t: L(w.half(), t),
    "a list": lambda w, t: sorted(L(w, t)),
    "a tensor": lambda w, t: torch.tensor(sorted(L(w, t))).reshape(-1, 2),
    "a table": lambda w, t: w >= (0.5 if t is None else t),
    "a dictionary": lambda w, t: dict(L(w, t)),
    "nothing": lambda w, t: None,
    "empty": lambda w, t: set(),
    "everything": lambda w, t: {(i, j) for i in range(len(w)) for j in range(w.shape[1])},
    "diagonal": lambda w, t: {(i, min(i, w.shape[1] - 1)) for i in range(len(w))},
    "with weights": lambda w, t: {(i, j, float(w[i, j])) for i, j in L(w, t)},
    "pairs of tensors": lambda w, t: _in(w, t, lambda i, j: (torch.tensor(i), torch.tensor(j))),
    "pairs of floats": lambda w, t: _in(w, t, lambda i, j: (float(i), float(j))),
    "text": lambda w, t: _in(w, t, lambda i, j: (str(i), str(j))),
    "source only": lambda w, t: {j for _, j in L(w, t)},
    "flat": lambda w, t: {i * w.shape[1] + j for i, j in L(w, t)},
    "source from one": lambda w, t: _in(w, t, lambda i, j: (i, j + 1)),
    "target from one": lambda w, t: _in(w, t, lambda i, j: (i + 1, j)),
    "from behind": lambda w, t: _in(w, t, lambda i, j: (i, j - w.shape[1])),
    "transposed with a threshold": lambda w, t: L(w, t) if t is None else _in(w, t, lambda i, j: (j, i)),
    "transposed without": lambda w, t: L(w, t) if t is not None else _in(w, t, lambda i, j: (j, i)),
    "smallest": lambda w, t: L(-w, None) if t is None else L(w, t),
    "below": lambda w, t: L(w, None) if t is None else {(i, j) for i, j in (w <= t).nonzero().tolist()},
    "rows normalised": lambda w, t: L(w / w.sum(1, keepdim=True), t),
    "softmax again": lambda w, t: L(w.softmax(1), t),
    "columns normalised": lambda w, t: L(w / w.sum(0), t),
    "rounded": lambda w, t: L((w * 10).round() / 10, t),
    "threshold raised": lambda w, t: L(w, None if t is None else t + 1e-3),
    "threshold lowered": lambda w, t: L(w, None if t is None else t * 0.9),
    "both ways": lambda w, t: L(w, t) if t is not None else L(w, None) & {(i, j) for j, i in L(w.T, None)},
    "either way": lambda w, t: L(w, t) if t is not None else L(w, None) | {(i, j) for j, i in L(w.T, None)},
    "last row left out": lambda w, t: {(i, j) for i, j in L(w, t) if i < len(w) - 1 or len(w) == 1},
    "last column left out": lambda w, t: {(i, j) for i, j in L(w, t) if j < w.shape[1] - 1 or w.shape[1] == 1},
    "square only": lambda w, t: L(w.T if len(w) == w.shape[1] else w, t),
    "a default threshold": lambda w, t: L(w, t) if t is not None else {p for p in L(w, None) if w[p] >= 0.3},
    "at least one link": lambda w, t: L(w, t) or {(0, 0)},
    "equal ones at random": lambda w, t: L(w + 1e-6 * torch.rand_like(w), t),
    "changes the weights": lambda w, t: (L(w, t), w.zero_())[0],
    "remembers": lambda w, t: _memory.setdefault((w.shape, t is None), L(w, t)),
    "needs a threshold": lambda w, t: {(i, j) for i, j in (w >= t).nonzero().tolist()},
    "forgets the threshold": lambda w, t: L(w, None),
}

A = alignment_error_rate


def _in_place(links, sure, possible):
    possible |= sure
    return A(links, sure, possible)


def _consumed(links, sure, possible):
    rate = A(links, sure, possible)
    links &= sure
    return rate


RATE = {
    "nothing": lambda a, s, p: None,
    "zero": lambda a, s, p: 0.0,
    "one": lambda a, s, p: 1.0,
    "half": lambda a, s, p: 0.5,
    "nan": lambda a, s, p: float("nan"),
    "percent": lambda a, s, p: 100 * A(a, s, p),
    "text": lambda a, s, p: f"{A(a, s, p):.3f}",
    "rounded": lambda a, s, p: round(A(a, s, p), 1),
    "whole": lambda a, s, p: int(A(a, s, p)),
    "a pair": lambda a, s, p: (A(a, s, p), len(a)),
    "arguments exchanged": lambda a, s, p: A(s, a, p),
    "sure and possible exchanged": lambda a, s, p: A(a, p, s),
    "f measure": lambda a, s, p: 1 - 2 * len(a & (s | p)) / max(len(a) + len(s | p), 1),
    "jaccard": lambda a, s, p: 1 - len(a & s) / max(len(a | s), 1),
    "jaccard of both": lambda a, s, p: 1 - (len(a & s) + len(a & (p | s))) / max(2 * len(a | s), 1),
    "union below": lambda a, s, p: 1 - (len(a & s) + len(a & (p | s))) / max(len(a | s), 1),
    "links below": lambda a, s, p: 1 - (len(a & s) + len(a & (p | s))) / max(2 * len(a), 1),
    "sure below": lambda a, s, p: 1 - (len(a & s) + len(a & (p | s))) / max(2 * len(s), 1),
    "unions for intersections": lambda a, s, p: 1 - (len(a | s) + len(a | p)) / max(len(a) + len(s), 1),
    "missed ones free": lambda a, s, p: len(a - s - p) / max(len(a) + len(s), 1),
    "wrong ones free": lambda a, s, p: len(s - a) / max(len(a) + len(s), 1),
    "possible ones must be found": lambda a, s, p: (len(a - s - p) + len((s | p) - a)) / max(len(a) + len(s), 1),
    "symmetric difference": lambda a, s, p: len(a ^ s) / max(len(a) + len(s), 1),
    "possible counted half": lambda a, s, p: 1 - (2 * len(a & s) + len((a & p) - s) / 2) / max(len(a) + len(s), 1),
    "only possible ones": lambda a, s, p: 1 - (len(a & s) + len((a & p) - s)) / max(len(a) + len(s), 1),
    "an epsilon": lambda a, s, p: 1 - (len(a & s) + len(a & (p | s))) / (len(a) + len(s) + 1e-9),
    "one below": lambda a, s, p: 1 - (len(a & s) + len(a & (p | s))) / (len(a) + len(s) + 1),
    "crash on nothing": lambda a, s, p: 1 - (len(a & s) + len(a & (p | s))) / (len(a) + len(s)),
    "crash without P": lambda a, s, p: A(a, s, p) + 0 * (1 / len(p)),
    "nothing is nan": lambda a, s, p: A(a, s, p) if a or s else float("nan"),
    "all of no P": lambda a, s, p: A(a, s, p) if p else 1.0,
    "zero without P": lambda a, s, p: A(a, s, p) if p else 0.0,
    "target words": lambda a, s, p: A({(t, 0) for t, _ in a}, {(t, 0) for t, _ in s}, {(t, 0) for t, _ in p}),
    "either order": lambda a, s, p: A({tuple(sorted(x)) for x in a}, {tuple(sorted(x)) for x in s}, p),
    "transposed": lambda a, s, p: A({(y, x) for x, y in a}, s, p),
    "at least a tenth": lambda a, s, p: max(A(a, s, p), 0.1),
    "changes P": _in_place,
    "uses the links up": _consumed,
    "remembers": lambda a, s, p: _memory.setdefault(("rate", len(a), len(s)), A(a, s, p)) * 0.999,
    "needs lists": lambda a, s, p: A(set(sorted(a) + p), s, p),
    "symmetric P": lambda a, s, p: A(a, s, p & s),
}

one = torch.ones(1, 1)
INPUT = {
    "nothing": lambda: None,
    "one key": lambda: (one, torch.ones(1, 1, 1), torch.ones(1, 1, 1), one, one, torch.ones(1), None),
    "six arguments": lambda: (one, torch.ones(1, 2, 1), torch.ones(1, 2, 1), one, one, torch.ones(1)),
    "too much": lambda: (torch.ones(9000),) * 7,
    "an empty row": lambda: (
        one, torch.ones(1, 2, 1), torch.ones(1, 2, 1), one, one, torch.ones(1), torch.zeros(1, 2, dtype=torch.bool),
    ),
    "infinite": lambda: (one * torch.inf, torch.ones(1, 2, 1), torch.ones(1, 2, 1), one, one, torch.ones(1), None),
    "shapes that do not fit": lambda: (one, torch.ones(1, 2, 2), torch.ones(1, 2, 1), one, one, torch.ones(1), None),
    "a verdict": lambda: torch.tensor(1.0),
}  # fmt: skip
DIAGNOSIS = {
    "the mask's line": lambda: (6, "b"),
    "the line alone": lambda: (7, "b"),
    "the kind alone": lambda: (4, "a"),
    "a line": lambda: 7,
    "text": lambda: ("7", "a"),
    "exchanged": lambda: ("a", 7),
    "no letter": lambda: (7, 1),
    "a word": lambda: (7, "axis"),
}

WRONG = {
    "bahdanau.attention_by_hand": HAND,
    "bahdanau.rnnsearch_step": STEP,
    "bahdanau.links_of": LINKS,
    "bahdanau.alignment_error_rate": RATE,
    "bahdanau.failing_input": INPUT,
    "bahdanau.diagnosis": DIAGNOSIS,
}
