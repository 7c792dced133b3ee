"""Wrong answers of how alike hops are, of the pruned layer, of the way back through the penalty, and by hand."""

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import masked_softmax
from solutions.structured.attention import hop_overlap, penalization, penalty_backward, pruned_output
from tests.answers.not_by_hand import not_by_hand

C, P, B = hop_overlap, pruned_output, penalty_backward

HAND = {
    "exchanged": lambda: (0.5604, 4.0),
    "nothing": lambda: (0.0, 0.0),
    "one number": lambda: 4.0,
    "nan": lambda: (float("nan"), float("nan")),
    "one decimal": lambda: (4.1, 0.6),
    "words": lambda: ("4.0", "0.56"),
}
INPUT = {
    "one hop": lambda: (torch.randn(2, 3, 4), torch.randn(5, 4), torch.randn(1, 5), None),
    "one word": lambda: (torch.randn(2, 1, 4), torch.randn(5, 4), torch.randn(3, 5), None),
    "equal words and hops": lambda: (torch.ones(1, 2, 1), torch.ones(1, 1), torch.ones(2, 1), None),
    "too large": lambda: (torch.randn(20, 30, 10), torch.randn(5, 10), torch.randn(3, 5), None),
    "not a number": lambda: (torch.full((1, 2, 1), torch.nan), torch.ones(1, 1), torch.ones(2, 1), None),
    "no mask given": lambda: (torch.randn(2, 3, 4), torch.randn(5, 4), torch.randn(3, 5)),
    "empty mask": lambda: (torch.randn(1, 2, 1), torch.ones(1, 1), torch.randn(2, 1), torch.tensor([[False, False]])),
    "sizes that do not fit": lambda: (torch.randn(2, 3, 4), torch.randn(5, 3), torch.randn(3, 5), None),
}
DIAGNOSIS = {
    "another line": lambda: (7, "e"),
    "another kind": lambda: (6, "a"),
    "neither": lambda: (2, "f"),
    "a letter alone": lambda: "e",
}


def _kept(A, m):
    return A if m is None else A * m[:, None]


def _rows(A):
    return A / A.norm(dim=-1, keepdim=True)


def _product(one, other):
    return one @ other.transpose(1, 2)


OVERLAP = {
    "epsilon of a tenth": lambda A, m: _product(x := _kept(A, m) / (_kept(A, m).norm(dim=-1, keepdim=True) + 0.1), x),
    "clamped at one half": lambda A, m: _product(
        x := _kept(A, m) / _kept(A, m).norm(dim=-1, keepdim=True).clamp(min=0.5), x
    ),
    "clamped at a hundredth": lambda A, m: _product(
        x := _kept(A, m) / _kept(A, m).norm(dim=-1, keepdim=True).clamp(min=1e-2), x
    ),
    "norm of order 1": lambda A, m: _product(x := F.normalize(_kept(A, m), p=1, dim=-1), x),
    "norm of order 3": lambda A, m: _product(x := F.normalize(_kept(A, m), p=3, dim=-1), x),
    "over the batch": lambda A, m: _product(x := F.normalize(_kept(A, m), dim=0), x),
    "over the hops": lambda A, m: _product(x := F.normalize(_kept(A, m), dim=1), x),
    "softmax of the products": lambda A, m: _product(_kept(A, m), _kept(A, m)).softmax(-1),
    "divided by the diagonal": lambda A, m: (
        (x := _product(_kept(A, m), _kept(A, m))) / x.diagonal(dim1=1, dim2=2)[..., None]
    ),
    "divided by the largest": lambda A, m: (x := _product(_kept(A, m), _kept(A, m))) / x.amax((1, 2), keepdim=True),
    "smallest of the two": lambda A, m: torch.minimum(_kept(A, m)[:, :, None], _kept(A, m)[:, None]).sum(-1),
    "jaccard": lambda A, m: (
        torch.minimum(_kept(A, m)[:, :, None], _kept(A, m)[:, None]).sum(-1)
        / torch.maximum(_kept(A, m)[:, :, None], _kept(A, m)[:, None]).sum(-1)
    ),
    "bhattacharyya": lambda A, m: _product(_kept(A, m).sqrt(), _kept(A, m).sqrt()),
    "root of the cosine": lambda A, m: C(A, m).sqrt(),
    "the upper half": lambda A, m: C(A, m).triu(),
    "diagonal of zeros": lambda A, m: C(A, m) - torch.eye(A.shape[1]),
    "diagonal of the squares": lambda A, m: (
        C(A, m) * (1 - torch.eye(A.shape[1])) + torch.diag_embed(_kept(A, m).square().sum(-1))
    ),
    "prefix of the mask": lambda A, m: C(A, m if m is None else torch.arange(A.shape[2]) < m.sum(1, keepdim=True)),
    "first mask for all": lambda A, m: C(A, m if m is None else m[:1].expand_as(m)),
    "mask ignored for one sentence": lambda A, m: C(A, None if len(A) == 1 else m),
    "masked on one side": lambda A, m: _product(_rows(_kept(A, m)), _rows(A)),
    "masked in the products alone": lambda A, m: (
        _product(_kept(A, m), _kept(A, m)) / (A.norm(dim=-1)[:, :, None] * A.norm(dim=-1)[:, None])
    ),
    "masked with 1e-9": lambda A, m: C(A if m is None else A.masked_fill(~m[:, None], 0.05)),
    "mask on the hops": lambda A, m: C(
        A * m[..., None] if m is not None and m.shape[1] == A.shape[1] else _kept(A, m) + 0.01
    ),
    "made to add up to 1": lambda A, m: _product(_kept(A, m), _kept(A, m)) if len(A) > 4 else C(A, m),
    "words": lambda A, m: C(A.transpose(1, 2)),
    "lower bound": lambda A, m: C(A, m).clamp(min=0.5),
    "of the mean": lambda A, m: C(A, m).mean(0, keepdim=True).expand(len(A), -1, -1),
    "pairs": lambda A, m: C(A, m)[:, :1],
    "nan": lambda A, m: C(A, m) * float("nan"),
    "arguments back": lambda A, m: A,
    "fills the argument": lambda A, m: C(A if m is None else A.data.masked_fill_(~m[:, None], 0)) + 0 * A.sum(),
    "huge": lambda A, m: torch.zeros(600, 600),
    "needs a mask": lambda A, m: C(A, m & m),
}


def _pruned(**parts):
    """Return the layer, some part of which is another."""
    rows = parts.get("rows", lambda M, W: torch.einsum("brd,rpd->brp", M, W))
    columns = parts.get("columns", lambda M, W: torch.einsum("brd,dqr->bdq", M, W))
    end = parts.get("end", torch.relu)
    return lambda M, W_v, W_h: end(torch.cat([rows(M, W_v).flatten(1), columns(M, W_h).flatten(1)], 1))


def _then(change):
    return lambda M, W_v, W_h: change(P(M, W_v, W_h))


PRUNED = {
    "gelu": _pruned(end=F.gelu),
    "leaky": _pruned(end=F.leaky_relu),
    "softplus": _pruned(end=F.softplus),
    "absolute": _pruned(end=torch.abs),
    "squared": _pruned(end=lambda x: x.relu() ** 2),
    "cut at 1": _pruned(end=lambda x: x.clamp(0, 1)),
    "cut at 6": lambda M, W_v, W_h: F.relu6(4 * P(M, W_v, W_h)) / 4,
    "negative": _pruned(end=lambda x: (-x).relu()),
    "rows added up": _pruned(rows=lambda M, W: torch.einsum("brd,spd->bsp", M, W)),
    "columns added up": _pruned(columns=lambda M, W: torch.einsum("brd,eqr->beq", M, W)),
    "next row's matrix": _pruned(rows=lambda M, W: torch.einsum("brd,rpd->brp", M, W.roll(1, 0))),
    "next column's matrix": _pruned(columns=lambda M, W: torch.einsum("brd,dqr->bdq", M, W.roll(1, 0))),
    "rows reversed": _pruned(rows=lambda M, W: torch.einsum("brd,rpd->brp", M.flip(1), W)),
    "order of units p r": _pruned(rows=lambda M, W: torch.einsum("brd,rpd->bpr", M, W)),
    "order of units q d": _pruned(columns=lambda M, W: torch.einsum("brd,dqr->bqd", M, W)),
    "mean over the features": _pruned(rows=lambda M, W: torch.einsum("brd,rpd->brp", M, W) / M.shape[2]),
    "mean over the hops": _pruned(columns=lambda M, W: torch.einsum("brd,dqr->bdq", M, W) / M.shape[1]),
    "columns read the first sentence": _pruned(
        columns=lambda M, W: torch.einsum("rd,dqr->dq", M[0], W).expand(len(M), -1, -1)
    ),
    "rows detached": _pruned(rows=lambda M, W: torch.einsum("brd,rpd->brp", M.detach(), W)),
    "matrices detached": lambda M, W_v, W_h: P(M, W_v, W_h.detach()),
    "columns first": lambda M, W_v, W_h: torch.cat(
        [P(M, W_v, W_h)[:, W_v[..., 0].numel() :], P(M, W_v, W_h)[:, : W_v[..., 0].numel()]], 1
    ),
    "rows alone": lambda M, W_v, W_h: P(M, W_v, W_h)[:, : W_v[..., 0].numel()],
    "columns alone": lambda M, W_v, W_h: P(M, W_v, W_h)[:, W_v[..., 0].numel() :],
    "two results": lambda M, W_v, W_h: P(M, W_v, W_h).split([W_v[..., 0].numel(), W_h[..., 0].numel()], 1),
    "reversed": _then(lambda h: h.flip(1)),
    "sorted": _then(lambda h: h.sort(dim=1).values),
    "normalised": _then(lambda h: F.normalize(h, dim=1)),
    "with an axis": _then(lambda h: h[:, None]),
    "transposed": _then(lambda h: h.T),
    "numbers": _then(lambda h: h.tolist()),
    "nan": _then(lambda h: h * float("nan")),
    "zeros": _then(torch.zeros_like),
    "flat M": lambda M, W_v, W_h: M.flatten(1).relu(),
    "huge": lambda M, W_v, W_h: torch.zeros(600, 600),
}


def _weights(scores, m):
    return masked_softmax(scores, None if m is None else m[:, None].expand_as(scores))


def _way(weights=_weights, slope=None, softmax=None):
    """Return the way back, some part of which is another."""
    slope = slope or (lambda A: 4 * (A @ A.mT - torch.eye(A.shape[1])) @ A)
    softmax = softmax or (lambda A, g: A * (g - (A * g).sum(-1, keepdim=True)))

    def back(d, e, m):
        A = weights(e, m)
        return softmax(A, d[:, None, None] * slope(A))

    return back


def _by_autograd(d, e, m):
    with torch.enable_grad():
        e = e.clone().requires_grad_()
        return torch.autograd.grad((penalization(_weights(e, m)) * d).sum(), e)[0]


def _by_backward(d, e, m):
    e = e.clone().requires_grad_()
    (penalization(_weights(e, m)) * d).sum().backward()
    return e.grad


def _by_differences(d, e, m):
    slopes = torch.zeros_like(e).flatten(1)
    for place in range(slopes.shape[1]):
        moved = e.clone().flatten(1)
        moved[:, place] += 0.01
        slopes[:, place] = (penalization(_weights(moved.view_as(e), m)) - penalization(_weights(e, m))) / 0.01
    return slopes.view_as(e) * d[:, None, None]


def _share(grown):
    return grown / grown.sum(-1, keepdim=True)


BACKWARD = {
    **not_by_hand(lambda e, m: penalization(masked_softmax(e, m if m is None else m[:, None].expand_as(e))), (0,)),
    "by autograd": _by_autograd,
    "by backward": _by_backward,
    "by differences": _by_differences,
    "factor 3": lambda d, e, m: 0.75 * B(d, e, m),
    "factor 8": lambda d, e, m: 2 * B(d, e, m),
    "residue alone": _way(slope=lambda A: 4 * (A @ A.mT) @ A),
    "hops mixed twice": _way(slope=lambda A: 4 * (x := A @ A.mT - torch.eye(A.shape[1])) @ x @ A),
    "sign of the residue": _way(slope=lambda A: 4 * (A @ A.mT - torch.eye(A.shape[1])).sign() @ A),
    "identity added": _way(slope=lambda A: 4 * (A @ A.mT + torch.eye(A.shape[1])) @ A),
    "diagonal alone": _way(slope=lambda A: 4 * ((A * A).sum(-1, keepdim=True) - 1) * A),
    "upper half alone": _way(slope=lambda A: 4 * (A @ A.mT - torch.eye(A.shape[1])).triu() @ A),
    "detached transpose": _way(slope=lambda A: 2 * (A @ A.mT - torch.eye(A.shape[1])) @ A),
    "softmax squared": _way(softmax=lambda A, g: A * A * (g - (A * g).sum(-1, keepdim=True))),
    "weights left out": _way(softmax=lambda A, g: g - (A * g).sum(-1, keepdim=True)),
    "plus": _way(softmax=lambda A, g: A * (g + (A * g).sum(-1, keepdim=True))),
    "plain sum": _way(softmax=lambda A, g: A * (g - g.sum(-1, keepdim=True))),
    "through the softmax twice": _way(
        softmax=lambda A, g: (
            A * ((x := A * (g - (A * g).sum(-1, keepdim=True))) - (A * x).sum(-1, keepdim=True))
        )
    ),
    "of a sigmoid": _way(softmax=lambda A, g: A * (1 - A) * g),
    "fill 0": _way(weights=lambda e, m: (e if m is None else e * m[:, None]).softmax(-1)),
    "fill -20": _way(weights=lambda e, m: (e if m is None else e.masked_fill(~m[:, None], -20.0)).softmax(-1)),
    "softmax by exp": _way(weights=lambda e, m: _share(e.exp() * (1 if m is None else m[:, None]))),
    "softmax over the hops": _way(
        weights=lambda e, m: (e if m is None else e.masked_fill(~m[:, None], -1e9)).softmax(1)
    ),
    "softmax over the batch": _way(
        weights=lambda e, m: (e if m is None else e.masked_fill(~m[:, None], -1e9)).softmax(0)
    ),
    "scores for weights": _way(weights=lambda e, m: e),
    "mask ignored for one sentence": lambda d, e, m: B(d, e, None if len(e) == 1 else m),
    "first mask for all": lambda d, e, m: B(d, e, m if m is None else m[:1].expand_as(m)),
    "prefix of the mask": lambda d, e, m: B(
        d, e, m if m is None else torch.arange(e.shape[2]) < m.sum(1, keepdim=True)
    ),
    "padding gets 1": lambda d, e, m: B(d, e, m) if m is None else B(d, e, m).masked_fill(~m[:, None], 1.0),
    "mean of the outer": lambda d, e, m: B(d.mean().expand_as(d), e, m),
    "absolute outer": lambda d, e, m: B(d.abs(), e, m),
    "outer of the batch": lambda d, e, m: B(d.flip(0), e, m) if len(d) > 1 else B(d * 2, e, m),
    "of the sum": lambda d, e, m: B(d, e, m).sum(0, keepdim=True).expand_as(e),
    "divided by the batch": lambda d, e, m: B(d, e, m) / (len(e) + 1),
    "clipped": lambda d, e, m: B(d, e, m).clamp(-0.1, 0.1),
    "normalised": lambda d, e, m: F.normalize(B(d, e, m), dim=-1),
    "rounded": lambda d, e, m: (B(d, e, m) * 100).round() / 100,
    "half": lambda d, e, m: B(d, e, m).half().float() * 1.01,
    "two results": lambda d, e, m: (B(d, e, m), d),
    "transposed": lambda d, e, m: B(d, e, m).mT,
    "nan": lambda d, e, m: B(d, e, m) * float("nan"),
    "zeros": lambda d, e, m: torch.zeros_like(e),
    "arguments back": lambda d, e, m: e,
    "changes d": lambda d, e, m: (B(d, e, m), d.zero_())[0],
    "huge": lambda d, e, m: torch.zeros(600, 600),
}  # fmt: skip

WRONG = {
    "structured.penalty_by_hand": HAND,
    "structured.failing_input": INPUT,
    "structured.diagnosis": DIAGNOSIS,
    "structured.hop_overlap": OVERLAP,
    "structured.pruned_output": PRUNED,
    "structured.penalty_backward": BACKWARD,
}
