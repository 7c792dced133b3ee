"""What goes wrong in a decoder layer: who asks, who answers, with which weights and masks, and in which order."""

from autograder.checks.transformer.layer_mistakes import Layer, crossing, layers_with, norms_of
from solutions.transformer.attention import decoder_layer, feed_forward, layer_norm, multi_head_attention


def _decode(find, y, memory, weights, heads, target_mask, source_mask, eps, *, last=(1, 1)):
    """Return a decoder layer whose second sublayer is `find` (None: the right one).

    It is called with the first norm's result and the cross-attention's weights. `last` says what is added to the
    feed-forward network, and what it reads: the result of the first norm, 0, or of the second, 1.
    """

    def right(z, cross):
        return multi_head_attention(z, memory, memory, cross, heads, source_mask)[0]

    def norm(z, i):
        return layer_norm(z, weights[f"gamma_{i}"], weights[f"beta_{i}"], eps)

    first = norm(y + multi_head_attention(y, y, y, weights, heads, target_mask)[0], 1)
    second = norm(first + (find or right)(first, crossing(weights)), 2)
    added, read = ((first, second)[number] for number in last)
    return norm(added + feed_forward(read, weights), 3)


def cross_asks_itself(y, memory, weights, heads, target_mask, source_mask, eps):
    """The second attention looks at the decoder's own positions. The decoder asks; keys and values are `memory`."""

    def find(z, cross):
        return multi_head_attention(z, z, z, cross, heads, source_mask)[0]

    return _decode(find, y, memory, weights, heads, target_mask, source_mask, eps)


def memory_asks(y, memory, weights, heads, target_mask, source_mask, eps):
    """In the second attention `memory` asks and the decoder answers. It should be the decoder that asks."""

    def find(z, cross):
        return multi_head_attention(memory, z, z, cross, heads, source_mask)[0]

    return _decode(find, y, memory, weights, heads, target_mask, source_mask, eps)


def values_from_the_decoder(y, memory, weights, heads, target_mask, source_mask, eps):
    """In the second attention only the keys are `memory`. The values are `memory` too."""

    def find(z, cross):
        return multi_head_attention(z, memory, z, cross, heads, source_mask)[0]

    return _decode(find, y, memory, weights, heads, target_mask, source_mask, eps)


def keys_from_the_decoder(y, memory, weights, heads, target_mask, source_mask, eps):
    """In the second attention only the values are `memory`. The keys are `memory` too."""

    def find(z, cross):
        return multi_head_attention(z, z, memory, cross, heads, source_mask)[0]

    return _decode(find, y, memory, weights, heads, target_mask, source_mask, eps)


def input_asks(y, memory, weights, heads, target_mask, source_mask, eps):
    """In the second attention the layer's input asks. It should be the result of the first norm."""

    def find(z, cross):
        return multi_head_attention(y, memory, memory, cross, heads, source_mask)[0]

    return _decode(find, y, memory, weights, heads, target_mask, source_mask, eps)


def cross_without_residual(y, memory, weights, heads, target_mask, source_mask, eps):
    """Nothing is added to what the second attention finds. The second sum adds what the first norm has given."""

    def find(z, cross):
        return multi_head_attention(z, memory, memory, cross, heads, source_mask)[0] - z

    return _decode(find, y, memory, weights, heads, target_mask, source_mask, eps)


def cross_input_added(y, memory, weights, heads, target_mask, source_mask, eps):
    """The second sum adds the layer's input again. It adds what the first norm has given."""

    def find(z, cross):
        return multi_head_attention(z, memory, memory, cross, heads, source_mask)[0] - z + y

    return _decode(find, y, memory, weights, heads, target_mask, source_mask, eps)


def feed_forward_of_first(y, memory, weights, heads, target_mask, source_mask, eps):
    """The feed-forward network reads the result of the first norm. It reads that of the second."""
    rest = weights, heads, target_mask, source_mask, eps
    return _decode(None, y, memory, *rest, last=(1, 0))


def first_added_again(y, memory, weights, heads, target_mask, source_mask, eps):
    """The third sum adds the result of the first norm. It adds that of the second."""
    return _decode(None, y, memory, weights, heads, target_mask, source_mask, eps, last=(0, 1))


def second_norm_left_out(y, memory, weights, heads, target_mask, source_mask, eps):
    """The second norm is missing: LayerNorm stands around the sum with the cross-attention as well, with gamma_2 and
    beta_2."""
    first = Layer(order=("self",)).decode(y, memory, weights, heads, target_mask, source_mask, eps)
    second = first + Layer.attend(first, memory, memory, crossing(weights), heads, source_mask)
    return layer_norm(second + feed_forward(second, weights), weights["gamma_3"], weights["beta_3"], eps)


def feed_forward_left_out(y, memory, weights, heads, target_mask, source_mask, eps):
    """The feed-forward network is missing; its norm is there. The third sum is what the second norm has given, and what
    the network makes of it."""
    without = Layer(feed=lambda z, weights: 0 * z)
    return without.decode(y, memory, weights, heads, target_mask, source_mask, eps)


def cross_with_target_mask(y, memory, weights, heads, target_mask, source_mask, eps):
    """The second attention has the target's mask. Its keys are the source: `source_mask`."""
    return Layer().decode(y, memory, weights, heads, target_mask, target_mask, eps)


def masks_swapped(y, memory, weights, heads, target_mask, source_mask, eps):
    """The two masks have changed places. `target_mask` belongs to the decoder's own positions, `source_mask` to the
    encoder's."""
    return Layer().decode(y, memory, weights, heads, source_mask, target_mask, eps)


def future_seen(y, memory, weights, heads, target_mask, source_mask, eps):
    """The target's mask has no effect: a position sees the words that come after it."""
    return decoder_layer(y, memory, weights, heads, None, source_mask, eps)


def source_mask_ignored(y, memory, weights, heads, target_mask, source_mask, eps):
    """The source's mask has no effect: the second attention looks at padding."""
    return decoder_layer(y, memory, weights, heads, target_mask, None, eps)


def same_weights(y, memory, weights, heads, target_mask, source_mask, eps):
    """The second attention has the weights of the first. Its own are those that end in `_cross`."""
    same = weights | {f"{name}_cross": weights[name] for name in crossing(weights)}
    return decoder_layer(y, memory, same, heads, target_mask, source_mask, eps)


def cross_weights_twice(y, memory, weights, heads, target_mask, source_mask, eps):
    """Both attentions have the weights that end in `_cross`. Those belong to the second; the first has the others."""
    return decoder_layer(y, memory, weights | crossing(weights), heads, target_mask, source_mask, eps)


def weights_swapped(y, memory, weights, heads, target_mask, source_mask, eps):
    """The attentions have each other's weights. Those that end in `_cross` belong to the second."""
    names = crossing(weights)
    turned = weights | {f"{name}_cross": weights[name] for name in names} | names
    return decoder_layer(y, memory, turned, heads, target_mask, source_mask, eps)


def cross_first(y, memory, weights, heads, target_mask, source_mask, eps):
    """The attention to the encoder comes first. The order: self-attention, encoder, feed-forward network."""
    changed = Layer(order=("cross", "self", "feed"))
    return changed.decode(y, memory, weights, heads, target_mask, source_mask, eps)


def feed_forward_between(y, memory, weights, heads, target_mask, source_mask, eps):
    """The feed-forward network stands between the attentions. It comes last."""
    changed = Layer(order=("self", "feed", "cross"))
    return changed.decode(y, memory, weights, heads, target_mask, source_mask, eps)


def cross_forgotten(y, memory, weights, heads, target_mask, source_mask, eps):
    """Nothing looks at the encoder's output: the second attention and its norm are missing."""
    without = Layer(order=("self", "feed"))
    return without.decode(y, memory, norms_of(weights, 1, 3), heads, target_mask, source_mask, eps)


def self_forgotten(y, memory, weights, heads, target_mask, source_mask, eps):
    """The decoder does not look at its own positions: the first attention and its norm are missing."""
    without = Layer(order=("cross", "feed"))
    return without.decode(y, memory, norms_of(weights, 2, 3), heads, target_mask, source_mask, eps)


def feed_forward_forgotten(y, memory, weights, heads, target_mask, source_mask, eps):
    """The feed-forward network is missing: the layer ends behind the second norm."""
    without = Layer(order=("self", "cross"))
    return without.decode(y, memory, weights, heads, target_mask, source_mask, eps)


def norms_swapped(y, memory, weights, heads, target_mask, source_mask, eps):
    """The second and the third norm have changed places. gamma_2 and beta_2 belong to the attention to the encoder."""
    return decoder_layer(y, memory, norms_of(weights, 1, 3, 2), heads, target_mask, source_mask, eps)


def first_norms_swapped(y, memory, weights, heads, target_mask, source_mask, eps):
    """The first and the second norm have changed places. gamma_1 and beta_1 belong to the self-attention."""
    return decoder_layer(y, memory, norms_of(weights, 2, 1, 3), heads, target_mask, source_mask, eps)


def one_norm(y, memory, weights, heads, target_mask, source_mask, eps):
    """All norms have gamma_1 and beta_1. Each has its own: gamma_2, gamma_3, …"""
    return decoder_layer(y, memory, norms_of(weights, 1, 1, 1), heads, target_mask, source_mask, eps)


def second_norm_twice(y, memory, weights, heads, target_mask, source_mask, eps):
    """The last norm has gamma_2 and beta_2. It has its own: gamma_3 and beta_3."""
    return decoder_layer(y, memory, norms_of(weights, 1, 2, 2), heads, target_mask, source_mask, eps)


def last_norm_forgotten(y, memory, weights, heads, target_mask, source_mask, eps):
    """The last norm is missing: what leaves the layer is LayerNorm(… + network), with gamma_3 and beta_3."""
    second = feed_forward_forgotten(y, memory, weights, heads, target_mask, source_mask, eps)
    return second + feed_forward(second, weights)


DECODER = (
    *layers_with("decode"),
    cross_asks_itself,
    memory_asks,
    values_from_the_decoder,
    keys_from_the_decoder,
    input_asks,
    cross_without_residual,
    cross_input_added,
    feed_forward_of_first,
    cross_with_target_mask,
    masks_swapped,
    future_seen,
    source_mask_ignored,
    same_weights,
    cross_weights_twice,
    weights_swapped,
    cross_first,
    feed_forward_between,
    cross_forgotten,
    self_forgotten,
    feed_forward_forgotten,
    feed_forward_left_out,
    first_added_again,
    second_norm_left_out,
    norms_swapped,
    first_norms_swapped,
    second_norm_twice,
    one_norm,
    last_norm_forgotten,
)
