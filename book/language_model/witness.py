"""What a published model shows, measured by `python -m solutions.language_model.witness`: tables and numbers."""

from functools import cache
from statistics import fmean
from typing import Any

from IPython.display import HTML

from book.show.quoting import quote
from book.show.tables import ROOT, table
from lab.evaluation.result_files import read_json

SEEN = {  # as the result calls it, and how many pieces a late position sees
    "everything": "all",
    "window 64": "64",
    "window 68": "68",
    "window 64, pieces 16 to 19": "64 + 4",
    "window 64, first piece": "64 + 1",
    "window 64, first 4 pieces": "64 + 4",
}
FIRST_LAYER = 12  # from here on every layer's heads rest on the first piece


@cache
def measured() -> dict[str, Any]:
    return read_json(ROOT / "solutions" / "language_model" / "results" / "published.json")


def mean(kind: str, name: str) -> float:
    """Return the mean loss of the excerpts, in nats a piece."""
    return fmean(measured()[kind][name])


def views() -> HTML:
    """Return the loss for what a position may see."""
    rows = [[name, pieces, f"{mean('views', name):.2f}"] for name, pieces in SEEN.items()]
    about = measured()["about"]
    caption = f"SmolLM2 reads {about['excerpts']} excerpts of Shakespeare, {about['pieces']} pieces each"
    return table(caption, ["what a piece sees", "pieces", "nats a piece"], rows)


def wrong() -> HTML:
    """Return the loss with one wrong part each, on Shakespeare and on the notebook's sentences."""
    rows = [[name, f"{mean('wrong', name):.2f}", f"{mean('short', name):.2f}"] for name in measured()["wrong"]]
    return table("SmolLM2 with one wrong part", ["part", "Shakespeare", "the notebook's text"], rows)


def quote_sink() -> None:
    """Quote what is said of the first piece, and assert it."""
    whole, alone = mean("views", "everything"), mean("views", "window 64")
    saved = {name: alone - mean("views", name) for name in SEEN}
    first = [fmean(heads) for heads in measured()["heads"]["on the first piece"]]
    assert saved["window 64, first piece"] > 5 * max(saved["window 68"], saved["window 64, pieces 16 to 19"])
    assert min(first[FIRST_LAYER:]) > 0.25
    quote(
        window_costs=f"{alone - whole:.1f}",
        first_saves=f"{saved['window 64, first piece']:.1f}",
        others_save=f"{saved['window 64, pieces 16 to 19']:.1f}",
        wider_saves=f"{saved['window 68']:.1f}",
        least_on_first=f"{100 * min(first[FIRST_LAYER:]):.0f}",
        most_on_first=f"{100 * max(first[FIRST_LAYER:]):.0f}",
        unseen_first=f"{mean('views', 'everything but the first piece') - whole:.2f}",
    )


def quote_copying() -> None:
    """Quote what is said of heads that copy, and assert it."""
    copying = measured()["heads"]["copying"]
    others = [each["again"] for each in copying["without others"]]
    assert copying["without"]["again"] > 3 * max(others)
    quote(
        smol_new=f"{copying['whole']['new']:.1f}",
        smol_again=f"{copying['whole']['again']:.1f}",
        smol_without=f"{copying['without']['again']:.1f}",
        smol_least_other=f"{min(others):.1f}",
        smol_most_other=f"{max(others):.1f}",
        smol_heads=str(len(copying["heads"])),
    )
