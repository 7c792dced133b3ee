"""Wrong answers of the starred tasks: a source word looked up once, and windows that are as long as the source."""

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import gaussian, general_score, window


def _each_once(tokens, weights, source, lexicon, unk):
    """Each source word is looked up once: the next unk that looks at it takes its second best."""
    new, left = tokens.clone(), torch.ones(len(source), dtype=torch.bool)
    for place in (tokens == unk).nonzero()[:, 0]:
        row = weights[place, : len(source)]
        best = (row.masked_fill(~left, -1.0) if left.any() else row).argmax()
        left[best] = False
        new[place] = torch.where(lexicon[source[best]] >= 0, lexicon[source[best]], source[best])
    return new


def _near(p, lengths, source, D):
    return window(p, lengths[:, None].expand_as(p), source, D)


def _all_scores(h_t, h_s, W_a, p, lengths, D):
    weights = masked_softmax(general_score(h_t, h_s, W_a), _near(p, lengths, h_s.shape[1], D))
    return (weights * gaussian(p, h_s.shape[1], D)) @ h_s


def _one_word_at_once(*given):
    h_t, h_s, W_a, p, lengths, D = given
    contexts = [_all_scores(h_t[:, t : t + 1], h_s, W_a, p[:, t : t + 1], lengths, D) for t in range(h_t.shape[1])]
    return torch.cat(contexts, 1)


def _padded_source(h_t, h_s, W_a, p, lengths, D):
    """The right window, from a copy of all states with zeros on either side."""
    more = int(D) + 1
    states = F.pad(h_s, (0, 0, more, more))
    s = (p.detach() - D).ceil().long()[..., None] + torch.arange(int(2 * D) + 1)
    near = states[torch.arange(len(h_s))[:, None, None], (s + more).clamp(0, states.shape[1] - 1)]
    inside = ((s - p[..., None]).abs() <= D) & (s >= 0) & (s < lengths[:, None, None])
    bell = torch.exp(-2 * ((s - p[..., None]) / D) ** 2)
    weights = masked_softmax((near @ (h_t @ W_a)[..., None])[..., 0], inside) * bell
    return (weights[..., None, :] @ near)[..., 0, :]


def _keys_of_all(h_t, h_s, W_a, p, lengths, D):
    """All source states are projected before the window is cut."""
    keys = h_s @ W_a.T
    s = (p.detach() - D).ceil().long()[..., None] + torch.arange(int(2 * D) + 1)
    rows, place = torch.arange(len(h_s))[:, None, None], s.clamp(0, h_s.shape[1] - 1)
    inside = ((s - p[..., None]).abs() <= D) & (s >= 0) & (s < lengths[:, None, None])
    bell = torch.exp(-2 * ((s - p[..., None]) / D) ** 2)
    weights = masked_softmax((keys[rows, place] @ h_t[..., None])[..., 0], inside) * bell
    return (weights[..., None, :] @ h_s[rows, place])[..., 0, :]


WINDOWED = {
    "all scores": _all_scores,
    "all scores, one word at once": _one_word_at_once,
    "padded source": _padded_source,
    "keys of all": _keys_of_all,
}
WRONG = {"luong.replaced_unknowns": [_each_once], "luong.windowed_attention": WINDOWED}
