"""Right answers on learned sinks, stretched angles and chosen positions, in the styles that a class hands in."""

import math

import torch


def sink_by_hand(part, sink):
    """Both sums under the larger maximum."""
    m, total, o = part
    s = sink.unsqueeze(1)
    highest = torch.maximum(m, s)
    mine = torch.exp(m - highest)
    return (o * mine.unsqueeze(-1)) / (total * mine + torch.exp(s - highest)).unsqueeze(-1)


def sink_as_a_gate(part, sink):
    """The context of the keys, times the sigmoid of how far their logsumexp is above the sink."""
    m, total, o = part
    empty = total == 0
    share = torch.sigmoid(m + total.masked_fill(empty, 1.0).log() - sink[:, None])
    return (o / total.masked_fill(empty, 1.0)[..., None]) * share[..., None]


def sink_head_by_head(part, sink):
    rows = []
    for m, total, o, s in zip(*part, sink, strict=True):
        highest = m.clamp(min=float(s.detach()))
        down = (m - highest).exp()
        rows.append(o * down[:, None] / (total * down + (s - highest).exp())[:, None])
    return torch.stack(rows)


def stretched_pair_by_pair(head_dim, base, factor, trained, slow=1, fast=32):
    angles = []
    for i in range(head_dim // 2):
        theta = 1 / base ** (2 * i / head_dim)
        turns = trained / (2 * math.pi / theta)
        if turns < slow:
            theta = theta / factor
        elif turns <= fast:
            gamma = (turns - slow) / (fast - slow)
            theta = (1 - gamma) * theta / factor + gamma * theta
        angles.append(theta)
    return torch.tensor(angles), 1 + math.log(factor) / 10


def stretched_in_double(head_dim, base, factor, trained, slow=1.0, fast=32.0):
    i = torch.arange(0, head_dim, 2, dtype=torch.float64)
    theta = torch.exp(-i / head_dim * math.log(base))
    gamma = torch.clip((trained * theta / (2 * torch.pi) - slow) / (fast - slow), 0, 1)
    return (theta / factor).lerp(theta, gamma).float(), torch.log(torch.tensor(float(factor))) * 0.1 + 1


def _index(index_query, index_key, index_weight):
    products = (index_query @ index_key.unsqueeze(1).transpose(-1, -2)).clamp(min=0)  # (B, S, J, S)
    return (index_weight.unsqueeze(-1) * products).sum(2)


def chosen_position_by_position(query, key, value, index_query, index_key, index_weight, count):
    index, rows = _index(index_query, index_key, index_weight), []
    for b in range(len(query)):
        of_text = []
        for t in range(query.shape[1]):
            places = sorted(range(t + 1), key=lambda s, b=b, t=t: -index[b, t, s].item())[:count]
            weights = (key[b, places] @ query[b, t] / query.shape[-1] ** 0.5).softmax(0)
            of_text.append(weights @ value[b, places])
        rows.append(torch.stack(of_text))
    return torch.stack(rows)


def chosen_expanded(query, key, value, index_query, index_key, index_weight, count):
    B, S, _ = query.shape
    past = torch.arange(S)[:, None] >= torch.arange(S)
    index = torch.where(past, _index(index_query, index_key, index_weight), torch.tensor(-math.inf))
    top = torch.topk(index, min(count, S))
    k, v = (each.unsqueeze(1).expand(B, S, S, -1) for each in (key, value))
    k, v = (each.gather(2, top.indices[..., None].expand(-1, -1, -1, each.shape[-1])) for each in (k, v))
    scores = (query.unsqueeze(2) * k).sum(-1) / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores + torch.where(torch.isinf(top.values), -math.inf, 0.0), dim=-1)
    return (weights.unsqueeze(-1) * v).sum(2)


RIGHT = {
    "long_context.with_sink": "sink_",
    "long_context.stretched": "stretched_",
    "long_context.chosen_attention": "chosen_",
}
