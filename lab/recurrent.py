"""Recurrent networks over rows of unequal length: no state depends on padding, in either direction."""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lab.transfer import on_host, sent

Final = tuple[Float[Tensor, "layers rows units"], ...]  # h, and for an LSTM the cell c too


def run(network: nn.RNNBase, inputs: Any, first: Any = None) -> tuple[Any, Any]:
    """Return network(inputs, first), computed in single precision outside a CPU.

    On a GPU autocast takes recurrent networks to float16, whatever precision it was asked for, and float16 overflows
    where bfloat16 does not.
    """
    weight = network.all_weights[0][0]
    if weight.device.type == "cpu":
        return network(inputs, first)
    with torch.autocast("cuda", enabled=False):
        state = tuple(h.to(weight.dtype) for h in first) if isinstance(first, tuple) else first
        return network(inputs.to(weight.dtype), state.to(weight.dtype) if isinstance(state, Tensor) else state)


def states_and_final(
    network: nn.RNNBase, inputs: Float[Tensor, "rows length width"], lengths: Int[Tensor, " rows"]
) -> tuple[Float[Tensor, "rows length states"], Final]:
    """Return the states at the first `lengths` positions of each row, zeros behind them, and the final states.

    The network has batch_first, each row a length of 1 or more. Packed, the backward direction starts at the last
    real position and never reads padding.
    """
    known = on_host(lengths).cpu()
    order = known.argsort(descending=True)  # sorted here: where torch sorts, it asks the device for the order
    packed = pack_padded_sequence(inputs.index_select(0, sent(order, inputs.device)), known[order], batch_first=True)
    outputs, final = run(network, packed)
    states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=inputs.shape[1])
    back = sent(order.argsort(), inputs.device)
    every = final if isinstance(final, tuple) else (final,)
    return states.index_select(0, back), tuple(each.index_select(1, back) for each in every)


def states(
    network: nn.RNNBase, inputs: Float[Tensor, "rows length width"], lengths: Int[Tensor, " rows"]
) -> Float[Tensor, "rows length states"]:
    """Return the states of `states_and_final`, without the final ones.

    On a CPU the gradient of packed rows takes time that grows with the square of their length: at each step PyTorch
    writes one as large as all steps together. There, each direction runs over the padded rows instead, the backward
    one over rows that are turned round, so that what is read behind the last real position is read last.
    """
    if inputs.device.type != "cpu":
        return states_and_final(network, inputs, lengths)[0]
    places = torch.arange(inputs.shape[1])
    real: Bool[Tensor, "rows length"] = places < lengths[:, None]
    turned = torch.where(real, lengths[:, None] - 1 - places, places)[:, :, None]
    for layer in range(network.num_layers):
        if layer:
            inputs = nn.functional.dropout(inputs, network.dropout, network.training)
        ways = [one_way(network, layer, False, inputs)]
        if network.bidirectional:
            backward = one_way(network, layer, True, inputs.gather(1, turned.expand_as(inputs)))
            ways.append(backward.gather(1, turned.expand_as(backward)))
        inputs = torch.cat(ways, dim=-1)
    return inputs.masked_fill(~real[:, :, None], 0.0)


def one_way(
    network: nn.RNNBase, layer: int, backward: bool, inputs: Float[Tensor, "rows length width"]
) -> Float[Tensor, "rows length units"]:
    """Return the states of one layer in one direction, read from left to right with that direction's parameters."""
    params = tuple(network.all_weights[layer * (2 if network.bidirectional else 1) + backward])
    start = inputs.new_zeros(1, len(inputs), network.hidden_size)
    how = (network.bias, 1, 0.0, network.training, False, True)  # biases, layers, dropout, …, directions, batch first
    if isinstance(network, nn.LSTM):
        return torch.lstm(inputs, (start, start), params, *how)[0]
    return torch.gru(inputs, start, params, *how)[0]
