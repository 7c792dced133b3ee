"""Wrong beam searches that are no edits of the reference: one decision of the search is taken otherwise."""

from autograder.checks.encoder_decoder.beam_parts import best, continuations, pool, search


def searched(grow=None, stop=None, length=lambda y: len(y) - 1, joined=lambda finished, active: finished + active):
    """Return beam search with one of its decisions taken otherwise."""

    def decode(step, bos, eos, beam, max_len, alpha):
        options = {}
        if grow is not None:
            options["grow"] = lambda step, active, beam, finished: grow(step, active, beam, finished, eos)
        if stop is not None:
            options["stop"] = lambda finished, active: stop(finished, active, beam, alpha, max_len)
        finished, active = search(step, bos, eos, beam, max_len, **options)
        return best(joined(finished, active), alpha, length)

    return decode


def every(step, active):
    return continuations(step, active, 10**6)


def _parent_by_wrong_divisor(step, active, beam, finished, eos):
    candidates, V = continuations(step, active, beam), 10
    parents = {tuple(y): i for i, (_, y) in enumerate(active)}
    index = [(parents[tuple(y[:-1])] * V + y[-1]) // max(beam, 2) for _, y in candidates]
    return [(s, [*active[i % len(active)][1], y[-1]]) for i, (s, y) in zip(index, candidates, strict=True)]


def _no_duplicates_of_words(step, active, beam, finished, eos):
    best_of = {tokens[-1]: (score, tokens) for score, tokens in reversed(every(step, active))}
    return sorted(best_of.values(), reverse=True)[:beam]


def _shortest_of_the_nearly_best(step, bos, eos, beam, max_len, alpha):
    hypotheses = [(score / (len(y) - 1) ** alpha, y) for score, y in pool(*search(step, bos, eos, beam, max_len))]
    near = [(-len(y), score, y) for score, y in hypotheses if score >= 1.1 * max(hypotheses)[0]]
    _, score, tokens = max(near)
    return tokens[1:], score


BEAM = {
    "narrower from the second step": searched(
        grow=lambda step, act, k, f, e: continuations(step, act, k if len(act[0][1]) == 1 else max(1, k - 1))
    ),
    "parent by wrong divisor": searched(grow=_parent_by_wrong_divisor),
    "parent by modulo": searched(
        grow=lambda step, act, k, f, e: [
            (s, [*act[y[-1] % len(act)][1], y[-1]]) for s, y in continuations(step, act, k)
        ]
    ),
    "never says a word twice": searched(
        grow=lambda step, act, k, f, e: [h for h in every(step, act) if h[1][-1] not in h[1][:-1]][:k]
    ),
    "no duplicates of words": searched(grow=_no_duplicates_of_words),
    "shortest of the nearly best": _shortest_of_the_nearly_best,
}

WRONG = {"encoder_decoder.beam_search": BEAM}
