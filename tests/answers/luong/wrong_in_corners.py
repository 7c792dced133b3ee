"""More wrong answers of the Luong exercise: right nearly everywhere, wrong at one size, one number, one gradient."""

from collections.abc import Callable

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import (
    attentional_state,
    concat_score,
    dot_score,
    gaussian,
    general_score,
    input_feeding,
    local_p_weights,
    predicted_position,
    window,
)
from tests.answers.bahdanau import wrong_in_corners

_memory: dict = {}


def _remembered(key, value):
    return _memory.setdefault(key, value)


def _with(place: int, change: Callable, right: Callable) -> Callable:
    """Return the right function with one argument changed before."""
    return lambda *given: right(*given[:place], change(given[place]), *given[place + 1 :])


def _only(condition: Callable, wrong: Callable, right: Callable) -> Callable:
    return lambda *given: (wrong if condition(*given) else right)(*given)


def _then(place: int, change: Callable, right: Callable) -> Callable:
    """Return the right function with one result changed after; `change` sees the arguments too."""

    def wrong(*given):
        result = right(*given)
        if not isinstance(result, tuple):
            return change(result, *given)
        return tuple(change(item, *given) if i == place else item for i, item in enumerate(result))

    return wrong


def _gradient(x, factor):
    return x * factor + (x * (1 - factor)).detach()


def _spoils(place: int, change: Callable, right: Callable) -> Callable:
    """Return the right function that changes one argument in place once it has its answer."""

    def wrong(*given):
        result = right(*given)
        change(given[place].data)
        return result

    return wrong


def _tires(count: int, right: Callable, key: str) -> Callable:
    def wrong(*given):
        _memory[key] = _memory.get(key, 0) + 1
        result = right(*given)
        first = result[0] if isinstance(result, tuple) else result
        return result if _memory[key] <= count else first * 0

    return wrong


def _around(names: str, right: Callable, results: int = 1, batched: int = 2, rows: int = 2) -> dict[str, Callable]:
    """Return what can be wrong with any function of these float arguments, of which the first come in batches.

    The first `rows` of its results have two axes or more.
    """
    answers: dict[str, Callable] = {}
    name = right.__name__
    for i, argument in enumerate(names.split()):
        answers |= {
            f"{argument}: 0.1 % larger": _with(i, lambda x: 1.001 * x, right),
            f"{argument}: bfloat16": _with(i, lambda x: x.bfloat16().float(), right),
            f"{argument}: noise": _with(i, lambda x: x + 1e-3 * torch.randn_like(x), right),
            f"{argument}: its last feature lost": _with(
                i, lambda x: torch.cat([x[..., :-1], 0 * x[..., -1:]], -1), right
            ),
            f"{argument}: doubled in place": _spoils(i, lambda x: x.mul_(2), right),
            f"{argument}: remembered": _with(
                i, lambda x, i=i: _remembered((name, i, x.shape), x.detach().clone()) + 0 * x, right
            ),
            f"{argument}: first that came of this width": _with(
                i, lambda x, i=i: x - x.detach() + _remembered((name, i, x.shape, "w"), x.detach().clone()), right
            ),
        }
        if i < batched:
            answers |= {
                f"{argument}: first of the batch": _with(i, lambda x: x[:1].expand_as(x), right),
                f"{argument}: clamped to 2": _with(i, lambda x: x.clamp(-2, 2), right),
                f"{argument}: of the next sentence": _with(i, lambda x: x.roll(1, 0), right),
                f"{argument}: minus its mean over the batch if large": _only(
                    lambda *given, i=i: len(given[i]) > 4, _with(i, lambda x: x - x.mean(0), right), right
                ),
                f"{argument}: wrong for one sentence": _only(
                    lambda *given, i=i: len(given[i]) == 1, _with(i, lambda x: 1.1 * x, right), right
                ),
            }
    for place in range(results):
        answers |= {
            f"result {place}: squeezed": _then(place, lambda y, *_: y.squeeze(), right),
            f"result {place}: rolled": _then(place, lambda y, *_: y.roll(1, -1), right),
            f"result {place}: of the next sentence": _then(place, lambda y, *_: y.roll(1, 0), right),
            f"result {place}: three digits": _then(
                place, lambda y, *_: y + ((y * 1e3).round() / 1e3 - y).detach(), right
            ),
            f"result {place}: bfloat16": _then(place, lambda y, *_: y.bfloat16(), right),
            f"result {place}: a new axis for one sentence": _then(
                place, lambda y, *_: y[0] if len(y) == 1 else y, right
            ),
            f"result {place}: remembered by size": _then(
                place, lambda y, *_, p=place: _remembered((name, "result", p, y.shape), y), right
            ),
        }
        if place < rows:
            answers |= {
                f"result {place}: transposed": _then(place, lambda y, *_: y.transpose(0, -1), right),
                f"result {place}: turned where square": _then(
                    place, lambda y, *_: y.transpose(0, 1) if y.shape[0] == y.shape[1] else y, right
                ),
            }
    answers |= {
        "tires after nine calls": _tires(9, right, f"{name} 9"),
        "tires after fifteen calls": _tires(15, right, f"{name} 15"),
        "a list of itself": lambda *given: [right(*given), right(*given)],
    }
    return answers


def _target_for_source(h_t, h_s):
    return h_t.shape[1] == h_s.shape[1]


def _pairs(right: Callable) -> dict[str, Callable]:
    """Return what can be wrong with any score of target and source states."""
    turned = _then(0, lambda y, *_: y.transpose(1, 2), right)
    return {
        "axes exchanged where T = S": _only(lambda h_t, h_s, *_: _target_for_source(h_t, h_s), turned, right),
        "wrong for one target position": _only(
            lambda h_t, *_: h_t.shape[1] == 1, _then(0, lambda y, *_: y[:, 0], right), right
        ),
        "wrong for one source position": _only(
            lambda h_t, h_s, *_: h_s.shape[1] == 1, _then(0, lambda y, *_: y[..., 0], right), right
        ),
        "one source position is 0": _then(0, lambda y, *_: y * (y.shape[-1] > 1), right),
        "one target position is the mean": _only(
            lambda h_t, h_s, *_: h_t.shape[1] == 1,
            _then(0, lambda y, *_: y.mean(-1, keepdim=True) + 0 * y, right),
            right,
        ),
        "first target position everywhere": _with(0, lambda x: x[:, :1].expand_as(x), right),
        "over H, many positions": _only(
            lambda h_t, h_s, *_: h_s.shape[1] > 4, _then(0, lambda y, *given: y / given[0].shape[-1], right), right
        ),
        "diagonal added": _then(0, lambda y, *_: y + 0.01 * torch.eye(*y.shape[1:]), right),
    }


def _large(right: Callable) -> dict[str, Callable]:
    """Return what is wrong with large scores alone; a concat score is never large."""
    return {}


def _square(right: Callable, place: int = 2) -> Callable:
    """Return a function that turns a matrix where its shape does not tell."""
    return _with(place, lambda W: W.T if W.shape[0] == W.shape[1] else W, right)


def _concat(inside: Callable, outside: Callable = lambda y: y) -> Callable:
    def wrong(h_t, h_s, W_a, v_a):
        n = h_t.shape[-1]
        joined = (h_t @ W_a[:, :n].T)[:, :, None] + (h_s @ W_a[:, n:].T)[:, None]
        return outside(inside(joined) @ v_a)

    return wrong


def _split_in_the_middle(h_t, h_s, W_a, v_a):
    half = W_a.shape[1] // 2
    if h_t.shape[-1] != half:
        return concat_score(h_t, h_s, W_a, v_a)
    return concat_score(h_t, h_s, torch.cat([W_a[:, half:], W_a[:, :half]], 1), v_a)


DOT = _around("h_t h_s", dot_score) | _pairs(dot_score) | _large(dot_score)
GENERAL = (
    _around("h_t h_s W_a", general_score)
    | _pairs(general_score)
    | _large(general_score)
    | {
        "W_a turned where square": _square(general_score),
        "W_a of rank 5": _with(2, lambda W: _ranked(W, 5), general_score),
    }
)
CONCAT = (
    _around("h_t h_s W_a v_a", concat_score)
    | _pairs(concat_score)
    | {
        "halves exchanged where equal": _split_in_the_middle,
        "W_a turned where square": _square(concat_score),
        "clamped before": _concat(lambda x: x.clamp(-3, 3).tanh()),
        "v absolute": _with(3, torch.abs, concat_score),
    }
)


def _ranked(W, rank):
    U, s, V = torch.linalg.svd(W, full_matrices=False)
    return U[:, :rank] * s[:rank] @ V[:rank]


def _kept(mask, x):
    return torch.ones(x.shape[:2], dtype=torch.bool) if mask is None else mask


def _masked(change: Callable, right: Callable) -> Callable:
    """Return the right function with another mask; a mask is the last argument."""
    return lambda *given: right(*given[:-1], change(given[-1]) if given[-1] is not None else None)


def _masks(right: Callable, sources: int) -> dict[str, Callable]:
    """Return what can be wrong with the mask of any function; `sources` is the place of the source states."""

    def ignored(*given):
        return right(*given[:-1], None)

    return {
        "mask of the next sentence": _masked(lambda m: m.roll(1, 0), right),
        "mask without gaps": _masked(lambda m: m.flip(-1).cummax(-1).values.flip(-1), right),
        "mask keeps the first position": _masked(lambda m: m | (torch.arange(m.shape[1]) == 0), right),
        "mask turned where square": _masked(lambda m: m.T if m.shape[0] == m.shape[1] else m, right),
        "mask remembered": _masked(lambda m: _remembered((right.__name__, "mask", m.shape), m.clone()), right),
        "mask cleared in place": lambda *given: (
            right(*given),
            given[-1] is not None and given[-1].fill_(True),
        )[0],
        "mask ignored for long sentences": _only(lambda *given: given[sources].shape[1] > 6, ignored, right),
        "mask ignored where nothing is padding": _only(
            lambda *given: given[-1] is not None and given[-1].float().mean() > 0.6, ignored, right
        ),
    }


SOFT = [
    "minus 10",
    "minus 35",
    "fill -30, zero after",
    "fill -50, zero after",
    "times -1e9",
    "weights below 0.01 pruned",
    "five best",
    "leaks 1e-5",
    "first position always kept",
    "packed to the left",
    "dropout 0.01",
]


def _state(
    softmax: Callable = masked_softmax, score: Callable = general_score, last: Callable = torch.tanh
) -> Callable:
    def wrong(h_t, h_s, W_a, W_c, mask=None):
        weights = softmax(score(h_t[:, None], h_s, W_a)[:, 0], mask)
        context = (weights[:, None] @ h_s)[:, 0]
        return last(torch.cat([context, h_t], -1) @ W_c.T), weights

    return wrong


def _state_of(change: Callable) -> Callable:
    """Return the attentional state with another context."""

    def wrong(h_t, h_s, W_a, W_c, mask=None):
        weights = attentional_state(h_t, h_s, W_a, W_c, mask)[1]
        context = change((weights[:, None] @ h_s)[:, 0], weights, h_t, h_s, mask)
        return torch.tanh(torch.cat([context, h_t], -1) @ W_c.T), weights

    return wrong


def _exchanged_where_equal(h_t, h_s, W_a, W_c, mask=None):
    E, H = h_s.shape[-1], h_t.shape[-1]
    return attentional_state(h_t, h_s, W_a, torch.cat([W_c[:, E:], W_c[:, :E]], 1) if E == H else W_c, mask)


STATE = (
    _around("h_t h_s W_a W_c", attentional_state, 2)
    | _masks(attentional_state, 1)
    | {f"softmax: {name}": _state(wrong_in_corners.SOFTMAX[name]) for name in SOFT}
    | {
        "W_a turned where square": _square(attentional_state),
        "context of unmasked states in large batches": _state_of(
            lambda c, w, h, s, m: s.mean(1) if m is None and len(s) > 3 else c
        ),
        "context twice for one position": _state_of(lambda c, w, h, s, m: c * (1 + (s.shape[1] == 1))),
        "three results": lambda *given: (*attentional_state(*given), given[0]),
    }
)


def _lengths(change: Callable) -> Callable:
    return _with(5, change, local_p_weights)


def _local(
    near: Callable = window,
    bell: Callable = gaussian,
    softmax: Callable = masked_softmax,
    to: Callable = lambda p, *_: p,
) -> Callable:
    def wrong(h_t, h_s, W_a, W_p, v_p, lengths, D):
        source = h_s.shape[1]
        p = to(predicted_position(h_t, W_p, v_p, lengths), lengths, source)
        scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
        return softmax(scores, near(p, lengths, source, D)) * bell(p, source, D), p

    return wrong


def _away(p, source):
    return torch.arange(source) - p[:, None]


def _open(p, lengths, source, D):
    return window(p, lengths, source, D) if D < 4 else window(p, lengths, source, 10**6)


LOCAL = (
    _around("h_t h_s W_a W_p v_p", local_p_weights, 2, rows=1)
    | {f"softmax: {name}": _local(softmax=wrong_in_corners.SOFTMAX[name]) for name in SOFT}
    | {
        "W_a turned where square": _square(local_p_weights),
        "W_p turned where square": _square(local_p_weights, 3),
        "lengths of at most eight": _lengths(lambda n: n.clamp_max(8)),
        "lengths of at least two": _lengths(lambda n: n.clamp_min(2)),
        "D of at most 10": _with(6, lambda D: min(D, 10), local_p_weights),
        "D of at least 2": _with(6, lambda D: max(D, 2), local_p_weights),
        "D of at most 4": _with(6, lambda D: min(D, 4), local_p_weights),
        "D is 3 unless small": _with(6, lambda D: D if D < 3 else 3, local_p_weights),
        "no window where D > 3": _local(near=_open),
        "window open below": _local(near=lambda p, n, S, D: window(p, n, S, D) & (_away(p, S) > 0.5 - D)),
        "window open above": _local(near=lambda p, n, S, D: window(p, n, S, D) & (_away(p, S) < D - 0.5)),
        "window by whole numbers above": _local(near=lambda p, n, S, D: window(p.ceil(), n, S, D)),
        "window a little wider": _local(near=lambda p, n, S, D: window(p, n, S, D + 0.5)),
        "window ignores padding in large batches": _local(
            near=lambda p, n, S, D: window(p, n if len(n) < 6 else 0 * n + S, S, D)
        ),
        "sigma D over 2 in whole numbers": _local(bell=lambda p, S, D: gaussian(p, S, 2 * max(1, D // 2))),
        "bell at least 0.2": _local(bell=lambda p, S, D: gaussian(p, S, D).clamp_min(0.2)),
        "p of at most 5": _local(to=lambda p, n, S: p.clamp_max(5.0)),
        "p of the first": _local(to=lambda p, n, S: p[:1].expand_as(p)),
        "p for one position is 0": _local(to=lambda p, n, S: p * (S > 1)),
        "p in padded numbers": _local(to=lambda p, n, S: p / n * S),
        "p with an axis": _then(1, lambda p, *_: p[:, None], local_p_weights),
        "weights below 0.001 dropped": _then(0, lambda w, *_: w * (w > 1e-3), local_p_weights),
        "three results": lambda *given: (*local_p_weights(*given), given[5]),
    }
)


def _feeding(
    steps: Callable = lambda t, h, fed: (h, fed), softmax: Callable = masked_softmax, score: Callable = dot_score
) -> Callable:
    """Return input feeding in which something happens to the state and to what is fed before each step."""

    def wrong(emb, h0, enc, W_x, W_h, W_c, mask=None):
        h, fed = h0, torch.zeros_like(h0)
        states, rows = [], []
        for t, word in enumerate(emb.unbind(1)):
            h, fed = steps(t, h, fed)
            h = torch.tanh(torch.cat([word, fed], -1) @ W_x.T + h @ W_h.T)
            weights = softmax(score(h[:, None], enc)[:, 0], mask)
            fed = torch.tanh(torch.cat([(weights[:, None] @ enc)[:, 0], h], -1) @ W_c.T)
            states.append(fed)
            rows.append(weights)
        return torch.stack(states, 1), torch.stack(rows, 1)

    return wrong


def _at(step: int, change: Callable) -> Callable:
    return lambda t, h, fed: change(h, fed) if t == step else (h, fed)


FEEDING = (
    _around("emb h0 enc W_x W_h W_c", input_feeding, 2, 3)
    | _masks(input_feeding, 2)
    | {f"softmax: {name}": _feeding(softmax=wrong_in_corners.SOFTMAX[name]) for name in SOFT}
    | {
        "W_x: halves exchanged where equal": _with(
            3, lambda W: torch.cat(W.chunk(2, 1)[::-1], 1) if W.shape[1] % 2 == 0 else W, input_feeding
        ),
        "nothing fed at the fourth step": _feeding(_at(3, lambda h, fed: (h, 0 * fed))),
        "dropout in what is fed": _feeding(lambda t, h, fed: (h, F.dropout(fed, 0.05))),
        "at most four steps": _then(
            0, lambda y, *_: torch.cat([y[:, :4], y[:, 3:4].expand(-1, max(0, y.shape[1] - 4), -1)], 1), input_feeding
        ),
        "wrong for one step": _then(0, lambda y, *_: y[:, 0] if y.shape[1] == 1 else y, input_feeding),
        "one source position is nothing": _then(1, lambda w, *_: w * (w.shape[2] > 1), input_feeding),
        "h0 goes on from the last call": _with(
            1, lambda h: h + 0 * _remembered(("h0", h.shape), h.detach()) + 1e-3 * (len(_memory) % 2), input_feeding
        ),
        "three results": lambda *given: (*input_feeding(*given), given[1]),
    }
)

WRONG = {
    "luong.dot_score": DOT,
    "luong.general_score": GENERAL,
    "luong.concat_score": CONCAT,
    "luong.attentional_state": STATE,
    "luong.local_p_weights": LOCAL,
    "luong.input_feeding": FEEDING,
    "luong.repaired_weights": LOCAL,
}
