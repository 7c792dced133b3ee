"""The checks of attention that pools: one sentence, one level of a hierarchy, both levels, and the bug hunt."""

from dataclasses import replace

from autograder.checks import FAR, MASKED, NO_MASK, CaseInput, Check, Hunt, Points, Written
from autograder.checks.edits import known
from autograder.checks.pooling import examples, hunt
from autograder.checks.pooling.cases import PADDED, WHOLE, context_cases, hierarchy_cases, pool_cases
from autograder.checks.pooling.starred_checks import ALONG, BY_HAND, LEAVE
from autograder.checks.random_inputs import Rng
from solutions.pooling.attention import attention_pool, context_attention, hierarchical_attention

POOL = Check(
    attention_pool,
    ("h", "weights"),
    pool_cases,
    points={
        "the weights without a mask": Points(2, NO_MASK, part="weights"),
        "the vector without a mask": Points(2, NO_MASK, part="h"),
        "the weights with a mask": Points(1, MASKED, part="weights"),
        "the vector with a mask": Points(1, MASKED, part="h"),
        FAR: 1,
    },
    shape="the shapes of vector and weights",
    exact=("weights",),
    mistakes=known(attention_pool),
    examples=examples.POOL,
)

CONTEXT = Check(
    context_attention,
    ("s", "weights"),
    context_cases,
    points={
        "the weights without a mask": Points(2, NO_MASK, part="weights"),
        "the vector without a mask": Points(1, NO_MASK, part="s"),
        "the weights with a mask": Points(1, MASKED, part="weights"),
        "the vector with a mask": Points(1, MASKED, part="s"),
        FAR: 1,
    },
    shape="the shapes of vector and weights",
    exact=("weights",),
    mistakes=known(context_attention),
    examples=examples.CONTEXT,
)

HIERARCHY = Check(
    hierarchical_attention,
    ("document", "words", "sentences"),
    hierarchy_cases,
    points={
        "the weights of the words without a mask": Points(1, WHOLE, part="words"),
        "the weights of the sentences without a mask": Points(1, WHOLE, part="sentences"),
        "the document without a mask": Points(1, WHOLE, part="document"),
        "padded words": Points(2, "padded sentences"),
        "padded sentences: the words": Points(1, PADDED, part="words"),
        "padded sentences: the sentences": Points(2, PADDED, part="sentences"),
        "padded sentences: the document": Points(1, PADDED, part="document"),
        "a document without words": Points(1, "an empty document"),
        FAR: 1,
    },
    exact=("words", "sentences"),
    mistakes=known(hierarchical_attention),
    examples=examples.hierarchy("hierarchical_attention"),
    may_call=("context_attention",),
)


def two_level_cases(rng: Rng) -> list[CaseInput]:
    """Draw the documents of the check of both levels, without the encoder between them."""
    return [replace(each, arguments=each.arguments[:-1]) for each in hierarchy_cases(rng)]


HUNT = Hunt(
    replace(HIERARCHY, reference=hunt.two_levels, cases=two_level_cases),
    hunt.broken_hierarchy,
    hunt.repaired_hierarchy,
    hunt.failing_input,
    hunt.diagnosis,
    points={
        "documents without padded sentences": Points(3, (WHOLE, "padded sentences")),
        "documents with padded sentences": Points(2, (PADDED, "an empty document")),
        FAR: 1,
    },
    mistakes=known(hunt.two_levels, "repaired_hierarchy"),
    examples=examples.hierarchy("repaired_hierarchy", encoder=""),
    own="hierarchical_attention",
)

CHECKS = [BY_HAND, POOL, CONTEXT, HIERARCHY, *HUNT.checks(), LEAVE, ALONG]

READING = """\
(a) (1 point) *dreadful*: its share is 0.70 · 0.70 = 0.49. A word's share in the document is its weight in the sentence
times the weight of the sentence: *not* has 0.25 · 0.45 = 0.11, and *lovely* has 0.05 · 0.70 = 0.035. (Half of the point
for the right word without the shares.)

(b) (1 point) The weights of the words say only how the words of one sentence compare with each other. They add up to 1
in every sentence, also in one that hardly counts.

(c) (1 point, for one reason) Neither. Another sentence says the same (*not*, *back*), and the weights of what is left
add up to 1 again: they move there. Besides, a weight belongs to a state, not to a word: the recurrent network has read
the whole sentence, and the states of other words may know of *dreadful*. What the test shows is that the label does not
hang on that word alone."""

OTHER_WEIGHTS = """\
(a) (1 point) α' = (0.4, 0, 0.6): 2 α'₃ = 1.2, and the sum is 1. All that follows sees the pooled vector alone, so the
label and its probability stay as they are. (Half of the point for weights that do not add up to 1, or for the right
weights without what follows.)

(b) (1 point) One set of weights is not the only one under which this model, with these states, says this. Word 2 had
the largest weight, and can have none: a heat map does not show *the* words without which the label could not be.

(c) (2 points, one for each argument) The model has to compute its weights from its states: nothing says that any
parameters give α' here and sensible weights on all other texts; a text cannot be given weights of its own. And the rest
of the model was trained together with the weights that it computes: exchanged weights come from no training, so that
they say nothing about which explanations a trained model could give. (Also right, for either: a weight belongs to a
state, and states that have read their neighbours can pool alike though their words differ; or: that there is another
explanation does not make the first one false, it only is not exclusive.)

(d) (1 point) Train: a whole model whose loss rewards other weights and the same predictions as the first model's (an
adversary), on all texts at once; or the model with equal weights from the start, which shows whether the task needs
attention at all. (No point for shuffling or exchanging the weights of the trained model: that is the test they object
to.)"""

WRITTEN = {
    "reading_two_levels": Written(
        points=3,
        text=READING,
        rubric={
            "(a) dreadful, with its share: weight of the word times weight of the sentence": 1,
            "(a) half: the right word without the shares": 0.5,
            "(b) words are compared within one sentence only: their weights add up to 1 in each": 1,
            "(c) neither, with one reason: the weights move, or a weight belongs to a state": 1,
        },
    ),
    "what_other_weights_show": Written(
        points=5,
        text=OTHER_WEIGHTS,
        rubric={
            "(a) (0.4, 0, 0.6), and the label and its probability stay": 1,
            "(a) half: weights that do not add up to 1, or without what follows": 0.5,
            "(b) these weights are not the only ones for this label: a heat map does not show the words": 1,
            "(c) one argument: the model must compute its weights, exchanged ones come from no training, …": 1,
            "(c) a second argument": 1,
            "(d) training: an adversary, or a model with equal weights from the start": 1,
        },
    ),
}
