"""What the cells of the chapter on additive attention show beside the common tables."""

from IPython.display import HTML

from book.experiments import AER, BLEU, experiment_table


def queries() -> HTML:
    """Return the scores of additive attention by the state that asks: before the step, as in the paper, or after it."""
    words = {"": "before the step, as in the paper", "after": "after the step, as Luong et al. do"}
    caption = "The same model, data and steps; the state that asks: mean (lowest–highest); AER of the strongest word"
    return experiment_table("bahdanau", "query", words, [BLEU, AER], caption)
