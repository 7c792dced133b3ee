"""Lena's decoder waits for an eos that never comes; her last_states is right."""

import torch

EXPECTED = {
    "encoder_decoder.last_states": ("all", []),
    "encoder_decoder.greedy_decode": ("none", []),
}


def last_states(outputs, lengths):
    units = outputs.shape[-1] // 2
    rows = torch.arange(len(outputs))
    return torch.cat([outputs[rows, lengths - 1, :units], outputs[rows, 0, units:]], dim=-1)


def greedy_decode(step, batch_size, bos, eos, pad, max_len):
    prefix = torch.full((batch_size, 1), bos)
    while not (prefix == eos).any(dim=1).all():
        word = step(prefix)[:, -1].argmax(-1)  # the prefix never grows
    return torch.cat([prefix, word[:, None]], dim=1)
