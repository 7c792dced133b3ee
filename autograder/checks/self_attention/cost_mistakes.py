"""What goes wrong in a table of costs."""

import math
from collections.abc import Callable

from autograder.checks.renamed import renamed
from solutions.self_attention.attention import layer_cost

KINDS = ("self_attention", "recurrent", "convolution", "restricted")


def instead(*kinds: str) -> Callable:
    """Return a decorator for what a mistake says of these kinds; of the others it says what is right."""

    def decorate(wrong: Callable) -> Callable:
        @renamed(wrong)
        def cost(kind, n, d, k, r):
            right = layer_cost(kind, n, d, k, r)
            return wrong(*right, n, d, k, r) if kind in (kinds or KINDS) else right

        return cost

    return decorate


@instead("self_attention")
def words_once(cost, steps, path, n, d, k, r):
    """Self-attention costs n·d here. Every word is compared with every word: n² products of width d."""
    return n * d, steps, path


@instead("self_attention", "recurrent")
def squares_swapped(cost, steps, path, n, d, k, r):
    """The squares of self-attention and of the recurrent layer have changed places: n²·d belongs to self-attention,
    n·d² to the recurrent layer."""
    return (n * d * d if steps == 1 else n * n * d), steps, path


@instead("self_attention")
def projections_counted(cost, steps, path, n, d, k, r):
    """The projections are counted too, 3n·d². The table leaves them out: n²·d. (The chapter tells what that hides.)"""
    return n * n * d + 3 * n * d * d, steps, path


@instead()
def two_for_a_product(cost, steps, path, n, d, k, r):
    """A multiplication and an addition are counted as two. Each term of the table has the constant 1."""
    return 2 * cost, steps, path


@instead("recurrent")
def recurrent_in_one_step(cost, steps, path, n, d, k, r):
    """The recurrent layer takes one step here. Each state waits for the one before: n steps."""
    return cost, 1, path


@instead("recurrent")
def recurrent_path_short(cost, steps, path, n, d, k, r):
    """The path through the recurrent layer is 1 here. From the first word to the last it goes through n states."""
    return cost, steps, 1


@instead("recurrent")
def one_step_fewer(cost, steps, path, n, d, k, r):
    """The recurrent path or its steps are n − 1 here. The table says n, with the constant 1."""
    return cost, steps, n - 1


@instead("convolution")
def without_channels(cost, steps, path, n, d, k, r):
    """The convolution costs k·n·d here. Each of the d outputs sums over d channels at k places: k·n·d²."""
    return k * n * d, steps, path


@instead("convolution")
def kernel_left_out(cost, steps, path, n, d, k, r):
    """The convolution costs n·d² here. Its k places count as well: k·n·d²."""
    return n * d * d, steps, path


@instead("convolution")
def separable(cost, steps, path, n, d, k, r):
    """This is the cost of a separable convolution, k·n·d + n·d². The row of the table is the full one: k·n·d²."""
    return k * n * d + n * d * d, steps, path


@instead("convolution")
def path_linear(cost, steps, path, n, d, k, r):
    """The path of the convolution is n/k here. That is a stack without gaps; the table's is dilated, each layer k times
    as wide as the one below: log_k n."""
    return cost, steps, n / k


@instead("convolution")
def natural_logarithm(cost, steps, path, n, d, k, r):
    """The logarithm has the base e. Each layer widens the view by the factor k: the base is k."""
    return cost, steps, math.log(n)


@instead("convolution")
def binary_logarithm(cost, steps, path, n, d, k, r):
    """The logarithm has the base 2. Each layer widens the view by the factor k: the base is k."""
    return cost, steps, math.log2(n)


@instead("convolution")
def decimal_logarithm(cost, steps, path, n, d, k, r):
    """The logarithm has the base 10. Each layer widens the view by the factor k: the base is k."""
    return cost, steps, math.log10(n)


@instead("convolution")
def base_and_number_swapped(cost, steps, path, n, d, k, r):
    """This is the logarithm of k to the base n. It is that of n to the base k: math.log(n, k)."""
    return cost, steps, math.log(k, n)


@instead("convolution")
def convolution_path_one(cost, steps, path, n, d, k, r):
    """The path of the convolution is 1 here. A layer sees k words at a time; to join n it takes log_k n layers."""
    return cost, steps, 1


@instead("convolution")
def steps_logarithmic(cost, steps, path, n, d, k, r):
    """The convolution takes log_k n steps here. That is the path; within a layer all places are computed at once: 1."""
    return cost, path, path


@instead("restricted")
def every_word(cost, steps, path, n, d, k, r):
    """Restricted self-attention costs n²·d here. Each of the n words looks at r others: r·n·d."""
    return n * n * d, steps, path


@instead("restricted")
def restricted_path_one(cost, steps, path, n, d, k, r):
    """The path of restricted self-attention is 1 here. A layer carries a word no further than r: it takes n/r."""
    return cost, steps, 1


@instead("restricted")
def restricted_path_r(cost, steps, path, n, d, k, r):
    """The path of restricted self-attention is r here. A layer carries a word no further than r: it takes n/r."""
    return cost, steps, r


@instead("restricted")
def restricted_logarithm(cost, steps, path, n, d, k, r):
    """The path of restricted self-attention is a logarithm here. Its windows do not grow: n/r."""
    return cost, steps, math.log(n, r)


@instead("convolution", "restricted")
def rounded_up(cost, steps, path, n, d, k, r):
    """The paths are rounded up. The terms stay as they are: log_k n and n/r."""
    return cost, steps, math.ceil(path)


@instead("convolution", "restricted")
def rounded_down(cost, steps, path, n, d, k, r):
    """The paths are rounded down: `//` or int(). The terms stay as they are: log_k n and n/r."""
    return cost, steps, int(path)


@instead("convolution", "restricted")
def rounded(cost, steps, path, n, d, k, r):
    """The paths are rounded. The terms stay as they are: log_k n and n/r."""
    return cost, steps, round(path)


@instead("convolution")
def logarithm_rounded_up(cost, steps, path, n, d, k, r):
    """The path of the convolution is rounded up. The term stays as it is: log_k n."""
    return cost, steps, math.ceil(path)


@instead("convolution")
def logarithm_rounded_down(cost, steps, path, n, d, k, r):
    """The path of the convolution is rounded down. The term stays as it is: log_k n."""
    return cost, steps, int(path)


@instead("restricted")
def windows_rounded_up(cost, steps, path, n, d, k, r):
    """The path of restricted self-attention is rounded up. The term stays as it is: n/r."""
    return cost, steps, math.ceil(path)


@instead("restricted")
def windows_rounded_down(cost, steps, path, n, d, k, r):
    """The path of restricted self-attention is rounded down: `//` or int(). The term stays as it is: n/r."""
    return cost, steps, int(path)


@instead()
def order_changed(cost, steps, path, n, d, k, r):
    """Steps and path have changed places. The order is cost, steps, path."""
    return cost, path, steps


def n_and_d_swapped(kind, n, d, k, r):
    """n and d have changed places. n counts the positions, d is the width of each."""
    return layer_cost(kind, d, n, k, r)


def k_and_r_swapped(kind, n, d, k, r):
    """k and r have changed places. k is the width of the convolution, r the reach of restricted self-attention."""
    return layer_cost(kind, n, d, r, k)


COSTS = (
    words_once,
    squares_swapped,
    projections_counted,
    two_for_a_product,
    recurrent_in_one_step,
    recurrent_path_short,
    one_step_fewer,
    without_channels,
    kernel_left_out,
    separable,
    path_linear,
    natural_logarithm,
    binary_logarithm,
    decimal_logarithm,
    base_and_number_swapped,
    convolution_path_one,
    steps_logarithmic,
    every_word,
    restricted_path_one,
    restricted_path_r,
    restricted_logarithm,
    rounded_up,
    rounded_down,
    rounded,
    logarithm_rounded_up,
    logarithm_rounded_down,
    windows_rounded_up,
    windows_rounded_down,
    order_changed,
    n_and_d_swapped,
    k_and_r_swapped,
)
