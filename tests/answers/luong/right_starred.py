"""Right answers of the starred tasks: unknown words that are replaced, and the window that is computed alone."""

import math

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import masked_softmax


def unknown_loop(tokens, weights, source, lexicon, unk):
    words = []
    for t, token in enumerate(tokens.tolist()):
        if token == unk:
            best = int(weights[t, : len(source)].argmax())
            token = int(source[best])
            if int(lexicon[token]) != -1:
                token = int(lexicon[token])
        words.append(token)
    return torch.tensor(words)


def unknown_on_a_copy(tokens, weights, source, lexicon, unk):
    new = tokens.clone()
    rows = new == unk
    words = source[weights[rows, : len(source)].max(dim=1).indices]
    looked_up = lexicon[words]
    new[rows] = torch.where(looked_up == -1, words, looked_up)
    return new


def unknown_full_lexicon(tokens, weights, source, lexicon, unk):
    every = torch.where(lexicon < 0, torch.arange(len(lexicon)), lexicon)
    best = torch.argmax(weights.narrow(1, 0, source.numel()), -1)
    return torch.where(tokens == unk, every[source[best]], tokens)


def unknown_one_hot(tokens, weights, source, lexicon, unk):
    kept = weights[:, : len(source)]
    first = F.one_hot(kept.argmax(1), len(source))
    words = (first * source).sum(1)
    here = (tokens == unk).long()
    translated = lexicon.gather(0, words)
    has = (translated >= 0).long()
    return tokens * (1 - here) + here * (has * translated + (1 - has) * words)


def unknown_python(tokens, weights, source, lexicon, unk):
    source, lexicon = source.tolist(), lexicon.tolist()

    def word(row):
        best = max(range(len(source)), key=lambda s: row[s])
        return lexicon[source[best]] if lexicon[source[best]] >= 0 else source[best]

    rows = zip(tokens.tolist(), weights.tolist(), strict=True)
    return [word(row) if token == unk else token for token, row in rows]


def unknown_columns_filled(tokens, weights, source, lexicon, unk):
    behind = torch.arange(weights.shape[1]) >= len(source)
    best = weights.masked_fill(behind, -1).argmax(1)
    words = torch.index_select(source, 0, best)
    new = lexicon.index_select(0, words)
    new[new == -1] = words[new == -1]
    return tokens.masked_scatter(tokens == unk, new[tokens == unk])


def unknown_stable_sort(tokens, weights, source, lexicon, unk):
    order = weights[:, : len(source)].double().sort(dim=1, descending=True, stable=True).indices[:, 0]
    words = source.take(order)
    return torch.where(tokens == unk, torch.where(lexicon[words] >= 0, lexicon[words], words), tokens)


def _bell(distance, D):
    return (-2 * (distance / D) ** 2).exp()


def window_loops(h_t, h_s, W_a, p, lengths, D):
    contexts = []
    for b in range(len(h_t)):
        row = []
        for t in range(h_t.shape[1]):
            centre = p[b, t].item()
            first, last = max(0, math.ceil(centre - D)), min(int(lengths[b]) - 1, math.floor(centre + D))
            near = h_s[b, first : last + 1]
            align = torch.softmax(near @ (h_t[b, t] @ W_a), 0)
            row.append((align * _bell(torch.arange(first, last + 1) - p[b, t], D)) @ near)
        contexts.append(torch.stack(row))
    return torch.stack(contexts)


def _places(p, lengths, source, D):
    """The places of the windows, which of them count, and where they are read."""
    s = torch.ceil(p.detach() - D).long().unsqueeze(-1) + torch.arange(int(2 * D) + 1)
    inside = ((s - p.detach().unsqueeze(-1)).abs() <= D) & (s >= 0) & (s < lengths[:, None, None])
    return s, inside, s.clamp(min=0, max=source - 1)


def window_gather(h_t, h_s, W_a, p, lengths, D):
    B, T, _ = h_t.shape
    s, inside, place = _places(p, lengths, h_s.shape[1], D)
    index = place.flatten(1)[..., None].expand(-1, -1, h_s.shape[2])
    near = h_s.gather(1, index).view(B, T, -1, h_s.shape[2])
    scores = torch.einsum("bth,ha,btka->btk", h_t, W_a, near)
    weights = masked_softmax(scores, inside) * _bell(s - p[..., None], D)
    return torch.einsum("btk,btka->bta", weights, near)


def window_embedding(h_t, h_s, W_a, p, lengths, D):
    s, inside, place = _places(p, lengths, h_s.shape[1], D)
    offset = torch.arange(len(h_s))[:, None, None] * h_s.shape[1]
    near = F.embedding(place + offset, h_s.flatten(0, 1))
    query = (h_t @ W_a).unsqueeze(2)
    scores = (query * near).sum(-1).masked_fill(~inside, -torch.inf)
    weights = torch.softmax(scores, -1) * _bell(s - p.unsqueeze(-1), D)
    return (weights.unsqueeze(-1) * near).sum(2)


def window_keys_projected(h_t, h_s, W_a, p, lengths, D):
    s, inside, place = _places(p, lengths, h_s.shape[1], D)
    near = torch.take_along_dim(h_s.unsqueeze(1), place.unsqueeze(-1), dim=2)
    keys = near @ W_a.T
    scores = torch.matmul(keys, h_t[..., None]).squeeze(-1)
    weights = torch.where(inside, scores, -1e9).softmax(-1) * _bell(s - p[..., None], D)
    return torch.matmul(weights[..., None, :], near).squeeze(-2)


def window_in_double(h_t, h_s, W_a, p, lengths, D):
    s, inside, place = _places(p, lengths, h_s.shape[1], D)
    near = torch.stack([states[where] for states, where in zip(h_s, place, strict=True)]).double()
    scores = torch.einsum("bta,btka->btk", (h_t @ W_a).double(), near)
    weights = masked_softmax(scores, inside) * _bell(s - p[..., None].double(), D)
    return torch.einsum("btk,btka->bta", weights, near)


def window_words_in_turn(h_t, h_s, W_a, p, lengths, D):
    rows = torch.arange(len(h_s))[:, None]
    contexts = torch.zeros(h_t.shape[0], h_t.shape[1], h_s.shape[2])
    for t in range(h_t.shape[1]):
        s, inside, place = _places(p[:, t : t + 1], lengths, h_s.shape[1], D)
        near = h_s[rows, place[:, 0]]
        scores = (near @ (h_t[:, t] @ W_a)[:, :, None])[..., 0]
        weights = masked_softmax(scores, inside[:, 0]) * _bell(s[:, 0] - p[:, t, None], D)
        contexts[:, t] = torch.bmm(weights[:, None], near)[:, 0]
    return contexts


def window_slots_in_turn(h_t, h_s, W_a, p, lengths, D):
    """An online softmax over the slots: one position of each window at a time."""
    query, rows = h_t @ W_a, torch.arange(len(h_s))[:, None]
    s, inside, place = _places(p, lengths, h_s.shape[1], D)
    slots = [h_s[rows, place[..., k]] for k in range(s.shape[-1])]
    scores = [(query * near).sum(-1).masked_fill(~inside[..., k], -torch.inf) for k, near in enumerate(slots)]
    largest = torch.stack(scores).detach().amax(0)
    total, context = torch.zeros_like(p), torch.zeros_like(query)
    for k, near in enumerate(slots):
        share = (scores[k] - largest).exp()
        total = total + share
        context = context + (share * _bell(s[..., k] - p, D)).unsqueeze(-1) * near
    return context / total.unsqueeze(-1)


def window_few_sliced(h_t, h_s, W_a, p, lengths, D):
    """Slices that are padded to one width: what is padded are windows, not sentences."""
    B, T, width = len(h_t), h_t.shape[1], int(2 * D) + 1
    near, distance, inside = [], [], []
    for b in range(B):
        for t in range(T):
            first = max(0, math.ceil(p[b, t].item() - D))
            last = min(lengths[b].item(), math.floor(p[b, t].item() + D) + 1)
            rest = width - (last - first)
            near.append(F.pad(h_s[b, first:last], (0, 0, 0, rest)))
            distance.append(F.pad(torch.arange(first, last) - p[b, t], (0, rest)))
            inside.append(torch.arange(width) < last - first)
    near = torch.stack(near).unflatten(0, (B, T))
    scores = torch.einsum("btka,bta->btk", near, h_t @ W_a)
    weights = masked_softmax(scores, torch.stack(inside).unflatten(0, (B, T)))
    weights = weights * _bell(torch.stack(distance).unflatten(0, (B, T)), D)
    return torch.einsum("btk,btka->bta", weights, near)


def _styles(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_")]


RIGHT = {"luong.replaced_unknowns": _styles("unknown"), "luong.windowed_attention": _styles("window")}
