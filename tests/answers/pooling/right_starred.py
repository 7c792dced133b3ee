"""Right answers of the tasks about weights as reasons: positions left out, weights that pool the same vector."""

import numpy as np
import torch


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


def leave_matmul(values, weights, mask=None):
    others = weights.unsqueeze(1).repeat(1, weights.shape[1], 1)
    others.diagonal(dim1=1, dim2=2).zero_()
    others = others / (others.sum(-1, keepdim=True) + 1e-12)
    if mask is not None:
        others = others * mask[:, :, None]
    return others @ values


def _rows(values):
    return torch.cat([values.T, torch.ones(1, len(values), dtype=values.dtype)])


def _go(weights, direction, p):
    if torch.linalg.vector_norm(p) <= 1e-3 * torch.linalg.vector_norm(direction):
        return weights
    steps = torch.where(p < 0, -weights / p, torch.inf)
    return weights + steps.min() * p


def along_lstsq(weights, values, direction):
    B = _rows(values).T
    return _go(weights, direction, direction - B @ torch.linalg.lstsq(B, direction[:, None]).solution[:, 0])


def along_normal_equations(weights, values, direction):
    A = _rows(values)
    if len(values) <= len(A):
        return weights.clone()
    return _go(weights, direction, direction - A.T @ torch.linalg.solve(A @ A.T, A @ direction))


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


RIGHT = {"pooling.leave_one_out": "leave_", "pooling.adversarial_weights": "along_"}
