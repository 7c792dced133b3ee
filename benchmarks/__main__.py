"""What people wait for, in one table, beside what they would take instead: python -m benchmarks, or `make bench`.

Machines are shared and noisy: within a row, what is compared took turns or ran one after the other. A table for each
kind of processor is kept in benchmarks/speed.json, and `python -m book.make.lists` puts them into README.md. A row
whose tool is not there is left out, and says so: `make model` fetches the published model; llama-cpp-python and
transformers are in no requirements.
"""

import argparse
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from autograder.places import KIT
from benchmarks import checking, decoding, grading, published, training
from benchmarks.measured import CPU, processor, with_provenance
from lab.evaluation.result_files import read_json, write_json
from lab.published.gguf_file import NoModel, find

KEPT = Path(__file__).with_name("speed.json")  # a table for each kind of processor


@dataclass(frozen=True)
class Row:
    """One thing that people wait for: what it took here, what it took with something else, and the aim."""

    what: str
    ours: str
    beside: str
    aim: str
    is_reached: bool


def at_most(what: str, value: float, aim: float, unit: str, digits: int = 2) -> Row:
    """Return a row on `what`: its `value` with `unit` and `digits` must be at most `aim`, with nothing beside it."""
    return Row(what, f"{value:.{digits}f} {unit}", "–", f"≤ {aim:g} {unit}", value <= aim)


def times(what: str, ours: float, theirs: float, aim: float, unit: str, name: str, faster: float) -> Row:
    """Return a row on `what`: `ours` and `theirs` in a `unit`, theirs called `name`, and how many times `faster` it is.

    It is to be `aim` times as fast. Numbers in thousands have no digits.
    """
    digits = 0 if min(ours, theirs) >= 100 else 1
    return Row(
        what,
        f"{ours:,.{digits}f} {unit}",
        f"{theirs:,.{digits}f} {unit}, {name}",
        f"{faster:.2f} times, asked ≥ {aim:g}",
        faster >= aim,
    )


def grades(folder: Path) -> list[Row]:
    """Return rows on the cost of grading."""
    count = grading.SUBMISSIONS
    ours, theirs = grading.compare(folder, count)
    further = grading.further(folder, grading.FURTHER, 1)
    return [
        at_most("a further submission", further, grading.MOST_FURTHER, "CPU s"),
        times(
            f"{count} submissions",
            ours.cpu,
            theirs.cpu,
            grading.ASKED,
            "CPU s",
            "plain nbgrader",
            theirs.cpu / ours.cpu,
        ),
        at_most(f"memory for {count} submissions", ours.memory / 2**20, 500, "MiB", 0),
        at_most("one submission alone, to its page", grading.alone(folder).wall, 6, "s", 1),
    ]


def checks(folder: Path) -> list[Row]:
    """Return rows on a student's wait for `check`, and on the size of the kit."""
    first, again = checking.seconds(folder)
    return [
        at_most("`check(…)` in a notebook, the first time", first, 1, "s"),
        at_most("`check(…)` again", again, 0.3, "s"),
        at_most("kit.zip", KIT.with_suffix(".zip").stat().st_size / 1e6, 9, "MB", 1),
    ]


def trainings(rounds: int) -> list[Row]:
    """Return rows on the speed of training and translating beside PyTorch's own modules, on one thread."""
    rows = []
    for precision, rates in training.all_rates(rounds).items():
        for (other, base), (name, rate) in zip(*[iter(rates.items())] * 2, strict=True):
            rows.append(times(f"training {name}, {precision}", rate, base, 1.5, "tokens/s", other, rate / base))
    for name, (ours, theirs) in decoding.words_a_second(rounds).items():
        rows.append(times(f"translating, {name}", ours, theirs, 1.5, "words/s", "nn.Transformer", ours / theirs))
    return rows


def writing(rounds: int) -> list[Row]:
    """Return a row on the speed at which the published model writes by the taught functions."""
    try:
        find()
    except NoModel as error:
        print(f"left out: {error}")
        return []
    rates = published.rates(rounds, published.published.load(), published.theirs())
    ours = rates.pop("taught functions")
    beside = "; ".join(f"{theirs:.1f} pieces/s, {name}" for name, theirs in rates.items()) or "–"
    return [Row("SmolLM2 writes, one thread", f"{ours:.1f} pieces/s", beside, "≥ 20 pieces/s", ours >= 20)]


def main() -> None:
    """Measure, print each row as it comes, and keep the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="of what takes turns, by default %(default)s")
    about = "write this kind of processor's table in benchmarks/speed.json, of which README's is made"
    parser.add_argument("--keep", action="store_true", help=about)
    options = parser.parse_args()
    torch.set_num_threads(1)
    table: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        parts: list[Callable[[], list[Row]]] = [
            lambda: trainings(options.rounds),
            lambda: writing(options.rounds),
            lambda: checks(Path(place)),
            lambda: grades(Path(place)),
        ]
        for part in parts:
            for row in part():
                table.append(row)
                print(f"{row.what:44} {row.ours:>18}   {row.beside:>40}   {row.aim}: {verdict(row)}", flush=True)
    if options.keep:
        rows, share = [asdict(row) for row in table], training.share_of_products()
        content = {"rows": rows, "rounds": options.rounds, "share_of_products": share}
        tables = read_json(KEPT) if KEPT.exists() else {}
        tables.pop(processor(), None)  # the newest is the last
        write_json(KEPT, tables | {processor(): with_provenance("benchmarks --keep", CPU, content)})
        print(KEPT)


def verdict(row: Row) -> str:
    """Return in a word whether the aim was reached."""
    return "reached" if row.is_reached else "MISSED"


if __name__ == "__main__":
    main()
