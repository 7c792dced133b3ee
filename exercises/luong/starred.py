"""Unknown words that are replaced, and the window that is computed alone: cases and checks."""

from collections.abc import Sequence

import numpy as np

from autograder.checks import FAR, LOW, REPEAT, SHAPE, UNCHANGED, CaseInput, Check
from autograder.checks.random_inputs import Rng, far_below, lengths, normal
from exercises.luong.adapters import after_zeros
from exercises.luong.attention import PADDING, with_one_feature
from solutions.luong.attention import replaced_unknowns, windowed_attention

IN_LEXICON, IN_NONE, MIXED = "words that the lexicon has", "words that it does not have", "some of both"
TIES, BEYOND = "equal weights", "columns behind the last source word"
INSIDE, ENDS, PADDED = "windows inside the sentence", "windows that an end cuts off", "padded sentences"
MEMORY = "the memory"
LONG, MOST = 4_000_000, 8 << 20  # zeros before the source; bytes: one target word's scores of all positions take 16 MB


def unknown_arguments(
    rng: Rng, sizes: Sequence[int], words: str = MIXED, columns: int = 0, equal: bool = False, unk: int | None = None
) -> list:
    """Return tokens, weights, source, lexicon and unk for sizes T, S, V; half of the tokens are unk.

    `columns` with large weights stand behind those of the source; `equal`: a later word has as much as the best one.
    """
    T, S, V = sizes
    unk = int(rng.integers(1, V)) if unk is None else unk
    tokens = rng.choice([word for word in range(V) if word != unk], T)
    rows = rng.permutation(T)[: (T + 1) // 2]
    tokens[rows] = unk
    source = 1 + rng.permutation(V - 1)[:S]  # all different, and never 0: the lexicon's 0 is told from them
    weights = rng.random((T, S + columns)).astype(np.float32)
    best = np.resize(rng.permutation(S - 1 if equal else S), len(rows))
    weights[rows, best] += 1
    if equal:
        later = best + 1 + rng.integers(S - 1 - best)
        weights[rows, later] = weights[rows, best]
    weights[:, S:] += 2
    lexicon = rng.permutation(V)
    kept = np.arange(len(rows)) % 2 == 0 if words == MIXED else np.full(len(rows), words == IN_LEXICON)
    lexicon[source[best[::-1]]] = np.where(kept, rng.integers(V, size=len(rows)), -1)[::-1]  # the first has the say
    if words == MIXED:
        lexicon[source[best[0]]] = 0
    return [tokens, weights / weights.sum(axis=1, keepdims=True), source, lexicon, unk]


def unknown_in_source(rng: Rng) -> list:
    """Return arguments in which an unk looks at a source word that is unk itself, and the lexicon has nothing."""
    tokens, weights, source, lexicon, unk = unknown_arguments(rng, (6, 5, 40), IN_NONE)
    source[source == unk] = next(word for word in range(1, 40) if word != unk and word not in source)
    source[weights.argmax(axis=1)[tokens == unk][0]] = unk
    lexicon[source] = -1
    return [tokens, weights, source, lexicon, unk]


def nearly_equal(rng: Rng) -> list:
    """Return arguments in which a later word has a little more than the one before it that seems to be the best."""
    tokens, weights, source, lexicon, unk = unknown_arguments(rng, (9, 7, 60), IN_LEXICON, equal=True)
    rows = np.flatnonzero(tokens == unk)
    weights[rows, weights[rows].argmax(axis=1)] -= np.float32(2e-6)
    return [tokens, weights, source, lexicon, unk]


def unknown_cases(rng: Rng) -> list[CaseInput]:
    """Draw translations with unknown words: in the lexicon and not, with ties, with columns of </s> and padding."""
    made = unknown_arguments
    certain = made(rng, (7, 6, 50))
    certain[0][certain[0] == certain[4]] = (certain[4] + 1) % 50
    return [
        CaseInput("all of them in the lexicon", made(rng, (9, 6, 60), IN_LEXICON), IN_LEXICON),
        CaseInput("more source words than target words", made(rng, (5, 11, 60), IN_LEXICON), IN_LEXICON),
        CaseInput("none of them in the lexicon", made(rng, (8, 7, 50), IN_NONE), IN_NONE),
        CaseInput("a source word that is unk itself", unknown_in_source(rng), IN_NONE),
        CaseInput("some in the lexicon", made(rng, (12, 9, 70)), MIXED),
        CaseInput("as many target words as source words", made(rng, (8, 8, 60)), MIXED),
        CaseInput("unk is 0", made(rng, (9, 5, 60), unk=0), MIXED),
        CaseInput("no unknown word", certain, MIXED),
        CaseInput("one target word", made(rng, (1, 6, 40)), MIXED),
        CaseInput("one source word", made(rng, (6, 1, 40), IN_LEXICON), IN_LEXICON),
        CaseInput("two equal weights", made(rng, (9, 7, 60), IN_LEXICON, equal=True), TIES),
        CaseInput("two equal weights, nothing in the lexicon", made(rng, (7, 8, 60), IN_NONE, equal=True), TIES),
        CaseInput("one column more", made(rng, (10, 6, 60), columns=1), BEYOND),
        CaseInput("columns of padding", made(rng, (7, 5, 60), columns=4), BEYOND),
        CaseInput("one source word for several unknown ones", made(rng, (14, 3, 60)), MIXED),
        CaseInput("two nearly equal weights", nearly_equal(rng), TIES),
    ]


def centres(rng: Rng, whole: np.ndarray) -> np.ndarray:
    """Return real centres between these whole numbers and the next: none near an edge, or half-way."""
    return (whole + rng.uniform(0.1, 0.4, whole.shape) + 0.5 * rng.integers(2, size=whole.shape)).astype(np.float32)


def windowed_arguments(rng: Rng, sizes: Sequence[int], D: float, true: np.ndarray, p: np.ndarray) -> list:
    """Return h_t, h_s, W_a, p, lengths, D and no zeros before, for sizes B, T, S, H, A."""
    B, T, S, H, A = sizes
    states = [normal(rng, B, T, H), normal(rng, B, S, A), normal(rng, H, A, scale=H**-0.5)]
    return [*states, np.broadcast_to(p, (B, T)).astype(np.float32), true.astype(np.int64), D, 0]


def inside(rng: Rng, sizes: Sequence[int], D: int) -> list:
    """Return arguments whose windows end before the sentence does, on both sides."""
    B, T, S = sizes[:3]
    return windowed_arguments(rng, sizes, D, np.full(B, S), centres(rng, rng.integers(D, S - 1 - D, size=(B, T))))


def anywhere(rng: Rng, sizes: Sequence[int], D: float, true: np.ndarray | None = None) -> list:
    """Return arguments of padded sentences, the centres anywhere in each, one of them at the end of its sentence."""
    B, T, S = sizes[:3]
    true = lengths(rng, B, S) if true is None else true
    whole = rng.integers(np.broadcast_to(true[:, None], (B, T)))
    whole[:, -1] = true - 1
    return windowed_arguments(rng, sizes, D, true, centres(rng, whole))


def at_both_ends(rng: Rng, sizes: Sequence[int], D: int) -> list:
    """Return arguments whose windows are cut off at the left for one target word, at the right for the next."""
    B, T, S = sizes[:3]
    steps = rng.integers(D, size=(B, T))
    whole = np.where(np.arange(T) % 2, S - 1 - steps, steps)
    return windowed_arguments(rng, sizes, D, np.full(B, S), centres(rng, whole))


def shifted(rng: Rng, where: str, gap: float) -> list:
    """Return arguments with one target word each whose scores are higher by twice gap where no weight is, or all -gap.

    With gap 0 those in the window are as `far_below` has them.

    `where` they are not: "padding", "outside" of the window, or nowhere: "all".
    """
    B, S, D = 4, 12, 2
    h_t, *rest = anywhere(rng, (B, 1, S, 6, 5), D)
    s, p, true = np.arange(S), rest[2], rest[3]
    real, inside = s < true[:, None], np.abs(s - p) <= D
    kept, near = {"padding": real, "outside": inside, "all": np.ones((B, S), bool)}[where], real & inside
    h_t, *rest = with_one_feature([h_t[:, 0], *rest], np.where(kept, -gap, gap) if gap else far_below(near))
    return [h_t[:, None], *rest]


def long_source(rng: Rng, name: str, p: Sequence[float]) -> CaseInput:
    """Return a case in which one target word's scores of all positions take 16 MB, those of its window next to none."""
    centres = np.array([p])  # of float32 numbers
    arguments = windowed_arguments(rng, (1, 3, 12, 5, 2), 3, np.array([LONG + 11]), centres)
    return CaseInput(name, [*arguments[:-1], LONG], MEMORY, peak=MOST)


def most_places(rng: Rng, D: float) -> list:
    """Return arguments whose windows hold as many positions as a width of 2D can: their centres are half-way."""
    p = rng.integers(3, 8, size=(4, 3)) + 0.5
    return windowed_arguments(rng, (4, 3, 12, 5, 6), D, np.full(4, 12), p)


def windowed_cases(rng: Rng) -> list[CaseInput]:
    """Draw windows inside sentences and at their ends, wider than they are, over padding, and in a long source."""
    many = windowed_arguments
    corner = many(rng, (4, 1, 9, 5, 3), 1, np.array([9, 4, 9, 6]), np.array([[0], [4], [9], [3]]))
    whole = many(rng, (5, 3, 13, 4, 6), 2, np.full(5, 13), rng.integers(2, 11, size=(5, 3)))
    wide = anywhere(rng, (4, 3, 5, 6, 7), 8, np.array([5, 3, 5, 4]))
    single = many(rng, (3, 2, 1, 4, 5), 2, np.ones(3), centres(rng, np.zeros((3, 2))))
    return [
        CaseInput("inside the sentence", inside(rng, (4, 3, 14, 5, 6), 2), INSIDE, gradients=True),
        CaseInput("inside the sentence, another width", inside(rng, (3, 5, 16, 7, 4), 3), INSIDE),
        CaseInput("centres that are whole numbers", whole, INSIDE),
        CaseInput("equal sizes", inside(rng, (7,) * 5, 2), INSIDE, gradients=True),
        CaseInput("one target word", inside(rng, (4, 1, 9, 6, 5), 2), INSIDE),
        CaseInput("at both ends", at_both_ends(rng, (4, 5, 11, 6, 3), 3), ENDS, gradients=True),
        CaseInput("at both ends, a wider window", at_both_ends(rng, (2, 4, 15, 3, 5), 5), ENDS),
        CaseInput("centres on the ends", corner, ENDS),
        CaseInput("windows wider than the sentences", wide, ENDS, [PADDING], gradients=True),
        CaseInput("one position", single, ENDS),
        CaseInput("padded sentences", anywhere(rng, (5, 3, 9, 4, 6), 2), PADDED, [PADDING], gradients=True),
        CaseInput("other padded sentences", anywhere(rng, (6, 2, 12, 5, 4), 3), PADDED, [PADDING]),
        # no centre has a position that is 2.45 away; the first slot below p - D and the last in the window are 5 apart
        CaseInput("D = 2.45", anywhere(rng, (3, 4, 11, 6, 5), 2.45), PADDED, [PADDING]),
        CaseInput("one sentence", anywhere(rng, (1, 4, 10, 5, 6), 2, np.array([6])), PADDED, [PADDING]),
        CaseInput("scores around -120", shifted(rng, "all", 120), FAR),
        CaseInput("padding that scores higher", shifted(rng, "padding", 20), FAR, [PADDING]),
        CaseInput("positions outside that score higher", shifted(rng, "outside", 20), FAR),
        CaseInput(LOW, shifted(rng, "all", 0), FAR, [PADDING]),
        long_source(rng, "a source of 4,000,012 positions", [LONG + 5.25, LONG + 9.75, LONG + 2.5]),
        CaseInput("D = 2.6, centres half-way", most_places(rng, 2.6), PADDED),
        CaseInput("D = 1.5, centres half-way", most_places(rng, 1.5), PADDED),
        long_source(rng, "windows far apart in 4,000,012 positions", [5.25, LONG / 2 + 0.5, LONG + 9.75]),
    ]


UNKNOWN = Check(
    replaced_unknowns,
    ("words",),
    unknown_cases,
    points={IN_LEXICON: 1, IN_NONE: 1, MIXED: 1, TIES: 1, BEYOND: 1},
    also=(SHAPE, UNCHANGED, REPEAT),
    exact=("words",),
    stars=1,
)

WINDOWED = Check(
    windowed_attention,
    ("contexts",),
    windowed_cases,
    points={INSIDE: 2, ENDS: 1, PADDED: 1, FAR: 1, MEMORY: 2},
    adapter=after_zeros,
    may_call=("general_score",),
    stars=2,
)
