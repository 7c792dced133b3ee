"""The recorded answers of the kit: computed once, and cached until the code behind them changes."""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch

from autograder.checks import checks, find
from autograder.definition import definition
from autograder.kit.known.recordings import Recording, pack
from autograder.places import HOME, PUBLIC, ROOT
from autograder.release.manifest import write

SOURCES = ("autograder/checks/**/*.py", "autograder/kit/**/*.py", "autograder/release/recordings.py")
OF_EXERCISES = ("*.py", "examples/*.txt", "mistakes/*.txt")
# Modules of the kit that show a verdict: no recording depends on them.
SHOWN = {"__init__", "course", "history", "lacking", "lines", "local", "picture", "printed", "progress"}
FEW = 8  # a process has to import torch before it records anything
Numbers = Mapping[str, int | None]  # of a notebook's parts, by function


def recordings(names: Sequence[str], numbers: Mapping[str, Numbers], cache_folder: Path) -> dict[str, bytes]:
    """Return the recorded answers of all checks of these names, by the check's id.

    `cache_folder` has those of earlier calls: to run every known mistake on every case takes minutes.
    """
    paths, state = {}, _state()
    for name, parts in ((name, numbers[name]) for name in names):
        for function, check in checks(name).items():
            about = state + repr((check.criteria, sorted(parts.items()))).encode()
            key = hashlib.sha256(about).hexdigest()[:16]
            paths[f"{name}.{function}"] = cache_folder / f"{name}.{function}-{key}.npz"
    missing = {check_id: numbers[check_id.partition(".")[0]] for check_id, path in paths.items() if not path.exists()}
    for check_id, content in _record_all(missing):
        for stale in cache_folder.glob(f"{check_id}-*.npz"):
            stale.unlink()
        write(paths[check_id], content)
    return {check_id: path.read_bytes() for check_id, path in paths.items()}


def _state() -> bytes:
    """Return a digest of the code and the packages behind recordings."""
    digest = hashlib.sha256(f"{metadata.version('torch')} {metadata.version('numpy')}".encode())
    ours = [path for pattern in SOURCES for path in HOME.glob(pattern) if not _is_shown(path)]
    patterns = [*(definition().folder(f"*/{pattern}") for pattern in OF_EXERCISES), definition().solved("*")]
    course = [path for pattern in patterns for path in ROOT.glob(pattern)]
    for root, path in sorted([*((HOME, path) for path in ours), *((ROOT, path) for path in course)]):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.digest()


def _is_shown(path: Path) -> bool:
    return path.is_relative_to(PUBLIC) and (path.stem in SHOWN or path.parent.name == "whole_file")


def _record_all(numbers: Mapping[str, Numbers]) -> Iterator[tuple[str, bytes]]:
    """Yield the id and the recording of each check, computed in one process per core where there are many."""
    if len(numbers) < FEW:
        yield from ((check_id, recording(check_id, parts)) for check_id, parts in numbers.items())
        return
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), torch.set_num_threads, (1,)) as pool:
        yield from zip(numbers, pool.map(recording, numbers, numbers.values()), strict=True)


def recording(check_id: str, numbers: Numbers) -> bytes:
    """Return the recorded answers of one check; `numbers` are those of its notebook's parts, by function."""
    check = find(check_id)
    seed = int.from_bytes(hashlib.sha256(check_id.encode()).digest()[:8])
    cases = check.draw(np.random.default_rng(seed))
    if check.is_secret:
        cases = [replace(case, outputs=_unsaid(case.outputs)) for case in cases]
    earlier = {function: numbers.get(function) for function in check.may_call}
    hunt = check.hunt.about_input if check.hunt else None
    known = Recording(
        cases, check.criteria, check.worked_examples(), earlier, hunt, check.stars, check.portable_adapter
    )
    return pack(known)


def _unsaid(outputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return NaN in place of right answers: nothing is compared with NaN, and nobody can read them in the kit."""
    return {name: np.full_like(right, np.nan, np.float32) for name, right in outputs.items()}
