"""The checks of self-attention as functions and as a module, of what layers cost, of rotations and of chunks."""

from autograder.checks import FAR, MASKED, NO_MASK, REPEAT, SHAPE, Check, Hunt, Points
from autograder.checks.by_hand import by_hand
from autograder.checks.edits import known
from autograder.checks.self_attention import adapters, examples, hunt, star_cases
from autograder.checks.self_attention.answers import WRITTEN
from autograder.checks.self_attention.cases import cost_cases, product_cases, projected_cases, simple_cases
from solutions.self_attention.attention import (
    SelfAttention,
    chunked_attention,
    crossing_length,
    exact_layer_cost,
    layer_cost,
    rotated,
    scaled_dot_product,
    self_attention,
    simple_self_attention,
    weights_by_hand,
)

__all__ = ["CHECKS", "WRITTEN"]

HAND = by_hand(
    weights_by_hand,
    {"weights": "the weights", "outputs": "the outputs"},
    known(weights_by_hand),
)

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
    exact=("weights",),
    mistakes=known(simple_self_attention),
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
    exact=("weights",),
    mistakes=known(scaled_dot_product),
    examples=examples.PRODUCT,
)

PROJECTED = Check(
    self_attention,
    ("context", "weights"),
    projected_cases,
    points=OF_WORDS,
    exact=("weights",),
    mistakes=known(self_attention),
    examples=examples.projected("self_attention"),
    may_call=("scaled_dot_product",),
)

MODULE = Check(
    SelfAttention,
    ("output", "weights"),
    star_cases.module_cases,
    points={NO_MASK: 2, MASKED: 2, star_cases.DOUBLE: 1},
    exact=("weights",),
    mistakes=known(SelfAttention),
    examples=examples.MODULE,
    adapter=adapters.loaded_module,
    may_call=("scaled_dot_product", "self_attention"),
)

HUNT = Hunt(
    PROJECTED,
    hunt.broken_attention,
    hunt.repaired_attention,
    hunt.failing_input,
    hunt.diagnosis,
    points={"sentences of one length": Points(1, NO_MASK), "padded sentences": Points(3, MASKED), FAR: 1},
    # Where the rows of padding are not compared, the broken function gives what one without a mask does.
    mistakes=known(self_attention, "repaired_attention"),
    examples=examples.projected("repaired_attention"),
)

COST = Check(
    layer_cost,
    ("cost", "steps", "path"),
    cost_cases,
    points={"self-attention": 1, "recurrent": 1, "convolution": 2, "restricted self-attention": 1},
    also=(REPEAT,),
    mistakes=known(layer_cost),
    examples=examples.COSTS,
)

EXACT = Check(
    exact_layer_cost,
    ("multiplications",),
    star_cases.exact_cases,
    points={"self-attention": 1, "recurrent": 1, "convolution": 1, "restricted self-attention": 1},
    also=(SHAPE, REPEAT),
    shape="a whole number",
    exact=("multiplications",),
    mistakes=known(exact_layer_cost),
    examples=examples.EXACT,
)

CROSSING = Check(
    crossing_length,
    ("length",),
    star_cases.crossing_cases,
    points={"a GRU": 1, "other layers": 1},
    also=(SHAPE,),
    shape="a whole number",
    exact=("length",),
    mistakes=known(crossing_length),
    examples=examples.CROSSING,
    may_call=("exact_layer_cost",),
)

ROTATED = Check(
    rotated,
    ("result",),
    star_cases.rotated_cases,
    points={star_cases.NEAR: 2, star_cases.ANY: 2, star_cases.AXES: 1},
    mistakes=known(rotated),
    examples=examples.ROTATED,
    stars=1,
)

CHUNKED = Check(
    chunked_attention,
    ("output",),
    star_cases.chunked_cases,
    points={
        star_cases.ONE: 1,
        star_cases.SEVERAL: 3,
        MASKED: 2,
        star_cases.EMPTY: 1,
        FAR: 1,
        "the memory": Points(4, star_cases.MEMORY),
    },
    mistakes=known(chunked_attention),
    adapter=adapters.few_at_a_time,
    examples=examples.CHUNKED,
    stars=2,
)

CHECKS = [HAND, SIMPLE, PRODUCT, PROJECTED, MODULE, *HUNT.checks(), COST, EXACT, CROSSING, ROTATED, CHUNKED]
