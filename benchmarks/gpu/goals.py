"""What is asked of one H200, and what the table says about it: reached, missed, or not measured."""

from collections.abc import Iterator, Mapping

from benchmarks.gpu.table import Row
from benchmarks.gpu.trainings import FIRST

PAPERS = ("multi30k", "semeval2010", "sst", "imdb")  # the corpora whose models are trained to their scores
SECONDS_IN_ALL = 600.0
SECONDS = {
    "train: transformer multi30k-de-en-tiny": 60.0,
    "train: bahdanau multi30k-de-en-base": 90.0,
    "train: language_model shakespeare-large": 60.0,
}
TOKENS_A_SECOND = 400_000.0
LARGEST = "speed: transformer base, WMT'14"


def verdicts(rows: Mapping[str, Row]) -> Iterator[str]:
    """Yield a line for each goal."""
    names = [run.name.removesuffix(f", seed {run.seed}") for run in FIRST if run.corpus in PAPERS]
    times = [_training_seconds(rows, name) for name in names]
    together = sum(time for time in times if time is not None) if None not in times else None
    yield _verdict(f"{len(names)} models, one seed each, training seconds added up", together, "≤", SECONDS_IN_ALL)
    for name, most in SECONDS.items():
        yield _verdict(f"{name}, s", _training_seconds(rows, name), "≤", most)
    rate = _measured(rows, LARGEST, "bf16: target tokens/s")
    yield _verdict(f"{LARGEST}, bf16, target tokens/s", rate, "≥", TOKENS_A_SECOND)


def _training_seconds(rows: Mapping[str, Row], name: str) -> float | None:
    """Return the time of the first seed that was trained to its end."""
    times = (_measured(rows, f"{name}, seed {seed}", "training seconds") for seed in (1, 2, 3))
    return next((time for time in times if time is not None), None)


def _measured(rows: Mapping[str, Row], name: str, key: str) -> float | None:
    row = rows.get(name, {})
    return row["result"].get(key) if row.get("state") == "done" else None


def _verdict(goal: str, value: float | None, relation: str, asked: float) -> str:
    if value is None:
        return f"{goal}: asked {relation} {asked:,.0f}; not measured"
    reached = value <= asked if relation == "≤" else value >= asked
    return f"{goal}: {value:,.0f}, asked {relation} {asked:,.0f}: {'reached' if reached else 'missed'}"
