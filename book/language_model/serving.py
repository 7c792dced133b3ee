"""What a step of a language model costs, by what the heads keep, and how many of them a draft saves."""

from collections.abc import Iterable
from functools import reduce
from math import sqrt
from statistics import fmean, variance
from typing import Any

from IPython.display import HTML

from book.show.quoting import quote
from book.show.seed_plots import between, lines
from book.show.tables import table
from lab.evaluation.result_files import read_json, results_folder
from lab.show.plots import Picture

NAME = "language_model"
LONG, READ = 16384, 1024  # tokens in the cache of which the text tells; tokens of a prompt that is read at once
WAYS = {
    "mha": "8 key–value heads",
    "gqa": "2 key–value heads",
    "mqa": "1 key–value head",
    "mla": "a latent vector",
}


def steps(how: str = "ms") -> dict[str, dict[int, float]]:
    """Return the milliseconds of a token by what eight query heads keep and by the tokens before it.

    "ms": a step whose cache has room; "ms copied": one that copies the cache; "ms at once": a token of a text that is
    read in one pass.
    """
    return {way["name"]: {int(past): each for past, each in way[how].items()} for way in _ways()}


def _ways() -> list[dict[str, Any]]:
    """Return the results of `python -m benchmarks.kv_cache`."""
    return read_json(results_folder(NAME) / "cache.json")["ways"]


def step_times() -> Picture:
    """Draw the time of a step over the tokens in the cache, a line for each kind of attention."""
    curves = {WAYS[name]: list(times.items()) for name, times in steps().items()}
    ticks, times = ([point[axis] for points in curves.values() for point in points] for axis in (0, 1))
    y_ticks = [tick for tick in (5, 7, 10, 15, 20, 25, 30, 50, 70, 100) if min(times) <= tick <= max(times)]
    title = "A step by what the heads keep"
    return lines(
        curves,
        "tokens in the cache",
        "milliseconds a token, logarithmic",
        title,
        "xy",
        sorted(set(ticks)),
        y_ticks=y_ticks,
    )


def step_table() -> HTML:
    """Return bytes and milliseconds of a token for each kind of attention, in models of equal size."""
    ways = _ways()
    rows = [
        [
            WAYS[way["name"]],
            f"{way['parameters']:,}",
            f"{2 * way['kept']:,}",
            *(f"{each:.1f}" for each in way["ms"].values()),
            f"{way['ms copied'][str(LONG)]:.1f}",
        ]
        for way in ways
    ]
    pasts = [f"ms after {int(past):,}" for past in ways[0]["ms"]]
    caption = "Four layers, 512 features, one thread (python -m benchmarks.kv_cache); bytes at 2 a number"
    columns = ["eight query heads, and", "parameters", "bytes a token", *pasts, f"ms after {LONG:,}, copying"]
    return table(caption, columns, rows)


def quote_steps() -> None:
    """Quote what the text says of steps, and assert it."""
    kept, copied, at_once = steps(), steps("ms copied"), steps("ms at once")
    after = {name: times[LONG] for name, times in kept.items()}
    assert after["mha"] > after["gqa"] > after["mqa"] > after["mha"] / 3, "the text says by which factor sharing helps"
    short = [times[256] for times in kept.values()]
    assert max(short) < 1.3 * min(short), "the text says that the curves meet at the left"
    assert copied["mha"][LONG] > 3 * after["mha"], "the text says that most of such a step is the copy"
    assert kept["mha"][READ] > 2 * at_once["mha"][READ], "the text says that reading at once is cheaper"
    quote(
        **{f"{name}_ms": f"{each:.0f}" for name, each in after.items()},
        factor=f"{after['mha'] / after['mqa']:.1f}",
        mha_copied=f"{copied['mha'][LONG]:.0f}",
        read_length=f"{READ:,}",
        read_ms=f"{at_once['mha'][READ]:.1f}",
        write_ms=f"{kept['mha'][READ]:.1f}",
    )


WIDTHS, THREE = (64, 16), "3"  # features of the drafts, that of which the text tells first; words that it writes ahead
OWN = "replaced by the target's own"


def _drafts(*widths: int) -> list[dict[str, Any]]:
    """Return the runs of drafts of these widths that `python -m solutions.language_model.drafts` has written."""
    return [run for run in read_json(results_folder(NAME) / "drafts.json")["runs"] if run["width"] in widths]


def _of(runs: Iterable[dict[str, Any]], *names: str) -> list[float]:
    """Return a number of each run, by its names from the outside in."""
    return [reduce(lambda part, name: part[name], names, run) for run in runs]


def _nats(runs: Iterable[dict[str, Any]], *names: str) -> list[float]:
    """Return the large model's loss, in each run, on the words written in one way."""
    return [way["nats"] / way["tokens"] for way in _of(runs, *names)]


def draft_table() -> HTML:
    """Return the savings by drafts, by their width and the words ahead: means of the seeds, and their range."""
    rows = []
    for width in WIDTHS:
        runs = _drafts(width)
        size = f"{runs[0]['parameters'][0]:,}"
        for ahead in runs[0]["ahead"]:
            kept = [100 * each for each in _of(runs, "ahead", ahead, "kept")]
            saved, nats = _of(runs, "ahead", ahead, "tokens a call"), _nats(runs, "ahead", ahead)
            rows.append([size, ahead, between(kept, 0), between(saved, 2), between(nats, 3)])
        rows.append([size, "the draft alone", "", "", between(_nats(runs, "draft alone"), 3)])
    rows.append(["no draft", "", "", "1", between(_nats(_drafts(WIDTHS[0]), "large alone"), 3)])
    columns = ["parameters of the draft", "words ahead", "kept of those judged, %", "words a pass", "nats a word"]
    caption = "Passes of the large model, and its loss on what is written (python -m solutions.language_model.drafts)"
    return table(caption, columns, rows)


def quote_drafts() -> None:
    """Quote what the text says of drafts, and assert it."""
    every, runs = _drafts(*WIDTHS), _drafts(WIDTHS[0])
    with_draft = [nats for ahead in runs[0]["ahead"] for nats in _nats(every, "ahead", ahead)]
    alone, of_draft = _nats(runs, "large alone"), _nats(runs, "draft alone")  # alone: the same beside each width
    error = sqrt(variance(with_draft) / len(with_draft) + variance(alone) / len(alone))
    assert abs(fmean(with_draft) - fmean(alone)) < 2 * error, "the text says that the loss is the same with the draft"
    assert min(of_draft) > max(with_draft + alone), "the text says that the draft alone writes otherwise"
    exact = max(_of(every, "exactly", "kept or replaced, at most"))
    assert exact < 1e-12, "the text says that the distribution is unchanged"
    quote(
        draft_seeds=", ".join(str(seed) for seed in sorted({run["seed"] for run in every})),
        target_size=f"{runs[0]['parameters'][1]:,}",
        draft_size=f"{runs[0]['parameters'][0]:,}",
        draft_kept=f"{100 * fmean(_of(runs, 'ahead', THREE, 'kept')):.0f}",
        draft_tokens=f"{fmean(_of(runs, 'ahead', THREE, 'tokens a call')):.1f}",
        draft_nats=f"{fmean(with_draft):.2f}",
        alone_nats=f"{fmean(alone):.2f}",
        small_nats=f"{fmean(of_draft):.2f}",
        draft_contexts=f"{runs[0]['exactly']['contexts']:,}",
        draft_exact=f"{exact:.0e}",
        draft_wrong=f"{fmean(_of(runs, 'exactly', OWN)):.3f}",
        draft_far=f"{fmean(_of(runs, 'exactly', 'draft alone')):.3f}",
    )
