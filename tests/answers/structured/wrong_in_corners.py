"""More wrong answers of the structured self-attention exercise: right nearly everywhere, wrong at one size."""

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import masked_softmax
from solutions.structured.attention import hop_weights, penalization, structured_attention

P = penalization
R = structured_attention


def _penalty_when(condition, wrong):
    """Return a penalty that is wrong where the condition holds."""
    return lambda A: wrong(A) if condition(A) else P(A)


def _residue(A):
    return A @ A.transpose(1, 2) - torch.eye(A.shape[1])


def _scaled_gradient(x, factor):
    return x * factor + (x * (1 - factor)).detach()


def _words(A):
    return P(A.transpose(1, 2))


PENALTY = {
    "words with words where square": _penalty_when(lambda A: A.shape[1] == A.shape[2], lambda A: _words(A) + 1e-3),
    "words with words where there are more hops": _penalty_when(lambda A: A.shape[1] > A.shape[2], _words),
    "words with words where there are fewer hops": _penalty_when(lambda A: A.shape[1] < A.shape[2], _words),
    "norm for one sentence": _penalty_when(lambda A: len(A) == 1, lambda A: P(A).sqrt()),
    "one number for one sentence": _penalty_when(lambda A: len(A) == 1, lambda A: P(A).sum()),
    "nothing for one hop": _penalty_when(lambda A: A.shape[1] == 1, lambda A: 0 * P(A)),
    "one hop overlaps with nobody": _penalty_when(lambda A: A.shape[1] == 1, lambda A: P(A) + 1),
    "nothing for one word": _penalty_when(lambda A: A.shape[2] == 1, lambda A: 0 * P(A)),
    "batch for hops where it fits": _penalty_when(
        lambda A: A.shape[0] == A.shape[1], lambda A: (A @ A.transpose(1, 2) - torch.eye(len(A))).square().sum((0, 1))
    ),
    "identity as broadcast of a diagonal": lambda A: (
        (A @ A.transpose(1, 2) - torch.ones(A.shape[1])).square().sum((1, 2))
    ),
    "identity of four hops": lambda A: (
        (A @ A.transpose(1, 2) - F.pad(torch.eye(4), (0, 9, 0, 9))[: A.shape[1], : A.shape[1]]).square().sum((1, 2))
    ),
    "diagonal is taken to be 1": lambda A: (A @ A.transpose(1, 2) * (1 - torch.eye(A.shape[1]))).square().sum((1, 2)),
    "rows are made to sum to 1": lambda A: P(A / A.sum(-1, keepdim=True)),
    "negative weights are cut": lambda A: P(A.clamp(min=0)),
    "large overlaps are cut": lambda A: (
        (A @ A.transpose(1, 2)).clamp(max=1).sub(torch.eye(A.shape[1])).square().sum((1, 2))
    ),
    "a thousandth of the root": lambda A: P(A) + 1e-3 * (P(A) + 1e-9).sqrt(),
    "one in a thousand more": lambda A: P(A) * 1.001,
    "epsilon under a root": lambda A: (P(A) + 1e-3).sqrt() ** 2,
    "mean of the batch in half": lambda A: 0.999 * P(A) + 0.001 * P(A).mean(),
    "upper half doubled": lambda A: 2 * _residue(A).triu().square().sum((1, 2)),
    "bfloat16": lambda A: P(A.bfloat16()).float(),
    "gradient doubled": lambda A: P(_scaled_gradient(A, 2)),
    "gradient off by 1 %": lambda A: P(_scaled_gradient(A, 1.01)),
    "gradient of one factor cut": lambda A: (A @ A.data.transpose(1, 2) - torch.eye(A.shape[1])).square().sum((1, 2)),
    "gradient of the square cut": lambda A: (_residue(A).detach() * _residue(A)).sum((1, 2)),
    "no gradient": lambda A: P(A.data),
    "scales the weights": lambda A: (P(A), A.data.mul_(0.5))[0],
    "dropout": lambda A: P(F.dropout(A, 0.01)),
    "with an axis": lambda A: P(A)[:, None],
    "with a first axis": lambda A: P(A)[None],
    "a pair": lambda A: (P(A), A),
    "whole numbers": lambda A: P(A).round(),
}


def _when(condition, wrong):
    """Return attention that is wrong where the condition holds."""
    return lambda H, W, V, m=None: wrong(H, W, V, m) if condition(H, W, V, m) else R(H, W, V, m)


def _given(change):
    """Return attention whose arguments are changed before."""
    return lambda H, W, V, m=None: R(*change(H, W, V, m))


def _then(change):
    """Return attention whose results are changed after."""
    return lambda H, W, V, m=None: change(*R(H, W, V, m), H, m)


def _attended(scores, H, m):
    A = masked_softmax(scores, None if m is None else m[:, None].expand_as(scores))
    return A @ H, A, P(A)


def _scored(score):
    """Return attention with other scores."""
    return lambda H, W, V, m=None: _attended(score(H, W, V), H, m)


def _viewed(H, W, V, m=None):
    return _attended((torch.tanh(H @ W.T) @ V.T).reshape(len(H), len(V), -1), H, m)


def _unmasked(H, W, V, m=None):
    return R(H, W, V, None)


def _has_gaps(H, W, V, m):
    return m is not None and bool((m.int().diff(dim=1) > 0).any())


ATTENTION = {
    "viewed where hops and words are equal": _when(lambda H, W, V, m: H.shape[1] == len(V), _viewed),
    "viewed where there are more hops": _when(lambda H, W, V, m: H.shape[1] < len(V), _viewed),
    "viewed where there are fewer hops": _when(lambda H, W, V, m: H.shape[1] > len(V), _viewed),
    "matrices swapped where they fit": _when(lambda H, W, V, m: W.shape == V.shape, lambda H, W, V, m: R(H, V, W, m)),
    "W_s1 turned where it is square": _when(
        lambda H, W, V, m: W.shape == W.T.shape, lambda H, W, V, m: R(H, W.T, V, m)
    ),
    "W_s2 turned where it is square": _when(
        lambda H, W, V, m: V.shape == V.T.shape, lambda H, W, V, m: R(H, W, V.T, m)
    ),
    "mask ignored for one sentence": _when(lambda H, W, V, m: len(H) == 1, _unmasked),
    "mask ignored for one hop": _when(lambda H, W, V, m: len(V) == 1, _unmasked),
    "mask ignored with gaps": _when(_has_gaps, _unmasked),
    "mask ignored for prefixes": _when(lambda *given: given[3] is not None and not _has_gaps(*given), _unmasked),
    "mask ignored in a large batch": _when(lambda H, W, V, m: len(H) >= 5, _unmasked),
    "mask of the next sentence": _given(lambda H, W, V, m: (H, W, V, m if m is None else m.roll(1, 0))),
    "mask shifted": _given(lambda H, W, V, m: (H, W, V, m if m is None else m.roll(1, 1))),
    "mask up to the last True": _given(
        lambda H, W, V, m: (H, W, V, m if m is None else m.flip(1).cummax(1).values.flip(1))
    ),
    "first word always kept": _given(
        lambda H, W, V, m: (H, W, V, m if m is None else m | (torch.arange(H.shape[1]) == 0))
    ),
    "mask as hops where it fits": _when(
        lambda H, W, V, m: m is not None and H.shape[1] == len(V),
        lambda H, W, V, m: _attended(
            (V @ torch.tanh(W @ H.transpose(1, 2))).masked_fill(~m[:, :, None], -1e9), H, None
        ),
    ),
    "fill -30": lambda H, W, V, m=None: _attended(
        (V @ torch.tanh(W @ H.transpose(1, 2))).masked_fill(
            torch.zeros_like(H[..., 0], dtype=bool)[:, None] if m is None else ~m[:, None], -30.0
        ),
        H,
        None,
    ),
    "scores clipped to 100": _scored(
        lambda H, W, V: (V @ torch.tanh(W @ H.transpose(1, 2))).clamp(-100, 100) * 1.0 + 0
    ),
    "scores clipped to 3": _scored(lambda H, W, V: (V @ torch.tanh(W @ H.transpose(1, 2))).clamp(-3, 3)),
    "softsign": _scored(lambda H, W, V: V @ F.softsign(W @ H.transpose(1, 2))),
    "erf": _scored(lambda H, W, V: V @ torch.erf(W @ H.transpose(1, 2))),
    "tanh twice": _scored(lambda H, W, V: V @ torch.tanh(torch.tanh(W @ H.transpose(1, 2)))),
    "tanh also outside": _scored(lambda H, W, V: torch.tanh(V @ torch.tanh(W @ H.transpose(1, 2)))),
    "first unit left out": _scored(lambda H, W, V: V[:, 1:] @ torch.tanh(W @ H.transpose(1, 2))[:, 1:]),
    "layer norm inside": _scored(lambda H, W, V: V @ F.layer_norm(torch.tanh(W @ H.transpose(1, 2)), (H.shape[1],))),
    "divided by hops": _scored(lambda H, W, V: V @ torch.tanh(W @ H.transpose(1, 2)) / len(V)),
    "plus the position": _scored(
        lambda H, W, V: V @ torch.tanh(W @ H.transpose(1, 2)) + 0.1 * torch.arange(H.shape[1])
    ),
    "first hop for all": _given(lambda H, W, V, m: (H, W, V[:1].expand_as(V), m)),
    "hops sorted": _then(lambda M, A, p, H, m: (M, A.sort(dim=1).values, p)),
    "hops made different": _then(lambda M, A, p, H, m: ((A := F.normalize(A, p=1, dim=1)) @ H, A, P(A))),
    "M as a mean over real words": _then(
        lambda M, A, p, H, m: (M / (H.shape[1] if m is None else m.sum(1)[:, None, None]), A, p)
    ),
    "M with the mean of the states": _then(lambda M, A, p, H, m: (M + 0.01 * H.mean(1, keepdim=True), A, p)),
    "M of the best word": _then(lambda M, A, p, H, m: (H[torch.arange(len(H))[:, None], A.argmax(-1)], A, p)),
    "M of unit length": _then(lambda M, A, p, H, m: (F.normalize(M, dim=-1), A, p)),
    "A of the first sentence": _then(lambda M, A, p, H, m: (M, A[:1].expand_as(A), p)),
    "A pruned": _then(lambda M, A, p, H, m: (M, A * (A > 0.01), p)),
    "A rounded": _then(lambda M, A, p, H, m: (M, (A * 1000).round() / 1000, p)),
    "penalty of real hops": _then(lambda M, A, p, H, m: (M, A, p - (A.shape[1] > H.shape[1]) * 1.0)),
    "penalty over the batch": _then(lambda M, A, p, H, m: (M, A, p.mean().expand(len(A)))),
    "penalty of the first": _then(lambda M, A, p, H, m: (M, A, p[:1].expand(len(A)))),
    "penalty by words": _then(lambda M, A, p, H, m: (M, A, p / H.shape[1])),
    "penalty of detached weights": _then(lambda M, A, p, H, m: (M, A, P(A.detach()))),
    "M of detached weights": _then(lambda M, A, p, H, m: (A.detach() @ H, A, p)),
    "A detached": _then(lambda M, A, p, H, m: (M, A.detach(), p)),
    "gradient of the states cut": lambda H, W, V, m=None: (lambda A: (A @ H, A, P(A)))(
        hop_weights(H.detach(), W, V, m)
    ),
    "gradient of the summed states cut": lambda H, W, V, m=None: (lambda A: (A @ H.detach(), A, P(A)))(
        hop_weights(H, W, V, m)
    ),
    "gradient of W_s1 cut": _given(lambda H, W, V, m: (H, W.detach(), V, m)),
    "gradient of W_s2 halved": _given(lambda H, W, V, m: (H, W, _scaled_gradient(V, 0.5), m)),
    "zeroes the padded states": lambda H, W, V, m=None: (R(H, W, V, m), m is not None and H.data.mul_(m[..., None]))[0],
    "cleans the mask": lambda H, W, V, m=None: (R(H, W, V, m), m is not None and m.fill_(True))[0],
    "noise": _given(lambda H, W, V, m: (H + 1e-3 * torch.randn_like(H), W, V, m)),
    "asks for a mask": lambda H, W, V, m: R(H, W, V, m.bool()),
    "no mask given": lambda H, W, V: R(H, W, V),
    "a dictionary": lambda H, W, V, m=None: dict(zip("MAp", R(H, W, V, m), strict=True)),
    "two results": lambda H, W, V, m=None: R(H, W, V, m)[:2],
    "penalty first": lambda H, W, V, m=None: R(H, W, V, m)[::-1],
}

WRONG = {
    "structured.penalization": PENALTY,
    "structured.structured_attention": ATTENTION,
    "structured.repaired_attention": ATTENTION,
}
