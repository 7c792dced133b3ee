"""Tables of the chapter on Luong's attention: the variants, and where their windows stand."""

from IPython.display import HTML

from book.tables import MISSING, PHRASEBOOK, budget, multi30k_of, results, summary, table

# Variant of the run: what differs from the recipe, which has global attention, the general score and input feeding.
VARIANTS = {
    "": "general",
    "dot": "dot",
    "concat": "concat",
    "location": "location",
    "local-m": "local-m, D = 2",
    "local-p": "local-p, D = 2",
    "local-p-10": "local-p, D = 10",
    "no-feeding": "general, nothing fed",
    "oneway": "general, encoder one way",
}

# On the 447 sentences of the Hansards: aligner, the text it has learnt from, AER. The first scored by us from the links
# that awesome-align publishes, the others from the table of github.com/lilt/alignment-scripts.
ALIGNERS = (
    ("awesome-align", "texts of many languages (BERT), then parallel texts", 0.041),
    ("Mgiza, both directions put together", "Hansards", 0.059),
    ("Mgiza, English to French", "Hansards", 0.080),
    ("fast_align, both directions put together", "Hansards", 0.105),
    ("fast_align, English to French", "Hansards", 0.164),
)
DIAGONAL = ("a diagonal aligner, which has seen no word", "–", 0.531)  # a test computes it


def named(run: str, variant: str) -> str:
    return f"{run}-{variant}" if variant else run


def variants(run: str = PHRASEBOOK) -> HTML:
    """Return the variants of Luong's model beside Bahdanau's: BLEU, alignment error rate, seeds."""
    rows = []
    models = [("bahdanau", run, "Bahdanau: additive")]
    models += [("luong", named(run, variant), words) for variant, words in VARIANTS.items()]
    for solution, name, words in models:
        runs = results(solution, name)
        rows.append(
            [
                words + budget(runs),
                summary(runs, "test", "greedy", "bleu"),
                summary(runs, "test", "beam5", "bleu"),
                summary(runs, "test", "alignment", "argmax", "aer", digits=3),
                f"{len(runs)}" if runs else MISSING,
            ]
        )
    columns = ["model", "BLEU, greedy", "BLEU, beam 5", "AER, argmax", "seeds"]
    return table(
        "Phrasebook, test (one seed: bootstrap interval); global, general and fed unless the row says otherwise",
        columns,
        rows,
    )


def real(run: str = "multi30k-de-en-base") -> HTML:
    """Return the scores of three of the variants on Multi30k, beside Bahdanau's."""
    chosen = [("luong", named(run, variant), f"Luong: {VARIANTS[variant]}") for variant in ("", "dot", "local-p-10")]
    return multi30k_of([("bahdanau", run, "Bahdanau: additive"), *chosen])


def windows(run: str = PHRASEBOOK) -> HTML:
    """Return how far the predicted position is from the gold links, beside positions that are only counted."""
    runs = results("luong", named(run, "local-p"))
    readings = {"predicted": "local-p: predicted", "t": "p = t", "t·S/T": "p = t · S/T"}
    rows = [
        [f"{words}, {kind} links"]
        + [summary(runs, "test", "positions", reading, kind, part, digits=2) for part in ("mean", "within1", "within2")]
        for kind in ("all", "crossing")
        for reading, words in readings.items()
    ]
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
    rows += [[aligner, learnt, f"{aer:.3f}"] for aligner, learnt, aer in (*ALIGNERS, DIAGONAL)]
    return table(
        "Alignment error rate on 447 sentences of the Hansards, English to French (ours: 95% bootstrap interval)",
        ["aligner", "has learnt from", "AER (lower is better)"],
        rows,
    )
