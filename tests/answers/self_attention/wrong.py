"""Wrong answers of the self-attention exercise that are no edits of the reference: none may get all points."""

import torch
from torch import nn

from solutions.self_attention.attention import SelfAttention, scaled_dot_product, self_attention


def _rows(mask):
    return None if mask is None else mask[:, None]


def _made(change, forward=SelfAttention.forward):
    """Return the module with a change made to it once it is made, and another `forward`."""

    def init(self, d, k, v):
        SelfAttention.__init__(self, d, k, v)
        change(self, d, k, v)

    methods = {"__init__": init, "forward": lambda self, X, mask=None: forward(self, X, mask)}
    return type("SelfAttention", (SelfAttention,), methods)


def _calling(forward):
    """Return the module with another `forward`."""
    return _made(lambda *_: None, forward)


def _matrices(module, change):
    return [change(matrix) for matrix in (module.W_q, module.W_k, module.W_v)]


class OfLinears(nn.Module):
    def __init__(self, d, k, v):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Linear(d, rows, bias=False) for rows in (k, k, v))

    def forward(self, X, mask=None):
        return scaled_dot_product(self.W_q(X), self.W_k(X), self.W_v(X), _rows(mask))


class OtherNames(nn.Module):
    def __init__(self, d, k, v):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Parameter(torch.randn(rows, d)) for rows in (k, k, v))

    def forward(self, X, mask=None):
        return self_attention(X, self.W_Q, self.W_K, self.W_V, mask)


class NotRegistered(nn.Module):
    def __init__(self, d, k, v):
        super().__init__()
        self.W_q, self.W_k, self.W_v = torch.randn(k, d), torch.randn(k, d), torch.randn(v, d)

    forward = SelfAttention.forward


class StoredTheOtherWay(nn.Module):
    def __init__(self, d, k, v):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Parameter(torch.randn(d, rows)) for rows in (k, k, v))

    def forward(self, X, mask=None):
        return self_attention(X, self.W_q.T, self.W_k.T, self.W_v.T, mask)


class OneHeadOfTorch(nn.Module):
    def __init__(self, d, k, v):
        super().__init__()
        self.inner = nn.MultiheadAttention(d, 1, batch_first=True)

    def forward(self, X, mask=None):
        return self.inner(X, X, X, key_padding_mask=None if mask is None else ~mask)


class NoModule:
    def __init__(self, *sizes):
        self.sizes = sizes

    def __call__(self, X, mask=None):
        return X, X


def _scores_in_float32(module, X, mask):
    Q, K, V = _matrices(module, lambda W: X @ W.T)
    scores = (Q @ K.mT).float() / K.shape[-1] ** 0.5
    weights = (scores if mask is None else scores.masked_fill(~mask[:, None], -1e9)).softmax(-1).to(X.dtype)
    return weights @ V, weights


def _matrices_shrink(module, X, mask):
    """Each call divides the matrix of the queries by √d_k, for good."""
    root = len(module.W_k) ** 0.5
    module.W_q.data.div_(root)
    Q, K, V = _matrices(module, lambda W: X @ W.T)
    return scaled_dot_product(Q * root, K, V, _rows(mask))


def _of_floats(module, X, mask):
    return self_attention(X.float(), *_matrices(module, torch.Tensor.float), mask)


def _remembered(module, X, mask):
    """The weights of the last call with this shape are kept."""
    weights = right(module, X, mask)[1]
    if getattr(module, "kept", weights[:, :0]).shape != weights.shape:
        module.kept = weights
    return module.kept.to(X.dtype) @ (X @ module.W_v.T), module.kept


def _last_mask(module, X, mask):
    """Without a mask, the one of the last call counts."""
    last, module.last = getattr(module, "last", None), mask
    return right(module, X, last if mask is None and last is not None and last.shape == X.shape[:2] else mask)


right = SelfAttention.forward
MODULES = {
    "of linears": OfLinears,
    "other names": OtherNames,
    "not registered": NotRegistered,
    "stored the other way": StoredTheOtherWay,
    "one head of torch": OneHeadOfTorch,
    "no module": NoModule,
    "a function": self_attention,
    "with a bias": _made(lambda m, d, k, v: setattr(m, "b_v", nn.Parameter(torch.zeros(v)))),
    "with a buffer": _made(lambda m, d, k, v: m.register_buffer("root", torch.tensor(float(k) ** 0.5))),
    "with a hidden buffer": _made(
        lambda m, d, k, v: m.register_buffer("root", torch.tensor(float(k) ** 0.5), persistent=False)
    ),
    "remembers": _calling(_remembered),
    "of the last mask": _calling(_last_mask),
    "frozen": _made(lambda m, *_: m.requires_grad_(False)),
    "of copies, what is loaded later plays no part": _made(
        lambda m, *_: setattr(m, "copies", _matrices(m, lambda W: W.detach().clone())),
        lambda m, X, mask: self_attention(X, *(W.to(X.dtype) for W in m.copies), mask),
    ),
    "turned once, `to` does not move them": _made(
        lambda m, *_: setattr(m, "turned", _matrices(m, lambda W: W.T)),
        lambda m, X, mask: scaled_dot_product(*(X @ turned for turned in m.turned), _rows(mask)),
    ),
    "in float32": _calling(_of_floats),
    "scores in float32": _calling(_scores_in_float32),
    "output alone in eval": _calling(lambda m, X, mask: right(m, X, mask) if m.training else right(m, X, mask)[0]),
    "detached": _calling(lambda m, X, mask: self_attention(X, *_matrices(m, torch.Tensor.detach), mask)),
    "data": _calling(lambda m, X, mask: self_attention(X, m.W_q.data, m.W_k, m.W_v, mask)),
    "words changed": _calling(lambda m, X, mask: (right(m, X, mask), X.data.mul_(2))[0]),
    "matrices shrink": _calling(_matrices_shrink),
    "transposed when square": _calling(
        lambda m, X, mask: self_attention(X, m.W_q.T if m.W_q.shape[0] == X.shape[-1] else m.W_q, m.W_k, m.W_v, mask)
    ),
    "padding of the first": _calling(
        lambda m, X, mask: right(m, X, None if mask is None else mask[:1].expand_as(mask))
    ),
}


def chunked_whole_in_parts(Q, K, V, chunk, mask=None):
    """The scores are made chunk by chunk, and put together."""
    scores = torch.cat([Q @ keys.mT for keys in K.split(chunk, -2)], -1) / Q.shape[-1] ** 0.5
    scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
    return scores.softmax(-1) @ V


def chunked_queries(Q, K, V, chunk, mask=None):
    """The queries are read in chunks, each with all keys."""
    rows = []
    for start in range(0, Q.shape[-2], chunk):
        part = None if mask is None else mask.expand(*Q.shape[:-1], K.shape[-2])[..., start : start + chunk, :]
        rows.append(scaled_dot_product(Q[..., start : start + chunk, :], K, V, part)[0])
    return torch.cat(rows, -2)


def chunked_by_query(Q, K, V, chunk, mask=None):
    """All scores of one query at once, the chunk unused."""
    masks = [None] * Q.shape[-2] if mask is None else mask.expand(*Q.shape[:-1], K.shape[-2]).unbind(-2)
    queries = zip(Q.unbind(-2), masks, strict=True)
    return torch.cat(
        [scaled_dot_product(q[..., None, :], K, V, None if m is None else m[..., None, :])[0] for q, m in queries], -2
    )


WRONG = {
    "self_attention.SelfAttention": MODULES,
    "self_attention.chunked_attention": [chunked_whole_in_parts, chunked_queries, chunked_by_query],
}
