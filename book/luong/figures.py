"""Tables of the chapter on Luong's attention: its experiments, where windows stand, what scores and windows cost."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from IPython.display import HTML

from book.show.experiments import AER, BLEU, Column, experiment_table, mean
from book.show.quoting import listed
from book.show.tables import PHRASEBOOK, ROOT, budget, multi30k_of, outputs, results, summary, table
from book.show.translation_errors import errors, errors_table
from lab.evaluation.result_files import read_json
from lab.kinds.runs import joined

# Variant of the run: what differs from the recipe, which has global attention, the general score and input feeding.
SCORES = {"dot": "dot", "": "general", "concat": "concat", "location": "location"}
WINDOWS = {
    "": "none: the whole sentence",
    "local-m": "local-m, D = 2",
    "local-p": "local-p, D = 2",
    "local-p-10": "local-p, D = 10",
}
FEEDING = {"": "fed, encoder of both directions", "no-feeding": "nothing fed", "oneway": "encoder of one direction"}

# On the 447 sentences of the Hansards: aligner, the text it learned from, AER. The first scored by us from the links
# that awesome-align publishes, the others from the table of github.com/lilt/alignment-scripts.
ALIGNERS = (
    ("awesome-align", "texts of many languages (BERT), then parallel texts", 0.041),
    ("Mgiza, both directions put together", "Hansards", 0.059),
    ("Mgiza, English to French", "Hansards", 0.080),
    ("fast_align, both directions put together", "Hansards", 0.105),
    ("fast_align, English to French", "Hansards", 0.164),
)
DIAGONAL = ("a diagonal aligner, which has seen no word", "–", 0.531)  # a test computes it


EXPERIMENTS = {
    "scores": (SCORES, "global attention with input feeding, four scores"),
    "windows": (WINDOWS, "the general score with input feeding, by window"),
    "feeding": (FEEDING, "global attention with the general score"),
}


def experiment(name: str) -> HTML:
    """Return BLEU and alignment error rate of one experiment of this chapter, a row for each variant that was run."""
    words, what = EXPERIMENTS[name]
    caption = f"Phrasebook, test; {what}: mean (lowest–highest) of the seeds, or the bootstrap interval of one"
    return experiment_table("luong", name, words, [BLEU, AER], caption)


def twice() -> HTML:
    """Return the kinds of failed translations with and without feeding: words translated twice, words left out."""
    runs = {words: outputs("luong", joined(PHRASEBOOK, variant)) for variant, words in FEEDING.items()}
    return errors_table(runs, "decoder", "Test translations that are wrong (greedy, of 2,000)")


def real(run: str = "multi30k-de-en-base") -> HTML:
    """Return the scores on Multi30k beside Bahdanau's."""
    return multi30k_of([("bahdanau", run, "Bahdanau: additive"), ("luong", joined(run, "dot"), "Luong: dot")])


def positions(run: str = PHRASEBOOK) -> HTML:
    """Return the distances of the predicted positions from the gold links, beside positions that are only counted."""
    readings = [
        ("local-p", "predicted", "local-p with D = 2"),
        ("local-p-10", "predicted", "local-p with D = 10"),
        ("local-p", "t", "p = t"),
        ("local-p", "t·S/T", "p = t · S/T"),
    ]
    parts = "mean", "within1", "within2"
    rows = []
    for kind in ("all", "crossing"):
        for variant, reading, words in readings:
            runs = results("luong", joined(run, variant))
            of = runs if reading == "predicted" else runs[:1]  # a position that is only counted has no seed
            cells = [summary(of, "test", "positions", reading, kind, part, digits=2) for part in parts]
            rows.append([f"{words}, {kind} links", *cells])
    return table(
        "Distance of the window's centre from the linked source words, phrasebook, test",
        ["position", "mean |p − gold|", "share within 1", "share within 2"],
        rows,
    )


def hansards(run: str = "hansards-en-fr-short") -> HTML:
    """Return the alignment error rate of Luong's weights on the Hansards beside those of aligners."""
    runs = results("luong", run)
    ours = summary(runs, "test", "alignment", "argmax", "aer", digits=3)
    rows = [["Luong, dot: strongest English word of each French one" + budget(runs), "Tatoeba", ours]]
    rows += [[aligner, text, f"{aer:.3f}"] for aligner, text, aer in (*ALIGNERS, DIAGONAL)]
    return table(
        "Alignment error rate on 447 sentences of the Hansards, English to French (ours: 95% bootstrap interval)",
        ["aligner", "has learned from", "AER (lower is better)"],
        rows,
    )


def costs() -> dict[str, Any]:
    """Return the results of `python -m benchmarks.luong`."""
    return read_json(ROOT / "solutions" / "luong" / "results" / "costs.json")


def milliseconds(times: Sequence[float]) -> str:
    """Return the median of several times, with the shortest and the longest."""
    digits = 0 if median(times) >= 10 else 1
    return f"{median(times):.{digits}f} ({min(times):.{digits}f}–{max(times):.{digits}f})"


def score_costs() -> HTML:
    """Return the cost of each score: parameters, multiplications, numbers for the pairs of words, time."""
    kept = costs()
    sizes = kept["sizes"]
    rows = [
        [
            row["score"],
            f"{row['parameters']:,}",
            f"{row['multiplications']:,}",
            f"{row['largest'] * sizes['sentences']:,}",
            milliseconds(row["milliseconds"]),
        ]
        for row in kept["scores"]
    ]
    return table(
        f"Scores of {sizes['sentences']} sentences, {sizes['words']} words in both languages, all widths "
        f"{sizes['width']} (location: {sizes['rows']} rows). Time: one run, {kept['device']}, forward and backward, "
        f"median (lowest–highest) of {len(kept['scores'][0]['milliseconds'])} passes",
        ["score", "parameters", "multiplications a sentence", "numbers for the pairs of words, at most", "ms"],
        rows,
    )


def costs_over_dot() -> dict[str, str]:
    """Return the time of each score as a multiple of *dot*'s, by the medians."""
    times = {row["score"]: median(row["milliseconds"]) for row in costs()["scores"]}
    return {f"{name}_over_dot": f"{times[name] / times['dot']:.0f}" for name in ("general", "concat")}


def aim(reading: str = "predicted") -> Column:
    """Return the column of the share of the links within one word of a position, in per cent."""
    return Column("links within one word, %", ("test", "positions", reading, "all", "within1"), 0, 100)


def within_one(variant: str, reading: str = "predicted") -> str:
    """Return that share for a window: the mean over the seeds."""
    return mean("luong", "windows", variant, aim(reading))


def quoted() -> dict[str, str]:
    """Return the numbers that the chapter's text quotes from the runs of ten epochs."""
    fed, unfed = (errors(outputs("luong", joined(PHRASEBOOK, variant))) for variant in ("", "no-feeding"))
    return {
        **costs_over_dot(),
        "narrow": within_one("local-p"),
        "wide": within_one("local-p-10"),
        "aer_before": mean("bahdanau", "query", "", AER),
        "aer_after": mean("bahdanau", "query", "after", AER),
        "aer_general": mean("luong", "scores", "", AER),
        "bleu_general": mean("luong", "scores", "", BLEU),
        "bleu_unfed": mean("luong", "feeding", "no-feeding", BLEU),
        "bleu_narrow": mean("luong", "windows", "local-p", BLEU),
        "bleu_wide": mean("luong", "windows", "local-p-10", BLEU),
        "pair_fed": listed([seed["pair"] for seed in fed]),
        "pair_unfed": listed([seed["pair"] for seed in unfed]),
    }
