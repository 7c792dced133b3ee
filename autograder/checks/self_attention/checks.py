"""The checks of self-attention, of the scaled dot product, and of the table of costs."""

from autograder.checks import DIFFERENTIABLE, REPEAT, Check, Written
from autograder.checks.self_attention import cost_mistakes, examples, projection_mistakes
from autograder.checks.self_attention import mistakes as simple
from autograder.checks.self_attention.cases import cost_cases, product_cases, projected_cases, simple_cases
from autograder.kit.cases import Criterion
from solutions.self_attention.attention import layer_cost, scaled_dot_product, self_attention, simple_self_attention

NO_MASK = ["no mask", "one word"]
MASKED = ["padded sentences", "other padded sentences", "equal sizes", "one sentence"]


def sound(*far: str) -> list[Criterion]:
    """Return what every one of the three has to do besides giving the right numbers in ordinary cases."""
    return [Criterion("scores far from 0", 1, "values", list(far)), *DIFFERENTIABLE]


def of_words(far: str) -> list[Criterion]:
    """Return what earns points in attention from the words of a sentence to themselves."""
    return [
        Criterion("the shapes of context and weights", 1, "shape"),
        Criterion("the weights without a mask", 2, "values", NO_MASK, part="weights"),
        Criterion("the context without a mask", 1, "values", NO_MASK, part="context"),
        Criterion("the weights with a mask", 2, "values", MASKED, part="weights"),
        Criterion("the context with a mask", 1, "values", MASKED, part="context"),
        *sound(far, "padding that scores higher"),
    ]


SIMPLE = Check(
    reference=simple_self_attention,
    outputs=("context", "weights"),
    draw_cases=simple_cases,
    criteria=of_words("large words"),
    mistakes=simple.SIMPLE,
    codes=examples.SIMPLE,
)

PRODUCT = Check(
    reference=scaled_dot_product,
    outputs=("output", "weights"),
    draw_cases=product_cases,
    criteria=[
        Criterion("the shapes of output and weights", 1, "shape"),
        Criterion("no mask", 2, "values", ["no mask", "one query, one key"]),
        Criterion("a mask for every query", 2, "values", ["a mask for every query", "equal sizes"]),
        Criterion("a mask that is broadcast", 1, "values", ["one mask for all queries", "a mask without a batch"]),
        Criterion("two and four axes", 1, "values", ["two axes", "four axes", "a mask for every head"]),
        *sound("scores around -120", "masked keys that score higher"),
    ],
    mistakes=projection_mistakes.PRODUCT,
    parts=projection_mistakes.Product,
    codes=examples.PRODUCT,
)

PROJECTED = Check(
    reference=self_attention,
    outputs=("context", "weights"),
    draw_cases=projected_cases,
    criteria=of_words("scores around -120"),
    mistakes=projection_mistakes.PROJECTED,
    parts=projection_mistakes.Product,
    codes=examples.projected("self_attention"),
    may_call=("scaled_dot_product",),
)

REPAIRED = Check(
    reference=self_attention,
    name="repaired_attention",
    outputs=("context", "weights"),
    draw_cases=projected_cases,
    criteria=[
        Criterion("sentences of one length", 3, "values", ["no mask", "one word"]),
        Criterion("padded sentences", 1, "values", MASKED),
        *sound("scores around -120", "padding that scores higher"),
    ],
    mistakes=projection_mistakes.PROJECTED,
    parts=projection_mistakes.Product,
    codes=examples.projected("repaired_attention"),
    may_call=("scaled_dot_product", "self_attention"),
)


def both(kind: str) -> list[str]:
    """Return the two cases of one kind of layer."""
    return [f"{kind}, longer than wide", f"{kind}, wider than long"]


COST = Check(
    reference=layer_cost,
    outputs=("cost", "steps", "path"),
    draw_cases=cost_cases,
    criteria=[
        Criterion("self-attention", 1, "values", both("self_attention")),
        Criterion("recurrent", 1, "values", both("recurrent")),
        Criterion("convolution", 2, "values", [*both("convolution"), "convolution, shorter than its window"]),
        Criterion(
            "restricted self-attention", 1, "values", [*both("restricted"), "restricted, shorter than its window"]
        ),
        REPEAT,
    ],
    mistakes=cost_mistakes.COSTS,
    codes=examples.COSTS,
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
