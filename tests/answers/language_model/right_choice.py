"""Right answers on the next token, on heads that copy, and on a grammar."""

from functools import cache

import torch


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


def inside_table(tokens, binary, emission, start=0):
    length = len(tokens)
    chart = torch.zeros(length, length + 1, len(binary))
    for i in range(length):
        chart[i, i + 1] = emission[:, tokens[i]]
    for width in range(2, length + 1):
        for i in range(length - width + 1):
            j = i + width
            for k in range(i + 1, j):
                chart[i, j] += torch.einsum("abc,b,c->a", binary, chart[i, k], chart[k, j])
    return chart[0, length, start]


def inside_recursive(tokens, binary, emission, start=0):
    @cache
    def beta(i, j):
        if j == i + 1:
            return emission[:, tokens[i]]
        return sum(((binary @ beta(k, j)) @ beta(i, k) for k in range(i + 1, j)), torch.zeros(len(binary)))

    return beta(0, len(tokens))[start]


def inside_plain_python(tokens, binary, emission, start=0):
    words, rules, symbols = tokens.tolist(), binary.tolist(), range(len(binary))
    chart = {(i, i + 1, a): emission[a, word].item() for i, word in enumerate(words) for a in symbols}
    for j in range(2, len(words) + 1):
        for i in range(j - 2, -1, -1):
            for a in symbols:
                chart[i, j, a] = sum(
                    rules[a][b][c] * chart[i, k, b] * chart[k, j, c]
                    for k in range(i + 1, j)
                    for b in symbols
                    for c in symbols
                )
    return chart[0, len(words), start]


RIGHT = {
    "language_model.next_probabilities": "choice_",
    "language_model.induction_score": "induction_",
    "language_model.inside": "inside_",
}
