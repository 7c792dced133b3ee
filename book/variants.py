"""Tables of the chapter on Luong's attention: the variants, and where their windows stand."""

from IPython.display import HTML

from book.tables import MISSING, PHRASEBOOK, budget, results, summary, table

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


def named(run: str, variant: str) -> str:
    return f"{run}-{variant}" if variant else run


def variants(run: str = PHRASEBOOK) -> HTML:
    """Return the variants of Luong's model beside Bahdanau's: BLEU, alignment error rate, seeds."""
    rows = []
    models = [("bahdanau", run, "Bahdanau: additive")]
    models += [("luong", named(run, variant), words) for variant, words in VARIANTS.items()]
    for solution, name, words in models:
        found = results(solution, name)
        rows.append(
            [
                words + budget(found),
                summary(found, "test", "greedy", "bleu"),
                summary(found, "test", "beam5", "bleu"),
                summary(found, "test", "alignment", "argmax", "aer", digits=3),
                f"{len(found)}" if found else MISSING,
            ]
        )
    columns = ["model", "BLEU, greedy", "BLEU, beam 5", "AER, argmax", "seeds"]
    return table(
        "Phrasebook, test (one seed: bootstrap interval); global, general and fed unless the row says otherwise",
        columns,
        rows,
    )


def windows(run: str = PHRASEBOOK) -> HTML:
    """Return how far the predicted position is from the gold links, beside positions that are only counted."""
    found = results("luong", named(run, "local-p"))
    readings = {"predicted": "local-p: predicted", "t": "p = t", "t·S/T": "p = t · S/T"}
    rows = [
        [f"{words}, {kind} links"]
        + [
            summary(found, "test", "positions", reading, kind, part, digits=2)
            for part in ("mean", "within1", "within2")
        ]
        for kind in ("all", "crossing")
        for reading, words in readings.items()
    ]
    return table(
        "Distance of the window's centre from the linked source words, phrasebook, test",
        ["position", "mean |p − gold|", "share within 1", "share within 2"],
        rows,
    )
