"""Wrong answers of the encoder–decoder exercise that are no edits of the reference: none may get all points."""

from autograder.checks.edits import known
from autograder.checks.encoder_decoder.beam_parts import best, continuations, pool, search, searched


def finished_compete(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        return sorted(continuations(step, active, beam) + finished, reverse=True)[:beam]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def one_narrower_from_the_second_step(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        return continuations(step, active, beam if len(active[0][1]) == 1 else max(1, beam - 1))

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def parent_by_wrong_divisor(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        candidates, V = continuations(step, active, beam), 10
        parents = {tuple(y): i for i, (_, y) in enumerate(active)}
        index = [(parents[tuple(y[:-1])] * V + y[-1]) // max(beam, 2) for _, y in candidates]
        return [(s, [*active[i % len(active)][1], y[-1]]) for i, (s, y) in zip(index, candidates, strict=True)]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def never_says_a_word_twice(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        every = continuations(step, active, 10**6)
        return [h for h in every if h[1][-1] not in h[1][:-1]][:beam]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def parent_by_modulo(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        candidates = continuations(step, active, beam)
        return [(s, [*active[y[-1] % len(active)][1], y[-1]]) for s, y in candidates]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def ranks_by_score(step, bos, eos, beam, max_len, alpha):
    """Ranks by the normalised score and then carries the normalised score on."""

    def grow(step, active, beam, finished):
        return [(s / (len(y) - 1) ** alpha, y) for s, y in continuations(step, active, beam)]

    finished, active = search(step, bos, eos, beam, max_len, grow=grow)
    score, tokens = max(finished + active)
    return tokens[1:], score


def stops_by_logp(step, bos, eos, beam, max_len, alpha):
    def stop(finished, active):
        return bool(finished) and max(finished)[0] >= active[0][0]

    return best(pool(*search(step, bos, eos, beam, max_len, stop=stop)), alpha)


def no_duplicates_of_words(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        chosen = {}
        for score, tokens in continuations(step, active, 10**6):
            chosen.setdefault(tokens[-1], (score, tokens))
        return sorted(chosen.values(), reverse=True)[:beam]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def longest_of_the_nearly_best(step, bos, eos, beam, max_len, alpha):
    *_, longest = known(searched, "beam_shortcuts")
    return longest(step, bos, eos, beam, max_len, alpha)


def shortest_of_the_nearly_best(step, bos, eos, beam, max_len, alpha):
    hypotheses = [(score / (len(y) - 1) ** alpha, y) for score, y in pool(*search(step, bos, eos, beam, max_len))]
    near = [(-len(y), score, y) for score, y in hypotheses if score >= 1.1 * max(hypotheses)[0]]
    _, score, tokens = max(near)
    return tokens[1:], score


WRONG = {
    "encoder_decoder.beam_search": [
        finished_compete,
        one_narrower_from_the_second_step,
        parent_by_wrong_divisor,
        never_says_a_word_twice,
        parent_by_modulo,
        ranks_by_score,
        stops_by_logp,
        no_duplicates_of_words,
        longest_of_the_nearly_best,
        shortest_of_the_nearly_best,
    ]
}
