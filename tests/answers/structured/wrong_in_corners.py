"""More wrong answers of the structured self-attention exercise: right nearly everywhere, wrong at one size."""

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import masked_softmax
from solutions.structured.attention import penalization, structured_attention

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
    "words with words where there are fewer hops": _penalty_when(lambda A: A.shape[1] < A.shape[2], _words),
    "nothing for one word": _penalty_when(lambda A: A.shape[2] == 1, lambda A: 0 * P(A)),
    "batch for hops where it fits": _penalty_when(
        lambda A: A.shape[0] == A.shape[1], lambda A: (A @ A.transpose(1, 2) - torch.eye(len(A))).square().sum((0, 1))
    ),
    "identity of four hops": lambda A: (
        (A @ A.transpose(1, 2) - F.pad(torch.eye(4), (0, 9, 0, 9))[: A.shape[1], : A.shape[1]]).square().sum((1, 2))
    ),
    "rows are made to sum to 1": lambda A: P(A / A.sum(-1, keepdim=True)),
    "negative weights are cut": lambda A: P(A.clamp(min=0)),
    "mean of the batch in half": lambda A: 0.999 * P(A) + 0.001 * P(A).mean(),
    "dropout": lambda A: P(F.dropout(A, 0.01)),
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
    "mask ignored for one sentence": _when(lambda H, W, V, m: len(H) == 1, _unmasked),
    "mask ignored for one hop": _when(lambda H, W, V, m: len(V) == 1, _unmasked),
    "mask ignored for prefixes": _when(lambda *given: given[3] is not None and not _has_gaps(*given), _unmasked),
    "mask ignored in a large batch": _when(lambda H, W, V, m: len(H) >= 5, _unmasked),
    "mask shifted": _given(lambda H, W, V, m: (H, W, V, m if m is None else m.roll(1, 1))),
    "mask as hops where it fits": _when(
        lambda H, W, V, m: m is not None and H.shape[1] == len(V),
        lambda H, W, V, m: _attended(
            (V @ torch.tanh(W @ H.transpose(1, 2))).masked_fill(~m[:, :, None], -1e9), H, None
        ),
    ),
    "scores clipped to 3": _scored(lambda H, W, V: (V @ torch.tanh(W @ H.transpose(1, 2))).clamp(-3, 3)),
    "first unit left out": _scored(lambda H, W, V: V[:, 1:] @ torch.tanh(W @ H.transpose(1, 2))[:, 1:]),
    "hops sorted": _then(lambda M, A, p, H, m: (M, A.sort(dim=1).values, p)),
    "A of the first sentence": _then(lambda M, A, p, H, m: (M, A[:1].expand_as(A), p)),
    "A pruned": _then(lambda M, A, p, H, m: (M, A * (A > 0.01), p)),
    "A rounded": _then(lambda M, A, p, H, m: (M, (A * 1000).round() / 1000, p)),
    "penalty of real hops": _then(lambda M, A, p, H, m: (M, A, p - (A.shape[1] > H.shape[1]) * 1.0)),
    "penalty over the batch": _then(lambda M, A, p, H, m: (M, A, p.mean().expand(len(A)))),
    "zeroes the padded states": lambda H, W, V, m=None: (R(H, W, V, m), m is not None and H.data.mul_(m[..., None]))[0],
    "cleans the mask": lambda H, W, V, m=None: (R(H, W, V, m), m is not None and m.fill_(True))[0],
    "noise": _given(lambda H, W, V, m: (H + 1e-3 * torch.randn_like(H), W, V, m)),
    "penalty first": lambda H, W, V, m=None: R(H, W, V, m)[::-1],
}

WRONG = {
    "structured.penalization": PENALTY,
    "structured.structured_attention": ATTENTION,
    "structured.repaired_attention": ATTENTION,
}
