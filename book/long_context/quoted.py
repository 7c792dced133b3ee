"""The numbers that the chapter on long texts quotes from its runs, each with what the text says of it."""

from math import log
from statistics import fmean

import torch

from book.long_context.figures import POSITIONS, costs, kept, mean
from book.show.quoting import quote
from solutions.long_context.lengths import PLACES


def thousandths(variant: str, place: int, name: str = "excess") -> str:
    """Return a variant's distance from the floor at a place, in thousandths of a nat, the mean over its seeds."""
    return f"{1000 * mean('lengths', variant, lambda run: run[name][place]):.0f}"


def quote_lengths() -> None:
    """Quote what is said of positions beyond the length of training, and assert it."""

    def seeds(place: int, *variants: str) -> list[float]:
        return [run["excess"][place] for variant in variants for run in kept("lengths", variant)]

    assert 10 * max(seeds(-1, "alibi")) < min(seeds(-1, "none", "rope")), "the text says that ALiBi's line is flat"
    assert max(seeds(2, "none", "rope")) < min(seeds(2, "sine", "learned")) / 5, "and that these go wrong more slowly"
    assert sum(a > b for a, b in zip(seeds(-1, "none"), seeds(-1, "rope"), strict=True)) == 1, "in one of three seeds"
    beyond = {
        f"{variant}_{PLACES[place + 1]}": thousandths(variant, place) for variant in POSITIONS for place in (1, 2)
    }
    quote(alibi=thousandths("alibi", -1), rope=thousandths("rope", -1), none=thousandths("none", -1), **beyond)


def quote_windows() -> None:
    """Quote what is said of windows, and assert it."""

    def again(variant: str, period: int) -> list[float]:
        return [run["again"][str(period)] for run in kept("distance", variant)]

    assert max(again("window, full", 32) + again("full, full", 32)) < 0.2, "the text says that one full layer is enough"
    assert min(again("window, window", 26)) > log(48), "two windows are worse than a blind guess"
    assert max(again("four windows", 26)) < log(48), "four are not"
    quote(
        mixed=f"{fmean(again('window, full', 32)):.2f}", whole=f"{fmean(again('full, full', 32)):.2f}",
        four=f"{fmean(again('four windows', 26)):.1f}", two=f"{fmean(again('window, window', 26)):.1f}",
    )  # fmt: skip


def guessed(count: int, rows: int = 20_000) -> str:
    """Return the share, in per cent, that is recalled by one who names the value that came most often."""
    values = torch.randint(32, (rows, count), generator=torch.Generator().manual_seed(0))
    most = torch.nn.functional.one_hot(values, 32).sum(dim=1).amax(dim=1).double().mean()
    return f"{100 * most / count:.0f}"


def quote_recall() -> None:
    """Quote the shares that are recalled of pairs, and what costs.json has of memory."""

    def share(variant: str, count: int, text: str = "once", digits: int = 0) -> str:
        return f"{100 * mean('recall', variant, lambda run: run[text][str(count)]):.{digits}f}"

    quote(
        delta_8=share("delta 8", 8), delta_16=share("delta 16", 16), delta_32=share("delta 32", 32, digits=1),
        linear_16=share("linear 16", 16), softmax=share("softmax 16", 48), delta_48=share("delta 16", 48),
        linear_again=share("linear 16", 8, "again"), delta_again=share("delta 16", 8, "again"),
        gated_again=share("gated 16", 8, "again"), guess_2=guessed(2), guess_8=guessed(8),
        gru_2=share("gru 256", 2), gru_8=share("gru 256", 8),
        gru_2_few=share("gru 256, at most 2", 2),
        **{f"{row['way']}_mib": f"{row['bytes'] / 2**20:,.0f}" for row in costs() if row["length"] == 16384},
        **{f"{row['way']}_s": f"{row['seconds']:.1f}" for row in costs() if row["length"] == 16384},
    )  # fmt: skip


def quote_all() -> None:
    """Quote what the lesson says of the chapter's runs."""
    quote_lengths()
    quote_windows()
    quote_recall()
