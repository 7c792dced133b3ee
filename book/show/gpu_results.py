"""What `python -m benchmarks.gpu` measured on one card: speeds of training, and goals that were reached or missed."""

from functools import cache
from typing import Any

from IPython.display import HTML

from book.show.tables import ROOT, table
from lab.evaluation.result_files import read_json

KINDS = "fp32", "bf16", "fp32, CUDA graphs"


@cache
def measured() -> dict[str, Any]:
    """Return the card's name, the versions, and the rows of its table of jobs."""
    return read_json(ROOT / "benchmarks" / "gpu" / "h200.json")


def result(job: str, key: str) -> float | None:
    """Return one number of a job that is done."""
    return measured()["rows"].get(job, {}).get("result", {}).get(key)


def speeds() -> HTML:
    """Return the time of a training step of each model in each precision and with CUDA graphs, and its best speed."""
    jobs = [job for job in measured()["rows"] if job.startswith("speed: ") and job.count(",") == 1]
    rows = []
    for job in jobs:
        results = measured()["rows"][job]["result"].items()
        speed, unit = max((value, key.split(": ")[1]) for key, value in results if key.endswith("/s"))
        rows.append(
            [job.removeprefix("speed: "), *(_milliseconds(job, kind) for kind in KINDS), f"{speed:,.0f} {unit}"]
        )
    device, torch = measured()["device"], measured()["versions"]["torch"]
    return table(
        f"A training step on one {device}, PyTorch {torch}: milliseconds, and the speed of the fastest way. "
        "* with other processes on the card at the same time. – not measured, or not recorded.",
        ["model, sizes of", *KINDS, "speed"],
        rows,
    )


def _milliseconds(job: str, kind: str) -> str:
    value = result(job, f"{kind}: ms a step")
    if value is None:
        return "–"
    return f"{value:.1f}{' *' if measured()['rows'][job].get('beside') else ''}"


def goals() -> HTML:
    """Return the goals for one card: reached, missed or not measured."""
    rate = result("speed: transformer base, WMT'14", "bf16: target tokens/s") or 0.0
    tiny = result("train: transformer multi30k-de-en-tiny, seed 2", "training seconds") or 0.0
    bahdanau = result("train: bahdanau multi30k-de-en-base, seed 3", "training seconds") or 0.0
    together = measured()["together"]
    parts, tests = together["wall_seconds"], together["of_them_tests"]
    rows = [
        ("Transformer base, sizes of WMT'14, bf16", "≥ 400,000 target tokens/s", f"{rate:,.0f}", rate >= 4e5),
        ("Transformer tiny, Multi30k, trained", "≤ 60 s", f"{tiny:.0f} s", tiny <= 60),
        ("Bahdanau, Multi30k, trained", "≤ 90 s", f"{bahdanau:.0f} s", bahdanau <= 90),
        (
            f"{together['models']} models, one seed each, trained and scored",
            "≤ 600 s in all",
            f"{sum(parts)} s on the clock, in two calls ({' and '.join(map(str, parts))}); {tests} s were tests",
            sum(parts) <= 600,
        ),
    ]
    return table(
        f"What was asked of one {measured()['device']}. Transformer tiny and Bahdanau's model were trained alone, the "
        "other 13 of the 15 up to seven at a time.",
        ["goal", "asked", "measured", "verdict"],
        [[*row, "reached" if is_reached else "missed"] for *row, is_reached in rows],
    )
