"""What the cells of the chapter on additive attention show beside the common tables."""

from IPython.display import HTML

from book.tables import MISSING, PHRASEBOOK, budget, results, summary, table


def queries(run: str = PHRASEBOOK) -> HTML:
    """Return the scores of additive attention by the state that asks: before the step, as in the paper, or after it."""
    rows = []
    for words, name in (
        ("before the step, as in the paper", run),
        ("after the step, as Luong et al. do", f"{run}-after"),
    ):
        runs = results("bahdanau", name)
        rows.append(
            [
                words + budget(runs),
                summary(runs, "test", "greedy", "bleu"),
                summary(runs, "test", "alignment", "argmax", "aer", digits=3),
                f"{len(runs)}" if runs else MISSING,
            ]
        )
    return table(
        "The same model, data and steps, another query: mean (lowest–highest); AER of the strongest word",
        ["the state that asks", "BLEU", "AER (lower is better)", "seeds"],
        rows,
    )
