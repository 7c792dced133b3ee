"""The checks of the starred tasks: unknown words that are replaced, and the window that is computed alone."""

from autograder.checks import FAR, REPEAT, SHAPE, UNCHANGED, Check
from autograder.checks.edits import known
from autograder.checks.luong import starred_examples
from autograder.checks.luong.adapters import after_zeros
from autograder.checks.luong.starred_cases import (
    BEYOND,
    ENDS,
    IN_LEXICON,
    IN_NONE,
    INSIDE,
    MEMORY,
    MIXED,
    PADDED,
    TIES,
    unknown_cases,
    windowed_cases,
)
from solutions.luong.attention import replaced_unknowns, windowed_attention

UNKNOWN = Check(
    replaced_unknowns,
    ("words",),
    unknown_cases,
    points={IN_LEXICON: 1, IN_NONE: 1, MIXED: 1, TIES: 1, BEYOND: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    exact=("words",),
    mistakes=known(replaced_unknowns),
    examples=starred_examples.UNKNOWN,
    stars=1,
)

WINDOWED = Check(
    windowed_attention,
    ("contexts",),
    windowed_cases,
    points={INSIDE: 2, ENDS: 1, PADDED: 1, FAR: 1, MEMORY: 2},
    mistakes=known(windowed_attention),
    examples=starred_examples.WINDOWED,
    adapter=after_zeros,
    may_call=("general_score",),
    stars=2,
)
