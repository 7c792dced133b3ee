"""Cases on a student's machine: arrays recorded by `release`, so that `check` needs neither solutions nor checks.

The road of a hint: an edit in mistakes/FUNCTION.txt, made into a wrong function (checks/edits.py); its answers,
recorded as a case's `known` (release/recordings.py) and read back here; compared with the student's
(known/recognition.py); its sentence in the verdict (verdict/grading.py).
"""

import io
import math
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from itertools import zip_longest
from pathlib import Path

import numpy as np

from autograder.kit.calls import codec
from autograder.kit.calls.adapter import Adapter
from autograder.kit.calls.call import call
from autograder.kit.known.table_models import BeamStep, GreedyStep
from autograder.kit.verdict.answer import Caller
from autograder.kit.verdict.cases import Case, Criterion, Example, KnownMistake, Pairs, Recorded
from autograder.kit.verdict.compare import are_same
from autograder.kit.verdict.hunts import Argument, HuntInput

FOLDER = Path(__file__).parents[1] / "recordings"
MOST_PAIRS = 280  # the pairs of mistakes in a check's recording
DROPPED = 6  # bits of 23: 4e-6 of a number, a fifth of the difference that still counts as the same
LARGE = 4096  # numbers of a right answer


@dataclass
class Recording:
    """One check as a student's machine knows it: its cases, its criteria, and the way to call the function."""

    cases: list[Case]
    criteria: list[Criterion]
    examples: list[Example] = field(default_factory=list)
    earlier: dict[str, int | None] = field(default_factory=dict)  # functions that it may call, and their parts
    hunt: HuntInput | None = None  # the bug hunt to which the function belongs
    stars: int = 0  # of a task that gives a bonus
    adapter: Adapter | None = None

    def caller(self, namespace: dict) -> Caller:
        """Return the caller of a notebook's functions for this check."""
        return partial(call, namespace, adapter=self.adapter)


CLASSES = (
    *(Recording, Case, Criterion, Example, KnownMistake, Pairs, Recorded),
    *(BeamStep, GreedyStep, HuntInput, Argument, Adapter),
)


def path(check_id: str, folder: Path | None = None) -> Path:
    return (folder or FOLDER) / f"{check_id}.npz"


def pack(recording: Recording) -> bytes:
    """Return a recording as the bytes of an npz file: a codec's text, and one row of numbers for each dtype.

    Equal arrays stand there once. An array each would cost more in headers than in numbers.
    """
    rows: dict[str, list[np.ndarray]] = {}
    places: dict[tuple, list] = {}
    ends: dict[str, int] = {}
    cases = _with_given(recording.cases)
    cases = [replace(case, pairs=pairs) for case, pairs in zip(cases, _pairs(cases), strict=True)]

    def put(array: np.ndarray) -> list:
        """Return an array's dtype, where it begins in the row of this dtype, and its shape."""
        kind = array.dtype.str
        key = (kind, array.shape, array.tobytes())
        if key not in places:
            places[key] = [kind, ends.get(kind, 0), *array.shape]
            ends[kind] = ends.get(kind, 0) + array.size
            rows.setdefault(kind, []).append(array.ravel())
        return places[key]

    text = codec.encode(replace(recording, cases=cases), CLASSES, put)
    arrays = {kind: np.concatenate(row) for kind, row in rows.items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, json=np.frombuffer(text, np.uint8), **arrays)
    return buffer.getvalue()


def load(check_id: str, folder: Path | None = None) -> Recording:
    """Return the recording of a check; if there is none, raise LookupError with the names of the existing ones."""
    place = path(check_id, folder)
    if not place.exists():
        known = sorted(other.stem for other in place.parent.glob("*.npz"))
        near = " or ".join(f"'{name}'" for name in get_close_matches(check_id, known, n=3))
        advice = f": did you mean {near}?" if near else f"; this kit has: {', '.join(known) or 'none'}"
        raise LookupError(f"no recorded answers for the check '{check_id}'{advice}")
    with np.load(place, allow_pickle=False) as arrays:
        rows = dict(arrays)

    def take(place: list) -> np.ndarray:
        """Return an array of its own: two places never share one."""
        kind, begin, *shape = place
        return rows[kind][begin : begin + math.prod(shape)].reshape(shape).copy()

    return codec.decode(rows["json"].tobytes(), CLASSES, take)


def _with_given(cases: list[Case]) -> list[Case]:
    """Return the cases with each known mistake's outputs, in as few numbers and digits as tell it from others.

    A large case keeps only the mistakes that show in no other one.
    """
    seen = {
        known.name
        for case in cases
        if not _is_large(case)
        for known in case.known
        if (given := known.outputs) is not None and not are_same(given, case.outputs.values())
    }
    return [replace(case, known=[_given(known, case, seen) for known in case.known]) for case in cases]


def _is_large(case: Case) -> bool:
    return sum(right.size for right in case.outputs.values()) > LARGE


def _given(known: KnownMistake, case: Case, seen: set[str]) -> KnownMistake:
    numbers = known.outputs
    if numbers is None or (known.name in seen and _is_large(case)):
        return replace(known, run=Recorded(None))
    pairs = zip_longest(numbers, list(case.outputs.values())[: len(numbers)])
    return replace(known, run=Recorded([_shorter(*pair) for pair in pairs]))


def _shorter(array: np.ndarray, right: np.ndarray | None) -> np.ndarray:
    """Return an array with only the leading bits of its numbers; right numbers as they are, which cost nothing more."""
    if array.dtype != np.float32 or (right is not None and np.array_equal(array, right, equal_nan=True)):
        return array
    rounded = ((array.view(np.uint32) + (1 << DROPPED >> 1)) >> DROPPED << DROPPED).view(np.float32)
    return np.where(np.isfinite(array) & np.isfinite(rounded), rounded, array)


def _pairs(cases: list[Case]) -> list[Pairs]:
    """Return for each case the prints of each two mistakes at once."""
    places = cases[0].pairs.places
    if len(places) > MOST_PAIRS:  # minutes to run, megabytes to send: grading alone names them
        places = places[:0]
    return [Pairs(places, Recorded(np.array([case.pairs.row(pair) for pair in range(len(places))]))) for case in cases]
