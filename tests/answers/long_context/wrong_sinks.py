"""Wrong answers on a learned sink that are right wherever scores are near 0; a reader of the notebook wrote them."""

import math

import torch

from solutions.long_context.attention import merge_softmax


def only_m_subtracted(part, sink):
    """Only m is subtracted: where sink - m is above 88, exp is inf, and gradients are nan."""
    m, total, o = part
    return o / (total + (sink[:, None] - m).exp())[..., None]


def guarded_by_a_maximum_of_0(part, sink):
    """Rows without keys have a maximum of 0, although the sink is there."""
    m, total, o = part
    s = sink[:, None]
    top = torch.maximum(m, s).masked_fill(m == -math.inf, 0.0)
    a = (m - top).exp()
    return a[..., None] * o / (a * total + (s - top).exp())[..., None]


def one_maximum_for_all(part, sink):
    """One maximum for all heads and queries: a row hundreds below it has 0 / 0."""
    m, total, o = part
    top = max(m.max().item(), sink.max().item())
    a, b = (m - top).exp(), (sink - top).exp()
    return a[..., None] * o / (a * total + b[:, None])[..., None]


def a_low_sink_for_none(part, sink):
    """A sink of -inf becomes -100."""
    m, total, o = part
    s = torch.where(sink == -math.inf, torch.full_like(sink, -100.0), sink)[:, None].expand_as(m)
    _, whole, context = merge_softmax((m, total, o), (s, torch.ones_like(m), torch.zeros_like(o)))
    return context / whole[..., None]


WRONG = {
    "long_context.with_sink": [only_m_subtracted, guarded_by_a_maximum_of_0, one_maximum_for_all, a_low_sink_for_none]
}
