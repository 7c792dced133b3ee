"""Right answers of the starred tasks: unknown words that are replaced, and the window that is computed alone."""

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import masked_softmax


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


def _bell(distance, D):
    return (-2 * (distance / D) ** 2).exp()


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


RIGHT = {"luong.replaced_unknowns": "unknown_", "luong.windowed_attention": "window_"}
