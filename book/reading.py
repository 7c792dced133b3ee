"""Tables of the chapter on self-attention: its classifiers with and without parameters and positions."""

from collections.abc import Sequence
from typing import Any

from IPython.display import HTML

from book.tables import MISSING, budget, results, summary, table

# Variant of the run: what differs from the recipe.
VARIANTS = {
    "": "with parameters, with positions",
    "unplaced": "with parameters, no positions",
    "simple": "no parameters, with positions",
    "simple-unplaced": "no parameters, no positions",
}
DEEPER = {"two": "two blocks", "four": "four blocks"}  # with parameters and positions


def percent(found: Sequence[dict[str, Any]]) -> str:
    """Return the accuracy in percent: the mean with the lowest and highest seed, or the interval of the only one."""
    shares = [result["scores"]["test"]["accuracy"] for result in found]
    scores = [{"accuracy": {key: 100 * share[key] for key in ("value", "low", "high")}} for share in shares]
    return summary([{"scores": score} for score in scores], "accuracy")


def classifiers(run: str, caption: str, linear: str = "", evidence: bool = False, deeper: Sequence[str] = ()) -> HTML:
    """Return the variants of one run: accuracy on the test set, weights learnt, seeds; below, the linear baseline."""
    rows = []
    for variant, words in (VARIANTS | {name: DEEPER[name] for name in deeper}).items():
        found = results("self_attention", f"{run}-{variant}" if variant else run)
        weights = f"{found[0]['parameters']:,}" if found else MISSING
        rows.append(
            [
                words + budget(found),
                percent(found),
                weights,
                *([share(found)] if evidence else []),
                f"{len(found)}" if found else MISSING,
            ]
        )
    if linear:
        found = next((f for name in ("self_attention", "structured", "pooling") if (f := results(name, linear))), [])
        none = ["", ""] if evidence else [""]
        rows.append(["linear: words and pairs of words", percent(found), *none, f"{len(found) or MISSING}"])
    columns = ["classifier", "accuracy, %", "weights", *(["on the evidence"] if evidence else []), "seeds"]
    return table(caption, columns, rows)


def share(found: Sequence[dict[str, Any]]) -> str:
    """Return how much of its attention falls on the gold evidence, and how much equal weights would give."""
    if not found:
        return MISSING
    even = found[0]["scores"]["test"]["evidence_uniform"]["value"]
    return f"{summary(found, 'test', 'evidence', digits=3)}; even: {even:.3f}"
