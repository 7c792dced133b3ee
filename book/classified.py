"""Tables of the chapters that label texts: each model beside a linear one, and beside what the paper got."""

from collections.abc import Mapping
from importlib import import_module

from IPython.display import HTML

from book.tables import MISSING, budget, results, summary, table

SCORES = {"accuracy": "accuracy, %", "macro_f1": "macro-F1, %"}
LINEAR = ("pooling", "linear")  # where the baseline's results are kept, and its recipe


def classified(
    corpus: str, models: Mapping[str, str], score: str = "accuracy", split: str = "test", caption: str = ""
) -> HTML:
    """Return a corpus's scores: a row for each model (its words: its solution), its peers, and the linear baseline.

    A model's run is the one with the recipe that it takes for this corpus by default.
    """
    rows, made = [], False
    for words, solution in models.items():
        recipe = import_module(f"solutions.{solution}.model").SOLUTION.defaults.get(corpus)
        found = results(solution, f"{corpus}-{recipe}")
        made |= any("evidence" in result["scores"][split] for result in found)
        rows.append(_row(words + budget(found), found, split, score))
        peers = {(peer["system"], peer["score"], peer["scale"]) for result in found for peer in result["peers"]}
        rows += [[f"{system} ({scale})", f"{value}", "–", "–"] for system, value, scale in sorted(peers)]
    rows.append(_row("linear: words and pairs of words", results(LINEAR[0], f"{corpus}-{LINEAR[1]}"), split, score))
    columns = ["model", SCORES[score], "weight on the evidence, %", "seeds"]
    if not made:  # a corpus without gold evidence
        columns, rows = [columns[0], columns[1], columns[3]], [[row[0], row[1], row[3]] for row in rows]
    return table(caption or f"{corpus}, {split}", columns, rows)


def _row(words: str, found: list, split: str, score: str) -> list[str]:
    evidence = summary(found, split, "evidence", scale=100) if found else MISSING
    return [
        words,
        summary(found, split, score, scale=100),
        "–" if found and evidence == MISSING else evidence,
        f"{len(found)}" if found else MISSING,
    ]
