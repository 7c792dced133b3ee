"""Wrong answers by hand and in the bug hunt, links, the alignment error rate, and a step that remembers."""

from solutions.bahdanau.attention import alignment_error_rate, links_of, rnnsearch_step

_memory: dict = {}


def _remembers_the_mask(word, state, annotations, projected, W_q, v, cell, mask=None):
    kept = _memory.setdefault(("mask", annotations.shape), mask)
    return rnnsearch_step(word, state, annotations, projected, W_q, v, cell, kept)


L = links_of


def _in(weights, threshold, change):
    return {change(t, s) for t, s in L(weights, threshold)}


LINKS = {
    "rounded to two decimals": lambda w, t: L(w if t is None else (w * 100).round() / 100, t),
    "rounded to four decimals": lambda w, t: L(w.round(decimals=4), t),
    "in float16": lambda w, t: L(w.half(), t),
    "everything": lambda w, t: {(i, j) for i in range(len(w)) for j in range(w.shape[1])},
    "diagonal": lambda w, t: {(i, min(i, w.shape[1] - 1)) for i in range(len(w))},
    "transposed with a threshold": lambda w, t: L(w, t) if t is None else _in(w, t, lambda i, j: (j, i)),
    "transposed without": lambda w, t: L(w, t) if t is not None else _in(w, t, lambda i, j: (j, i)),
    "smallest": lambda w, t: L(-w, None) if t is None else L(w, t),
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
    "changes the weights": lambda w, t: (L(w, t), w.zero_())[0],
    "remembers": lambda w, t: _memory.setdefault((w.shape, t is None), L(w, t)),
}

A = alignment_error_rate


def _in_place(links, sure, possible):
    possible |= sure
    return A(links, sure, possible)


RATE = {
    "one": lambda a, s, p: 1.0,
    "rounded": lambda a, s, p: round(A(a, s, p), 1),
    "whole": lambda a, s, p: int(A(a, s, p)),
    "arguments exchanged": lambda a, s, p: A(s, a, p),
    "sure and possible exchanged": lambda a, s, p: A(a, p, s),
    "f measure": lambda a, s, p: 1 - 2 * len(a & (s | p)) / max(len(a) + len(s | p), 1),
    "jaccard": lambda a, s, p: 1 - len(a & s) / max(len(a | s), 1),
    "union below": lambda a, s, p: 1 - (len(a & s) + len(a & (p | s))) / max(len(a | s), 1),
    "links below": lambda a, s, p: 1 - (len(a & s) + len(a & (p | s))) / max(2 * len(a), 1),
    "unions for intersections": lambda a, s, p: 1 - (len(a | s) + len(a | p)) / max(len(a) + len(s), 1),
    "missed ones free": lambda a, s, p: len(a - s - p) / max(len(a) + len(s), 1),
    "wrong ones free": lambda a, s, p: len(s - a) / max(len(a) + len(s), 1),
    "possible ones must be found": lambda a, s, p: (len(a - s - p) + len((s | p) - a)) / max(len(a) + len(s), 1),
    "possible counted half": lambda a, s, p: 1 - (2 * len(a & s) + len((a & p) - s) / 2) / max(len(a) + len(s), 1),
    "all of no P": lambda a, s, p: A(a, s, p) if p else 1.0,
    "zero without P": lambda a, s, p: A(a, s, p) if p else 0.0,
    "target words": lambda a, s, p: A({(t, 0) for t, _ in a}, {(t, 0) for t, _ in s}, {(t, 0) for t, _ in p}),
    "either order": lambda a, s, p: A({tuple(sorted(x)) for x in a}, {tuple(sorted(x)) for x in s}, p),
    "transposed": lambda a, s, p: A({(y, x) for x, y in a}, s, p),
    "at least a tenth": lambda a, s, p: max(A(a, s, p), 0.1),
    "changes P": _in_place,
    "remembers": lambda a, s, p: _memory.setdefault(("rate", len(a), len(s)), A(a, s, p)) * 0.999,
}

WRONG = {
    "bahdanau.rnnsearch_step": [_remembers_the_mask],
    "bahdanau.links_of": LINKS,
    "bahdanau.alignment_error_rate": RATE,
}
