"""What a published model shows, measured by `python -m solutions.language_model.witness`: tables and numbers."""

from functools import cache
from math import log
from statistics import fmean
from typing import Any

from IPython.display import HTML

from book.show.quoting import quote
from book.show.seed_plots import dots, seed_curves
from book.show.tables import ROOT, results, table
from lab.evaluation.result_files import read_json
from lab.show.plots import Picture

SEEN = {  # as the result calls it, and how many pieces a late position sees
    "everything": "all",
    "window 64": "64",
    "window 68": "68",
    "window 64, pieces 16 to 19": "64 + 4",
    "window 64, first piece": "64 + 1",
    "window 64, first 4 pieces": "64 + 4",
}
PIECES = 49_152  # that SmolLM2 knows
FIRST_LAYER = 12  # from here on every layer's heads rest on the first piece


@cache
def measured() -> dict[str, Any]:
    return read_json(ROOT / "solutions" / "language_model" / "results" / "published.json")


def mean(kind: str, name: str) -> float:
    """Return the mean loss of the excerpts, in nats a piece."""
    return fmean(measured()[kind][name])


def views() -> Picture:
    """Draw the loss for what a position may see, excerpt by excerpt."""
    rows = {f"{name} ({pieces} pieces)": measured()["views"][name] for name, pieces in SEEN.items()}
    about = measured()["about"]
    title = f"SmolLM2 reads {about['excerpts']} excerpts of Shakespeare"
    return dots({"": rows}, "nats a piece", title, digits=2, of="excerpt")


def views_table() -> HTML:
    """Return the same as a table of means."""
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
        seen_all=f"{whole:.1f}",
        window_alone=f"{alone:.1f}",
        window_costs=f"{alone - whole:.1f}",
        first_saves=f"{saved['window 64, first piece']:.1f}",
        others_save=f"{saved['window 64, pieces 16 to 19']:.1f}",
        wider_saves=f"{saved['window 68']:.1f}",
        least_on_first=f"{100 * min(first[FIRST_LAYER:]):.0f}",
        most_on_first=f"{100 * max(first[FIRST_LAYER:]):.0f}",
        unseen_first=f"{mean('views', 'everything but the first piece') - whole:.2f}",
    )


def fewer_heads() -> Picture:
    """Draw the loss on what was read before, over how many of the heads that copy most are off, or as many others."""
    kept, copying = measured()["heads"]["copying by number"], measured()["heads"]["copying"]
    counts = sorted(map(int, kept))
    draws = range(len(kept[str(counts[0])]["without others"]))
    series = {
        "those that copy most": [[(count, kept[str(count)]["without"]["again"]) for count in counts]],
        "as many others, five draws": [
            [(count, kept[str(count)]["without others"][draw]["again"]) for count in counts] for draw in draws
        ],
    }
    return seed_curves(
        series,
        "heads of 270 that are off",
        "nats a piece that was read before",
        "SmolLM2 without the heads that copy",
        {"the first round": copying["whole"]["new"], "later rounds, no head off": copying["whole"]["again"]},
        counts,
    )


def by_number() -> HTML:
    """Return the losses of the first round and of the later ones, by how many heads are off."""
    rows = []
    for count, kept in measured()["heads"]["copying by number"].items():
        others = kept["without others"]
        new, again = ([each[of] for each in others] for of in ("new", "again"))
        without = kept["without"]
        rows.append([count, f"{without['new']:.1f}", f"{without['again']:.1f}",
                     f"{min(new):.1f} to {max(new):.1f}", f"{min(again):.1f} to {max(again):.1f}"])  # fmt: skip
    columns = ["heads off", "those that copy most: first round", "later", "as many others: first round", "later"]
    return table("SmolLM2 without heads, random pieces (python -m solutions.language_model.witness)", columns, rows)


def lost(off: int = 8) -> str:
    """Return the lesson's answer to its guess; raise ValueError where the results no longer say nearly all."""
    whole, kept = measured()["heads"]["copying"]["whole"], measured()["heads"]["copying by number"]
    gone = {
        count: (kept[count]["without"]["again"] - whole["again"]) / (whole["new"] - whole["again"]) for count in kept
    }
    if not 0.8 <= gone[str(off)] <= 1:
        raise ValueError(f"the lesson's guess is answered with nearly all, but {100 * gone[str(off)]:.0f} % are lost")
    others = max(each["again"] for each in kept[str(off)]["without others"])
    return (
        f"Without the {off} heads that copy most, {100 * gone[str(off)]:.0f} % of what the memory had saved is gone, "
        f"without the first alone {100 * gone['1']:.0f} %. Without {off} others the loss is at most {others:.1f}."
    )


def quote_bytes() -> None:
    """Quote losses of two models on Shakespeare in bits a byte, and assert which is the lower."""
    sizes, losses = measured()["sizes"]["excerpts"], measured()["views"]["everything"]
    pieces, of_bytes = sum(sizes["pieces"]), sum(sizes["bytes"])
    nats = sum(loss * count for loss, count in zip(losses, sizes["pieces"], strict=True))
    runs = results("language_model", "shakespeare-shakespeare")
    ours = fmean(run["scores"]["validation"]["loss"]["value"] for run in runs) / log(2)
    theirs = nats / log(2) / of_bytes
    assert theirs < ours, "the text says that SmolLM2 predicts Shakespeare better"
    quote(
        smol_nats=f"{nats / pieces:.2f}",
        smol_bytes=f"{of_bytes / pieces:.1f}",
        smol_bits=f"{theirs:.2f}",
        our_bits=f"{ours:.2f}",
    )


def first_piece() -> str:
    """Return the lesson's answer to its guess; `quote_sink` asserts that the first piece saves by far the most."""
    saved = mean("views", "window 64") - mean("views", "window 64, first piece")
    lost = mean("views", "window 64") - mean("views", "everything")
    return f"The very first piece alone brings back {saved:.1f} of the {lost:.1f} nats that the window had cost."


def quote_copying() -> None:
    """Quote what is said of heads that copy, and assert it."""
    copying = measured()["heads"]["copying"]
    others = [each["again"] for each in copying["without others"]]
    assert copying["without"]["again"] > 3 * max(others)
    quote(
        smol_new=f"{copying['whole']['new']:.1f}",
        smol_again=f"{copying['whole']['again']:.1f}",
        smol_blind=f"{log(PIECES):.1f}",
        smol_without=f"{copying['without']['again']:.1f}",
        smol_least_other=f"{min(others):.1f}",
        smol_most_other=f"{max(others):.1f}",
        smol_heads=str(len(copying["heads"])),
    )
