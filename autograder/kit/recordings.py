"""Cases on a student's machine: arrays that `release` recorded, so that `check` needs neither solutions nor checks."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from autograder.kit import codec
from autograder.kit.adapter import Adapter
from autograder.kit.answer import Caller
from autograder.kit.call import call
from autograder.kit.cases import Case, Criterion, Example, KnownMistake, Pairs
from autograder.kit.compare import printed, same_print
from autograder.kit.hunts import Argument, HuntInput
from autograder.kit.table_models import BeamStep, GreedyStep

FOLDER = Path(__file__).parent / "recordings"
MOST_PAIRS = 150  # whose numbers a check's recording holds
CLASSES = codec.classes(Case, Criterion, Example, KnownMistake, Pairs, BeamStep, GreedyStep, HuntInput, Argument)


def path(check_id: str, folder: Path | None = None) -> Path:
    return (folder or FOLDER) / f"{check_id}.npz"


def pack(
    cases: list[Case],
    criteria: list[Criterion],
    examples: Sequence[Example] = (),
    earlier: Mapping[str, dict[str, Any]] | None = None,
    hunt: HuntInput | None = None,
    stars: int = 0,
    adapter: Adapter | None = None,
) -> bytes:
    """Return cases, criteria and examples as the bytes of an npz file: arrays, equal ones once, and a codec's text.

    `earlier` is what is known of each earlier function that the checked one may call: the number of its part, its
    parameters, and what a right function `asked` it and was answered (None: nothing is to answer for it). `hunt` is
    the bug hunt to which the function belongs. A check with `stars` gives a bonus, and calls the function by `adapter`.
    """
    arrays: dict[str, np.ndarray] = {}
    cases = [replace(case, known=[replace(k, outputs=k.numbers()) for k in case.mistakes()]) for case in cases]
    cases = [replace(case, usual=[replace(k, outputs=k.numbers()) for k in case.usual_mistakes()]) for case in cases]
    cases = [replace(case, pairs=pairs) for case, pairs in zip(cases, _pairs(cases), strict=True)]
    keys: dict[tuple, str] = {}

    def put(array: np.ndarray) -> str:
        key = keys.setdefault((array.dtype.str, array.shape, array.tobytes()), f"a{len(arrays)}")
        arrays[key] = array
        return key

    text = codec.encode([cases, criteria, examples, dict(earlier or {}), hunt], CLASSES, put)
    arrays["json"] = np.frombuffer(text, dtype=np.uint8)
    if stars:
        arrays["stars"] = np.array(stars)
    if adapter:
        arrays["adapter"] = np.array([adapter.name, adapter.source])
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _pairs(cases: list[Case]) -> list[Pairs]:
    """Return for each case the numbers of those pairs of mistakes that do more than one of the two does."""
    places = cases[0].together().places
    if len(places) > MOST_PAIRS:  # minutes to run, megabytes to send: grading alone names them
        places = places[:0]
    kept = [pair for pair in range(len(places)) if not np.isnan(cases[0].together().row(pair)).any()]
    rows = [np.array([case.together().row(pair) for pair in kept]) for case in cases]
    more = [
        not any(
            all(_equal(case.mistakes()[place], row[i]) for case, row in zip(cases, rows, strict=True))
            for place in places[pair]
        )
        for i, pair in enumerate(kept)
    ]
    return [Pairs(places[kept][more], row[more]) for row in rows]


def _equal(known: KnownMistake, row: np.ndarray) -> bool:
    """Return whether two mistakes at once give what one of them does, or crash."""
    numbers = known.numbers()
    return bool(np.isnan(row).any()) or (numbers is not None and same_print(printed(numbers), row))


def load(check_id: str, folder: Path | None = None) -> tuple[list[Case], list[Criterion], list[Example]]:
    """Return the recorded cases, criteria and public examples of a check."""
    cases, criteria, examples, _ = load_with_hunt(check_id, folder)
    return cases, criteria, examples


def load_with_hunt(
    check_id: str, folder: Path | None = None
) -> tuple[list[Case], list[Criterion], list[Example], HuntInput | None]:
    """Return what `load` does, and what is known of the bug hunt to which the function belongs, None for others."""
    place = path(check_id, folder)
    if not place.exists():
        known = sorted(other.stem for other in place.parent.glob("*.npz"))
        near = " or ".join(f"'{name}'" for name in get_close_matches(check_id, known, n=3))
        advice = f": did you mean {near}?" if near else f"; this kit has: {', '.join(known) or 'none'}"
        raise LookupError(f"no recorded answers for the check '{check_id}'{advice}")
    cases, criteria, examples, _, hunt = _read(place)
    return cases, criteria, examples, hunt


def earlier(check_id: str, folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return what was recorded of the earlier functions that the checked one may call; see `pack`."""
    place = path(check_id, folder)
    return _read(place)[3] if place.exists() else {}


def stars(check_id: str, folder: Path | None = None) -> int:
    """Return the number of stars of the task that a check belongs to, 0 of a core task."""
    found = _entry(path(check_id, folder), "stars")
    return 0 if found is None else int(found)


def caller(check_id: str, namespace: dict, folder: Path | None = None) -> Caller:
    """Return what calls the functions of a notebook as this check does."""
    found = _entry(path(check_id, folder), "adapter")
    return partial(call, namespace, adapter=None if found is None else Adapter(*found.tolist()))


def _entry(place: Path, name: str) -> np.ndarray | None:
    if not place.exists():
        return None
    with np.load(place, allow_pickle=False) as arrays:  # which reads no more than it is asked for
        return arrays.get(name)


def _read(place: Path) -> list[Any]:
    with np.load(place, allow_pickle=False) as arrays:
        # Each array is read anew: two places never share one.
        return codec.decode(arrays["json"].tobytes(), CLASSES, arrays.__getitem__)
