"""Ivan reads the forward state at the last position, padding or not, and goes on after eos."""

import torch

EXPECTED = {
    "encoder_decoder.last_states": ("some", ["last_position"]),
    "encoder_decoder.greedy_decode": ("some", ["goes_on_after_eos"]),
}


def last_states(outputs, lengths):
    units = outputs.shape[-1] // 2
    return torch.cat([outputs[:, -1, :units], outputs[:, 0, units:]], dim=-1)


def greedy_decode(step, batch_size, bos, eos, pad, max_len):
    prefix = torch.full((batch_size, 1), bos)
    ended = torch.zeros(batch_size, dtype=torch.bool)
    while prefix.shape[1] <= max_len and not ended.all():
        word = step(prefix)[:, -1].argmax(-1)
        ended = ended | (word == eos)
        prefix = torch.cat([prefix, word[:, None]], dim=1)
    return prefix[:, 1:]
