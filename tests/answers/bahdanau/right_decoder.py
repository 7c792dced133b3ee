"""Right answers: the numbers by hand, a decoder step, links and the alignment error rate, in many styles."""

import math
from itertools import product

import numpy as np
import torch
import torch.nn.functional as F


def step_loops(word, state, annotations, projected, W_q, v, cell, mask=None):
    contexts, rows = [], []
    for b in range(len(word)):
        asked, scores = W_q @ state[b], []
        for s in range(annotations.shape[1]):
            hidden = mask is not None and not mask[b, s]
            scores.append(torch.tensor(-math.inf) if hidden else torch.dot(v, torch.tanh(asked + projected[b, s])))
        rows.append(torch.softmax(torch.stack(scores), dim=0))
        contexts.append(sum(weight * each for weight, each in zip(rows[-1], annotations[b], strict=True)))
    context = torch.stack(contexts)
    return cell(torch.cat([word, context], 1), state), context, torch.stack(rows)


def step_in_place_on_a_copy(word, state, annotations, projected, W_q, v, cell, mask=None):
    hidden = projected.clone()
    hidden += (state @ W_q.T)[:, None]
    scores = hidden.tanh_().matmul(v)
    if mask is not None:
        scores = scores.clone()
        scores[~mask] = -1e9
    weights = scores.softmax(-1)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    return [cell(F.pad(word, (0, context.shape[1])) + F.pad(context, (word.shape[1], 0)), state), context, weights]


def links_where(weights, threshold):
    if threshold is None:
        return {(t, int(s)) for t, s in enumerate(weights.argmax(-1))}
    rows, columns = torch.where(weights >= threshold)
    return set(zip(rows.tolist(), columns.tolist(), strict=True))


def links_of_numpy_numbers(weights, threshold):
    table = np.asarray(weights)
    if threshold is None:
        return {(t, s) for t, s in enumerate(table.argmax(axis=1))}
    return {(t, s) for t, s in zip(*np.nonzero(table >= threshold), strict=True)}


def links_frozen(weights, threshold):
    pairs = product(range(weights.size(0)), range(weights.size(1)))
    if threshold is None:
        return frozenset((t, s) for t, s in pairs if s == weights[t].argmax())
    return frozenset((t, s) for t, s in pairs if weights[t, s].item() >= threshold)


def rate_in_tensors(links, sure, possible):
    cells = sorted(links | sure | possible)
    a, s, p = (torch.tensor([cell in each for cell in cells]).double() for each in (links, sure, possible | sure))
    whole = (a + s).sum()
    return 1 - ((a * s).sum() + (a * p).sum()) / whole if whole > 0 else torch.tensor(0.0)


def rate_in_place_on_copies(links, sure, possible):
    certain, likely = set(links), set(links)
    certain &= sure
    likely -= likely - sure - possible
    return 1 - (len(certain) + len(likely)) / max(len(links) + len(sure), 1) if links or sure else 0.0


def rate_rounded_late(links, sure, possible):
    right = 2 * len(links & sure) + len((links & possible) - sure)
    total = len(links) + len(sure)
    return np.float64(1 - right / total) if total else np.float64(0)


RIGHT = {"bahdanau.rnnsearch_step": "step_", "bahdanau.links_of": "links_", "bahdanau.alignment_error_rate": "rate_"}
