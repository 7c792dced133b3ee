"""Wrong answers of the Luong exercise that are no known mistake of the checks: none of them may get all points."""

import math

import torch
import torch.nn.functional as F

from solutions.bahdanau.attention import masked_softmax
from solutions.luong.attention import (
    attentional_state,
    concat_score,
    dot_score,
    gaussian,
    general_score,
    input_feeding,
    local_p_weights,
    predicted_position,
    window,
)
from tests.answers.spoilers import spoiled


def dot_not_turned(h_t, h_s):
    return h_t @ h_s


def dot_same_axis(h_t, h_s):
    return torch.einsum("bth,bth->bt", h_t, h_s)


def dot_summed_over_target(h_t, h_s):
    return torch.einsum("bth,bsh->bs", h_t, h_s)


def dot_over_the_batch(h_t, h_s):
    return torch.einsum("bth,csh->bts", h_t, h_s)


def dot_clamped(h_t, h_s):
    return dot_score(h_t, h_s).clamp(-30, 30)


def dot_distance(h_t, h_s):
    return -torch.cdist(h_t, h_s)


def general_only_target(h_t, h_s, W_a):
    return h_t @ W_a


def general_elementwise(h_t, h_s, W_a):
    return (h_t @ W_a)[:, :, None] * h_s[:, None]


def general_turned_when_square(h_t, h_s, W_a):
    return general_score(h_t, h_s, W_a.T if W_a.shape[0] == W_a.shape[1] else W_a)


def general_reshaped_matrix(h_t, h_s, W_a):
    return h_t @ W_a.T.reshape(W_a.shape) @ h_s.transpose(1, 2)


def general_with_bias(h_t, h_s, W_a):
    return general_score(h_t, h_s, W_a) + 0.01


def general_new_parameter(h_t, h_s, W_a):
    return general_score(h_t, h_s, torch.nn.Parameter(W_a))


def general_random_layer(h_t, h_s, W_a):
    return dot_score(torch.nn.Linear(*W_a.shape, bias=False)(h_t), h_s)


def concat_gelu(h_t, h_s, W_a, v_a):
    n = h_t.shape[-1]
    return F.gelu((h_t @ W_a[:, :n].T)[:, :, None] + (h_s @ W_a[:, n:].T)[:, None]) @ v_a


def concat_repeats_wrongly(h_t, h_s, W_a, v_a):
    B, T, S = len(h_t), h_t.shape[1], h_s.shape[1]
    first = h_t.repeat(1, S, 1).view(B, T, S, -1)
    return torch.tanh(torch.cat([first, h_s[:, None].expand(-1, T, -1, -1)], -1) @ W_a.T) @ v_a


def concat_vector_new(h_t, h_s, W_a, v_a):
    return concat_score(h_t, h_s, W_a, v_a.data)


def _joined(context, h_t, W_c):
    return torch.tanh(torch.cat([context, h_t], -1) @ W_c.T)


def state_masks_keys_only(h_t, h_s, W_a, W_c, mask=None):
    return attentional_state(h_t, h_s if mask is None else h_s * mask[..., None], W_a, W_c, None)


def state_masks_by_length(h_t, h_s, W_a, W_c, mask=None):
    if mask is not None:
        mask = torch.arange(h_s.shape[1]) < mask.sum(1, keepdim=True)
    return attentional_state(h_t, h_s, W_a, W_c, mask)


def state_first_mask(h_t, h_s, W_a, W_c, mask=None):
    return attentional_state(h_t, h_s, W_a, W_c, mask if mask is None else mask[:1].expand_as(mask))


def state_needs_a_mask(h_t, h_s, W_a, W_c, mask=None):
    return attentional_state(h_t, h_s, W_a, W_c, mask & mask)


def state_small_fill(h_t, h_s, W_a, W_c, mask=None):
    scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
    weights = (scores if mask is None else scores.masked_fill(~mask, -20.0)).softmax(-1)
    return _joined((weights[:, None] @ h_s)[:, 0], h_t, W_c), weights


def state_weights_detached(h_t, h_s, W_a, W_c, mask=None):
    weights = attentional_state(h_t, h_s, W_a, W_c, mask)[1]
    return _joined((weights.detach()[:, None] @ h_s)[:, 0], h_t, W_c), weights


def state_context_unmasked(h_t, h_s, W_a, W_c, mask=None):
    return attentional_state(h_t, h_s, W_a, W_c, None)[0], attentional_state(h_t, h_s, W_a, W_c, mask)[1]


def state_tanh_on_state_only(h_t, h_s, W_a, W_c, mask=None):
    weights = attentional_state(h_t, h_s, W_a, W_c, mask)[1]
    return torch.cat([(weights[:, None] @ h_s)[:, 0], torch.tanh(h_t)], -1) @ W_c.T, weights


def state_best_alone(h_t, h_s, W_a, W_c, mask=None):
    weights = attentional_state(h_t, h_s, W_a, W_c, mask)[1]
    return _joined(h_s[torch.arange(len(h_s)), weights.argmax(-1)], h_t, W_c), weights


def state_double_softmax(h_t, h_s, W_a, W_c, mask=None):
    weights = masked_softmax(attentional_state(h_t, h_s, W_a, W_c, mask)[1], mask)
    return _joined((weights[:, None] @ h_s)[:, 0], h_t, W_c), weights


def _local(h_t, h_s, W_a, W_p, v_p, lengths, D, near=window, bell=gaussian):
    p, source = predicted_position(h_t, W_p, v_p, lengths), h_s.shape[1]
    scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
    return masked_softmax(scores, near(p, lengths, source, D)) * bell(p, source, D), p


def _distance(p, source):
    return torch.arange(source) - p[:, None]


def local_one_sided(*arguments):
    def near(p, lengths, source, D):
        return window(p, lengths, source, D) & (_distance(p, source) <= 0)

    return _local(*arguments, near=near)


def local_window_of_ints(*arguments):
    def near(p, lengths, source, D):
        return (_distance(p.floor(), source).abs() <= D) & (torch.arange(source) < lengths[:, None])

    return _local(*arguments, near=near)


def local_window_shifted(*arguments):
    def near(p, lengths, source, D):
        return window(p + 1, lengths, source, D)

    return _local(*arguments, near=near)


def local_window_fixed(*arguments):
    return _local(*arguments, near=lambda p, lengths, source, D: window(p, lengths, source, 3))


def local_first_window(*arguments):
    def near(p, lengths, source, D):
        return window(p, lengths, source, D)[:1].expand(len(p), -1)

    return _local(*arguments, near=near)


def local_gaussian_detached(*arguments):
    return _local(*arguments, bell=lambda p, source, D: gaussian(p.detach(), source, D))


def local_sigma_quarter(*arguments):
    return _local(*arguments, bell=lambda p, source, D: gaussian(p, source, D / 2))


def local_sigma_one(*arguments):
    return _local(*arguments, bell=lambda p, source, D: gaussian(p, source, 2))


def local_window_rounded_up(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = predicted_position(h_t, W_p, v_p, lengths)
    scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
    near = window(p, lengths, h_s.shape[1], math.ceil(D))
    return masked_softmax(scores, near) * gaussian(p, h_s.shape[1], D), p


def local_open_window(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = predicted_position(h_t, W_p, v_p, lengths)
    scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
    near = window(p, lengths, h_s.shape[1], D - 1e-4)
    return masked_softmax(scores, near) * gaussian(p, h_s.shape[1], D), p


def local_position_in_percent(*arguments):
    weights, p = local_p_weights(*arguments)
    return weights, p / arguments[5]


def local_position_from_source(h_t, h_s, W_a, W_p, v_p, lengths, D):
    return local_p_weights(h_s[:, 0], h_s, W_a, W_p, v_p, lengths, D)


def local_clamped_position(h_t, h_s, W_a, W_p, v_p, lengths, D):
    p = torch.minimum(predicted_position(h_t, W_p, v_p, lengths), lengths - 1.0).clamp(min=1.0)
    scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
    return masked_softmax(scores, window(p, lengths, h_s.shape[1], D)) * gaussian(p, h_s.shape[1], D), p


def local_mean_length(h_t, h_s, W_a, W_p, v_p, lengths, D):
    mean = lengths.float().mean()
    p = mean * predicted_position(h_t, W_p, v_p, torch.ones_like(lengths))
    scores = general_score(h_t[:, None], h_s, W_a)[:, 0]
    return masked_softmax(scores, window(p, lengths, h_s.shape[1], D)) * gaussian(p, h_s.shape[1], D), p


def feeding_half(*arguments):
    state, weights = input_feeding(*arguments)
    return torch.cat([state[:, :1], state[:, 1:] * 0.999], 1), weights


def feeding_detached_between_steps(emb, h0, enc, W_x, W_h, W_c, mask=None):
    h, fed, states, rows = h0, torch.zeros_like(h0), [], []
    for word in emb.unbind(1):
        h = torch.tanh(torch.cat([word, fed.detach()], -1) @ W_x.T + h @ W_h.T)
        weights = masked_softmax((enc * h[:, None]).sum(-1), mask)
        fed = torch.tanh(torch.cat([(weights[..., None] * enc).sum(1), h], -1) @ W_c.T)
        states.append(fed)
        rows.append(weights)
    return torch.stack(states, 1), torch.stack(rows, 1)


def feeding_weights_of_first_step(*arguments):
    state, weights = input_feeding(*arguments)
    return state, weights[:, :1].expand_as(weights)


def feeding_two_times(emb, h0, enc, W_x, W_h, W_c, mask=None):
    return input_feeding(emb, input_feeding(emb, h0, enc, W_x, W_h, W_c, mask)[0][:, -1], enc, W_x, W_h, W_c, mask)


def feeding_needs_a_mask(emb, h0, enc, W_x, W_h, W_c, mask=None):
    return input_feeding(emb, h0, enc, W_x, W_h, W_c, mask & mask)


def feeding_masks_states_only(emb, h0, enc, W_x, W_h, W_c, mask=None):
    return input_feeding(emb, h0, enc if mask is None else enc * mask[..., None], W_x, W_h, W_c, None)


def feeding_stacked_wrongly(*arguments):
    state, weights = input_feeding(*arguments)
    return state.transpose(0, 1).reshape(state.shape), weights


def feeding_mask_gone_when_square(emb, h0, enc, W_x, W_h, W_c, mask=None):
    same = emb.shape[1] == enc.shape[1]
    return input_feeding(emb, h0, enc, W_x, W_h, W_c, None if same else mask)


TAUGHT = (attentional_state, concat_score, dot_score, general_score, input_feeding, local_p_weights)


def _answers(prefix: str) -> list:
    return [value for name, value in globals().items() if name.startswith(f"{prefix}_") and value not in TAUGHT]


WRONG = {
    "luong.dot_score": [*_answers("dot"), *spoiled(dot_score)],
    "luong.general_score": [*_answers("general"), *spoiled(general_score)],
    "luong.concat_score": [*_answers("concat"), *spoiled(concat_score)],
    "luong.attentional_state": [*_answers("state"), *spoiled(attentional_state)],
    "luong.local_p_weights": [*_answers("local"), *spoiled(local_p_weights)],
    "luong.input_feeding": [*_answers("feeding"), *spoiled(input_feeding)],
    "luong.repaired_weights": [*_answers("local"), *spoiled(local_p_weights)],
}
