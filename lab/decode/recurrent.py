"""Recurrent networks over rows of unequal length: no state depends on padding, in either direction."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

Rows = Float[Tensor, "rows length width"]
Lengths = Int[Tensor, " rows"]
States = Float[Tensor, "rows length states"]
Final = tuple[Float[Tensor, "layers rows units"], ...]  # h, and for an LSTM the cell c too


def exact(device: torch.device) -> AbstractContextManager[Any]:
    """Return a context in which a recurrent network keeps the precision of its parameters outside a CPU.

    On a GPU autocast takes recurrent networks to float16, whatever precision it was asked for, and float16 overflows
    where bfloat16 does not.
    """
    return nullcontext() if device.type == "cpu" else torch.autocast(device.type, enabled=False)


def run(network: nn.RNNBase, inputs: Any, first: Any = None) -> tuple[Any, Any]:
    """Return network(inputs, first), in the precision of its parameters outside a CPU."""
    weight = network.all_weights[0][0]
    if weight.device.type == "cpu":
        return network(inputs, first)
    with exact(weight.device):
        state = tuple(h.to(weight.dtype) for h in first) if isinstance(first, tuple) else first
        return network(inputs.to(weight.dtype), state.to(weight.dtype) if isinstance(state, Tensor) else state)


def states_and_final(network: nn.RNNBase, inputs: Rows, lengths: Lengths) -> tuple[States, Final]:
    """Return the states at the first `lengths` positions of each row, zeros behind them, and the final states.

    The network has batch_first, each row a length of 1 or more.
    """
    if inputs.device.type != "cpu":  # packed rows would ask the host for their lengths
        return padded(network, inputs, lengths, final=True)
    order = lengths.argsort(descending=True)
    outputs, final = run(network, pack_padded_sequence(inputs[order], lengths[order], batch_first=True))
    states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=inputs.shape[1])
    back = order.argsort()
    every = final if isinstance(final, tuple) else (final,)
    return states.index_select(0, back), tuple(each.index_select(1, back) for each in every)


def states(network: nn.RNNBase, inputs: Rows, lengths: Lengths) -> States:
    """Return the states of `states_and_final`, without the final ones.

    On a CPU the gradient of packed rows takes time that grows with the square of their length: at each step PyTorch
    writes one as large as all steps together.
    """
    return padded(network, inputs, lengths)[0]


def padded(network: nn.RNNBase, inputs: Rows, lengths: Lengths, final: bool = False) -> tuple[States, Final]:
    """Return the states, and with `final` the final ones, of padded rows: each direction runs over all of them.

    The backward one reads rows that are turned round, so that what lies behind the last real position is read last.
    """
    places = torch.arange(inputs.shape[1], device=inputs.device)
    real: Bool[Tensor, "rows length"] = places < lengths[:, None]
    turned = torch.where(real, lengths[:, None] - 1 - places, places)[:, :, None]
    last: list[tuple[Tensor, ...]] = []
    for layer in range(network.num_layers):
        if layer:
            inputs = nn.functional.dropout(inputs, network.dropout, network.training)
        ways = []
        for backward in (False, True)[: 2 if network.bidirectional else 1]:
            read = inputs.gather(1, turned.expand_as(inputs)) if backward else inputs
            way, cell = one_way(network, layer, backward, read, ~real if final else None)
            if final:
                ends = (lengths - 1)[:, None, None].expand(-1, 1, way.shape[-1])
                last.append((way.gather(1, ends)[:, 0], *cell))
            ways.append(way.gather(1, turned.expand_as(way)) if backward else way)
        inputs = torch.cat(ways, dim=-1)
    kinds = tuple(torch.stack(kind) for kind in zip(*last, strict=True))
    return inputs.masked_fill(~real[:, :, None], 0.0), kinds


SHUT = 1e4  # a gate's input for which its sigmoid is exactly 1, or with a minus 0


def one_way(
    network: nn.RNNBase, layer: int, backward: bool, inputs: Rows, padding: Bool[Tensor, "rows length"] | None = None
) -> tuple[Float[Tensor, "rows length units"], tuple[Float[Tensor, "rows units"], ...]]:
    """Return the states of one layer in one direction, read from left to right, and of an LSTM the last cell.

    With `padding` the cell is that of the last real position: one more input, 1 at padding, shuts the input gate and
    opens the forget gate.
    """
    params: list[Tensor] = [*network.all_weights[layer * (2 if network.bidirectional else 1) + backward]]
    inputs = inputs.to(params[0].dtype)
    start = inputs.new_zeros(1, len(inputs), network.hidden_size)
    how = (network.bias, 1, 0.0, network.training, False, True)  # biases, layers, dropout, …, directions, batch first
    if not isinstance(network, nn.LSTM):
        with exact(inputs.device):
            return torch.gru(inputs, start, params, *how)[0], ()
    if padding is not None:
        gate = torch.arange(4 * network.hidden_size, device=inputs.device) // network.hidden_size  # i, f, g, o
        keep = SHUT * ((gate == 1).to(inputs.dtype) - (gate == 0).to(inputs.dtype))
        params[0] = torch.cat([params[0], keep[:, None]], dim=1)
        inputs = torch.cat([inputs, padding[:, :, None].to(inputs.dtype)], dim=-1)
    with exact(inputs.device):
        states, _, cell = torch.lstm(inputs, (start, start), params, *how)
    return states, (cell[0],)
