"""Wrong answers by hand, in the bug hunt, and for a stack with pre-norm that are no known mistake."""

import math

import torch
import torch.nn.functional as F

from solutions.transformer.attention import encoder_layer, feed_forward, layer_norm, pre_norm_stack
from tests.answers.spoilers import spoiled
from tests.answers.transformer.parts import Layer, stacked

NORM = [-0.577, -0.577, -0.577, 1.732]


def hand_one_decimal():
    return [2.0, 7.0], [-0.6, -0.6, -0.6, 1.7]


def hand_near():
    return [2.02, 7.0], NORM


def hand_swapped():
    return NORM, [2.0, 7.0]


def hand_flat():
    return [2.0, 7.0, *NORM]


def hand_first_alone():
    return [2.0, 7.0], [0.0, 0.0, 0.0, 0.0]


def hand_signs():
    return [2.0, 7.0], [0.577, 0.577, 0.577, -1.732]


def hand_not_finite():
    return [math.nan, math.nan], [math.nan] * 4


def hand_infinite():
    return [math.inf, math.inf], [math.inf] * 4


def hand_text():
    return "2, 7", "-0.58"


def hand_of_zeros():
    return torch.zeros(2), torch.zeros(4)


def hand_heads_exchanged():
    return [7.0, 2.0], NORM


def hand_three_features():
    return [2.0, 7.0], [-0.577, -0.577, 1.732]


def input_one_head():
    return torch.randn(2, 3, 4), *[torch.eye(4)] * 4, 1


def input_zero():
    return torch.zeros(1, 2, 4), *[torch.eye(4)] * 4, 2


def input_one_position():
    return torch.randn(1, 1, 4), *[torch.eye(4)] * 4, 2


def input_heads_that_do_not_divide():
    return torch.randn(1, 2, 4), *[torch.eye(4)] * 4, 3


def input_heads_of_zero():
    return torch.randn(1, 2, 4), *[torch.eye(4)] * 4, 0


def input_not_finite():
    return torch.full((1, 2, 4), math.nan), *[torch.eye(4)] * 4, 2


def input_of_other_sizes():
    return torch.randn(1, 2, 4), *[torch.eye(3)] * 4, 2


def input_huge():
    return torch.randn(1, 2000, 4), *[torch.eye(4)] * 4, 2


def input_nothing():
    return None


def input_without_heads():
    return torch.randn(1, 2, 4), *[torch.eye(4)] * 4


def input_whole_numbers():
    return torch.ones(1, 2, 4, dtype=torch.int64), *[torch.eye(4)] * 4, 2


def diagnosis_another_line():
    return 5, "c"


def diagnosis_another_kind():
    return 6, "e"


def diagnosis_words():
    return "line 6", "c"


def diagnosis_nothing():
    return None


def diagnosis_of_numbers():
    return 6, 3


def _repaired(scale, axis=-1):
    def repair(x, W_q, W_k, W_v, W_o, heads):
        batch, length, width = x.shape
        q, k, v = ((x @ W.T).view(batch, length, heads, -1).transpose(1, 2) for W in (W_q, W_k, W_v))
        weights = (torch.einsum("bhtc,bhsc->bhts", q, k) / scale(width, heads, length)).softmax(dim=axis)
        context = torch.einsum("bhts,bhsc->bthc", weights, v)
        return context.reshape(batch, length, width) @ W_o.T, weights

    return repair


REPAIRS = {
    "the root of d, turned": _repaired(lambda d, h, T: d**-0.5),
    "twice divided": _repaired(lambda d, h, T: (d / h) ** 0.5 * d**0.5),
    "rounded": _repaired(lambda d, h, T: (d // h) ** 0.5 // 1),
    "the logarithm": _repaired(lambda d, h, T: math.log(d / h + 1)),
    "h for d/h": _repaired(lambda d, h, T: h**0.5),
    "another axis": _repaired(lambda d, h, T: (d / h) ** 0.5, axis=-2),
    "the heads' axis": _repaired(lambda d, h, T: (d / h) ** 0.5, axis=1),
    "two features always": _repaired(lambda d, h, T: 2**0.5),
}


def stack_last_norm_of_the_first_layer(x, weights, gamma, beta, heads, mask, eps):
    return pre_norm_stack(x, weights, weights["gamma_1"][0], weights["beta_1"][0], heads, mask, eps)


def stack_last_norm_without_beta(x, weights, gamma, beta, heads, mask, eps):
    return pre_norm_stack(x, weights, gamma, 0 * beta, heads, mask, eps)


def stack_first_norm_twice(*arguments):
    return stacked(arguments, norms=(1, 1))


def stack_second_norm_twice(*arguments):
    return stacked(arguments, norms=(2, 2))


def stack_a_norm_at_the_start(x, weights, gamma, beta, heads, mask, eps):
    return pre_norm_stack(layer_norm(x, gamma, beta, eps), weights, gamma, beta, heads, mask, eps)


def stack_last_norm_twice(x, weights, gamma, beta, heads, mask, eps):
    return layer_norm(pre_norm_stack(x, weights, gamma, beta, heads, mask, eps), gamma, beta, eps)


def stack_of_encoder_layers(x, weights, gamma, beta, heads, mask, eps):
    for number in range(len(weights["W_q"])):
        x = encoder_layer(x, {name: weight[number] for name, weight in weights.items()}, heads, mask, eps)
    return x


def stack_without_the_last_layer(*arguments):
    return stacked(arguments, order=lambda count: range(max(1, count - 1)))


def stack_two_layers_always(*arguments):
    return stacked(arguments, order=lambda count: range(min(2, count)))


def stack_one_layer_more(*arguments):
    return stacked(arguments, order=lambda count: [*range(count), count - 1])


def stack_both_norms(*arguments):
    return stacked(arguments, around=lambda x, sublayer, norm: norm(x + sublayer(norm(x))))


def stack_twice_added(*arguments):
    return stacked(arguments, around=lambda x, sublayer, norm: 2 * x + sublayer(norm(x)))


def _sublayers(arguments, *order):
    """Return the stack without its last norm, with these sublayers, in this order."""
    x, weights, _, _, heads, mask, eps = arguments
    layer = Layer(around=lambda x, sublayer, norm: x + sublayer(norm(x)), order=order)
    for number in range(len(weights["W_q"])):
        x = layer.encode(x, {name: weight[number] for name, weight in weights.items()}, heads, mask, eps)
    return x


def stack_feed_forward_first(*arguments):
    return layer_norm(_sublayers(arguments, "feed", "self"), *arguments[2:4], arguments[6])


def stack_attention_alone(*arguments):
    return layer_norm(_sublayers(arguments, "self"), *arguments[2:4], arguments[6])


def stack_side_by_side(x, weights, gamma, beta, heads, mask, eps):
    for number in range(len(weights["W_q"])):
        one = {name: weight[number : number + 1] for name, weight in weights.items()}
        attended = _sublayers((x, one, gamma, beta, heads, mask, eps), "self")
        y = layer_norm(x, one["gamma_2"][0], one["beta_2"][0], eps)  # the network reads x too
        x = attended + feed_forward(y, {name: weight[0] for name, weight in one.items()})
    return layer_norm(x, gamma, beta, eps)


def stack_mask_as_queries(x, weights, gamma, beta, heads, mask, eps):
    x = x if mask is None else x * mask[..., None]
    return pre_norm_stack(x, weights, gamma, beta, heads, None, eps)


def stack_last_eps_fixed(*arguments):
    return stacked(arguments, last=lambda x, gamma, beta, eps: layer_norm(x, gamma, beta, 1e-5))


def stack_last_norm_unbiased(*arguments):
    def last(x, gamma, beta, eps):
        return gamma * (x - x.mean(-1, True)) / (x.var(-1, keepdim=True) + eps).sqrt() + beta

    return stacked(arguments, last=last)


def stack_last_norm_over_positions(*arguments):
    def last(x, gamma, beta, eps):
        return gamma * F.layer_norm(x.transpose(1, 2), x.shape[1:2], eps=eps).transpose(1, 2) + beta

    return stacked(arguments, last=last)


def stack_gradient_of_the_first_layer_alone(x, weights, gamma, beta, heads, mask, eps):
    cut = {name: torch.cat([weight[:1], weight[1:].detach()]) for name, weight in weights.items()}
    return pre_norm_stack(x, cut, gamma, beta, heads, mask, eps)


def stack_gamma_detached(x, weights, gamma, beta, heads, mask, eps):
    return pre_norm_stack(x, weights, gamma.detach(), beta.detach(), heads, mask, eps)


def stack_residual_detached(*arguments):
    return stacked(arguments, around=lambda x, sublayer, norm: x.detach() + sublayer(norm(x)))


def stack_needs_a_mask(x, weights, gamma, beta, heads, mask, eps):
    return pre_norm_stack(x, weights, gamma, beta, heads, mask & mask, eps)


def stack_arguments(x, weights, gamma, beta, heads, mask, eps):
    return x


def stack_of_zeros(x, weights, gamma, beta, heads, mask, eps):
    return torch.zeros_like(x)


def stack_not_finite(*arguments):
    return pre_norm_stack(*arguments) * torch.nan


def stack_huge(*arguments):
    return torch.ones(200, 200, 50)


def stack_weights_changed(x, weights, gamma, beta, heads, mask, eps):
    result = pre_norm_stack(x, weights, gamma, beta, heads, mask, eps)
    weights["W_q"] = weights.pop("W_q")[0]
    return result


def _answers(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_")]


WRONG = {
    "transformer.heads_by_hand": _answers("hand"),
    "transformer.failing_input": _answers("input"),
    "transformer.diagnosis": _answers("diagnosis"),
    "transformer.repaired_heads": REPAIRS,
    "transformer.pre_norm_stack": [*_answers("stack"), *spoiled(pre_norm_stack)],
}
