"""Right answers to a GRU's step, teacher forcing, the loss, the nucleus and the way back, in many styles."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def step_cell(x, h, W, R, b, c):
    cell = nn.GRUCell(x.shape[1], h.shape[1])
    weights = dict(zip(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), (W, R, b, c), strict=True))
    return torch.func.functional_call(cell, weights, (x, h))


def step_loops(x, h, W, R, b, c):
    rows = []
    for word, state in zip(x, h, strict=True):
        units = len(state)
        r, z, n = [], [], []
        for u in range(units):
            r.append(torch.sigmoid(W[u] @ word + b[u] + R[u] @ state + c[u]))
            z.append(torch.sigmoid(W[units + u] @ word + b[units + u] + R[units + u] @ state + c[units + u]))
            k = 2 * units + u
            n.append(torch.tanh(W[k] @ word + b[k] + r[-1] * (R[k] @ state + c[k])))
        rows.append(torch.stack([z[u] * state[u] + (1 - z[u]) * n[u] for u in range(units)]))
    return torch.stack(rows)


def step_einsum(x, h, W, R, b, c):
    U = h.shape[1]
    of_x = torch.einsum("be,gue->gbu", x, W.view(3, U, -1)) + b.view(3, 1, U)
    of_h = torch.einsum("bv,guv->gbu", h, R.view(3, U, U)) + c.view(3, 1, U)
    r, z = (of_x[:2] + of_h[:2]).sigmoid()
    return torch.lerp((of_x[2] + r * of_h[2]).tanh(), h, z)


def step_six_matrices(x, h, W, R, b, c):
    (W_r, W_z, W_n), (R_r, R_z, R_n) = W.chunk(3), R.chunk(3)
    (b_r, b_z, b_n), (c_r, c_z, c_n) = b.chunk(3), c.chunk(3)
    r = (x @ W_r.t() + b_r + h @ R_r.t() + c_r).sigmoid()
    z = (x @ W_z.t() + b_z + h @ R_z.t() + c_z).sigmoid()
    n = (x @ W_n.t() + b_n + r * (h @ R_n.t() + c_n)).tanh()
    new = h.clone()
    new *= z
    new += (1 - z) * n
    return new


def shift_indexed(tokens, bos, eos, pad):
    targets = F.pad(tokens, (0, 1), value=pad)
    targets[torch.arange(len(tokens)), (tokens != pad).sum(1)] = eos
    return F.pad(tokens, (1, 0), value=bos), targets


def shift_numpy(tokens, bos, eos, pad):
    words = tokens.numpy().copy()
    targets = np.concatenate([words, np.full((len(words), 1), pad)], 1)
    np.put_along_axis(targets, (words != pad).sum(1, keepdims=True), eos, 1)
    return torch.tensor(np.insert(words, 0, bos, axis=1)), torch.tensor(targets)


def shift_whole(tokens, bos, eos, pad):
    sentences = [row[row != pad] for row in tokens]
    rows = [torch.cat([torch.tensor([bos]), words, torch.tensor([eos])]) for words in sentences]
    whole = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)
    whole = F.pad(whole, (0, tokens.shape[1] + 2 - whole.shape[1]), value=pad)
    inputs, targets = whole[:, :-1].clone(), whole[:, 1:]
    inputs[targets == pad] = pad
    return inputs, targets


def loss_cross_entropy(logits, targets, pad):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad)


def loss_loops(logits, targets, pad):
    total, count = 0, 0
    for row, words in zip(logits, targets, strict=True):
        for scores, word in zip(row, words.tolist(), strict=True):
            if word != pad:
                total = total + torch.logsumexp(scores, 0) - scores[word]
                count += 1
    return total / count


def loss_one_hot(logits, targets, pad):
    log_p = torch.log_softmax(logits.double(), dim=2)
    chosen = torch.einsum("btv,btv->bt", log_p, F.one_hot(targets, logits.shape[2]).double())
    real = targets != pad
    return (-torch.where(real, chosen, 0.0).sum() / real.sum()).float()


def nucleus_loops(logits, p):
    result = torch.zeros_like(logits)
    for row, out in zip(logits.softmax(-1), result, strict=True):
        total = 0.0
        for word in row.argsort(descending=True).tolist():
            out[word] = row[word]
            total += float(row[word])
            if total >= p:
                break
        out /= out.sum()
    return result


def nucleus_shifted_mask(logits, p):
    """The way of many libraries: the mask of what is removed, shifted by one so that the first above p stays."""
    ranked, index = logits.sort(dim=-1, descending=True)
    removed = F.softmax(ranked, -1).cumsum(-1) > p
    removed[..., 1:] = removed[..., :-1].clone()
    removed[..., 0] = False
    return logits.masked_fill(removed.scatter(-1, index, removed), -torch.inf).softmax(-1)


def nucleus_ascending(logits, p):
    ranked, index = logits.double().softmax(-1).sort(dim=-1)
    kept = ranked.cumsum(-1) > 1 - p + 1e-9
    kept[:, -1] = True
    kept = torch.ones_like(kept) if p == 1 else kept
    mask = torch.zeros_like(kept).scatter(1, index, kept)
    return logits.masked_fill(~mask, -1e9).softmax(-1)


def back_slices(g, x, h, W, R, b, c):
    U = h.shape[1]
    i, j = x @ W.T + b, h @ R.T + c
    r, z = torch.sigmoid(i[:, :U] + j[:, :U]), torch.sigmoid(i[:, U : 2 * U] + j[:, U : 2 * U])
    n = torch.tanh(i[:, 2 * U :] + r * j[:, 2 * U :])
    dn = g * (1 - z) * (1 - n * n)
    dz = g * (h - n) * z * (1 - z)
    dr = dn * j[:, 2 * U :] * r * (1 - r)
    di, dj = torch.cat((dr, dz, dn), 1), torch.cat((dr, dz, dn * r), 1)
    return [di.mm(W), dj.mm(R) + g * z, di.t().mm(x), dj.t().mm(h), di.sum(0), dj.sum(0)]


def back_rows(g, x, h, W, R, b, c):
    total = None
    d_x, d_h = [], []
    for row in range(len(x)):
        dx, dh, *rest = back_slices(g[row : row + 1], x[row : row + 1], h[row : row + 1], W, R, b, c)
        d_x.append(dx[0])
        d_h.append(dh[0])
        total = rest if total is None else [a + b for a, b in zip(total, rest, strict=True)]
    return torch.stack(d_x), torch.stack(d_h), *total


def back_numpy(*given):
    g, x, h, W, R, b, c = (each.numpy().astype(np.float64) for each in given)
    i, j = np.split(x @ W.T + b, 3, 1), np.split(h @ R.T + c, 3, 1)
    r, z = 1 / (1 + np.exp(-i[0] - j[0])), 1 / (1 + np.exp(-i[1] - j[1]))
    n = np.tanh(i[2] + r * j[2])
    dn, dz = g * (1 - z) * (1 - n**2), g * (h - n) * z * (1 - z)
    dr = dn * j[2] * r * (1 - r)
    di, dj = np.concatenate([dr, dz, dn], 1), np.concatenate([dr, dz, r * dn], 1)
    results = di @ W, dj @ R + g * z, di.T @ x, dj.T @ h, di.sum(0), dj.sum(0)
    return tuple(torch.from_numpy(each.astype(np.float32)) for each in results)


RIGHT = {
    "encoder_decoder.gru_step": "step_",
    "encoder_decoder.shift": "shift_",
    "encoder_decoder.sequence_loss": "loss_",
    "encoder_decoder.nucleus": "nucleus_",
    "encoder_decoder.gru_step_backward": "back_",
}
