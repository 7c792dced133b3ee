"""Short cuts of beam search that no hint names, and none of which may pass: cases are drawn until each shows."""

from autograder.checks.encoder_decoder.beam_parts import Answer, Hypothesis, best, continuations, pool, search, searched


def at_twice_beam(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Stop when twice as many have ended as the beam is wide."""

    def enough(finished: list[Hypothesis], active: list[Hypothesis]) -> bool:
        return len(finished) >= 2 * beam

    return best(pool(*search(step, bos, eos, beam, max_len, stop=enough)), alpha)


def one_step_ahead(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Stop when no active hypothesis could win with one more word that costs nothing."""

    def hopeless(finished: list[Hypothesis], active: list[Hypothesis]) -> bool:
        return bool(finished) and best(finished, alpha)[1] >= max(active)[0] / len(active[0][1]) ** alpha

    return best(pool(*search(step, bos, eos, beam, max_len, stop=hopeless)), alpha)


def three_each(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Look at the three best continuations of each hypothesis only."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        return sorted((h for parent in active for h in continuations(step, [parent], 3)), reverse=True)[:beam]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def never_second(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Allow no sentence of two tokens."""

    def later(prefix):
        log_p = step(prefix).clone()
        log_p[:, eos] -= 1e9 * (prefix.shape[1] == 2)
        return log_p

    return searched(later, bos, eos, beam, max_len, alpha)


def wider_after_an_end(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Keep one hypothesis more as soon as one has ended."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        return continuations(step, active, beam + bool(finished))

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def at_three_beams(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Stop when three times as many have ended as the beam is wide."""

    def enough(finished: list[Hypothesis], active: list[Hypothesis]) -> bool:
        return len(finished) >= 3 * beam

    return best(pool(*search(step, bos, eos, beam, max_len, stop=enough)), alpha)


def three_steps_ahead(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Stop when no active hypothesis could win with three more words that cost nothing."""

    def hopeless(finished: list[Hypothesis], active: list[Hypothesis]) -> bool:
        return bool(finished) and best(finished, alpha)[1] >= max(active)[0] / (len(active[0][1]) + 2) ** alpha

    return best(pool(*search(step, bos, eos, beam, max_len, stop=hopeless)), alpha)


def pruned(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Drop what is more than 2.5 behind the best continuation."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        candidates = continuations(step, active, beam)
        return [h for h in candidates if h[0] > candidates[0][0] - 2.5]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def recombined(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Keep the best alone of those with the same last two words."""

    def grow(step, active: list, beam: int, finished: list) -> list[Hypothesis]:
        candidates = continuations(step, active, beam)
        return list({tuple(h[1][-2:]): h for h in reversed(candidates)}.values())[::-1]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def twelve_at_most(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Say no more than twelve words."""
    return searched(step, bos, eos, beam, min(max_len, 12), alpha)


def seven_at_most(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Keep no more than seven."""
    return searched(step, bos, eos, min(beam, 7), max_len, alpha)


def eight_at_most(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Keep no more than eight."""
    return searched(step, bos, eos, min(beam, 8), max_len, alpha)


def longest_of_the_nearly_best(step, bos: int, eos: int, beam: int, max_len: int, alpha: float) -> Answer:
    """Return the longest of those whose score is within a tenth of the best."""
    candidates = [
        (logp / (len(tokens) - 1) ** alpha, tokens) for logp, tokens in pool(*search(step, bos, eos, beam, max_len))
    ]
    near = [(len(tokens), score, tokens) for score, tokens in candidates if score >= 1.1 * max(candidates)[0]]
    _, score, tokens = max(near)
    return tokens[1:], score
