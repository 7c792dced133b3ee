"""Random tables for the steps of the decoding checks, drawn again until a case shows what it is for."""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, islice

import numpy as np

from autograder.checks.random_inputs import Rng
from autograder.kit.known.table_models import GreedyStep, state_after
from autograder.kit.verdict.compare import are_same
from exercises.encoder_decoder.beam_parts import Shuffled, best, pool, search, searched

STATES = 127  # a prime: every token of a prefix, however early, moves the state
NEVER = -200.0  # pad and bos: nobody's choice
TRIES = 5000
SHUFFLES = 50  # steps from one table: to draw numbers anew for each takes longer than to look at what they give
MORE = 14  # tokens after max_len within which a row without end does end


PAD, BOS, EOS = 0, 1, 2  # places in what choose_tokens returns


def choose_tokens(rng: Rng, vocabulary: int, zero: int | None = None) -> list[int]:
    """Return different token numbers for pad, bos and eos, each with ordinary words below it; `zero` is number 0."""
    tokens = [int(token) for token in 2 + rng.choice(vocabulary - 2, size=3, replace=False)]
    return [0 if place == zero else token for place, token in enumerate(tokens)]


def logits(rng: Rng, vocabulary: int, never: list[int], eos: int, ends: float, spread: float) -> np.ndarray:
    """Return logits (M, V) no two of which are closer than 0.6 spread; eos is the largest in a share `ends` of states.

    The order of two of them is the same on every machine and in every float type of a student's liking.
    """
    order = rng.permuted(np.tile(np.arange(vocabulary), (STATES, 1)), axis=1)
    order[:, never] -= 2 * vocabulary
    rows, top = np.arange(STATES), order.argmax(axis=1)
    wanted = np.where(rng.random(STATES) < ends, eos, np.where(top == eos, order[:, :].argsort(axis=1)[:, -2], top))
    order[rows, top], order[rows, wanted] = order[rows, wanted], order[rows, top]
    table = spread * (order + 0.2 * rng.uniform(-1, 1, size=order.shape))
    return table.astype(np.float32)


def greedy_case(  # noqa: PLR0913 — what one case demands
    rng: Rng,
    ends: list[int | None],
    max_len: int,
    *,
    vocabulary: int = 13,
    share: float = 0.15,
    spread: float = 1.0,
    level: float = -40.0,
    zero: int | None = None,
    tokens: list[int] | None = None,
    path: int = 0,
) -> list:
    """Return arguments of greedy_decode whose rows end after so many tokens; None: the row is still talking then.

    Such a row ends later, always: who forgets max_len gets a wrong answer on every draw, and never a loop without end.
    `zero` tells which of the `tokens` pad, bos and eos is number 0; some row takes `path` tokens to its end.
    """
    for _ in range(TRIES):
        pad, bos, eos = tokens or choose_tokens(rng, vocabulary, zero)
        table = logits(rng, vocabulary, [pad, bos], eos, share, spread) + np.float32(level * spread)
        if path:
            _lay(rng, table, [pad, bos, eos], eos, path)
        length = _lengths(table, bos, eos, max_len + MORE)
        starts = [rng.permutation(np.flatnonzero(length == end if end else length > max_len + 2)) for end in ends]
        if all(len(words) > position for position, words in enumerate(starts)):
            rows = np.array([words[position] for position, words in enumerate(starts)])
            return [GreedyStep(rows, table), len(ends), bos, eos, pad, max_len]
    raise RuntimeError(f"no table of {TRIES} has rows that end after {ends} tokens of {max_len}")


def _lay(rng: Rng, table: np.ndarray, no_words: list[int], eos: int, length: int) -> None:
    """Make a row say so many tokens: a walk through as many states, none of them twice, with eos in the last one."""
    count, vocabulary = table.shape
    words = np.setdiff1d(np.arange(vocabulary), no_words)
    at, seen = int(rng.integers(count)), set()
    for left in range(length, 0, -1):
        seen.add(at)
        fresh = [int(w) for w in words if state_after(at, int(w), count) not in seen]
        word = int(rng.choice(fresh)) if fresh and left > 1 else eos
        top = table[at].argmax()
        table[at, [top, word]] = table[at, [word, top]]
        if word == eos:
            break
        at = state_after(at, word, count)


def _lengths(table: np.ndarray, bos: int, eos: int, most: int) -> np.ndarray:
    """Return after how many tokens a row of greedy_decode ends that begins in each state; 0: not within `most`."""
    count = len(table)
    word, every = table.argmax(axis=1), np.arange(count)
    following, at = state_after(every, word, count), state_after(every, bos, count)
    length = np.zeros(count, dtype=np.int64)
    for step in range(1, most + 1):
        length[(length == 0) & (word[at] == eos)] = step
        at = following[at]
    return length


def beam_case(  # noqa: PLR0913 — what one case demands
    rng: Rng,
    beam: int,
    max_len: int,
    alpha: float,
    against: Iterable[Callable] = (),
    *,
    apart: tuple[Callable, ...] = (),
    vocabulary: int = 10,
    eos_bonus: float = 0.0,
    spread: float = 1.0,
    calls: int = 99,
    zero: int | None = None,
    tokens: list[int] | None = None,
    first_end: float | None = None,
) -> list:
    """Return arguments of beam_search whose answer no small noise turns round and none of these mistakes gives.

    No two of those in `apart` give the same answer either: each is to be known by its name. `zero` tells which of the
    `tokens` pad, bos and eos is number 0. With `first_end` eos is that much likelier as the first token than any word.
    """
    drawn = _steps(
        rng, lambda: tokens or choose_tokens(rng, vocabulary, zero), vocabulary, eos_bonus, spread, first_end
    )
    for bos, eos, step in islice(drawn, TRIES):
        rest = [bos, eos, beam, max_len, alpha]
        finished, active = search(step, *rest[:-1])
        words, score = best(pool(finished, active), alpha)
        steps = max(len(hypothesis) for _, hypothesis in pool(finished, active)) - 1
        tells = steps <= calls and all(_is_different(mistake, step, rest, (words, score)) for mistake in against)
        answers = [_given(mistake, step, rest) for mistake in apart] if tells else []
        tells = tells and not any(are_same(one, two) for one, two in combinations(answers, 2))
        if tells and _is_steady(rng, step, rest, words):
            return [step.step, *rest]
    raise RuntimeError(f"no table of {TRIES} tells beam {beam}, max_len {max_len}, alpha {alpha} from its mistakes")


def _steps(
    rng: Rng, choose: Callable, vocabulary: int, eos_bonus: float, spread: float, first_end: float | None
) -> Iterator[tuple[int, int, Shuffled]]:
    """Return bos, eos and a step again and again, without end; some in a row come from one table."""
    while True:
        pad, bos, eos = choose()
        table = spread * rng.normal(size=(STATES + 1, vocabulary))
        table[:, eos] += eos_bonus
        if first_end is not None:  # the last row is for the first token then
            table[STATES] *= 0.1 / spread
            table[STATES, eos] = first_end
        table[:, [pad, bos]] = NEVER
        table -= np.log(np.exp(table).sum(axis=1, keepdims=True))
        ranked: dict[int, list[tuple[float, int]]] = {}
        for _ in range(SHUFFLES):
            order = rng.permutation(STATES)
            if first_end is not None:
                order[state_after(0, bos, STATES)] = STATES
            yield bos, eos, Shuffled(table, order, ranked)


def _is_steady(rng: Rng, step: Shuffled, rest: list, tokens: list[int]) -> bool:
    """Return whether the winner stays under noise that is hundreds of times that of float32."""
    noisy = (step.table + rng.uniform(-1e-3, 1e-3, size=step.table.shape) for _ in range(3))
    return all(searched(Shuffled(table, step.order, {}), *rest)[0] == tokens for table in noisy)


def _is_different(mistake: Callable, step: Shuffled, rest: list, right: tuple[list[int], float]) -> bool:
    """Return whether the mistake shows on this case: it crashes, says other tokens, or gives another score."""
    given = _given(mistake, step, rest)
    if given is None:
        return True
    tokens, score = given
    return not np.array_equal(tokens, right[0]) or abs(float(score) - right[1]) > 0.01


def _given(mistake: Callable, step: Shuffled, rest: list) -> list[np.ndarray] | None:
    """Return tokens and score as the mistake gives them; None: it crashes."""
    try:
        tokens, score = mistake(step, *rest)
    except Exception:
        return None
    return [np.array(tokens), np.array(float(score))]
