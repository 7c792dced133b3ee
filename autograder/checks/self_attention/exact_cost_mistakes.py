"""What goes wrong when multiplications are counted, and when two layers are compared by them."""

from collections.abc import Callable

from autograder.checks.renamed import renamed
from solutions.self_attention.attention import exact_layer_cost, layer_cost

ATTENTION = {"self_attention": lambda n, r: n, "restricted": lambda n, r: r}  # how many keys each query meets


def attention(wrong: Callable) -> Callable:
    """Return a count that is wrong for both kinds of attention: `wrong` gets n, d and the keys of a query."""

    @renamed(wrong)
    def cost(kind, n, d, k, r):
        return wrong(n, d, ATTENTION[kind](n, r)) if kind in ATTENTION else exact_layer_cost(kind, n, d, k, r)

    return cost


@attention
def projections_left_out(n, d, keys):
    """The projections are missing. Each word is also multiplied by W_q, W_k and W_v."""
    return 2 * n * keys * d


def words_projections_left_out(kind, n, d, k, r):
    """The projections of self-attention are missing. Those of the restricted layer are there."""
    return exact_layer_cost(kind, n, d, k, r) - (3 * n * d * d if kind == "self_attention" else 0)


def restricted_projections_left_out(kind, n, d, k, r):
    """The projections of restricted self-attention are missing. It projects every word as the full layer does."""
    return exact_layer_cost(kind, n, d, k, r) - (3 * n * d * d if kind == "restricted" else 0)


def two_projections(kind, n, d, k, r):
    """There are two projections here. Queries, keys and values have one each: 3nd²."""
    return exact_layer_cost(kind, n, d, k, r) - (n * d * d if kind in ATTENTION else 0)


@attention
def sum_left_out(n, d, keys):
    """One product of weights or scores is missing. There are two of the same size: the scores QKᵀ, and the weighted
    sums AV."""
    return 3 * n * d * d + n * keys * d


@attention
def output_projected(n, d, keys):
    """There are four projections here. W_o comes with several heads; this layer has W_q, W_k and W_v."""
    return 4 * n * d * d + 2 * n * keys * d


@attention
def one_projection(n, d, keys):
    """There is one projection here. Queries, keys and values have one each: 3nd²."""
    return n * d * d + 2 * n * keys * d


@attention
def projections_of_vectors(n, d, keys):
    """A projection costs nd here. Each of the d numbers that come out is a sum of d products: nd²."""
    return 3 * n * d + 2 * n * keys * d


@attention
def every_key_projected_again(n, d, keys):
    """Keys and values are projected anew for each query. They are projected once for each word: 3nd² in all."""
    return n * d * d + 2 * n * keys * d * d + 2 * n * keys * d


def all_pairs(kind, n, d, k, r):
    """Restricted self-attention meets all n words here. Each query meets r keys, in both products."""
    return exact_layer_cost("self_attention" if kind == "restricted" else kind, n, d, k, r)


def only_the_word(kind, n, d, k, r):
    """The recurrent layer multiplies once a step here. It has two matrices, for the word and for the state before it:
    2nd²."""
    return n * d * d if kind == "recurrent" else exact_layer_cost(kind, n, d, k, r)


def gates_counted(kind, n, d, k, r):
    """The recurrent layer is a GRU here. This row is the plain layer, tanh(Wx + Uh), without gates: 2nd²."""
    return 6 * n * d * d if kind == "recurrent" else exact_layer_cost(kind, n, d, k, r)


def separable(kind, n, d, k, r):
    """The convolution does not mix its channels here: knd. Each output sums over d channels at k places."""
    return k * n * d if kind == "convolution" else exact_layer_cost(kind, n, d, k, r)


def kernel_left_out(kind, n, d, k, r):
    """The convolution costs nd² here. Its k places count as well."""
    return n * d * d if kind == "convolution" else exact_layer_cost(kind, n, d, k, r)


def convolution_projected(kind, n, d, k, r):
    """The convolution has projections here. It has none: its own matrices mix the channels."""
    return exact_layer_cost(kind, n, d, k, r) + (3 * n * d * d if kind == "convolution" else 0)


def additions_too(kind, n, d, k, r):
    """Additions are counted too, or a multiplication and an addition as two. Count the multiplications alone."""
    return 2 * exact_layer_cost(kind, n, d, k, r)


def terms_of_the_table(kind, n, d, k, r):
    """These are the terms of the table, with the constant 1. In this task constants and projections count."""
    return layer_cost(kind, n, d, k, r)[0]


def n_and_d_swapped(kind, n, d, k, r):
    """n and d have changed places. n counts the positions, d is the width of each."""
    return exact_layer_cost(kind, d, n, k, r)


EXACT = (
    projections_left_out,
    words_projections_left_out,
    restricted_projections_left_out,
    two_projections,
    sum_left_out,
    output_projected,
    one_projection,
    projections_of_vectors,
    every_key_projected_again,
    all_pairs,
    only_the_word,
    gates_counted,
    separable,
    kernel_left_out,
    convolution_projected,
    additions_too,
    terms_of_the_table,
    n_and_d_swapped,
)


def border_of_the_table(d, gates):
    """This is where n²d passes nd², the table's terms: n = d. Compare what `exact_layer_cost` counts."""
    return d + 1


def without_projections(d, gates):
    """The projections of self-attention are missing: 2n²d > 2·gates·nd². Each word is projected three times first."""
    return gates * d + 1


def already_where_equal(d, gates):
    """Where both take the same, self-attention does not take *more* yet: the next n is the first."""
    return max(1, -(-(2 * gates - 3) * d // 2))


def with_output_projection(d, gates):
    """A fourth projection is counted. This layer has three: W_q, W_k, W_v."""
    return max(1, (gates - 2) * d + 1)


def one_matrix_for_each_gate(d, gates):
    """Each gate has one matrix here. It has two, for the word and for the state before it: 2nd² a gate."""
    return max(1, (gates - 3) * d // 2 + 1)


def one_product_alone(d, gates):
    """Only the scores are counted, or only the sums. There are two products of the size n²d."""
    return max(1, (2 * gates - 3) * d + 1)


def no_words(d, gates):
    """The answer is 0 or below. A sentence has at least one word: where self-attention always takes more, it is 1."""
    return (2 * gates - 3) * d // 2 + 1


def always_a_gru(d, gates):
    """The number of gates plays no part: this is a GRU's border."""
    return 3 * d // 2 + 1


def gates_over_two(d, gates):
    """The border is not rounded down before 1 is added: n is the first whole number *above* (gates − 3/2)·d."""
    return max(1, -(-(2 * gates - 3) * d // 2) + 1)


CROSSING = (
    border_of_the_table,
    without_projections,
    already_where_equal,
    with_output_projection,
    one_matrix_for_each_gate,
    one_product_alone,
    no_words,
    always_a_gru,
    gates_over_two,
)
