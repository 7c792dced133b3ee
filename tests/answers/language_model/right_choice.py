"""Right answers on the next token, on heads that copy, and on a drafted token."""

import torch
import torch.nn.functional as F


def choice_filtered(logits, temperature=1.0, top_k=0, top_p=1.0):
    logits = logits / temperature
    if top_k:
        kth = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[..., -1:]
        logits = logits.masked_fill(logits < kth, -torch.inf)
    ranked, order = torch.sort(logits, descending=True)
    remove = ranked.softmax(-1).cumsum(-1) > top_p
    remove = torch.cat([torch.zeros_like(remove[..., :1]), remove[..., :-1]], -1)
    if top_p < 1:
        logits = logits.masked_fill(remove.gather(-1, order.argsort(-1)), -torch.inf)
    return logits.softmax(-1)


def choice_rows(logits, temperature=1.0, top_k=0, top_p=1.0):
    rows = []
    for row in (logits.reshape(-1, logits.shape[-1]) / temperature).softmax(-1):
        places = row.argsort(descending=True)[: top_k or None]
        kept = row[places] / row[places].sum()
        if top_p < 1:
            count = int((kept.cumsum(0) < top_p).sum()) + 1
            places, kept = places[:count], kept[:count]
        new = torch.zeros_like(row)
        new[places] = kept / kept.sum()
        rows.append(new)
    return torch.stack(rows).view_as(logits)


def choice_by_rank(logits, temperature=1.0, top_k=0, top_p=1.0):
    shares = torch.softmax(logits / temperature, -1)
    larger = shares[..., None, :] > shares[..., None]
    if top_k > 0:
        shares = shares * (larger.sum(-1) < top_k)
        shares = shares / shares.sum(-1, keepdim=True)
    if top_p < 1:
        shares = shares * ((larger * shares[..., None, :]).sum(-1) < top_p)
    return shares / shares.sum(-1, keepdim=True)


def induction_diagonal(weights, period):
    return weights.diagonal(offset=1 - period, dim1=1, dim2=2)[:, 1:].mean(-1)


def induction_loop(weights, period):
    length = weights.shape[-1]
    total = torch.zeros(len(weights))
    for t in range(period, length):
        total = total + weights[:, t, t - period + 1]
    return total / (length - period)


def induction_mask(weights, period):
    t, s = torch.arange(weights.shape[1])[:, None], torch.arange(weights.shape[1])
    wanted = (s == t - period + 1) & (t >= period)
    return (weights * wanted).sum((1, 2)) / wanted.sum()


def accept_quotient(draft, target, token):
    q = torch.take_along_dim(draft, token.unsqueeze(-1), -1).squeeze(-1)
    p = torch.take_along_dim(target, token.unsqueeze(-1), -1).squeeze(-1)
    keep = torch.where(q == 0, torch.ones_like(p), torch.minimum(p / q, torch.ones_like(p)))
    left = torch.relu(target - draft)
    left = torch.where((left == 0).all(-1, keepdim=True), target, left)
    return keep, left / left.sum(-1, keepdim=True)


def accept_rows(draft, target, token):
    words = draft.shape[-1]
    keeps, rests = [], []
    for q, p, x in zip(draft.reshape(-1, words), target.reshape(-1, words), token.reshape(-1), strict=True):
        keeps.append(p[x] / q[x] if p[x] < q[x] else torch.ones(()))
        rest = torch.stack([max(b - a, 0 * a) for a, b in zip(q, p, strict=True)])
        rests.append(rest / rest.sum() if rest.sum() > 0 else p)
    return torch.stack(keeps).view(token.shape), torch.stack(rests).view(draft.shape)


def accept_what_was_given_out(draft, target, token):
    both = torch.minimum(draft, target)  # what kept tokens give out
    of_token = F.one_hot(token, draft.shape[-1]) > 0
    q, given = draft[of_token].view(token.shape), both[of_token].view(token.shape)
    left = target - both
    total = left.sum(-1, keepdim=True)
    return torch.nan_to_num(given / q, nan=1.0), torch.where(total == 0, target, left / total)


RIGHT = {
    "language_model.next_probabilities": "choice_",
    "language_model.induction_score": "induction_",
    "language_model.accept": "accept_",
}
