"""The checks of attention that pools: one sentence, one level of a hierarchy, and both levels."""

from autograder.checks import DIFFERENTIABLE, Check, Written
from autograder.checks.pooling import examples, hierarchy_mistakes, mistakes
from autograder.checks.pooling.cases import context_cases, hierarchy_cases, pool_cases
from autograder.kit.cases import Criterion
from solutions.pooling.attention import attention_pool, context_attention, hierarchical_attention

NO_MASK = ["no mask", "equal sizes, no mask", "one position"]
MASKED = ["padded sentences", "other padded sentences", "a mask with gaps", "equal sizes", "one sentence"]
FAR = Criterion("scores far from 0", 1, "values", ["scores around -120", "padding that scores higher"])

POOL = Check(
    reference=attention_pool,
    outputs=("h", "weights"),
    draw_cases=pool_cases,
    criteria=[
        Criterion("the shapes of vector and weights", 1, "shape"),
        Criterion("the weights without a mask", 2, "values", NO_MASK, part="weights"),
        Criterion("the vector without a mask", 2, "values", NO_MASK, part="h"),
        Criterion("the weights with a mask", 1, "values", MASKED, part="weights"),
        Criterion("the vector with a mask", 1, "values", MASKED, part="h"),
        FAR,
        *DIFFERENTIABLE,
    ],
    mistakes=mistakes.POOL,
    parts=mistakes.Zhou,
    codes=examples.POOL,
)

CONTEXT = Check(
    reference=context_attention,
    outputs=("s", "weights"),
    draw_cases=context_cases,
    criteria=[
        Criterion("the shapes of vector and weights", 1, "shape"),
        Criterion("the weights without a mask", 2, "values", NO_MASK, part="weights"),
        Criterion("the vector without a mask", 1, "values", NO_MASK, part="s"),
        Criterion("the weights with a mask", 1, "values", MASKED, part="weights"),
        Criterion("the vector with a mask", 1, "values", MASKED, part="s"),
        FAR,
        *DIFFERENTIABLE,
    ],
    mistakes=mistakes.CONTEXT,
    parts=mistakes.Pool,
    codes=examples.CONTEXT,
)

WHOLE = ["no mask", "equal sizes, no mask", "one word in one sentence"]
DOCUMENTS = ["padded documents", "masks with gaps", "equal sizes", "one document"]

HIERARCHY = Check(
    reference=hierarchical_attention,
    outputs=("document", "words", "sentences"),
    draw_cases=hierarchy_cases,
    criteria=[
        Criterion("the shapes of document, words and sentences", 1, "shape"),
        Criterion("the weights of the words without a mask", 1, "values", WHOLE, part="words"),
        Criterion("the weights of the sentences without a mask", 1, "values", WHOLE, part="sentences"),
        Criterion("the document without a mask", 1, "values", WHOLE, part="document"),
        Criterion("padded words", 2, "values", ["padded sentences"]),
        Criterion("padded sentences: the words", 1, "values", DOCUMENTS, part="words"),
        Criterion("padded sentences: the sentences", 2, "values", DOCUMENTS, part="sentences"),
        Criterion("padded sentences: the document", 1, "values", DOCUMENTS, part="document"),
        Criterion("a document without words", 1, "values", ["an empty document"]),
        FAR,
        *DIFFERENTIABLE,
    ],
    mistakes=hierarchy_mistakes.HIERARCHY,
    parts=hierarchy_mistakes.Hierarchy,
    codes=examples.hierarchy("hierarchical_attention"),
    may_call=("context_attention",),
)

REPAIRED = Check(
    reference=hierarchical_attention,
    name="repaired_hierarchy",
    outputs=("document", "words", "sentences"),
    draw_cases=hierarchy_cases,
    criteria=[
        Criterion("padded sentences get no weight", 3, "values", [*DOCUMENTS, "an empty document"]),
        Criterion("documents without padded sentences, as before", 1, "values", [*WHOLE, "padded sentences"]),
        FAR,
        *DIFFERENTIABLE,
    ],
    mistakes=hierarchy_mistakes.SENTENCES,
    parts=hierarchy_mistakes.Hierarchy,
    codes=examples.hierarchy("repaired_hierarchy"),
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
