"""Wrong answers of the starred tasks: unknown words that are replaced, and the window that is computed alone."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import gaussian, general_score, replaced_unknowns, window, windowed_attention

U = replaced_unknowns


@dataclass(frozen=True)
class Replaced:
    """The replacement of unknown words in parts, each of which can be put wrong."""

    best: Callable = lambda weights, source: weights[:, : len(source)].argmax(1)
    translate: Callable = lambda lexicon, words, best, tokens: lexicon[words]
    is_missing: Callable = lambda translated: translated < 0
    otherwise: Callable = lambda words, best, unk: words
    chosen: Callable = lambda tokens, unk: tokens == unk

    def __call__(self, tokens, weights, source, lexicon, unk):
        best = self.best(weights, source)
        words = source[best]
        translated = self.translate(lexicon, words, best, tokens)
        new = torch.where(self.is_missing(translated), self.otherwise(words, best, unk), translated)
        return torch.where(self.chosen(tokens, unk), new, tokens)


def _bell(distance: Tensor, D: float) -> Tensor:
    return torch.exp(-(distance**2) / (2 * (D / 2) ** 2))


def _one_query(h_t: Tensor, near: Tensor, W_a: Tensor) -> Tensor:
    """Return the general scores of each target word and its own window."""
    return (near @ (h_t @ W_a)[..., None])[..., 0]


@dataclass(frozen=True)
class Windowed:
    """Attention to the windows alone in parts, each of which can be put wrong."""

    first: Callable = lambda p, lengths, D: (p - D).floor()
    near: Callable = lambda distance, D: distance.abs() <= D
    real: Callable = lambda s, lengths, source: (s >= 0) & (s < lengths)
    place: Callable = lambda s, lengths, source: s.clamp(0, source - 1)
    counted: Callable = lambda s: s
    centre: Callable = lambda p: p
    bell: Callable = _bell
    weigh: Callable = lambda scores, inside, bell: masked_softmax(scores, inside) * bell
    score: Callable = _one_query

    def __call__(self, h_t, h_s, W_a, p, lengths, D):
        source, true = h_s.shape[1], lengths[:, None, None]
        s = self.first(p, lengths[:, None], D).long()[..., None] + torch.arange(int(2 * D) + 2)
        distance = self.counted(s) - self.centre(p)[..., None]
        inside = self.near(distance, D) & self.real(s, true, source)
        states = h_s[torch.arange(len(h_s))[:, None, None], self.place(s, true, source)]
        weights = self.weigh(self.score(h_t, states, W_a), inside, self.bell(distance, D))
        return (weights[..., None, :] @ states)[..., 0, :]


def _best(choice):
    return Replaced(best=choice)


def _second(weights, source):
    kept = weights[:, : len(source)]
    return kept.topk(2).indices[:, 1] if len(source) > 1 else kept.argmax(1)


def _of_equal_by_word(weights, source):
    kept = weights[:, : len(source)]
    return (source * (kept == kept.amax(1, keepdim=True))).argmax(1)


def _each_once(tokens, weights, source, lexicon, unk):
    """Each source word is looked up once: the next unk that looks at it takes its second best."""
    new, left = tokens.clone(), torch.ones(len(source), dtype=torch.bool)
    for place in (tokens == unk).nonzero()[:, 0]:
        row = weights[place, : len(source)]
        best = (row.masked_fill(~left, -1.0) if left.any() else row).argmax()
        left[best] = False
        new[place] = torch.where(lexicon[source[best]] >= 0, lexicon[source[best]], source[best])
    return new


UNKNOWN = {
    "each source word once": _each_once,
    "in floats": lambda *given: U(*given).float(),
    "weights of two decimals": lambda t, w, s, x, u: U(t, (w * 100).round() / 100, s, x, u),
    "weights in float16": lambda t, w, s, x, u: U(t, w.half(), s, x, u),
    "second best": _best(_second),
    "over the target": _best(lambda w, s: w[:, : len(s)].argmax(0).clamp(max=len(s) - 1)[: len(w)].repeat(9)[: len(w)]),
    "row after": _best(lambda w, s: w[:, : len(s)].roll(-1, 0).argmax(1)),
    "row before": _best(lambda w, s: w[:, : len(s)].roll(1, 0).argmax(1)),
    "largest of all rows": _best(lambda w, s: w[:, : len(s)].sum(0).argmax().expand(len(w))),
    "one column fewer": _best(lambda w, s: w[:, : max(1, len(s) - 1)].argmax(1)),
    "last column cut off": _best(lambda w, s: w[:, : max(1, w.shape[1] - 1)].argmax(1).clamp(max=len(s) - 1)),
    "column counted from 1": _best(lambda w, s: (w[:, : len(s)].argmax(1) + 1).clamp(max=len(s) - 1)),
    "largest source word of equal ones": _best(_of_equal_by_word),
    "expected place": _best(lambda w, s: (w[:, : len(s)] @ torch.arange(len(s)).float()).round().long()),
    "columns wrapped": _best(lambda w, s: w.argmax(1) % len(s)),
    "unk where nothing": Replaced(otherwise=lambda words, best, unk: torch.zeros_like(words) + unk),
    "zero where nothing": Replaced(otherwise=lambda words, best, unk: torch.zeros_like(words)),
    "first entry where nothing": Replaced(otherwise=lambda words, best, unk: words[:1].expand_as(words)),
    "last entry of the lexicon": Replaced(translate=lambda lexicon, words, best, tokens: lexicon[words - 1]),
    "lexicon turned round": Replaced(
        translate=lambda lexicon, words, best, tokens: (lexicon == words[:, None]).long().argmax(1)
    ),
    "unk is 0": Replaced(chosen=lambda tokens, unk: tokens == 0),
    "unk is 1": Replaced(chosen=lambda tokens, unk: tokens == 1),
    "all but unk": Replaced(chosen=lambda tokens, unk: tokens != unk),
    "last unk alone": Replaced(
        chosen=lambda tokens, unk: (tokens == unk) & ((tokens == unk).flip(0).cumsum(0).flip(0) == 1)
    ),
    "at most two": Replaced(chosen=lambda tokens, unk: (tokens == unk) & ((tokens == unk).cumsum(0) <= 2)),
    "above unk": Replaced(chosen=lambda tokens, unk: tokens >= unk),
    "known ones looked up too": lambda t, w, s, x, u: torch.where(
        t == u, U(t, w, s, x, u), torch.where(x[t] < 0, t, x[t])
    ),
    "unk in the source skipped": lambda t, w, s, x, u: U(t, w[:, : len(s)].masked_fill(s == u, 0), s, x, u),
    "unk left out": lambda t, w, s, x, u: t[t != u],
    "replaced alone": lambda t, w, s, x, u: U(t, w, s, x, u)[t == u],
    "one more": lambda t, w, s, x, u: F.pad(U(t, w, s, x, u), (0, 1)),
    "a column": lambda t, w, s, x, u: U(t, w, s, x, u)[:, None],
    "in place": lambda t, w, s, x, u: t.copy_(U(t, w, s, x, u)),
    "lexicon changed": lambda t, w, s, x, u: (U(t, w, s, x, u), x.clamp_(min=0))[0],
    "weights changed": lambda t, w, s, x, u: (U(t, w, s, x, u), w.zero_())[0],
    "arguments back": lambda t, w, s, x, u: t,
    "the source": lambda t, w, s, x, u: s,
    "zeros": lambda t, w, s, x, u: torch.zeros_like(t),
    "places": lambda t, w, s, x, u: torch.where(t == u, w[:, : len(s)].argmax(1), t),
    "weights for words": lambda t, w, s, x, u: w.amax(1),
    "nothing": lambda t, w, s, x, u: None,
    "huge": lambda t, w, s, x, u: torch.zeros(600, 600, dtype=torch.int64),
    "needs more target words": lambda t, w, s, x, u: U(t, w, s, x, u) if len(t) >= len(s) else t,
}  # fmt: skip

W = windowed_attention


def _real(h_t, h_s, lengths):
    return (torch.arange(h_s.shape[1]) < lengths[:, None])[:, None].expand(-1, h_t.shape[1], -1)


def _near(p, lengths, source, D):
    return window(p, lengths[:, None].expand_as(p), source, D)


def _all_scores(h_t, h_s, W_a, p, lengths, D):
    weights = masked_softmax(general_score(h_t, h_s, W_a), _near(p, lengths, h_s.shape[1], D))
    return (weights * gaussian(p, h_s.shape[1], D)) @ h_s


def _window_after_softmax(h_t, h_s, W_a, p, lengths, D):
    weights = masked_softmax(general_score(h_t, h_s, W_a), _real(h_t, h_s, lengths))
    return (weights * _near(p, lengths, h_s.shape[1], D) * gaussian(p, h_s.shape[1], D)) @ h_s


def _one_word_at_once(*given):
    h_t, h_s, W_a, p, lengths, D = given
    contexts = [_all_scores(h_t[:, t : t + 1], h_s, W_a, p[:, t : t + 1], lengths, D) for t in range(h_t.shape[1])]
    return torch.cat(contexts, 1)


def _padded_source(h_t, h_s, W_a, p, lengths, D):
    """The right window, from a copy of all states with zeros on either side."""
    more = int(D) + 1
    states = F.pad(h_s, (0, 0, more, more))
    s = (p.detach() - D).ceil().long()[..., None] + torch.arange(int(2 * D) + 1)
    near = states[torch.arange(len(h_s))[:, None, None], (s + more).clamp(0, states.shape[1] - 1)]
    inside = ((s - p[..., None]).abs() <= D) & (s >= 0) & (s < lengths[:, None, None])
    bell = torch.exp(-2 * ((s - p[..., None]) / D) ** 2)
    weights = masked_softmax((near @ (h_t @ W_a)[..., None])[..., 0], inside) * bell
    return (weights[..., None, :] @ near)[..., 0, :]


def _keys_of_all(h_t, h_s, W_a, p, lengths, D):
    """All source states are projected before the window is cut."""
    keys = h_s @ W_a.T
    s = (p.detach() - D).ceil().long()[..., None] + torch.arange(int(2 * D) + 1)
    rows, place = torch.arange(len(h_s))[:, None, None], s.clamp(0, h_s.shape[1] - 1)
    inside = ((s - p[..., None]).abs() <= D) & (s >= 0) & (s < lengths[:, None, None])
    bell = torch.exp(-2 * ((s - p[..., None]) / D) ** 2)
    weights = masked_softmax((keys[rows, place] @ h_t[..., None])[..., 0], inside) * bell
    return (weights[..., None, :] @ h_s[rows, place])[..., 0, :]


def _no_maximum(scores, inside, bell):
    grown = scores.exp() * inside
    return grown / grown.sum(-1, keepdim=True) * bell


def _maximum_of_all(scores, inside, bell):
    grown = (scores - scores.amax(-1, keepdim=True)).exp() * inside
    return grown / grown.sum(-1, keepdim=True) * bell


def _epsilon(scores, inside, bell):
    grown = (scores - scores.amax(-1, keepdim=True)).exp() * inside
    return grown / (grown.sum(-1, keepdim=True) + 1e-3) * bell


def _places(count):
    """Return windowed attention with so many places for each window, from the smallest position on."""

    def answer(h_t, h_s, W_a, p, lengths, D):
        s = torch.ceil(p.detach() - D).long()[..., None] + torch.arange(count(D))
        inside = (s >= 0) & (s < lengths[:, None, None]) & ((s - p[..., None]).abs() <= D)
        near = h_s[torch.arange(len(h_s))[:, None, None], s.clamp(0, h_s.shape[1] - 1)]
        scores = (near @ (h_t @ W_a)[..., None])[..., 0]
        weights = masked_softmax(scores, inside) * torch.exp(-2 * ((s - p[..., None]) / D) ** 2)
        return (weights[..., None] * near).sum(-2)

    return answer


def _one_slice(h_t, h_s, W_a, p, lengths, D):
    """All windows of the batch lie in one slice: scores grow with the distance of the centres."""
    first, last = max(0, int(p.min() - D)), int(p.max() + D) + 1
    s = torch.arange(first, min(last, h_s.shape[1]))
    near, distance = h_s[:, first:last], s - p[..., None]
    inside = (s < lengths[:, None, None]) & (distance.abs() <= D)
    weights = masked_softmax(general_score(h_t, near, W_a), inside) * torch.exp(-2 * (distance / D) ** 2)
    return weights @ near


WINDOWED = {
    "2 int(D) + 1 places": _places(lambda D: 2 * int(D) + 1),
    "one slice for all": _one_slice,
    "all scores": _all_scores,
    "all scores, one word at once": _one_word_at_once,
    "window after softmax": _window_after_softmax,
    "padded source": _padded_source,
    "keys of all": _keys_of_all,
    "no maximum": Windowed(weigh=_no_maximum),
    "maximum of all slots": Windowed(weigh=lambda e, i, b: _maximum_of_all(e * 4, i, b)),
    "epsilon": Windowed(weigh=_epsilon),
    "fill 0": Windowed(weigh=lambda e, i, b: (e * i).softmax(-1) * b),
    "fill -9": Windowed(weigh=lambda e, i, b: e.masked_fill(~i, -9.0).softmax(-1) * b),
    "mask left out": Windowed(weigh=lambda e, i, b: e.softmax(-1) * b),
    "mask after softmax": Windowed(weigh=lambda e, i, b: e.softmax(-1) * b * i),
    "sigmoid": Windowed(weigh=lambda e, i, b: torch.sigmoid(e) * i * b),
    "gaussian alone": Windowed(weigh=lambda e, i, b: b * i / (b * i).sum(-1, keepdim=True)),
    "gaussian added": Windowed(weigh=lambda e, i, b: masked_softmax(e + b.log(), i)),
    "bell detached": Windowed(weigh=lambda e, i, b: masked_softmax(e, i) * b.detach()),
    "density": Windowed(bell=lambda d, D: torch.exp(-2 * (d / D) ** 2) / (D / 2 * 2.5066)),
    "not squared": Windowed(bell=lambda d, D: torch.exp(-2 * d.abs() / D**2)),
    "triangle": Windowed(bell=lambda d, D: 1 - d.abs() / (D + 1)),
    "ones": Windowed(bell=lambda d, D: torch.ones_like(d)),
    "sigma of the slots": Windowed(bell=lambda d, D: torch.exp(-2 * (d / (D + 0.5)) ** 2)),
    "half as wide": Windowed(near=lambda d, D: d.abs() <= D / 2),
    "D cut down": Windowed(near=lambda d, D: d.abs() <= int(D) - (int(D) != D)),
    "left edge left out": Windowed(near=lambda d, D: (d > -D) & (d <= D)),
    "right edge left out": Windowed(near=lambda d, D: (d >= -D) & (d < D)),
    "right half": Windowed(near=lambda d, D: (d >= 0) & (d <= D)),
    "p cut down": Windowed(centre=torch.floor),
    "p rounded up": Windowed(centre=torch.ceil),
    "length one less": Windowed(real=lambda s, n, source: (s >= 0) & (s < (n - 1).clamp(min=1))),
    "length of the first": Windowed(real=lambda s, n, source: (s >= 0) & (s < n[:1])),
    "negative ones count": Windowed(real=lambda s, n, source: s < n),
    "padding counts": Windowed(real=lambda s, n, source: (s >= 0) & (s < source)),
    "scaled": Windowed(score=lambda h, near, W: (near @ (h @ W)[..., None])[..., 0] / h.shape[-1] ** 0.5),
    "tanh": Windowed(score=lambda h, near, W: torch.tanh((near @ (h @ W)[..., None])[..., 0])),
    "first query": lambda h, *rest: W(h[:, :1].expand_as(h), *rest),
    "first sentence": lambda h, s, *rest: W(h, s[:1].expand_as(s), *rest),
    "target words turned round": lambda *given: W(*given).flip(1),
    "target first": lambda *given: W(*given).transpose(0, 1),
    "summed over the words": lambda *given: W(*given).sum(1, keepdim=True).expand(-1, given[0].shape[1], -1),
    "last one only": lambda *given: W(*given)[:, -1],
    "contexts and more": lambda *given: (W(*given), given[3]),
    "p detached": lambda h, s, m, p, n, D: W(h, s, m, p.detach(), n, D),
    "states detached": lambda h, s, *rest: W(h, s.detach(), *rest),
    "arguments back": lambda h, s, *rest: h,
    "nan": lambda *given: W(*given) * float("nan"),
    "zeros": lambda h, s, *rest: torch.zeros(*h.shape[:2], s.shape[2]),
    "changes p": lambda h, s, m, p, n, D: (W(h, s, m, p, n, D), p.data.round_())[0],
    "changes the lengths": lambda h, s, m, p, n, D: (W(h, s, m, p, n, D), n.add_(1))[0],
    "huge": lambda *given: torch.zeros(600, 600),
    "no edge for whole p": lambda h, s, m, p, n, D: W(h, s, m, p, n, D - 1e-3 * bool((p == p.round()).all())),
}  # fmt: skip

WRONG = {
    "luong.replaced_unknowns": UNKNOWN,
    "luong.windowed_attention": WINDOWED,
}
