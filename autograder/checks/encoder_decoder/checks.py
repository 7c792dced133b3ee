"""The checks of the encoder–decoder without attention."""

from dataclasses import replace
from functools import partial

import numpy as np

from autograder.checks import DIFFERENTIABLE, REPEAT, Check, Drawn
from autograder.checks.encoder_decoder import beam_mistakes as beams
from autograder.checks.encoder_decoder import beam_shortcuts as shortcuts
from autograder.checks.encoder_decoder import examples, mistakes
from autograder.checks.encoder_decoder.cases import BOS, EOS, PAD, beam_case, greedy_case
from autograder.checks.random_inputs import Rng, lengths, normal
from autograder.kit.cases import EXACT, Criterion
from solutions.encoder_decoder.attention import beam_search, greedy_decode, last_states

PADDING = "padding"


def state_cases(rng: Rng) -> list[Drawn]:
    """Draw outputs whose padding holds numbers as large as any, and lengths in no order."""
    short = np.minimum(lengths(rng, 5, 6), 4)
    return [
        Drawn("no padding", [normal(rng, 4, 6, 10), np.full(4, 6)], gradients=True),
        Drawn("padded sentences", [normal(rng, 4, 7, 6), lengths(rng, 4, 7)], [PADDING], gradients=True),
        Drawn("other padded sentences", [normal(rng, 4, 7, 6), lengths(rng, 4, 7)], [PADDING]),
        Drawn("padding in every row", [normal(rng, 5, 8, 6), short], [PADDING], gradients=True),
        Drawn("two full rows", [normal(rng, 4, 6, 6), np.array([6, *rng.permutation([2, 6, 4])])], [PADDING]),
        Drawn("one sentence", [normal(rng, 1, 6, 4), np.array([3])], [PADDING], gradients=True),
        Drawn("equal sizes", [normal(rng, 6, 6, 6), lengths(rng, 6, 6)], [PADDING], gradients=True),
        Drawn("one unit in each direction", [normal(rng, 3, 5, 2), lengths(rng, 3, 5)], [PADDING]),
        Drawn("one position", [normal(rng, 3, 1, 4), np.ones(3, np.int64)]),
        Drawn("one token of each", [normal(rng, 3, 4, 6), np.ones(3, np.int64)], [PADDING]),
    ]


STATES = Check(
    reference=last_states,
    outputs=("states",),
    draw_cases=state_cases,
    criteria=[
        Criterion("the shape of the states", 1, "shape"),
        Criterion("no padding", 1, "values", ["no padding"]),
        Criterion(
            "padded sentences",
            2,
            "values",
            ["padded sentences", "other padded sentences", "padding in every row", "two full rows", "equal sizes"],
        ),
        Criterion(
            "one sentence, one unit, one token",
            1,
            "values",
            ["one sentence", "one unit in each direction", "one position", "one token of each"],
        ),
        *DIFFERENTIABLE,
    ],
    mistakes=mistakes.STATES,
    codes=examples.STATES,
)


def greedy_cases(rng: Rng) -> list[Drawn]:
    """Draw batches whose rows end at different steps, all at once, at the last step, or not at all."""
    middle = [int(end) for end in 3 + rng.permutation(4)]
    ends = [4, *middle] if middle[0] != 3 else [5, *middle]
    different = greedy_case(rng, [ends[0], 2, 7, 5, 3], 12)
    _, _, bos, eos, pad, _ = different
    others = greedy_case(rng, [3, 8, 2, 4, 6], 12, tokens=[pad, bos, eos], level=200.0)  # nothing but step is another
    return [
        Drawn("rows that end at different steps", different),
        Drawn("others of the same number", others),
        Drawn("one sentence", greedy_case(rng, [5], 9)),
        Drawn("nearly equal logits", greedy_case(rng, [4, 6, 1, 5], 10, spread=0.03, zero=EOS), ["a close race"]),
        Drawn("rows that end at once", greedy_case(rng, [1, 1], 5)),
        # What depends on max_len comes last: who forgets it has been tried on all the others by then.
        Drawn("a row that ends with the last token allowed", greedy_case(rng, [2, 7, 4], 7)),
        Drawn("rows that do not end within max_len", greedy_case(rng, [3, None, 6, None], 6), ["a row without end"]),
        Drawn("one token at most", greedy_case(rng, [None, 1, None], 1), ["a row without end"]),
        Drawn("long sentences", greedy_case(rng, [3, 14, None], 16, share=0.07, zero=BOS), ["a row without end"]),
        Drawn(
            "very long sentences of few words",
            greedy_case(rng, [4, 57, None], 60, vocabulary=7, share=0.05, path=75),
            ["a row without end"],
        ),
        Drawn(
            "equal sizes",
            greedy_case(rng, [3, 2, None, 7, 4, 1, 5, 6], 8, vocabulary=8, zero=PAD),
            ["a row without end"],
        ),
    ]


GREEDY = Check(
    reference=greedy_decode,
    outputs=("tokens",),
    draw_cases=greedy_cases,
    criteria=[
        Criterion("the shape of the tokens", 1, "shape"),
        Criterion("one sentence", 1, "values", ["one sentence"]),
        Criterion(
            "rows that end at different steps",
            3,
            "values",
            [
                "rows that end at different steps",
                "others of the same number",
                "nearly equal logits",
                "rows that end at once",
            ],
        ),
        Criterion(
            "max_len",
            2,
            "values",
            [
                "rows that do not end within max_len",
                "a row that ends with the last token allowed",
                "one token at most",
                "long sentences",
                "very long sentences of few words",
                "equal sizes",
            ],
        ),
        REPEAT,
    ],
    mistakes=mistakes.GREEDY,
    codes=examples.GREEDY,
)


def beam_cases(rng: Rng) -> list[Drawn]:
    """Draw models for which the usual short cuts of beam search lead to another sentence."""
    case = partial(beam_case, rng)
    lengths_matter = [beams.length_without_eos, beams.raw_choice]
    nearly = [beams.too_wide, shortcuts.longest_of_the_nearly_best]
    no_early_stop = [
        beams.stops_at_first,
        beams.stops_at_beam,
        beams.stops_when_ahead,
        shortcuts.one_step_ahead,
        shortcuts.at_twice_beam,
    ]
    long_way = [shortcuts.three_steps_ahead, shortcuts.pruned, shortcuts.twelve_at_most]
    same_places = (beams.shrinks, beams.ended_compete)
    places = [
        beams.only_finished,
        beams.shrinks,
        beams.fills_up,
        shortcuts.wider_after_an_end,
    ]
    flat = case(4, 8, 1.5, places, spread=0.3, zero=BOS)
    bos, eos = flat[1:3]
    tokens, remembered = [1, bos, eos], beam_search(*flat)
    others = [lambda *_: remembered]  # nothing but step is another than in the flat case
    drawn = [
        Drawn(
            "beam 1",
            case(1, 8, 0.0, [beams.forgets_prefix, beams.every_end, beams.too_wide], eos_bonus=1),
        ),
        Drawn(
            "beam 3",
            case(3, 9, 1.0, [beams.each_by_itself, *nearly, *lengths_matter], eos_bonus=0.5, spread=0.7),
        ),
        Drawn(
            "beam 5",
            case(
                5,
                8,
                1.2,
                [beams.two_each, shortcuts.three_each, beams.too_narrow],
                eos_bonus=0.5,
                spread=0.6,
            ),
        ),
        Drawn("late ends", case(4, 8, 1.5, [*others, beams.too_narrow], eos_bonus=-1, spread=0.3, tokens=tokens)),
        Drawn("nearly equal probabilities", flat),
        Drawn(
            "sentences that end early",
            case(2, 12, 1.0, [beams.stops_at_first], eos_bonus=2, spread=2, calls=11, zero=EOS),
        ),
        Drawn(
            "a wide beam",
            case(
                11,
                7,
                1.6,
                [
                    shortcuts.eight_at_most,
                    shortcuts.seven_at_most,
                    beams.only_vocabulary,
                    shortcuts.recombined,
                ],
                vocabulary=5,
                eos_bonus=1,
                spread=0.15,
            ),
            ["a wide beam"],
        ),
        Drawn(
            "alpha 0",
            case(
                3,
                8,
                0.0,
                [beams.stops_at_first, beams.beam_of_one],
                eos_bonus=0.5,
                spread=3,
                apart=same_places,
            ),
        ),
        Drawn(
            "a small alpha",
            case(
                3,
                8,
                0.2,
                [
                    beams.no_length,
                    beams.only_best_end,
                    beams.beam_of_one,
                    shortcuts.never_second,
                ],
                spread=1.5,
            ),
        ),
        Drawn(
            "a later end that is better",
            case(3, 10, 1.6, no_early_stop, eos_bonus=1, apart=(beams.raw_choice, beams.stops_when_ahead)),
        ),
        Drawn("a long way to a better end", case(4, 20, 1.5, long_way, eos_bonus=-1, spread=3, first_end=3.1)),
        Drawn(
            "many ends before a better one",
            case(
                2,
                20,
                2.0,
                [shortcuts.at_three_beams, shortcuts.twelve_at_most, beams.never_empty],
                eos_bonus=2,
            ),
        ),
        Drawn("one token at most", case(3, 1, 2.0, [beams.never_empty, beams.one_too_many], eos_bonus=2)),
    ]
    return [replace(one, tolerance=EXACT) for one in drawn]


ORDINARY = ["beam 3", "beam 5", "late ends", "nearly equal probabilities", "alpha 0", "a small alpha"]

BEAM = Check(
    reference=beam_search,
    outputs=("tokens", "score"),
    draw_cases=beam_cases,
    criteria=[
        Criterion("beam 1 is greedy search", 1, "values", ["beam 1", "one token at most"]),
        Criterion("the tokens", 3, "values", ORDINARY, part="tokens"),
        Criterion("the score", 2, "values", ORDINARY, part="score"),
        Criterion("a beam wider than the vocabulary", 1, "values", ["a wide beam"]),
        Criterion(
            "when the search ends",
            2,
            "values",
            [
                "sentences that end early",
                "a later end that is better",
                "a long way to a better end",
                "many ends before a better one",
            ],
        ),
        REPEAT,
    ],
    mistakes=beams.BEAM,
    codes=examples.BEAM,
)

CHECKS = [STATES, GREEDY, BEAM]
