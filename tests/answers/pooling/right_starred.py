"""Right answers of the tasks about weights as reasons: positions left out, weights that pool the same vector."""

import numpy as np
import torch
import torch.nn.functional as F


def leave_loops(values, weights, mask=None):
    result = torch.zeros_like(values)
    for b in range(len(values)):
        for s in range(values.shape[1]):
            if mask is not None and not mask[b, s]:
                continue
            places = [j for j in range(values.shape[1]) if j != s]
            rest = sum(float(weights[b, j]) for j in places)
            if rest > 0:
                result[b, s] = sum(weights[b, j] * values[b, j] for j in places) / rest
    return result


def leave_broadcast(values, weights, mask=None):
    product = weights[..., None] * values
    vectors = product.sum(1, keepdim=True) - product
    rest = (1 - weights)[..., None]
    vectors = torch.where(rest > 1e-6, vectors / rest.clamp(min=1e-6), torch.zeros(()))
    return vectors if mask is None else vectors * mask[..., None]


def leave_einsum(values, weights, mask=None):
    keep = 1 - torch.eye(weights.shape[1])
    others = torch.einsum("bj,sj->bsj", weights, keep)
    rest = torch.einsum("bsj->bs", others)
    vectors = torch.einsum("bsj,bjd->bsd", others, values) / torch.where(rest == 0, 1.0, rest)[..., None]
    return vectors if mask is None else vectors.masked_fill(~mask.unsqueeze(-1), 0.0)


def leave_matmul(values, weights, mask=None):
    others = weights.unsqueeze(1).repeat(1, weights.shape[1], 1)
    others.diagonal(dim1=1, dim2=2).zero_()
    others = others / (others.sum(-1, keepdim=True) + 1e-12)
    if mask is not None:
        others = others * mask[:, :, None]
    return others @ values


def leave_normalize(values, weights, mask=None):
    others = weights[:, None] * ~torch.eye(weights.shape[1], dtype=torch.bool)
    vectors = F.normalize(others, p=1, dim=-1).matmul(values)
    return vectors if mask is None else torch.where(mask[..., None], vectors, 0.0)


def leave_nan_to_num(values, weights, mask=None):
    pooled = (weights[:, None] @ values)[:, 0]
    vectors = (pooled[:, None] - weights[..., None] * values) / (1 - weights)[..., None]
    vectors = torch.where((weights == 1)[..., None], torch.zeros_like(values), vectors)
    if mask is not None:
        vectors[~mask] = 0
    return vectors


def leave_in_double(values, weights, mask=None):
    return leave_broadcast(values.double(), weights.double(), mask)


def leave_in_place_on_a_copy(values, weights, mask=None):
    vectors = values.clone()
    for s in range(values.shape[1]):
        others = weights.clone()
        others[:, s] = 0
        total = others.sum(1, keepdim=True)
        others /= total.where(total > 0, torch.ones_like(total))
        vectors[:, s] = torch.bmm(others[:, None], values)[:, 0]
    if mask is not None:
        vectors *= mask.unsqueeze(-1)
    return vectors


def leave_gather(values, weights, mask=None):
    batch, length, width = values.shape
    result = values.new_zeros(batch, length, width)
    for s in range(length):
        rest = torch.tensor([j for j in range(length) if j != s], dtype=torch.long)
        kept = weights[:, rest]
        total = kept.sum(1)
        real = total > 0 if mask is None else (total > 0) & mask[:, s]
        result[real, s] = (kept[:, :, None] * values[:, rest]).sum(1)[real] / total[real][:, None]
    return result


def leave_numpy(values, weights, mask=None):
    v, a = values.numpy(), weights.numpy()
    others = np.repeat(a[:, None], a.shape[1], 1) * (1 - np.eye(a.shape[1], dtype=a.dtype))
    rest = others.sum(-1, keepdims=True)
    vectors = np.divide(others @ v, rest, out=np.zeros_like(v), where=rest > 0)
    return torch.from_numpy(vectors if mask is None else vectors * mask.numpy()[..., None])


def leave_rest_added_up(values, weights, mask=None):
    before = torch.cumsum(weights, 1) - weights
    behind = weights.flip(1).cumsum(1).flip(1) - weights
    product = weights[..., None] * values
    vectors = product.cumsum(1) - product + product.flip(1).cumsum(1).flip(1) - product
    rest = (before + behind)[..., None]
    vectors = vectors / rest.clamp(min=1e-6) * (rest > 1e-6)
    return vectors if mask is None else vectors * mask[..., None]


def _rows(values):
    return torch.cat([values.T, torch.ones(1, len(values), dtype=values.dtype)])


def _go(weights, direction, p):
    if torch.linalg.vector_norm(p) <= 1e-3 * torch.linalg.vector_norm(direction):
        return weights
    steps = torch.where(p < 0, -weights / p, torch.inf)
    return weights + steps.min() * p


def along_svd(weights, values, direction):
    _, sizes, V = torch.linalg.svd(_rows(values), full_matrices=True)
    free = V[int((sizes > 1e-5 * sizes[0]).sum()) :]
    return _go(weights, direction, free.T @ (free @ direction))


def along_svd_by_count(weights, values, direction):
    _, _, V = torch.linalg.svd(_rows(values))
    free = V[values.shape[1] + 1 :]
    return _go(weights, direction, (free @ direction) @ free)


def along_qr(weights, values, direction):
    Q, _ = torch.linalg.qr(_rows(values).T)
    return _go(weights, direction, direction - Q @ (Q.T @ direction))


def along_complete_qr(weights, values, direction):
    Q, _ = torch.linalg.qr(_rows(values).T, mode="complete")
    free = Q[:, min(len(values), values.shape[1] + 1) :]
    return _go(weights, direction, free @ (free.T @ direction))


def along_lstsq(weights, values, direction):
    B = _rows(values).T
    return _go(weights, direction, direction - B @ torch.linalg.lstsq(B, direction[:, None]).solution[:, 0])


def along_lstsq_of_rows(weights, values, direction):
    A = _rows(values)
    return _go(weights, direction, direction - torch.linalg.lstsq(A, (A @ direction)[:, None]).solution[:, 0])


def along_pinv_einsum(weights, values, direction):
    A = torch.vstack([values.t(), torch.ones(len(values))])
    projector = torch.eye(len(values)) - torch.einsum("sr,rt->st", torch.linalg.pinv(A), A)
    return _go(weights, direction, torch.einsum("st,t->s", projector, direction))


def along_normal_equations(weights, values, direction):
    A = _rows(values)
    if len(values) <= len(A):
        return weights.clone()
    return _go(weights, direction, direction - A.T @ torch.linalg.solve(A @ A.T, A @ direction))


def along_gram_schmidt(weights, values, direction):
    p, basis = direction.clone(), []
    for row in _rows(values):
        q = row.clone()
        for _ in range(2):
            for other in basis:
                q = q - (q @ other) * other
        if q.norm() > 1e-4 * row.norm():
            basis.append(q / q.norm())
    for _ in range(2):
        for q in basis:
            p -= (p @ q) * q
    return _go(weights, direction, p)


def along_centred(weights, values, direction):
    # With centred values and a centred direction the row of ones is done with.
    centred = values - values.mean(0)
    p = direction - direction.mean()
    return _go(weights, direction, p - centred @ (torch.linalg.pinv(centred, rtol=1e-5) @ p))


def along_eigenvectors(weights, values, direction):
    A = _rows(values).double()
    sizes, vectors = torch.linalg.eigh(A.T @ A)
    free = vectors[:, sizes < 1e-8 * sizes[-1]]
    return _go(weights, direction, (free @ (free.T @ direction.double())).float())


def along_in_double(weights, values, direction):
    return along_svd(weights.double(), values.double(), direction.double())


def along_loops(weights, values, direction):
    A = _rows(values)
    p = direction - torch.linalg.pinv(A) @ (A @ direction)
    if p.norm() < 1e-3 * direction.norm():
        return weights.clone()
    step = min(float(w / -x) for w, x in zip(weights, p, strict=True) if x < 0)
    moved = weights.clone()
    for s in range(len(weights)):
        moved[s] += step * p[s]
    return moved


def along_numpy(weights, values, direction):
    A = np.vstack([values.numpy().T, np.ones(len(values))])
    p = direction.numpy() - np.linalg.pinv(A) @ (A @ direction.numpy())
    if np.linalg.norm(p) <= 1e-3 * np.linalg.norm(direction):
        return weights
    down = p < 0
    return torch.tensor(weights.numpy() + (weights.numpy()[down] / -p[down]).min() * p).float()


def along_clamped_and_divided(weights, values, direction):
    moved = along_lstsq(weights, values, direction).clamp(min=0)
    return moved / moved.sum()


def along_unit_direction(weights, values, direction):
    return along_qr(weights, values, direction / direction.norm())


def _all(prefix):
    return [value for name, value in globals().items() if name.startswith(prefix)]


RIGHT = {
    "pooling.leave_one_out": _all("leave_"),
    "pooling.adversarial_weights": _all("along_"),
}
