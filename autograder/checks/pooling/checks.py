"""The checks of attention that pools: one sentence, one level of a hierarchy, and both levels."""

from autograder.checks import DIFFERENTIABLE, FAR, MASKED, NO_MASK, Check, Points, Written
from autograder.checks.pooling import examples, hierarchy_mistakes, mistakes
from autograder.checks.pooling.cases import PADDED, WHOLE, context_cases, hierarchy_cases, pool_cases
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
    mistakes=mistakes.POOL,
    examples=examples.POOL,
    parts=mistakes.Zhou,
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
    mistakes=mistakes.CONTEXT,
    examples=examples.CONTEXT,
    parts=mistakes.Pool,
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
    mistakes=hierarchy_mistakes.HIERARCHY,
    examples=examples.hierarchy("hierarchical_attention"),
    parts=hierarchy_mistakes.Hierarchy,
    may_call=("context_attention",),
)

REPAIRED = Check(
    hierarchical_attention,
    ("document", "words", "sentences"),
    hierarchy_cases,
    points={
        "padded sentences get no weight": Points(3, (PADDED, "an empty document")),
        "documents without padded sentences, as before": Points(1, (WHOLE, "padded sentences")),
        FAR: 1,
    },
    also=DIFFERENTIABLE,
    mistakes=hierarchy_mistakes.SENTENCES,
    examples=examples.hierarchy("repaired_hierarchy"),
    name="repaired_hierarchy",
    parts=hierarchy_mistakes.Hierarchy,
    may_call=("context_attention", "hierarchical_attention"),
)

CHECKS = [POOL, CONTEXT, HIERARCHY, REPAIRED]

READING = """\
(a) *dreadful*: its share is 0.70 · 0.70 = 0.49. A word's share in the document is its weight in the sentence times the
weight of the sentence: *not* has 0.25 · 0.45 = 0.11, and *lovely* has 0.05 · 0.70 = 0.035.

(b) The weights of the words say only how the words of one sentence compare with each other. They add up to 1 in every
sentence, also in one that hardly counts.

(c) No. Another sentence says the same (*not*, *back*), and the weights of what is left add up to 1 again: they move
there. Besides, a weight belongs to a state, not to a word: the recurrent network has read the whole sentence, and the
states of other words may know of *dreadful*. What the test shows is that the label does not hang on that word alone."""

WRITTEN = {"reading_two_levels": Written(points=3, text=READING)}
