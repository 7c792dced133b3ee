"""The checks of the encoder–decoder without attention: what its encoder hands over, and its two ways to decode."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.checks import PADDING, REPEAT, SHAPE, CaseInput, Check, Points
from autograder.checks.edits import known
from autograder.checks.random_inputs import Rng, lengths, normal
from autograder.kit.verdict.cases import EXACT
from exercises.encoder_decoder.beam_parts import searched
from exercises.encoder_decoder.cases import BOS, EOS, PAD, beam_case, greedy_case
from exercises.encoder_decoder.hunt import HUNT
from exercises.encoder_decoder.training import BACKWARD, HAND, LOSS, NUCLEUS, SHIFT, STEP
from solutions.encoder_decoder.attention import beam_search, greedy_decode, last_states

UNENDING, LIMITED, ORDINARY = "rows without end", "what max_len changes", "ordinary beams"  # groups of cases


def state_cases(rng: Rng) -> list[CaseInput]:
    """Draw outputs whose padding holds numbers as large as any, and lengths in no order."""
    short = np.minimum(lengths(rng, 5, 6), 4)
    padded, single = "padded sentences", "one sentence, one unit, one token"  # groups

    def case(name: str, sizes: Sequence[int], true: Callable[[], np.ndarray], group: str, gradients=False) -> CaseInput:
        outputs, counts = normal(rng, *sizes), true()
        return CaseInput(name, [outputs, counts], group, [PADDING] * bool((counts < sizes[1]).any()), gradients)

    return [
        case("no padding", (4, 6, 10), lambda: np.full(4, 6), "no padding", True),
        case("padded sentences", (4, 7, 6), lambda: lengths(rng, 4, 7), padded, True),
        case("other padded sentences", (4, 7, 6), lambda: lengths(rng, 4, 7), padded),
        case("padding in every row", (5, 8, 6), lambda: short, padded, True),
        case("two full rows", (4, 6, 6), lambda: np.array([6, *rng.permutation([2, 6, 4])]), padded),
        case("one sentence", (1, 6, 4), lambda: np.array([3]), single, True),
        case("equal sizes", (6, 6, 6), lambda: lengths(rng, 6, 6), padded, True),
        case("one unit in each direction", (3, 5, 2), lambda: lengths(rng, 3, 5), single),
        case("one position", (3, 1, 4), lambda: np.ones(3, np.int64), single),
        case("one token of each", (3, 4, 6), lambda: np.ones(3, np.int64), single),
    ]


STATES = Check(
    last_states,
    ("states",),
    state_cases,
    points={"no padding": 1, "padded sentences": 2, "one sentence, one unit, one token": 1},
)


def greedy_cases(rng: Rng) -> list[CaseInput]:
    """Draw batches whose rows end at different steps, all at once, at the last step, or not at all."""
    middle = [int(end) for end in 3 + rng.permutation(4)]
    ends = [4, *middle] if middle[0] != 3 else [5, *middle]
    steps, unending, close = "rows that end at different steps", ["a row without end"], ["a close race"]
    different = greedy_case(rng, [ends[0], 2, 7, 5, 3], 12)
    _, _, bos, eos, pad, _ = different
    others = greedy_case(rng, [3, 8, 2, 4, 6], 12, tokens=[pad, bos, eos], level=200.0)  # nothing but step is another
    drawn = [
        CaseInput("rows that end at different steps", different, steps),
        CaseInput("others of the same number", others, steps),
        CaseInput("one sentence", greedy_case(rng, [5], 9)),
        CaseInput("nearly equal logits", greedy_case(rng, [4, 6, 1, 5], 10, spread=0.03, zero=EOS), steps, close),
        CaseInput("rows that end at once", greedy_case(rng, [1, 1], 5), steps),
        # What depends on max_len comes last: who forgets it has been tried on all the others by then.
        CaseInput("a row that ends with the last token allowed", greedy_case(rng, [2, 7, 4], 7), LIMITED),
        CaseInput("rows that do not end within max_len", greedy_case(rng, [3, None, 6, None], 6), UNENDING, unending),
    ]
    limited = [
        ("one token at most", greedy_case(rng, [None, 1, None], 1)),
        ("long sentences", greedy_case(rng, [3, 14, None], 16, share=0.07, zero=BOS)),
        ("very long sentences of few words", greedy_case(rng, [4, 57, None], 60, vocabulary=7, share=0.05, path=75)),
        ("equal sizes", greedy_case(rng, [3, 2, None, 7, 4, 1, 5, 6], 8, vocabulary=8, zero=PAD)),
    ]
    return [*drawn, *(CaseInput(name, arguments, LIMITED, unending) for name, arguments in limited)]


GREEDY = Check(
    greedy_decode,
    ("tokens",),
    greedy_cases,
    points={
        "one sentence": 1,
        "rows that end at different steps": 3,
        "max_len": Points(2, (UNENDING, LIMITED)),
    },
    also=(SHAPE, REPEAT),
    exact=("tokens",),
)


BEAM_MISTAKES = known(searched, "beam_search")
WAYS = {each.__name__: each for each in (*BEAM_MISTAKES, *known(searched, "beam_shortcuts"))}
GREEDY_SEARCH, WIDE, END = "beam 1 is greedy search", "a beam wider than the vocabulary", "when the search ends"


def beam_cases(rng: Rng) -> list[CaseInput]:
    """Draw models for which the usual short cuts of beam search lead to another sentence."""

    def case(
        name: str, group: str, settings: tuple[int, int, float], against: str, *others: Callable, **more: Any
    ) -> CaseInput:
        """Return a case for beam, max_len and alpha that none of these mistakes gets right, the rarest seen first."""
        apart = tuple(WAYS[way] for way in more.pop("apart", "").split())
        arguments = beam_case(rng, *settings, [*others, *(WAYS[way] for way in against.split())], apart=apart, **more)
        return CaseInput(name, arguments, group, ["a wide beam"] * (group == WIDE), tolerance=EXACT)

    places, same_places = "shrinks fills_up wider_after_an_end only_finished", "shrinks ended_compete"
    flat = case("nearly equal probabilities", ORDINARY, (4, 8, 1.5), places, spread=0.3, zero=BOS)
    right = beam_search(*flat.arguments)
    again = {"spread": 0.3, "tokens": [1, *flat.arguments[1:3]]}  # nothing but step is another than in the flat case
    unlike = "each_by_itself too_wide longest_of_the_nearly_best length_without_eos raw_choice"
    narrow = "eight_at_most seven_at_most only_vocabulary recombined"
    early = "one_step_ahead stops_at_first stops_when_ahead stops_at_beam at_twice_beam"
    ahead, never, first = "three_steps_ahead pruned twelve_at_most", "never_empty one_too_many", "stops_at_first"
    ends = "at_three_beams twelve_at_most never_empty"
    return [
        case("beam 1", GREEDY_SEARCH, (1, 8, 0.0), "forgets_prefix every_end too_wide", eos_bonus=1),
        case("beam 3", ORDINARY, (3, 9, 1.0), unlike, eos_bonus=0.5, spread=0.7),
        case("beam 5", ORDINARY, (5, 8, 1.2), "two_each three_each too_narrow", eos_bonus=0.5, spread=0.6),
        case("late ends", ORDINARY, (4, 8, 1.5), "too_narrow", lambda *_: right, eos_bonus=-1, **again),
        flat,
        case("sentences that end early", END, (2, 12, 1.0), first, eos_bonus=2, spread=2, calls=11, zero=EOS),
        case("a wide beam", WIDE, (11, 7, 1.6), narrow, vocabulary=5, eos_bonus=1, spread=0.15),
        case("alpha 0", ORDINARY, (3, 8, 0.0), f"{first} beam_of_one", eos_bonus=0.5, spread=3, apart=same_places),
        case("a small alpha", ORDINARY, (3, 8, 0.2), "no_length only_best_end beam_of_one never_second", spread=1.5),
        case("a later end that is better", END, (3, 10, 1.6), early, eos_bonus=1, apart="raw_choice stops_when_ahead"),
        case("a long way to a better end", END, (4, 20, 1.5), ahead, eos_bonus=-1, spread=3, first_end=3.1),
        case("many ends before a better one", END, (2, 20, 2.0), ends, eos_bonus=2),
        case("one token at most", GREEDY_SEARCH, (3, 1, 2.0), never, eos_bonus=2),
    ]


BEAM = Check(
    beam_search,
    ("tokens", "score"),
    beam_cases,
    points={
        GREEDY_SEARCH: 1,
        "the tokens": Points(3, ORDINARY, part="tokens"),
        "the score": Points(2, ORDINARY, part="score"),
        WIDE: 1,
        END: 2,
    },
    also=(REPEAT,),
    mistakes=BEAM_MISTAKES,
)

CHECKS = [HAND, STEP, STATES, SHIFT, LOSS, GREEDY, BEAM, *HUNT.checks(), NUCLEUS, BACKWARD]
