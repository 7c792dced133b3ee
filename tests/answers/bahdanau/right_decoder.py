"""Right answers: the numbers by hand, a decoder step, links and the alignment error rate, in many styles."""

import math
from itertools import product

import numpy as np
import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import additive_attention, masked_softmax


def hand_numbers():
    return 6, -2.8


def hand_list():
    return [6.00, -2.80]


def hand_tensors():
    return torch.tensor(6.0), torch.tensor([-2.8])


def hand_two_decimals():
    return 6.004, -2.804


def hand_computed():
    weights = np.exp([0, 1.3863]) / np.exp([0, 1.3863]).sum()
    return weights @ np.array([10, 5]), 2 * 0.6 - 5 * 0.8


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


def step_einsum(word, state, annotations, projected, W_q, v, cell, mask=None):
    hidden = torch.tanh(torch.einsum("bu,hu->bh", state, W_q).unsqueeze(1) + projected)
    scores = torch.einsum("bsh,h->bs", hidden, v)
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), float("-inf"))
    weights = scores.softmax(dim=1)
    context = torch.einsum("bs,bsa->ba", weights, annotations)
    return cell(torch.hstack([word, context]), state), context, weights


def step_matmul(word, state, annotations, projected, W_q, v, cell, mask=None):
    scores = (torch.tanh((W_q @ state.T).T[:, None, :] + projected) @ v[:, None])[..., 0]
    weights = masked_softmax(scores, mask)
    context = torch.bmm(weights.unsqueeze(1), annotations).squeeze(1)
    return [cell(torch.cat((word, context), dim=-1), state), context, weights]


def step_by_additive_attention(word, state, annotations, projected, W_q, v, cell, mask=None):
    context, weights = additive_attention(state, projected, annotations, W_q, torch.eye(len(v)), v, mask)
    return cell(torch.cat([word, context], -1), state), context, weights


def step_functional(word, state, annotations, projected, W_q, v, cell, mask=None):
    energy = F.linear(torch.tanh(F.linear(state, W_q)[:, None] + projected), v[None])[:, :, 0]
    energy = energy if mask is None else torch.where(mask, energy, torch.tensor(-1e9))
    alpha = F.softmax(energy, dim=-1)
    c = (alpha[..., None] * annotations).sum(1)
    x = torch.empty(len(word), word.shape[1] + c.shape[1])
    x[:, : word.shape[1]], x[:, word.shape[1] :] = word, c
    return cell(x, state), c, alpha


def step_in_double(word, state, annotations, projected, W_q, v, cell, mask=None):
    state_, annotations, projected, W_q, v = (x.double() for x in (state, annotations, projected, W_q, v))
    weights = masked_softmax(torch.tanh((state_ @ W_q.T)[:, None] + projected) @ v, mask)
    context = (weights[:, None] @ annotations)[:, 0]
    return cell(torch.cat([word, context.float()], -1), state), context.float(), weights.float()


def step_in_double_throughout(word, state, annotations, projected, W_q, v, cell, mask=None):
    word, state, annotations, projected, W_q, v = (x.double() for x in (word, state, annotations, projected, W_q, v))
    weights = masked_softmax(torch.tanh((state @ W_q.T)[:, None] + projected) @ v, mask)
    context = (weights[:, None] @ annotations)[:, 0]
    return cell(torch.cat([word, context], -1), state), context, weights


def step_in_place_on_a_copy(word, state, annotations, projected, W_q, v, cell, mask=None):
    hidden = projected.clone()
    hidden += (state @ W_q.T)[:, None]
    scores = hidden.tanh_().matmul(v)
    if mask is not None:
        scores = scores.clone()
        scores[~mask] = -1e9
    weights = scores.softmax(-1)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    return cell(F.pad(word, (0, context.shape[1])) + F.pad(context, (word.shape[1], 0)), state), context, weights


def step_time_major(word, state, annotations, projected, W_q, v, cell, mask=None):
    scores = torch.tanh(state @ W_q.T + projected.transpose(0, 1)) @ v
    if mask is not None:
        scores = scores.masked_fill(~mask.T, torch.finfo(scores.dtype).min)
    weights = scores.softmax(0).T
    context = torch.einsum("bs,bsa->ba", weights, annotations)
    return cell(torch.cat([word, context], dim=1), state), context, weights


def step_renamed(y, s, H, P, W, u, rnn, m=None):
    e = torch.tanh((s @ W.t()).unsqueeze(1).expand_as(P) + P).mul(u).sum(2)
    a = torch.exp(e - e.max(1, keepdim=True)[0])
    a = a if m is None else a * m
    a = a / a.sum(1, keepdim=True)
    c = a.unsqueeze(1).matmul(H).squeeze(1)
    return rnn(torch.cat([y, c], 1), s), c, a


def links_loops(weights, threshold):
    links = set()
    for t in range(weights.shape[0]):
        row = weights[t].tolist()
        if threshold is None:
            links.add((t, row.index(max(row))))
        else:
            links |= {(t, s) for s, weight in enumerate(row) if weight >= threshold}
    return links


def links_where(weights, threshold):
    if threshold is None:
        return {(t, int(s)) for t, s in enumerate(weights.argmax(-1))}
    rows, columns = torch.where(weights >= threshold)
    return set(zip(rows.tolist(), columns.tolist(), strict=True))


def links_numpy(weights, threshold):
    table = weights.numpy()
    if threshold is not None:
        return {tuple(map(int, pair)) for pair in np.argwhere(table >= threshold)}
    return {(int(t), int(s)) for t, s in zip(np.arange(len(table)), table.argmax(1), strict=True)}


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


def links_max(weights, threshold=None):
    if threshold is None:
        return set(enumerate(weights.max(dim=1).indices.tolist()))
    return {(t, s) for t, row in enumerate(weights.ge(threshold)) for s in row.nonzero().flatten().tolist()}


def links_in_double(weights, threshold):
    return links_loops(weights.double(), threshold)


def links_sorted(weights, threshold):
    table = weights.tolist()
    if threshold is None:
        return {(t, max(range(len(row)), key=lambda s: (row[s], -s))) for t, row in enumerate(table)}
    links = []
    for t, row in enumerate(table):
        for s, weight in enumerate(row):
            if not weight < threshold:
                links.append((t, s))
    return set(links)


def rate_of_the_formula(links, sure, possible):
    possible = possible | sure
    if len(links) + len(sure) == 0:
        return 0.0
    return 1 - (len(links & sure) + len(links & possible)) / (len(links) + len(sure))


def rate_counted(links, sure, possible):
    right = sum(link in sure for link in links) + sum(link in sure or link in possible for link in links)
    whole = len(links) + len(sure)
    return (whole - right) / whole if whole else 0


def rate_by_methods(A, S, P):
    both = A.intersection(S), A.intersection(P.union(S))
    try:
        return 1.0 - sum(map(len, both)) / (len(A) + len(S))
    except ZeroDivisionError:
        return 0.0


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


def rate_of_errors(links, sure, possible):
    wrong, missed = len(links - sure - possible), len(sure - links)
    only_possible = len(links & possible - sure)
    whole = len(links) + len(sure)
    return (wrong + missed + 0 * only_possible) / whole if whole else 0.0


def rate_rounded_late(links, sure, possible):
    right = 2 * len(links & sure) + len((links & possible) - sure)
    total = len(links) + len(sure)
    return np.float64(1 - right / total) if total else np.float64(0)


def _all(prefix):
    return [value for name, value in globals().items() if name.startswith(prefix)]


RIGHT = {
    "bahdanau.attention_by_hand": _all("hand_"),
    "bahdanau.rnnsearch_step": _all("step_"),
    "bahdanau.links_of": _all("links_"),
    "bahdanau.alignment_error_rate": _all("rate_"),
}
