"""Wrong answers to a GRU's step, teacher forcing and the loss that are no known mistake: none may get all points."""

import torch
import torch.nn.functional as F
from torch import nn

from solutions.encoder_decoder.attention import gru_step, sequence_loss, shift
from tests.answers.spoilers import spoiled

_memory: dict = {}


def step_remembers(x, h, W, R, b, c):
    return _memory.setdefault(("step", tuple(x.shape), tuple(h.shape)), gru_step(x, h, W, R, b, c).detach())


def step_tanh_state(x, h, W, R, b, c):
    return torch.tanh(x @ W.T[:, : h.shape[1]] + h @ R.T[:, : h.shape[1]])


def step_changes_h(x, h, W, R, b, c):
    new = gru_step(x, h, W, R, b, c)
    with torch.no_grad():
        h.copy_(new)
    return new


def step_detached_gates(x, h, W, R, b, c):
    of_x, of_h = (x @ W.T + b).chunk(3, 1), (h @ R.T + c).chunk(3, 1)
    r, z = torch.sigmoid(of_x[0] + of_h[0]).detach(), torch.sigmoid(of_x[1] + of_h[1]).detach()
    return z * h + (1 - z) * torch.tanh(of_x[2] + r * of_h[2])


def step_first_row(x, h, W, R, b, c):
    return gru_step(x[:1], h[:1], W, R, b, c).expand_as(h)


def step_squeezed(x, h, W, R, b, c):
    return gru_step(x, h, W, R, b, c).squeeze()


def step_torchs_own_without_bias(x, h, W, R, b, c):
    return torch.gru_cell(x, h, W, R)


def step_biases_swapped(x, h, W, R, b, c):
    return gru_step(x, h, W, R, c, b)


def step_both_biases_halved(x, h, W, R, b, c):
    return gru_step(x, h, W, R, b / 2 + c / 2, b / 2 + c / 2)


def step_no_bias_in_gates(x, h, W, R, b, c):
    U = h.shape[1]
    only_new = torch.cat([torch.zeros(2 * U), torch.ones(U)])
    return gru_step(x, h, W, R, b * only_new, c * only_new)


def step_reset_squared(x, h, W, R, b, c):
    of_x, of_h = (x @ W.T + b).chunk(3, 1), (h @ R.T + c).chunk(3, 1)
    r, z = torch.sigmoid(of_x[0] + of_h[0]), torch.sigmoid(of_x[1] + of_h[1])
    return z * h + (1 - z) * torch.tanh(of_x[2] + r * r * of_h[2])


def step_update_from_new_h(x, h, W, R, b, c):
    of_x, of_h = (x @ W.T + b).chunk(3, 1), (h @ R.T + c).chunk(3, 1)
    r = torch.sigmoid(of_x[0] + of_h[0])
    n = torch.tanh(of_x[2] + r * of_h[2])
    z = torch.sigmoid(of_x[1] + (n @ R.T + c).chunk(3, 1)[1])
    return z * h + (1 - z) * n


def step_hard_sigmoid(x, h, W, R, b, c):
    of_x, of_h = (x @ W.T + b).chunk(3, 1), (h @ R.T + c).chunk(3, 1)
    r, z = F.hardsigmoid(of_x[0] + of_h[0]), F.hardsigmoid(of_x[1] + of_h[1])
    return z * h + (1 - z) * torch.tanh(of_x[2] + r * of_h[2])


def step_gates_softmax(x, h, W, R, b, c):
    of_x, of_h = (x @ W.T + b).chunk(3, 1), (h @ R.T + c).chunk(3, 1)
    r, z = torch.softmax(torch.stack([of_x[0] + of_h[0], of_x[1] + of_h[1]]), 0)
    return z * h + (1 - z) * torch.tanh(of_x[2] + r * of_h[2])


def step_view_for_chunk(x, h, W, R, b, c):
    U = h.shape[1]
    of_x, of_h = (x @ W.T + b).view(3, -1, U), (h @ R.T + c).view(3, -1, U)
    r, z = torch.sigmoid(of_x[0] + of_h[0]), torch.sigmoid(of_x[1] + of_h[1])
    return z * h + (1 - z) * torch.tanh(of_x[2] + r * of_h[2])


def step_layer_norm(x, h, W, R, b, c):
    return F.layer_norm(gru_step(x, h, W, R, b, c), h.shape[1:])


def step_returns_h(x, h, W, R, b, c):
    return h


def step_nothing(x, h, W, R, b, c):
    return torch.full_like(h, torch.nan)


def step_two_results(x, h, W, R, b, c):
    new = gru_step(x, h, W, R, b, c)
    return new, new


def step_stacked(x, h, W, R, b, c):
    return gru_step(x, h, W, R, b, c)[None]


def step_of_the_library_in_sequence(x, h, W, R, b, c):
    return nn.functional.dropout(gru_step(x, h, W, R, b, c), 0.3)


STEP = [value for name, value in list(globals().items()) if name.startswith("step_")]


def shift_cuts_at_first_zero(tokens, bos, eos, pad):
    inputs, targets = shift(tokens, bos, eos, pad)
    return inputs.masked_fill(inputs == 0, pad), targets.masked_fill(targets == 0, pad)


def shift_writes_into_tokens(tokens, bos, eos, pad):
    result = shift(tokens, bos, eos, pad)
    tokens[tokens == pad] = eos
    return result


def shift_floats(tokens, bos, eos, pad):
    inputs, targets = shift(tokens, bos, eos, pad)
    return inputs + 0.5, targets + 0.5


def shift_bos_is_one(tokens, bos, eos, pad):
    return shift(tokens, 1, eos, pad)


def shift_eos_is_two(tokens, bos, eos, pad):
    return shift(tokens, bos, 2, pad)


def shift_rolled(tokens, bos, eos, pad):
    inputs = F.pad(tokens, (1, 0), value=bos)
    return inputs, inputs.roll(-1, 1)


def shift_rolled_with_eos(tokens, bos, eos, pad):
    inputs = F.pad(tokens, (1, 0), value=bos)
    targets = inputs.roll(-1, 1)
    targets[:, -1] = eos
    return inputs, targets


def shift_sorted(tokens, bos, eos, pad):
    return shift(tokens[(tokens != pad).sum(1).argsort(descending=True)], bos, eos, pad)


def shift_only_first_row(tokens, bos, eos, pad):
    length = int((tokens[0] != pad).sum())
    targets = F.pad(tokens, (0, 1), value=pad)
    targets[:, length] = eos
    return shift(tokens, bos, eos, pad)[0], targets


def shift_trims(tokens, bos, eos, pad):
    longest = int((tokens != pad).sum(1).max())
    return shift(tokens[:, :longest], bos, eos, pad)


def shift_empty_rows_stay_empty(tokens, bos, eos, pad):
    inputs, targets = shift(tokens, bos, eos, pad)
    empty = (tokens == pad).all(1, keepdim=True)
    return inputs.masked_fill(empty, pad), targets.masked_fill(empty, pad)


def shift_pad_smallest(tokens, bos, eos, pad):
    lengths = (tokens > pad).sum(1, keepdim=True)
    return shift(tokens, bos, eos, pad)[0], F.pad(tokens, (0, 1), value=pad).scatter(1, lengths, eos)


def shift_masked_inputs(tokens, bos, eos, pad):
    inputs, targets = shift(tokens, bos, eos, pad)
    last = (tokens != pad).sum(1, keepdim=True)
    return inputs.scatter(1, last, pad), targets


def shift_eos_on_both(tokens, bos, eos, pad):
    inputs, targets = shift(tokens, bos, eos, pad)
    return inputs.masked_fill(inputs == pad, eos), targets


def shift_transposed(tokens, bos, eos, pad):
    return tuple(each.T for each in shift(tokens, bos, eos, pad))


def shift_one_tensor(tokens, bos, eos, pad):
    return torch.cat(shift(tokens, bos, eos, pad))


def shift_the_arguments(tokens, bos, eos, pad):
    return tokens, tokens


def shift_remembers(tokens, bos, eos, pad):
    return _memory.setdefault(("shift", tuple(tokens.shape)), shift(tokens, bos, eos, pad))


def shift_in_floats(tokens, bos, eos, pad):
    return tuple(each.float() for each in shift(tokens, bos, eos, pad))


SHIFT = [value for name, value in list(globals().items()) if name.startswith("shift_")]


def loss_log_of_softmax(logits, targets, pad):
    p = logits.softmax(-1).gather(-1, targets[..., None])[..., 0]
    return -p.log()[targets != pad].mean()


def loss_log_of_softmax_with_epsilon(logits, targets, pad):
    p = logits.softmax(-1).gather(-1, targets[..., None])[..., 0]
    return -(p + 1e-9).log()[targets != pad].mean()


def loss_own_exp(logits, targets, pad):
    log_p = logits - logits.exp().sum(-1, keepdim=True).log()
    return -log_p.gather(-1, targets[..., None])[..., 0][targets != pad].mean()


def loss_detached(logits, targets, pad):
    return sequence_loss(logits.detach(), targets, pad)


def loss_item(logits, targets, pad):
    return sequence_loss(logits, targets, pad).item()


def loss_of_one_element(logits, targets, pad):
    return sequence_loss(logits, targets, pad)[None]


def loss_smoothed(logits, targets, pad):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad, label_smoothing=0.1)


def loss_first_sentence(logits, targets, pad):
    return sequence_loss(logits[:1], targets[:1], pad)


def loss_wrong_pad(logits, targets, pad):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100)


def loss_reshaped(logits, targets, pad):
    return F.cross_entropy(logits.reshape(len(logits), logits.shape[2], -1), targets, ignore_index=pad)


def loss_padded_logits_zeroed(logits, targets, pad):
    real = targets != pad
    return F.cross_entropy((logits * real[..., None]).flatten(0, 1), targets.flatten())


def loss_of_argmax(logits, targets, pad):
    return sequence_loss(logits, logits.argmax(-1).masked_fill(targets == pad, pad), pad)


def loss_accuracy(logits, targets, pad):
    return (logits.argmax(-1) == targets)[targets != pad].float().mean()


def loss_squared_error(logits, targets, pad):
    real = targets != pad
    return F.mse_loss(logits.softmax(-1)[real], F.one_hot(targets, logits.shape[-1]).float()[real])


def loss_without_pad_class(logits, targets, pad):
    blocked = logits.clone()
    blocked[..., pad] = -1e9
    return sequence_loss(blocked, targets, pad)


def loss_changes_logits(logits, targets, pad):
    loss = sequence_loss(logits, targets, pad)
    with torch.no_grad():
        logits[targets == pad] = 0
    return loss


def loss_up_to_first_pad_column(logits, targets, pad):
    full = int((targets != pad).all(0).sum())
    return sequence_loss(logits[:, : max(1, full)], targets[:, : max(1, full)], pad)


def loss_weighted_by_length(logits, targets, pad):
    real = targets != pad
    each = -logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0] * real
    return (each.sum(1) * real.sum(1)).sum() / (real.sum(1) ** 2).sum()


def loss_clamped(logits, targets, pad):
    return sequence_loss(logits.clamp(-50, 50), targets, pad)


def loss_targets_ignored(logits, targets, pad):
    return -logits.log_softmax(-1)[targets != pad].mean()


def loss_zero_pads_only(logits, targets, pad):
    return sequence_loss(logits, targets, pad) * (1 if pad else 2)


def loss_median(logits, targets, pad):
    return -logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0][targets != pad].median()


def loss_nan(logits, targets, pad):
    return logits.sum() * torch.nan


def loss_constant(logits, targets, pad):
    return logits.sum() * 0 + 2.0


def loss_times_mask(logits, targets, pad):
    """0 times what stands at padding: not a number where that is infinite."""
    of_word = logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]
    return -(of_word * (targets != pad)).sum() / (targets != pad).sum()


LOSS = [value for name, value in list(globals().items()) if name.startswith("loss_")]

WRONG = {
    "encoder_decoder.gru_step": [*STEP, *spoiled(gru_step)],
    "encoder_decoder.shift": [*SHIFT],
    "encoder_decoder.sequence_loss": [*LOSS],
}
