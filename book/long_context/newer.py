"""What the page on later changes shows: how much each pair keeps of its angle, and what stretched angles lose."""

from itertools import pairwise
from math import tau
from statistics import fmean

from IPython.display import HTML

from book.long_context.figures import STRETCHED, kept
from book.long_context.quoted import thousandths
from book.show.quoting import quote
from book.show.seed_plots import lines
from book.show.tables import table
from lab.evaluation.result_files import read_json, results_folder
from lab.show.plots import Picture
from solutions.long_context.attention import stretched

HEAD_DIM, BASE, FACTOR, TRAINED = 128, 10_000.0, 8.0, 4096


def angles_kept() -> Picture:
    """Draw what is left of each pair's angle over its turns in the training, by three ways to stretch."""
    plain, _ = stretched(HEAD_DIM, BASE, 1.0, TRAINED)
    by_parts, _ = stretched(HEAD_DIM, BASE, FACTOR, TRAINED)
    rebased, _ = stretched(HEAD_DIM, BASE * FACTOR ** (HEAD_DIM / (HEAD_DIM - 2)), 1.0, TRAINED)
    turns = (TRAINED * plain / tau).tolist()
    ways = {"interpolated": plain / FACTOR, "a larger base": rebased, "by parts": by_parts}
    return lines(
        {name: list(zip(turns, (angles / plain).tolist(), strict=True)) for name, angles in ways.items()},
        "turns in the training",
        "new angle / old angle",
        f"64 pairs, {TRAINED:,} tokens trained, 8 times as far",
        log="x",
        ticks=[0.1, 1, 32, 600],
    )


def quote_stretched() -> None:
    """Quote what is said of the models with other angles, and assert it."""
    within, beyond = ({name: _seeds(name, place) for name in STRETCHED} for place in (1, -1))
    for name in ("rebased", "by near parts"):
        assert all(new < old for new, old in zip(beyond[name], beyond["excess"], strict=True)), "less, in every seed"
    assert all(max(within["excess"]) < min(seeds) for name, seeds in within.items() if name != "excess"), "all pay"
    assert min(within, key=lambda name: fmean(within[name])) == "excess"
    following = {name: _seeds(name, 2) for name in STRETCHED}
    assert all(max(following["excess"]) < min(seeds) for name, seeds in following.items() if name != "excess"), "still"
    slowed, near = (stretched(16, BASE, 8.0, 64, 1, fast)[0] / stretched(16, BASE, 1.0, 64)[0] for fast in (32, 4))
    assert (slowed < 1.01 / 8).sum() == 6, "and that YaRN's borders slow six of eight pairs as interpolation does"
    assert near[0] == 1, "near borders leave the fastest pair"
    assert 0.7 < near[1] < 0.8
    assert (near[2:] < 1.05 / 8).all()
    for name, old in (("interpolated", "excess"), ("by parts", "excess"), ("by near parts", "by near parts, unscaled")):
        assert _worse(beyond[name], beyond[old]) == 2, "the text says: in two of three models"
    others = {name: fmean(seeds) for name, seeds in within.items() if name != "excess"}
    assert min(others, key=lambda name: others[name]) == "rebased", "the larger base pays least"
    short = {"excess": "unchanged", "rebased": "base", "by near parts": "near", "interpolated": "all"}
    quote(**{f"{word}_within": thousandths("rope", 1, name) for name, word in short.items()})


def _worse(ones: list[float], others: list[float]) -> int:
    return sum(one > other for one, other in zip(ones, others, strict=True))


def _seeds(name: str, place: int) -> list[float]:
    return [run[name][place] for run in kept("lengths", "rope")]


def farther_table() -> HTML:
    """Return the loss of SmolLM2 by the place in a long text, with each kind of angles; quote what is said of it."""
    result = read_json(results_folder("long_context") / "farther.json")
    losses = {name: rows[0] for name, rows in result["losses"].items()}
    last = {name: row[-1] for name, row in losses.items()}
    assert last["by parts"] < last["as trained"] - 0.3, "the text says that parts mend the end"
    assert abs(losses["as trained"][-2] - losses["by parts"][-2]) < 0.1, "and that unchanged it holds to 10,240"
    assert all(new - old < 0.1 for old, new in zip(losses["as trained"][:3], losses["by parts"][:3], strict=True))
    pairs = zip(losses["as trained"], losses["interpolated"], strict=True)
    more = [round(new, 2) - round(old, 2) for old, new in pairs]
    quote(
        farther_unchanged=f"{last['as trained']:.2f}",
        farther_parts=f"{last['by parts']:.2f}",
        farther_least=f"{min(more):.2f}",
        farther_most=f"{max(more):.2f}",
    )
    columns = [f"pieces {start:,} to {end:,}" for start, end in pairwise([0, *result["about"]["places"][1:]])]
    rows = [[name, *(f"{loss:.2f}" for loss in losses[name])] for name in losses]
    return table("SmolLM2, nats a piece; trained on 8,192", ["angles", *columns], rows)
