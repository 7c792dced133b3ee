"""More wrong answers of the encoder–decoder exercise: right nearly everywhere, wrong at one size, step or word."""

import torch

from autograder.checks.encoder_decoder.beam_parts import best, continuations, pool, search
from solutions.encoder_decoder.attention import beam_search, greedy_decode
from tests.answers.encoder_decoder.wrong import every, searched

_memory: dict = {}


def _remembered(key, value):
    return _memory.setdefault(key, value)


def _count(key):
    _memory[key] = _memory.get(key, 0) + 1
    return _memory[key]


G = greedy_decode


def _no_trigram_twice(x, prefix):
    """Choose no word that would say three words in a row which the row has said before."""
    logits = x[:, -1].clone()
    for row, tokens in enumerate(prefix[:, 1:].tolist()):
        for i in range(len(tokens) - 2):
            if tokens[i : i + 2] == tokens[-2:]:
                logits[row, tokens[i + 2]] = -1e9
    return logits.argmax(-1)


def _step_by_prefix(step):
    def remembered(prefix):
        return _remembered(("step", str(prefix.tolist())), step(prefix))

    return remembered


def _decoder(
    choose=lambda logits, prefix: logits[:, -1].argmax(-1),
    ends=lambda word, ended, eos, pad, prefix: ended | (word == eos),
    stops=lambda ended, prefix: bool(ended.all()),
    steps=lambda max_len: max_len,
    fill=lambda word, ended, eos, pad, prefix: word.masked_fill(ended, pad),
    shown=lambda prefix, ended: prefix,
    cut=lambda words, eos, pad: words,
):
    """Return greedy decoding with one of its decisions taken otherwise."""

    def decode(step, batch_size, bos, eos, pad, max_len):
        prefix, ended = torch.full((batch_size, 1), bos), torch.zeros(batch_size, dtype=torch.bool)
        for _ in range(steps(max_len)):
            word = fill(choose(step(shown(prefix, ended)), prefix), ended, eos, pad, prefix)
            prefix = torch.cat([prefix, word[:, None]], 1)
            ended = ends(word, ended, eos, pad, prefix)
            if stops(ended, prefix):
                break
        return cut(prefix[:, 1:], eos, pad)

    return decode


def _second(logits):
    return logits[:, -1].topk(2).indices[:, 1]


def _calls(change):
    """Return greedy decoding whose arguments are changed before."""
    return lambda step, B, bos, eos, pad, most: G(*change(step, B, bos, eos, pad, most))


def _result(change):
    return lambda step, B, bos, eos, pad, most: change(G(step, B, bos, eos, pad, most), B, bos, eos, pad, most)


GREEDY = {
    "second best in close races": _decoder(
        lambda x, p: torch.where(
            x[:, -1].topk(2).values.diff(dim=1)[:, 0].abs() < 0.05, _second(x), x[:, -1].argmax(-1)
        )
    ),
    "argmax of absolute logits": _decoder(lambda x, p: x[:, -1].abs().argmax(-1)),
    "argmax of exp": _decoder(lambda x, p: (x[:, -1] * 4).exp().argmax(-1)),
    "softmax without max": _decoder(lambda x, p: (x[:, -1].exp() / x[:, -1].exp().sum(-1, keepdim=True)).argmax(-1)),
    "no three words twice": _decoder(_no_trigram_twice),
    "argmax without the last word": _decoder(lambda x, p: x[:, -1, :-1].argmax(-1)),
    "argmax without word 0": _decoder(lambda x, p: x[:, -1, 1:].argmax(-1) + 1),
    "never repeats a word": _decoder(lambda x, p: x[:, -1].scatter(1, p, -1e9).argmax(-1)),
    "never the same word twice in a row": _decoder(lambda x, p: x[:, -1].scatter(1, p[:, -1:], -1e9).argmax(-1)),
    "samples": _decoder(lambda x, p: torch.multinomial(x[:, -1].softmax(-1), 1)[:, 0]),
    "samples when cold": _decoder(lambda x, p: torch.multinomial((x[:, -1] * 3).softmax(-1), 1)[:, 0]),
    "samples among two": _decoder(
        lambda x, p: x[:, -1].topk(2).indices[torch.arange(len(x)), torch.randint(2, (len(x),))]
    ),
    "eos or pad ends": _decoder(ends=lambda w, e, eos, pad, p: e | (w == eos) | (w < pad)),
    "ended if eos was said first": _decoder(ends=lambda w, e, eos, pad, p: e | ((w == eos) & (p.shape[1] > 2))),
    "an end at the first step ends all": _decoder(
        ends=lambda w, e, eos, pad, p: (e | (w == eos)) | ((w == eos).any() & (p.shape[1] == 2))
    ),
    "two ends end all": _decoder(stops=lambda e, p: bool(e.sum() >= min(2, len(e)))),
    "stops one step late": _decoder(stops=lambda e, p: bool(e.all()) and bool((p[:, -1] == p[0, -1]).all())),
    "max_len - 1, at least 1": _decoder(steps=lambda n: max(1, n - 1)),
    "at most ten": _decoder(steps=lambda n: min(n, 10)),
    "at most six": _decoder(steps=lambda n: min(n, 6)),
    "a column said before ends all": _decoder(
        stops=lambda e, p: bool(e.all()) or bool((p[:, 1:-1] == p[:, -1:]).all(0).any())
    ),
    "at least two": _decoder(steps=lambda n: max(n, 2)),
    "without a column of eos and pad": _decoder(
        cut=lambda y, eos, pad: y[:, :-1] if ((y[:, -1] == eos) | (y[:, -1] == pad)).all() else y
    ),
    "shows the last seven words": _decoder(shown=lambda p, e: p[:, -7:]),
    "begins with 0": _calls(lambda step, B, bos, eos, pad, n: (step, B, 0, eos, pad, n)),
    "eos is 2": _calls(lambda step, B, bos, eos, pad, n: (step, B, bos, 2, pad, n)),
    "pad 0 becomes eos": _calls(lambda step, B, bos, eos, pad, n: (step, B, bos, eos, pad or eos, n)),
    "eos 0 never ends": _calls(lambda step, B, bos, eos, pad, n: (step, B, bos, eos if eos else -1, pad, n)),
    "bos 0 becomes 1": _calls(lambda step, B, bos, eos, pad, n: (step, B, bos or 1, eos, pad, n)),
    "eos in front of padding only": _result(
        lambda y, B, bos, eos, pad, n: torch.cat([y[:, :-1], torch.where(y[:, -1:] == eos, pad, y[:, -1:])], 1)
    ),
    "remembers by size": lambda step, B, bos, eos, pad, n: _remembered(("g", B, n), G(step, B, bos, eos, pad, n)),
    "remembers all but the model": lambda step, *rest: _remembered(("greedy", *rest), G(step, *rest)),
    "remembers the model by its prefix": lambda step, *rest: G(_step_by_prefix(step), *rest),
    "remembers the first model": lambda step, *rest: G(_remembered("model", step), *rest),
    "ends kept between calls": lambda step, B, bos, eos, pad, n: G(step, B, bos, _remembered("eos", eos), pad, n),
    "tires": lambda step, B, bos, eos, pad, n: G(step, B, bos, eos, pad, n if _count("greedy") <= 8 else 1),
}
B = beam_search


def _asked(change):
    return lambda step, bos, eos, beam, max_len, alpha: B(*change(step, bos, eos, beam, max_len, alpha))


def _answered(change):
    return lambda step, bos, eos, beam, max_len, alpha: change(
        *B(step, bos, eos, beam, max_len, alpha), bos, eos, beam, max_len, alpha
    )


def _picked(key):
    """Return beam search that picks its winner by another key (logp, tokens with bos, alpha), and scores it rightly."""

    def decode(step, bos, eos, beam, max_len, alpha):
        s, y = max(pool(*search(step, bos, eos, beam, max_len)), key=lambda h: key(h[0], h[1], alpha, eos))
        return y[1:], s / (len(y) - 1) ** alpha

    return decode


def _diverse(step, active, beam, finished, eos):
    grown = []
    for parent in active:
        grown += [(s - 0.01 * i, y) for i, (s, y) in enumerate(continuations(step, [parent], beam))]
    return sorted(grown, reverse=True)[:beam]


BEAM = {
    "beam + 1": _asked(lambda step, b, e, k, n, a: (step, b, e, k + 1, n, a)),
    "beam - 1": _asked(lambda step, b, e, k, n, a: (step, b, e, max(1, k - 1), n, a)),
    "beam at most 3": _asked(lambda step, b, e, k, n, a: (step, b, e, min(3, k), n, a)),
    "beam at most 4": _asked(lambda step, b, e, k, n, a: (step, b, e, min(4, k), n, a)),
    "max_len at most 12": _asked(lambda step, b, e, k, n, a: (step, b, e, k, min(n, 12), a)),
    "eos 0 never ends": _asked(lambda step, b, e, *rest: (step, b, e or -1, *rest)),
    "bos 0 becomes 1": _asked(lambda step, b, *rest: (step, b or 1, *rest)),
    "max_len - 1": _asked(lambda step, b, e, k, n, a: (step, b, e, k, max(1, n - 1), a)),
    "max_len + 1": _asked(lambda step, b, e, k, n, a: (step, b, e, k, n + 1, a)),
    "max_len at most 8": _asked(lambda step, b, e, k, n, a: (step, b, e, k, min(n, 8), a)),
    "max_len at least 2": _asked(lambda step, b, e, k, n, a: (step, b, e, k, max(n, 2), a)),
    "alpha 1 if 0": _asked(lambda step, b, e, k, n, a: (step, b, e, k, n, a or 1.0)),
    "alpha whole": _asked(lambda step, b, e, k, n, a: (step, b, e, k, n, round(a))),
    "alpha 0.65": _asked(lambda step, b, e, k, n, a: (step, b, e, k, n, 0.65)),
    "begins with eos": _asked(lambda step, b, e, k, n, a: (step, e, e, k, n, a)),
    "begins with 0": _asked(lambda step, b, e, k, n, a: (step, 0, e, k, n, a)),
    "eos is 2": _asked(lambda step, b, e, k, n, a: (step, b, 2, k, n, a)),
    "bos ends": _asked(lambda step, b, e, k, n, a: (step, b, b, k, n, a)),
    "prefix turned": _asked(lambda step, *rest: (lambda p: step(p.flip(1)), *rest)),
    "model of the first hypothesis": _asked(lambda step, *rest: (lambda p: step(p[:1]).expand(len(p), -1), *rest)),
    "model rows shifted": _asked(lambda step, *rest: (lambda p: step(p).roll(1, 0), *rest)),
    "half precision": _asked(lambda step, *rest: (lambda p: step(p).half().float(), *rest)),
    "temperature 1.01": _asked(lambda step, *rest: (lambda p: (step(p) / 1.01).log_softmax(-1), *rest)),
    "noise": _asked(lambda step, *rest: (lambda p: step(p) + 1e-3 * torch.randn(()), *rest)),
    "never word 0": _asked(lambda step, *rest: (lambda p: step(p).index_fill(1, torch.tensor([0]), -1e9), *rest)),
    "no eos at first": _asked(
        lambda step, b, e, *rest: (
            lambda p: step(p).index_fill(1, torch.tensor([e]), -1e9) if p.shape[1] == 1 else step(p),
            b,
            e,
            *rest,
        )
    ),
    "no eos at the second step": _asked(
        lambda step, b, e, *rest: (
            lambda p: step(p).index_fill(1, torch.tensor([e]), -1e9) if p.shape[1] == 2 else step(p),
            b,
            e,
            *rest,
        )
    ),
    "forced eos at the end": _asked(
        lambda step, b, e, k, n, a: (
            lambda p: step(p) if p.shape[1] < n else step(p) - 1e3 * (torch.arange(step(p).shape[1]) != e),
            b,
            e,
            k,
            n,
            a,
        )
    ),
    "score without alpha": _answered(lambda y, s, b, e, k, n, a: (y, s * len(y) ** a / len(y))),
    "score of a length with bos": _answered(lambda y, s, b, e, k, n, a: (y, s * (len(y) / (len(y) + 1)) ** a)),
    "score rounded to four digits": _answered(lambda y, s, *rest: (y, round(s, 4))),
    "score in half precision": _answered(lambda y, s, *rest: (y, torch.tensor(s).half())),
    "tokens turned": _answered(lambda y, s, *rest: (y[::-1], s)),
    "stops at two ends": searched(stop=lambda f, g, k, a, n: len(f) >= 2),
    "stops at twice beam ends": searched(stop=lambda f, g, k, a, n: len(f) >= 2 * k),
    "stops when the next length cannot win": searched(
        stop=lambda f, g, k, a, n: f and best(f, a)[1] >= max(g)[0] / len(g[0][1]) ** a
    ),
    "stops when one is left": searched(stop=lambda f, g, k, a, n: len(g) == 1 and f),
    "stops after max_len // 2 ends": searched(stop=lambda f, g, k, a, n: len(f) > n // 2),
    "longest": searched(joined=lambda f, g: [max(f + g, key=lambda h: len(h[1]))]),
    "picked by mean": _picked(lambda s, y, a, e: s / (len(y) - 1)),
    "picked with bos in the length": _picked(lambda s, y, a, e: s / len(y) ** a),
    "picked without eos in the length": _picked(lambda s, y, a, e: s / max(1, len(y) - 1 - (y[-1] == e)) ** a),
    "one more for ends": searched(grow=lambda step, act, k, f, e: continuations(step, act, k + bool(f))),
    "2 beam best looked at": searched(
        grow=lambda step, act, k, f, e: (
            [h for h in every(step, act)[: 2 * k] if h[1][-1] == e] + [h for h in every(step, act) if h[1][-1] != e][:k]
        )
    ),
    "one child each": searched(
        grow=lambda step, act, k, f, e: [every(step, [h])[0] for h in act] if len(act) > 1 else every(step, act)[:k]
    ),
    "three children each": searched(
        grow=lambda step, act, k, f, e: sorted((c for h in act for c in every(step, [h])[:3]), reverse=True)[:k]
    ),
    "half of the beam for each": searched(
        grow=lambda step, act, k, f, e: sorted(
            (c for h in act for c in every(step, [h])[: (k + 1) // 2]), reverse=True
        )[:k]
    ),
    "children of the best two": searched(grow=lambda step, act, k, f, e: every(step, act[:2])[:k]),
    "diverse": searched(grow=_diverse),
    "no word three times": searched(
        grow=lambda step, act, k, f, e: [h for h in every(step, act) if h[1].count(h[1][-1]) < 3][:k]
    ),
    "sums halved": searched(grow=lambda step, act, k, f, e: continuations(step, [(s / 2, y) for s, y in act], k)),
    "pruned far behind": searched(
        grow=lambda step, act, k, f, e: [h for h in every(step, act)[:k] if h[0] > every(step, act)[0][0] - 1]
    ),
    "stops when two words more cannot win": searched(
        stop=lambda f, g, k, a, n: f and best(f, a)[1] >= max(g)[0] / (len(g[0][1]) + 1) ** a
    ),
    "stops at three times beam ends": searched(stop=lambda f, g, k, a, n: len(f) >= 3 * k),
    "remembers all but the model": lambda step, *rest: _remembered(("beam", *rest), B(step, *rest)),
    "remembers the model by its prefix": lambda step, *rest: B(_step_by_prefix(step), *rest),
    "remembers by size": lambda step, b, e, k, n, a: _remembered(("beam", k, n), B(step, b, e, k, n, a)),
    "tires": lambda step, b, e, k, n, a: B(step, b, e, k if _count("beam tires") <= 11 else 1, n, a),
}

WRONG = {
    "encoder_decoder.greedy_decode": GREEDY,
    "encoder_decoder.beam_search": BEAM,
}
