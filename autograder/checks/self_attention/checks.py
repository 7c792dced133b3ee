"""The checks of self-attention, of the scaled dot product, and of the table of costs."""

from autograder.checks import DIFFERENTIABLE, FAR, MASKED, NO_MASK, REPEAT, Check, Points, Written
from autograder.checks.self_attention import cost_mistakes, examples, projection_mistakes
from autograder.checks.self_attention import mistakes as simple
from autograder.checks.self_attention.cases import cost_cases, product_cases, projected_cases, simple_cases
from solutions.self_attention.attention import layer_cost, scaled_dot_product, self_attention, simple_self_attention

OF_WORDS = {
    "the weights without a mask": Points(2, NO_MASK, part="weights"),
    "the context without a mask": Points(1, NO_MASK, part="context"),
    "the weights with a mask": Points(2, MASKED, part="weights"),
    "the context with a mask": Points(1, MASKED, part="context"),
    FAR: 1,
}

SIMPLE = Check(
    simple_self_attention,
    ("context", "weights"),
    simple_cases,
    points=OF_WORDS,
    mistakes=simple.SIMPLE,
    examples=examples.SIMPLE,
)

PRODUCT = Check(
    scaled_dot_product,
    ("output", "weights"),
    product_cases,
    points={
        "no mask": 2,
        "a mask for every query": 2,
        "a mask that is broadcast": 1,
        "two and four axes": 1,
        FAR: 1,
    },
    mistakes=projection_mistakes.PRODUCT,
    examples=examples.PRODUCT,
    parts=projection_mistakes.Product,
)

PROJECTED = Check(
    self_attention,
    ("context", "weights"),
    projected_cases,
    points=OF_WORDS,
    mistakes=projection_mistakes.PROJECTED,
    examples=examples.projected("self_attention"),
    parts=projection_mistakes.Product,
    may_call=("scaled_dot_product",),
)

REPAIRED = Check(
    self_attention,
    ("context", "weights"),
    projected_cases,
    points={"sentences of one length": Points(3, NO_MASK), "padded sentences": Points(1, MASKED), FAR: 1},
    also=DIFFERENTIABLE,
    mistakes=projection_mistakes.PROJECTED,
    examples=examples.projected("repaired_attention"),
    name="repaired_attention",
    parts=projection_mistakes.Product,
    may_call=("scaled_dot_product", "self_attention"),
)


COST = Check(
    layer_cost,
    ("cost", "steps", "path"),
    cost_cases,
    points={"self-attention": 1, "recurrent": 1, "convolution": 2, "restricted self-attention": 1},
    also=(REPEAT,),
    mistakes=cost_mistakes.COSTS,
    examples=examples.COSTS,
)

CHECKS = [SIMPLE, PRODUCT, PROJECTED, REPAIRED, COST]

PROOF = """\
(a) $q \\cdot k = \\sum_{i=1}^{d} q_i k_i$. A product of independent numbers has the product of their means as its mean:
$E[q_i k_i] = E[q_i]\\,E[k_i] = 0$, so the sum has mean 0.

(b) With mean 0 the variance is the mean of the square:
$\\operatorname{Var}(q_i k_i) = E[q_i^2 k_i^2] = E[q_i^2]\\,E[k_i^2] = 1 \\cdot 1 = 1$. The $d$ products are independent
of each other, so their variances add up: $\\operatorname{Var}(q \\cdot k) = d$.

(c) Dividing by $c$ divides the variance by $c^2$. For a variance of 1, $c^2 = d$: divide by $\\sqrt d$, not by $d$."""

ORDER = """\
(a) Word $i$ of the shuffled sentence is word $\\pi(i)$ of the old one. Its query is the old query of $\\pi(i)$, and it
meets the same keys and values as before, in another order. A softmax and a sum do not care about the order of their
terms, so the result is the old context of $\\pi(i)$: the rows are shuffled as the words are, and nothing else changes.

(b) No. "not good, bad" and "not bad, good" hold the same words. Each word gets the same context in both, the mean of
the contexts is the same, and so is the verdict. The model needs something that depends on the place: positions."""

WRITTEN = {"variance": Written(points=3, text=PROOF), "order": Written(points=2, text=ORDER)}
