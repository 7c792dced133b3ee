"""What goes wrong in beam search: the search with one wrong decision each."""

import torch

from autograder.checks.encoder_decoder.beam_parts import Answer, Hypothesis, best, continuations, pool, search, searched


def no_length(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The length plays no part. Each hypothesis of the pool is judged by logp / length^alpha."""
    return searched(step, bos, eos, beam, max_len, 0.0)


def plain_mean(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """logp is divided by the length itself. alpha is the exponent of the length: logp / length^alpha."""
    return searched(step, bos, eos, beam, max_len, 1.0)


def google_length(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """This is the length penalty of Wu et al. (2016), ((5 + length) / 6)^alpha. Here it is length^alpha."""
    return best(pool(*search(step, bos, eos, beam, max_len)), alpha, lambda tokens: (4 + len(tokens)) / 6)


def multiplies(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """logp is multiplied by length^alpha. It is divided by it."""
    return searched(step, bos, eos, beam, max_len, -alpha)


def length_without_eos(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """eos is missing from the length. It was said, and its probability is in logp: it counts."""
    candidates = pool(*search(step, bos, eos, beam, max_len))
    return best(candidates, alpha, lambda tokens: max(1, len(tokens) - 1 - (tokens[-1] == eos)))


def length_with_bos(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """bos is counted in the length. It is given, not said: length counts the tokens after it."""
    return best(pool(*search(step, bos, eos, beam, max_len)), alpha, len)


def raw_choice(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The winner is chosen by logp alone and divided by its length afterwards. Divide first, then choose."""
    tokens, score = searched(step, bos, eos, beam, max_len, 0.0)
    return tokens, score / len(tokens) ** alpha


def raw_score(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The tokens are right, but the score is logp. The score that is returned is logp / length^alpha."""
    tokens, score = searched(step, bos, eos, beam, max_len, alpha)
    return tokens, score * len(tokens) ** alpha


def keeps_bos(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The tokens still begin with bos. Return them without it."""
    tokens, score = searched(step, bos, eos, beam, max_len, alpha)
    return [bos, *tokens], score


def drops_eos(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """eos is missing from the tokens. A hypothesis that ended keeps its eos."""
    tokens, score = searched(step, bos, eos, beam, max_len, alpha)
    return [token for token in tokens if token != eos], score


def stops_at_first(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The first hypothesis that ends wins, or the search stops there. A longer one may still be better: go on until
    none remain or max_len is reached, and compare all of the pool."""
    finished, active = search(step, bos, eos, beam, max_len, stop=lambda finished, active: finished)
    return best(finished or active, alpha)


def stops_at_beam(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The search stops when `beam` hypotheses have ended. A longer one may still be better: go on until none remain or
    max_len is reached."""

    def enough(finished: list[Hypothesis], active: list[Hypothesis]) -> bool:
        return len(finished) >= beam

    return best(pool(*search(step, bos, eos, beam, max_len, stop=enough)), alpha)


def stops_when_ahead(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The search stops when the best ended hypothesis is ahead of the best active one. Its score may still rise as it
    grows longer: go on until none remain or max_len is reached."""

    def ahead(finished: list[Hypothesis], active: list[Hypothesis]) -> bool:
        return bool(finished) and best(finished, alpha)[1] >= best(active, alpha)[1]

    return best(pool(*search(step, bos, eos, beam, max_len, stop=ahead)), alpha)


def shrinks(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """A hypothesis that has ended still takes a place in the beam. It leaves for the pool, and the next step keeps
    `beam` again."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        return continuations(step, active, max(0, beam - len(finished)))

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def fills_up(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The beam is filled up with the next best when continuations end in eos. The `beam` best continuations are kept
    first; those that end then leave, and their places stay empty for this step."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        every = continuations(step, active, 10**6)
        going = [h for h in every if h[1][-1] != eos][:beam]
        return [h for h in every[:beam] if h[1][-1] == eos] + going

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def every_end(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Every hypothesis may end at every step. An end counts only if it is among the `beam` best continuations."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        every = continuations(step, active, 10**6)
        return every[:beam] + [h for h in every[beam:] if h[1][-1] == eos]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def only_best_end(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """An end counts only when it is the very best continuation. It counts when it is among the `beam` best."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        candidates = continuations(step, active, beam)
        return [h for i, h in enumerate(candidates) if h[1][-1] != eos or i == 0]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def each_by_itself(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Each hypothesis keeps one continuation of its own. The `beam` best are chosen among all continuations of all
    active hypotheses together."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        if len(active[0][1]) == 1:
            return continuations(step, active, beam)
        return [continuations(step, [hypothesis], 1)[0] for hypothesis in active]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def two_each(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Each hypothesis offers only its two best continuations. The `beam` best are chosen among all continuations, and
    many of them may have the same parent."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        every = [h for parent in active for h in continuations(step, [parent], 2)]
        return sorted(every, reverse=True)[:beam]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def not_reordered(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The new words are put behind the wrong prefixes. A continuation belongs to the hypothesis that it came from:
    index // V says which one."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        candidates = continuations(step, active, beam)
        return [
            (score, [*active[min(i, len(active) - 1)][1], tokens[-1]]) for i, (score, tokens) in enumerate(candidates)
        ]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def forgets_score(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Only the last word's log-probability counts. A hypothesis carries the sum over all its words."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        return continuations(step, [(0.0, tokens) for _, tokens in active], beam)

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def forgets_prefix(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The model is shown the last word only. It needs the whole prefix, bos included."""
    return searched(lambda prefix: step(prefix[:, -1:]), bos, eos, beam, max_len, alpha)


def beam_of_one(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """This is greedy search. Keep the `beam` best continuations, not one. (Copies of one hypothesis are one: at first,
    only a single bos is active.)"""
    return searched(step, bos, eos, 1, max_len, alpha)


def too_narrow(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """One hypothesis fewer than `beam` is kept."""
    return searched(step, bos, eos, max(1, beam - 1), max_len, alpha)


def too_wide(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """One hypothesis more than `beam` is kept."""
    return searched(step, bos, eos, beam + 1, max_len, alpha)


def only_vocabulary(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The beam never grows wider than the vocabulary. From the second step on there are more continuations than words:
    keep `beam` of them, or all if fewer exist."""
    return searched(step, bos, eos, min(beam, step(torch.tensor([[bos]])).shape[-1]), max_len, alpha)


def only_finished(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Only hypotheses that ended can win. After max_len tokens the rest joins the pool too."""
    finished, active = search(step, bos, eos, beam, max_len)
    return best(finished or active, alpha)


def sign_turned(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The tokens are right, but the score has the wrong sign. A log-probability is never positive."""
    tokens, score = searched(step, bos, eos, beam, max_len, alpha)
    return tokens, -score


def adds_probabilities(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Probabilities are added up. `step` gives log-probabilities, and these are what adds up."""
    return searched(lambda prefix: step(prefix).exp(), bos, eos, beam, max_len, alpha)


def never_empty(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """eos is not allowed as the first word. The rules do not forbid it."""

    def later(prefix: torch.Tensor) -> torch.Tensor:
        log_p = step(prefix)
        return log_p if prefix.shape[1] > 1 else log_p.index_fill(1, torch.tensor([eos]), -1e9)

    return searched(later, bos, eos, beam, max_len, alpha)


def bos_counts(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The search stops one token early. max_len counts the tokens that are said, bos is none of them."""
    return searched(step, bos, eos, beam, max_len - 1, alpha)


def one_too_many(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """One token too many: a hypothesis has at most max_len tokens, and eos counts."""
    return searched(step, bos, eos, beam, max_len + 1, alpha)


def results_swapped(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> tuple[float, list[int]]:
    """The results have changed places. The tokens come first, then the score."""
    tokens, score = searched(step, bos, eos, beam, max_len, alpha)
    return score, tokens


def ended_compete(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Hypotheses that have ended stay in the beam and compete with the others there. They leave for the pool: the next
    step keeps `beam` of those that are still growing."""

    kept: list[Hypothesis] = [(0.0, [bos])]
    for _ in range(max_len):
        growing = [h for h in kept if h[1][-1] != eos]
        if not growing:
            break
        ended = [h for h in kept if h[1][-1] == eos]
        kept = sorted(ended + continuations(step, growing, beam), reverse=True)[:beam]
    return best(kept, alpha)


def length_of_search(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Every hypothesis is divided by the same length, that of the whole search. Each has a length of its own."""
    candidates = pool(*search(step, bos, eos, beam, max_len))
    longest = max(len(tokens) - 1 for _, tokens in candidates)
    return best(candidates, alpha, lambda tokens: longest)


def divides_each_step(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """logp is divided by length^alpha at every step, and the quotient is carried on. Carry on the sum; divide once,
    in the pool."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        return [(score / (len(y) - 1) ** alpha, y) for score, y in continuations(step, active, beam)]

    score, tokens = max(pool(*search(step, bos, eos, beam, max_len, grow=grow)))
    return tokens[1:], score


def score_as_probability(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """The tokens are right, but the score is a probability, exp(logp / length^alpha). Return it without the exp."""
    tokens, score = searched(step, bos, eos, beam, max_len, alpha)
    return tokens, torch.tensor(score).exp().item()


BEAM = (
    no_length,
    plain_mean,
    google_length,
    multiplies,
    length_without_eos,
    length_with_bos,
    raw_choice,
    raw_score,
    keeps_bos,
    drops_eos,
    stops_at_first,
    stops_at_beam,
    stops_when_ahead,
    shrinks,
    fills_up,
    every_end,
    only_best_end,
    each_by_itself,
    two_each,
    not_reordered,
    forgets_score,
    forgets_prefix,
    beam_of_one,
    too_narrow,
    too_wide,
    only_vocabulary,
    only_finished,
    sign_turned,
    adds_probabilities,
    never_empty,
    bos_counts,
    one_too_many,
    results_swapped,
    ended_compete,
    length_of_search,
    divides_each_step,
    score_as_probability,
)
