"""Cases on a student's machine: arrays that `release` recorded, so that `check` needs neither solutions nor checks."""

import io
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path

import numpy as np

from autograder.kit.calls import codec
from autograder.kit.calls.adapter import Adapter
from autograder.kit.calls.call import call
from autograder.kit.known.table_models import BeamStep, GreedyStep
from autograder.kit.verdict.answer import Caller
from autograder.kit.verdict.cases import Case, Criterion, Example, KnownMistake, Pairs, Recorded
from autograder.kit.verdict.hunts import Argument, HuntInput

FOLDER = Path(__file__).parents[1] / "recordings"
MOST_PAIRS = 160  # whose numbers a check's recording holds


@dataclass
class Recording:
    """What a student's machine knows of one check: its cases, what earns points, and how the function is called."""

    cases: list[Case]
    criteria: list[Criterion]
    examples: list[Example] = field(default_factory=list)
    earlier: dict[str, int | None] = field(default_factory=dict)  # functions that it may call, and their parts
    hunt: HuntInput | None = None  # the bug hunt to which the function belongs
    stars: int = 0  # of a task that gives a bonus
    adapter: Adapter | None = None

    def caller(self, namespace: dict) -> Caller:
        """Return what calls the functions of a notebook as this check does."""
        return partial(call, namespace, adapter=self.adapter)


CLASSES = (
    *(Recording, Case, Criterion, Example, KnownMistake, Pairs, Recorded),
    *(BeamStep, GreedyStep, HuntInput, Argument, Adapter),
)


def path(check_id: str, folder: Path | None = None) -> Path:
    return (folder or FOLDER) / f"{check_id}.npz"


def pack(recording: Recording) -> bytes:
    """Return a recording as the bytes of an npz file: arrays, equal ones once, and a codec's text."""
    arrays: dict[str, np.ndarray] = {}
    cases = [
        replace(case, known=[replace(each, run=Recorded(each.outputs)) for each in case.known])
        for case in recording.cases
    ]
    cases = [replace(case, pairs=pairs) for case, pairs in zip(cases, _pairs(cases), strict=True)]
    keys: dict[tuple, str] = {}

    def put(array: np.ndarray) -> str:
        key = keys.setdefault((array.dtype.str, array.shape, array.tobytes()), f"a{len(arrays)}")
        arrays[key] = array
        return key

    text = codec.encode(replace(recording, cases=cases), CLASSES, put)
    arrays["json"] = np.frombuffer(text, dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def load(check_id: str, folder: Path | None = None) -> Recording:
    """Return what was recorded of a check; raise LookupError, with the names of those that there are, for none."""
    place = path(check_id, folder)
    if not place.exists():
        known = sorted(other.stem for other in place.parent.glob("*.npz"))
        near = " or ".join(f"'{name}'" for name in get_close_matches(check_id, known, n=3))
        advice = f": did you mean {near}?" if near else f"; this kit has: {', '.join(known) or 'none'}"
        raise LookupError(f"no recorded answers for the check '{check_id}'{advice}")
    with np.load(place, allow_pickle=False) as arrays:
        # Each array is read anew: two places never share one.
        return codec.decode(arrays["json"].tobytes(), CLASSES, arrays.__getitem__)


def _pairs(cases: list[Case]) -> list[Pairs]:
    """Return for each case the numbers that stand for each two mistakes at once."""
    places = cases[0].pairs.places
    if len(places) > MOST_PAIRS:  # minutes to run, megabytes to send: grading alone names them
        places = places[:0]
    return [Pairs(places, Recorded(np.array([case.pairs.row(pair) for pair in range(len(places))]))) for case in cases]
