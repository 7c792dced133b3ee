"""What a step of a language model costs: by what the heads keep, with room in the cache and by copying it."""

from typing import Any

from IPython.display import HTML

from book.show.quoting import quote
from book.show.seed_plots import lines
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
    """Return what `python -m benchmarks.kv_cache` has written."""
    return read_json(results_folder(NAME) / "cache.json")["ways"]


def step_times() -> Picture:
    """Draw the time of a step over the tokens in the cache, a line for each kind of attention."""
    curves = {WAYS[name]: list(times.items()) for name, times in steps().items()}
    ticks, times = ([point[axis] for points in curves.values() for point in points] for axis in (0, 1))
    y_ticks = [tick for tick in (5, 10, 20, 50, 100) if 0.8 * min(times) <= tick <= 1.2 * max(times)]
    title = "A step by what the heads keep"
    return lines(
        curves, "tokens in the cache", "milliseconds a token", title, "xy", sorted(set(ticks)), y_ticks=y_ticks
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
    caption = "Four layers, 512 features, one thread (python -m benchmarks.kv_cache); 2 bytes a number"
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
