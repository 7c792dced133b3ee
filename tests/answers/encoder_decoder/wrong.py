"""Wrong answers of the encoder–decoder exercise that are no known mistake of the checks: none may get all points."""

import torch

from autograder.checks.edits import known
from autograder.checks.encoder_decoder.beam_parts import best, continuations, pool, search, searched
from solutions.encoder_decoder.attention import beam_search, greedy_decode, last_states

_seen: dict = {}


def _split(outputs):
    u = outputs.shape[-1] // 2
    return outputs[..., :u], outputs[..., u:], torch.arange(len(outputs))


def states_changes_lengths(outputs, lengths):
    lengths -= 1
    forward, backward, rows = _split(outputs)
    return torch.cat([forward[rows, lengths], backward[:, 0]], -1)


def states_zeroes_padding(outputs, lengths):
    result = last_states(outputs, lengths)
    with torch.no_grad():
        outputs.mul_((torch.arange(outputs.shape[1]) < lengths[:, None])[..., None])
    return result


def states_detached(outputs, lengths):
    return last_states(outputs.detach(), lengths)


def states_one_direction(outputs, lengths):
    forward, _, rows = _split(outputs)
    return forward[rows, lengths - 1]


def states_every_second_feature(outputs, lengths):
    rows = torch.arange(len(outputs))
    return torch.cat([outputs[rows, lengths - 1, ::2], outputs[:, 0, 1::2]], -1)


def states_max(outputs, lengths):
    return outputs.amax(1)


def states_halves_mean(outputs, lengths):
    forward, backward, rows = _split(outputs)
    return torch.cat([forward[rows, lengths - 1], backward[rows, lengths // 2]], -1)


def states_batch_axis(outputs, lengths):
    forward, backward, _ = _split(outputs)
    index = lengths.clamp(max=len(outputs)) - 1
    return torch.cat([forward[index, 0], backward[:, 0]], -1)


def states_shortest(outputs, lengths):
    return last_states(outputs, lengths.min().expand(len(lengths)))


def states_lengths_sorted(outputs, lengths):
    return last_states(outputs, lengths.sort(descending=True).values)


def states_squeezes(outputs, lengths):
    return last_states(outputs, lengths).squeeze()


def states_last_nonzero(outputs, lengths):
    return last_states(outputs, (outputs.abs().sum(-1) > 0).sum(1))


def states_remembers(outputs, lengths):
    return last_states(outputs, _seen.setdefault(tuple(outputs.shape), lengths.clone()))


STATES = [value for name, value in list(globals().items()) if name.startswith("states_")]


def _loop(step, batch_size, bos, max_len, choose):
    """Greedy search whose next word and end `choose(logits, prefix, ended)` decides."""
    prefix = torch.full((batch_size, 1), bos)
    ended = torch.zeros(batch_size, dtype=torch.bool)
    for _ in range(max_len):
        word, ended = choose(step(prefix), prefix, ended)
        prefix = torch.cat([prefix, word[:, None]], 1)
        if ended.all():
            break
    return prefix[:, 1:]


def greedy_pad_one_late(step, batch_size, bos, eos, pad, max_len):
    def choose(logits, prefix, ended):
        word = logits[:, -1].argmax(-1).masked_fill(ended, pad)
        return word, ended | (prefix[:, -1] == eos)

    return _loop(step, batch_size, bos, max_len, choose)


def greedy_pad_instead_of_eos(step, batch_size, bos, eos, pad, max_len):
    def choose(logits, prefix, ended):
        word = logits[:, -1].argmax(-1)
        ended = ended | (word == eos)
        return word.masked_fill(ended, pad), ended

    return _loop(step, batch_size, bos, max_len, choose)


def greedy_ends_below_pad(step, batch_size, bos, eos, pad, max_len):
    def choose(logits, prefix, ended):
        word = logits[:, -1].argmax(-1).masked_fill(ended, pad)
        return word, ended | (word <= eos)

    return _loop(step, batch_size, bos, max_len, choose)


def greedy_samples(step, batch_size, bos, eos, pad, max_len):
    def sampled(prefix):
        logits = step(prefix)
        choice = torch.multinomial(logits[:, -1].softmax(-1), 1)
        return torch.nn.functional.one_hot(choice, logits.shape[-1]).float()

    return greedy_decode(sampled, batch_size, bos, eos, pad, max_len)


def greedy_second_best(step, batch_size, bos, eos, pad, max_len):
    def second(prefix):
        logits = step(prefix)[:, -1:].clone()
        return logits.scatter(-1, logits.argmax(-1, keepdim=True), -1e9)

    return greedy_decode(second, batch_size, bos, eos, pad, max_len)


def greedy_mean_of_positions(step, batch_size, bos, eos, pad, max_len):
    return greedy_decode(lambda prefix: step(prefix).mean(1, True), batch_size, bos, eos, pad, max_len)


def greedy_without_bos(step, batch_size, bos, eos, pad, max_len):
    return greedy_decode(
        lambda prefix: step(prefix[:, 1:] if prefix.shape[1] > 1 else prefix), batch_size, bos, eos, pad, max_len
    )


def greedy_last_two(step, batch_size, bos, eos, pad, max_len):
    return greedy_decode(lambda prefix: step(prefix[:, -2:]), batch_size, bos, eos, pad, max_len)


def greedy_row_by_row(step, batch_size, bos, eos, pad, max_len):
    rows = [greedy_decode(step, 1, bos, eos, pad, max_len)[0] for _ in range(batch_size)]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)


def greedy_rows_swapped(step, batch_size, bos, eos, pad, max_len):
    return greedy_decode(step, batch_size, bos, eos, pad, max_len).flip(0)


def greedy_transposed(step, batch_size, bos, eos, pad, max_len):
    return greedy_decode(step, batch_size, bos, eos, pad, max_len).T


def greedy_ragged(step, batch_size, bos, eos, pad, max_len):
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    return [row[row != pad].tolist() for row in words]


def greedy_one_column_more(step, batch_size, bos, eos, pad, max_len):
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    return torch.cat([words, torch.full((batch_size, 1), pad)], 1)


def greedy_eos_at_the_end(step, batch_size, bos, eos, pad, max_len):
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    open_rows = (words[:, -1] != pad) & (words[:, -1] != eos)
    words[open_rows, -1] = eos
    return words


def greedy_minus_one(step, batch_size, bos, eos, pad, max_len):
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    return words.masked_fill(words == pad, -1)


def greedy_stops_at_sum(step, batch_size, bos, eos, pad, max_len):
    def choose(logits, prefix, ended):
        word = logits[:, -1].argmax(-1).masked_fill(ended, pad)
        ended = ended | (word == eos)
        return word, ended if ended.sum() < batch_size - 1 else torch.ones_like(ended)

    return _loop(step, batch_size, bos, max_len, choose)


def greedy_last_row_decides(step, batch_size, bos, eos, pad, max_len):
    words = greedy_decode(step, batch_size, bos, eos, pad, max_len)
    return words[:, : int((words[-1] != pad).sum())]


def greedy_max_len_half(step, batch_size, bos, eos, pad, max_len):
    return greedy_decode(step, batch_size, bos, eos, pad, max(1, max_len // 2))


def greedy_endless(step, batch_size, bos, eos, pad, max_len):
    return greedy_decode(step, batch_size, bos, eos, pad, 100)


def greedy_fifty_at_most(step, batch_size, bos, eos, pad, max_len):
    return greedy_decode(step, batch_size, bos, eos, pad, min(max_len, 50))


def greedy_last_four(step, batch_size, bos, eos, pad, max_len):
    return greedy_decode(lambda prefix: step(prefix[:, -4:]), batch_size, bos, eos, pad, max_len)


def greedy_logits_times_alive(step, batch_size, bos, eos, pad, max_len):
    def choose(logits, prefix, ended):
        word = (logits[:, -1] * ~ended[:, None]).argmax(-1)
        return word, ended | (word == eos)

    return _loop(step, batch_size, bos, max_len, choose)


GREEDY = [value for name, value in list(globals().items()) if name.startswith("greedy_")][1:]


def beam_twice_as_wide(step, bos, eos, beam, max_len, alpha):
    return beam_search(step, bos, eos, 2 * beam, max_len, alpha)


def beam_exhaustive(step, bos, eos, beam, max_len, alpha):
    return beam_search(step, bos, eos, 200, min(max_len, 5), alpha)


def beam_worst(step, bos, eos, beam, max_len, alpha):
    hypotheses = pool(*search(step, bos, eos, beam, max_len))
    score, tokens = min((s / (len(y) - 1) ** alpha, y) for s, y in hypotheses)
    return tokens[1:], score


def beam_first_ended(step, bos, eos, beam, max_len, alpha):
    finished, active = search(step, bos, eos, beam, max_len)
    return best((finished or active)[:1], alpha)


def beam_best_active_first(step, bos, eos, beam, max_len, alpha):
    finished, active = search(step, bos, eos, beam, max_len)
    return best(active or finished, alpha)


def beam_finished_compete(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        return sorted(continuations(step, active, beam) + finished, reverse=True)[:beam]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def beam_finished_normalised_only(step, bos, eos, beam, max_len, alpha):
    finished, active = search(step, bos, eos, beam, max_len)
    scored = [(s / (len(y) - 1) ** alpha, y) for s, y in finished] + active
    score, tokens = max(scored)
    return tokens[1:], score


def beam_one_narrower_from_the_second_step(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        return continuations(step, active, beam if len(active[0][1]) == 1 else max(1, beam - 1))

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def beam_parent_by_wrong_divisor(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        candidates, V = continuations(step, active, beam), 10
        parents = {tuple(y): i for i, (_, y) in enumerate(active)}
        index = [(parents[tuple(y[:-1])] * V + y[-1]) // max(beam, 2) for _, y in candidates]
        return [(s, [*active[i % len(active)][1], y[-1]]) for i, (s, y) in zip(index, candidates, strict=True)]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def beam_rounded_score(step, bos, eos, beam, max_len, alpha):
    tokens, score = beam_search(step, bos, eos, beam, max_len, alpha)
    return tokens, round(score, 2)


def beam_never_says_a_word_twice(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        every = continuations(step, active, 10**6)
        return [h for h in every if h[1][-1] not in h[1][:-1]][:beam]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def beam_probability(step, bos, eos, beam, max_len, alpha):
    tokens, score = beam_search(step, bos, eos, beam, max_len, alpha)
    return tokens, torch.exp(torch.tensor(score))


def beam_tokens_only(step, bos, eos, beam, max_len, alpha):
    return beam_search(step, bos, eos, beam, max_len, alpha)[0]


def beam_with_axis(step, bos, eos, beam, max_len, alpha):
    tokens, score = beam_search(step, bos, eos, beam, max_len, alpha)
    return torch.tensor([tokens]), score


def beam_always_ends(step, bos, eos, beam, max_len, alpha):
    tokens, score = beam_search(step, bos, eos, beam, max_len, alpha)
    return (tokens if tokens[-1] == eos else [*tokens, eos]), score


def beam_padded(step, bos, eos, beam, max_len, alpha):
    tokens, score = beam_search(step, bos, eos, beam, max_len, alpha)
    return tokens + [eos] * (max_len - len(tokens)), score


def beam_topk_crashes(step, bos, eos, beam, max_len, alpha):
    step(torch.tensor([[bos]])).topk(beam)
    return beam_search(step, bos, eos, beam, max_len, alpha)


def beam_parent_by_modulo(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        candidates = continuations(step, active, beam)
        return [(s, [*active[y[-1] % len(active)][1], y[-1]]) for s, y in candidates]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def beam_ranks_by_score(step, bos, eos, beam, max_len, alpha):
    """Ranks by the normalised score and then carries the normalised score on."""

    def grow(step, active, beam, finished):
        return [(s / (len(y) - 1) ** alpha, y) for s, y in continuations(step, active, beam)]

    finished, active = search(step, bos, eos, beam, max_len, grow=grow)
    score, tokens = max(finished + active)
    return tokens[1:], score


def beam_length_of_max(step, bos, eos, beam, max_len, alpha):
    return best(pool(*search(step, bos, eos, beam, max_len)), alpha, lambda tokens: max_len)


def beam_length_minus_one(step, bos, eos, beam, max_len, alpha):
    return best(pool(*search(step, bos, eos, beam, max_len)), alpha, lambda tokens: max(1, len(tokens) - 2))


def beam_logarithm_of_length(step, bos, eos, beam, max_len, alpha):
    hypotheses = pool(*search(step, bos, eos, beam, max_len))
    score, tokens = max((s / (1 + alpha * torch.log(torch.tensor(len(y) - 1.0)).item()), y) for s, y in hypotheses)
    return tokens[1:], score


def beam_stops_by_logp(step, bos, eos, beam, max_len, alpha):
    def stop(finished, active):
        return bool(finished) and max(finished)[0] >= active[0][0]

    return best(pool(*search(step, bos, eos, beam, max_len, stop=stop)), alpha)


def beam_pool_of_beam(step, bos, eos, beam, max_len, alpha):
    """The pool keeps only the first `beam` that ended."""
    finished, active = search(step, bos, eos, beam, max_len)
    return best((finished + active)[:beam], alpha)


def beam_no_duplicates_of_words(step, bos, eos, beam, max_len, alpha):
    def grow(step, active, beam, finished):
        chosen = {}
        for score, tokens in continuations(step, active, 10**6):
            chosen.setdefault(tokens[-1], (score, tokens))
        return sorted(chosen.values(), reverse=True)[:beam]

    return best(pool(*search(step, bos, eos, beam, max_len, grow=grow)), alpha)


def beam_alpha_one_if_positive(step, bos, eos, beam, max_len, alpha):
    return beam_search(step, bos, eos, beam, max_len, 1.0 if alpha > 0 else 0.0)


def beam_alpha_clipped(step, bos, eos, beam, max_len, alpha):
    return beam_search(step, bos, eos, beam, max_len, min(alpha, 1.0))


def beam_random(step, bos, eos, beam, max_len, alpha):
    noisy = lambda prefix: step(prefix) + 0.1 * torch.randn(1)  # noqa: E731
    return beam_search(noisy, bos, eos, beam, max_len, alpha)


def beam_longest_of_the_nearly_best(step, bos, eos, beam, max_len, alpha):
    *_, longest = known(searched, "beam_shortcuts")
    return longest(step, bos, eos, beam, max_len, alpha)


def beam_shortest_of_the_nearly_best(step, bos, eos, beam, max_len, alpha):
    hypotheses = [(score / (len(y) - 1) ** alpha, y) for score, y in pool(*search(step, bos, eos, beam, max_len))]
    near = [(-len(y), score, y) for score, y in hypotheses if score >= 1.1 * max(hypotheses)[0]]
    _, score, tokens = max(near)
    return tokens[1:], score


BEAM = [value for name, value in list(globals().items()) if name.startswith("beam_") and name != "beam_search"]

WRONG = {
    "encoder_decoder.last_states": STATES,
    "encoder_decoder.greedy_decode": GREEDY,
    "encoder_decoder.beam_search": BEAM,
}
