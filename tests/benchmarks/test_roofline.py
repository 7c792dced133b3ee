"""Laws of the count of a step's arithmetic: two operations for each weight and row, twice as many on the way back."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from benchmarks.roofline import arithmetic, recurrent_kernels
from lab import fast_linear

ROWS, LENGTH, WIDTH, UNITS = 3, 5, 4, 6


def test_a_linear_layer_takes_two_operations_a_weight_and_row_and_twice_as_many_back() -> None:
    layer, x = nn.Linear(WIDTH, UNITS, bias=False), torch.randn(ROWS, WIDTH, requires_grad=True)
    assert arithmetic(lambda: layer(x)) == 2 * ROWS * WIDTH * UNITS
    assert arithmetic(lambda: layer(x).sum().backward()) == 3 * 2 * ROWS * WIDTH * UNITS


@pytest.mark.parametrize(("kind", "gates"), [(nn.LSTM, 4), (nn.GRU, 3), (nn.RNN, 1)])
@pytest.mark.parametrize("back", [False, True])
def test_a_recurrent_layer_multiplies_each_row_by_all_of_its_weights(kind: type[nn.RNNBase], gates: int, back) -> None:
    layer, x = kind(WIDTH, UNITS, batch_first=True), torch.randn(ROWS, LENGTH, WIDTH, requires_grad=True)
    forward = 2 * ROWS * LENGTH * gates * UNITS * (WIDTH + UNITS)
    if not back:
        assert arithmetic(lambda: layer(x)) == forward
        return
    # The state before the first word needs no gradient, and torch may leave that product out.
    counted = arithmetic(lambda: layer(x)[0].sum().backward())
    assert 0.9 * 3 * forward <= counted <= 3 * forward


def test_the_kernel_of_a_gpu_counts_packed_rows_and_padded_ones_alike() -> None:
    cudnn = recurrent_kernels()[torch.ops.aten._cudnn_rnn]
    weights = [(4 * UNITS, WIDTH), (4 * UNITS, UNITS), (4 * UNITS,), (4 * UNITS,)]
    whole = cudnn((ROWS, LENGTH, WIDTH), weights)
    assert whole == cudnn((ROWS * LENGTH, WIDTH), weights) == 2 * ROWS * LENGTH * 4 * UNITS * (WIDTH + UNITS)
    packed = pack_padded_sequence(torch.randn(ROWS, LENGTH, WIDTH), torch.tensor([5, 3, 2]), batch_first=True)
    assert cudnn(tuple(packed.data.shape), weights) == 2 * 10 * 4 * UNITS * (WIDTH + UNITS)


@pytest.mark.skipif(fast_linear.KERNEL is None, reason="this PyTorch has no oneDNN")
def test_our_own_product_is_counted_on_both_ways(monkeypatch) -> None:
    monkeypatch.setattr(fast_linear, "mkl_is_slower", lambda: True)
    monkeypatch.setattr(fast_linear, "ENOUGH", 0)
    layer, x = fast_linear.Linear(WIDTH, UNITS), torch.randn(ROWS, WIDTH, requires_grad=True)
    assert arithmetic(lambda: layer(x).sum().backward()) == 3 * 2 * ROWS * WIDTH * UNITS
