"""The checks of the encoder–decoder without attention: what its encoder hands over, and its two ways to decode."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np

from autograder.checks import REPEAT, SHAPE, CaseInput, Check, Points
from autograder.checks.edits import known
from autograder.checks.encoder_decoder.beam_parts import searched
from autograder.checks.encoder_decoder.cases import BOS, EOS, PAD, beam_case, greedy_case
from autograder.checks.encoder_decoder.hunt import HUNT
from autograder.checks.encoder_decoder.starred import BACKWARD, NUCLEUS
from autograder.checks.encoder_decoder.training import HAND, LOSS, SHIFT, STEP
from autograder.checks.random_inputs import Rng, lengths, normal
from autograder.kit.cases import EXACT
from solutions.encoder_decoder.attention import beam_search, greedy_decode, last_states

PADDING = "padding"
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
    steps, unending = "rows that end at different steps", ["a row without end"]
    different = greedy_case(rng, [ends[0], 2, 7, 5, 3], 12)
    _, _, bos, eos, pad, _ = different
    others = greedy_case(rng, [3, 8, 2, 4, 6], 12, tokens=[pad, bos, eos], level=200.0)  # nothing but step is another
    drawn = [
        CaseInput("rows that end at different steps", different, steps),
        CaseInput("others of the same number", others, steps),
        CaseInput("one sentence", greedy_case(rng, [5], 9)),
        CaseInput(
            "nearly equal logits", greedy_case(rng, [4, 6, 1, 5], 10, spread=0.03, zero=EOS), steps, ["a close race"]
        ),
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


def _by_name(mistakes: tuple[Callable, ...]) -> SimpleNamespace:
    return SimpleNamespace(**{mistake.__name__: mistake for mistake in mistakes})


BEAM_MISTAKES = known(searched, "beam_search")


def beam_cases(rng: Rng) -> list[CaseInput]:
    """Draw models for which the usual short cuts of beam search lead to another sentence."""
    case = partial(beam_case, rng)
    beams, shortcuts = _by_name(BEAM_MISTAKES), _by_name(known(searched, "beam_shortcuts"))
    lengths_matter = [beams.length_without_eos, beams.raw_choice]
    nearly = [beams.too_wide, shortcuts.longest_of_the_nearly_best]
    no_early_stop = [  # first the one that shows least often: most draws are given up there
        shortcuts.one_step_ahead,
        beams.stops_at_first,
        beams.stops_when_ahead,
        beams.stops_at_beam,
        shortcuts.at_twice_beam,
    ]
    long_way = [shortcuts.three_steps_ahead, shortcuts.pruned, shortcuts.twelve_at_most]
    same_places = (beams.shrinks, beams.ended_compete)
    places = [  # as above
        beams.shrinks,
        beams.fills_up,
        shortcuts.wider_after_an_end,
        beams.only_finished,
    ]
    flat = case(4, 8, 1.5, places, spread=0.3, zero=BOS)
    bos, eos = flat[1:3]
    tokens, remembered = [1, bos, eos], beam_search(*flat)
    others = [lambda *_: remembered]  # nothing but step is another than in the flat case
    drawn = [
        CaseInput(
            "beam 1",
            case(1, 8, 0.0, [beams.forgets_prefix, beams.every_end, beams.too_wide], eos_bonus=1),
            "beam 1 is greedy search",
        ),
        CaseInput(
            "beam 3",
            case(3, 9, 1.0, [beams.each_by_itself, *nearly, *lengths_matter], eos_bonus=0.5, spread=0.7),
            ORDINARY,
        ),
        CaseInput(
            "beam 5",
            case(5, 8, 1.2, [beams.two_each, shortcuts.three_each, beams.too_narrow], eos_bonus=0.5, spread=0.6),
            ORDINARY,
        ),
        CaseInput(
            "late ends", case(4, 8, 1.5, [*others, beams.too_narrow], eos_bonus=-1, spread=0.3, tokens=tokens), ORDINARY
        ),
        CaseInput("nearly equal probabilities", flat, ORDINARY),
        CaseInput(
            "sentences that end early",
            case(2, 12, 1.0, [beams.stops_at_first], eos_bonus=2, spread=2, calls=11, zero=EOS),
            "when the search ends",
        ),
        CaseInput(
            "a wide beam",
            case(
                11,
                7,
                1.6,
                [shortcuts.eight_at_most, shortcuts.seven_at_most, beams.only_vocabulary, shortcuts.recombined],
                vocabulary=5,
                eos_bonus=1,
                spread=0.15,
            ),
            "a beam wider than the vocabulary",
            ["a wide beam"],
        ),
        CaseInput(
            "alpha 0",
            case(3, 8, 0.0, [beams.stops_at_first, beams.beam_of_one], eos_bonus=0.5, spread=3, apart=same_places),
            ORDINARY,
        ),
        CaseInput(
            "a small alpha",
            case(
                3, 8, 0.2, [beams.no_length, beams.only_best_end, beams.beam_of_one, shortcuts.never_second], spread=1.5
            ),
            ORDINARY,
        ),
        CaseInput(
            "a later end that is better",
            case(3, 10, 1.6, no_early_stop, eos_bonus=1, apart=(beams.raw_choice, beams.stops_when_ahead)),
            "when the search ends",
        ),
        CaseInput(
            "a long way to a better end",
            case(4, 20, 1.5, long_way, eos_bonus=-1, spread=3, first_end=3.1),
            "when the search ends",
        ),
        CaseInput(
            "many ends before a better one",
            case(2, 20, 2.0, [shortcuts.at_three_beams, shortcuts.twelve_at_most, beams.never_empty], eos_bonus=2),
            "when the search ends",
        ),
        CaseInput(
            "one token at most",
            case(3, 1, 2.0, [beams.never_empty, beams.one_too_many], eos_bonus=2),
            "beam 1 is greedy search",
        ),
    ]
    return [replace(one, tolerance=EXACT) for one in drawn]


BEAM = Check(
    beam_search,
    ("tokens", "score"),
    beam_cases,
    points={
        "beam 1 is greedy search": 1,
        "the tokens": Points(3, ORDINARY, part="tokens"),
        "the score": Points(2, ORDINARY, part="score"),
        "a beam wider than the vocabulary": 1,
        "when the search ends": 2,
    },
    also=(REPEAT,),
    mistakes=BEAM_MISTAKES,
)

CHECKS = [HAND, STEP, STATES, SHIFT, LOSS, GREEDY, BEAM, *HUNT.checks(), NUCLEUS, BACKWARD]
