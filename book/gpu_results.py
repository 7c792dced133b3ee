"""What `python -m benchmarks.gpu` measured on one card: speeds of training, and goals that were reached or missed."""

from functools import cache
from typing import Any

from IPython.display import HTML

from book.tables import ROOT, table
from lab.evaluation.result_files import read_json

MODELS = 15  # that were to be trained within ten minutes: all on Multi30k, SemEval, SST and IMDB


@cache
def measured() -> dict[str, Any]:
    """Return the card's name, the versions, and the rows of its table of jobs."""
    return read_json(ROOT / "benchmarks" / "gpu" / "h200.json")


def result(job: str, key: str) -> float | None:
    """Return one number of a job that is done."""
    return measured()["rows"].get(job, {}).get("result", {}).get(key)


def speeds() -> HTML:
    """Return the time of a training step of each model, as it is and compiled, and its speed."""
    jobs = [job for job in measured()["rows"] if job.startswith("speed: ") and job.count(",") == 1]
    rows = []
    for job in jobs:
        keys = [
            (each, f"{precision}: ms a step") for each in (job, f"{job}, compiled") for precision in ("fp32", "bf16")
        ]
        results = measured()["rows"][job]["result"].items()
        speed, unit = max((value, key.split(": ")[1]) for key, value in results if key.endswith("/s"))
        rows.append([job.removeprefix("speed: "), *(_milliseconds(*key) for key in keys), f"{speed:,.0f} {unit}"])
    device, torch = measured()["device"], measured()["versions"]["torch"]
    return table(
        f"A training step on one {device}, PyTorch {torch}: milliseconds, and the speed in the faster precision, not "
        "compiled. * with other processes on the card at the same time.",
        ["model, sizes of", "fp32", "bf16", "compiled, fp32", "compiled, bf16", "speed"],
        rows,
    )


def _milliseconds(job: str, key: str) -> str:
    value = result(job, key)
    if value is None:
        return "–"
    return f"{value:.1f}{' *' if measured()['rows'][job].get('beside') else ''}"


def goals() -> HTML:
    """Return what was asked of one card: reached, missed or not measured."""
    rows, base = measured()["rows"], "speed: transformer base, WMT'14"
    rate = result(base, "bf16: target tokens/s") or 0.0
    trained = [job for job, row in rows.items() if job.startswith("train: ") and row["state"] == "done"]
    tiny = rows["train: transformer multi30k-de-en-tiny, seed 2"]["reached"]
    bahdanau = result("train: bahdanau multi30k-de-en-base, seed 2", "training seconds") or 0.0
    verdict = {True: "reached", False: "missed"}
    return table(
        f"What was asked of one {measured()['device']}. The trainings ran up to ten at a time on the one card.",
        ["goal", "asked", "measured", "verdict"],
        [
            [
                "Transformer base, sizes of WMT'14, bf16",
                "≥ 400,000 target tokens/s",
                f"{rate:,.0f}",
                verdict[rate >= 4e5],
            ],
            ["Transformer tiny, Multi30k, trained", "≤ 60 s", f"{tiny} of 60, beside others", "missed"],
            ["Bahdanau, Multi30k, trained", "≤ 90 s", f"{bahdanau:.0f} s, beside others", verdict[bahdanau <= 90]],
            [
                f"{MODELS} models, one seed each",
                "≤ 600 s in all",
                f"{len(trained)} ended within 8 minutes",
                "not measured",
            ],
        ],
    )
