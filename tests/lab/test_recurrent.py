"""Tests of reading rows of unequal length: each row as if it were alone, in every way that there is."""

import pytest
import torch
from torch import nn

from lab.decode.recurrent import padded, states, states_and_final

LENGTHS = torch.tensor([3, 7, 1, 5])
KINDS = [(kind, layers, both) for kind in (nn.LSTM, nn.GRU) for layers in (1, 2) for both in (False, True)]


def network_and_rows(kind: type[nn.RNNBase], layers: int, both: bool) -> tuple[nn.RNNBase, torch.Tensor]:
    torch.manual_seed(0)
    network = kind(6, 5, layers, batch_first=True, bidirectional=both).double()
    return network, torch.randn(4, 9, 6, dtype=torch.float64)


@pytest.mark.parametrize("read", [states, lambda *a: states_and_final(*a)[0]], ids=["padded", "packed"])
@pytest.mark.parametrize(("kind", "layers", "both"), KINDS)
def test_each_row_is_read_as_if_it_were_alone(kind, layers, both, read) -> None:
    network, rows = network_and_rows(kind, layers, both)
    result = read(network, rows, LENGTHS)
    for row, length, state in zip(rows, LENGTHS, result, strict=True):
        torch.testing.assert_close(state[:length], network(row[None, :length])[0][0])
        assert (state[length:] == 0).all()


@pytest.mark.parametrize(("kind", "layers", "both"), KINDS)
def test_both_ways_of_reading_have_the_same_states_final_ones_and_gradients(kind, layers, both) -> None:
    network, rows = network_and_rows(kind, layers, both)
    rows.requires_grad_()
    first, second = padded(network, rows, LENGTHS, final=True), states_and_final(network, rows, LENGTHS)
    torch.testing.assert_close(first, second)
    outer = [torch.randn_like(each) for each in (second[0], *second[1])]
    gradients = (
        torch.autograd.grad([outputs, *final], [rows, *network.parameters()], outer)
        for outputs, final in (first, second)
    )
    torch.testing.assert_close(*gradients)
