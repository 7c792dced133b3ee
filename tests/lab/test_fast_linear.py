"""Tests of the faster product: the numbers and gradients are those of torch's own, and where it is not taken."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from lab import fast_linear, losses

needs_onednn = pytest.mark.skipif(fast_linear.KERNEL is None, reason="this PyTorch has no oneDNN")


@pytest.fixture
def other_way(monkeypatch) -> list[Tensor]:
    """Take oneDNN's product for every size on every CPU; return what it was asked for."""
    asked: list[Tensor] = []
    own = fast_linear.onednn

    def noted(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        asked.append(x)
        return own(x, weight, bias)

    monkeypatch.setattr(fast_linear, "mkl_is_slower", lambda: True)
    monkeypatch.setattr(fast_linear, "ENOUGH", 0)
    monkeypatch.setattr(fast_linear, "onednn", noted)
    return asked


def example(dtype: torch.dtype = torch.float32, outputs: int = 7) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    shapes = (2, 3, 5), (outputs, 5), (outputs,)
    x, weight, bias = (torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes)
    return x, weight, bias


@needs_onednn
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("outputs", [3, 7])  # fewer and more than inputs
def test_values_and_gradients_are_those_of_torchs_own_product(other_way, biased: bool, outputs: int) -> None:
    x, weight, bias = example(outputs=outputs)
    tensors = [x, weight, bias] if biased else [x, weight]
    result, expected = fast_linear.linear(*tensors), functional.linear(*tensors)
    torch.testing.assert_close(result, expected)
    outer = torch.randn_like(result)
    gradients = (torch.autograd.grad((product * outer).sum(), tensors) for product in (result, expected))
    torch.testing.assert_close(*gradients)
    assert len(other_way) == 3  # forward, and the gradients of both factors


@needs_onednn
def test_a_transposed_matrix_is_as_good(other_way) -> None:
    torch.manual_seed(0)
    p, h = torch.randn(6, 7), torch.randn(6, 5)
    torch.testing.assert_close(fast_linear.linear(p.T, h.T), p.T @ h)
    assert other_way


@needs_onednn
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_precisions_and_autocast_are_left_to_torch(other_way, dtype: torch.dtype) -> None:
    fast_linear.linear(*example(dtype))
    with torch.autocast("cpu", torch.bfloat16):
        assert fast_linear.linear(*example()).dtype == torch.bfloat16
    assert not other_way


def test_a_small_product_is_left_to_torch(other_way, monkeypatch) -> None:
    monkeypatch.setattr(fast_linear, "ENOUGH", 2 * 3 * 5 * 7 + 1)
    fast_linear.linear(*example())
    assert not other_way


@needs_onednn
def test_the_loss_without_scores_is_the_same_with_it(other_way) -> None:
    torch.manual_seed(0)
    features, weight = torch.randn(9, 5, requires_grad=True), torch.randn(7, 5, requires_grad=True)
    targets = torch.randint(0, 7, (9,))
    result = losses.linear_cross_entropy(features, weight, targets, 0.1)
    expected = functional.cross_entropy(features @ weight.T, targets, label_smoothing=0.1)
    gradients = (torch.autograd.grad(loss, (features, weight)) for loss in (result, expected))
    torch.testing.assert_close(*gradients)
    assert other_way


@needs_onednn
@pytest.mark.parametrize(
    ("x", "weight", "bias"),
    [
        ((2, 4), (7, 5), None),
        ((2, 5), (5,), None),
        ((), (7, 5), None),
        ((5,), (7, 5), None),
        ((2, 5), (7, 5), (5,)),
        ((2, 0), (7, 0), None),
    ],
)
def test_what_does_not_fit_is_an_error_and_no_crash(x, weight, bias) -> None:
    with pytest.raises(ValueError, match="expected"):
        fast_linear.onednn(torch.zeros(x), torch.zeros(weight), None if bias is None else torch.zeros(bias))


@needs_onednn
def test_another_type_is_an_error_and_no_crash() -> None:
    with pytest.raises(ValueError, match="float32"):
        fast_linear.onednn(torch.zeros(2, 5, dtype=torch.float64), torch.zeros(7, 5))


@needs_onednn
def test_a_product_that_stands_apart_in_memory_is_packed_first(monkeypatch) -> None:
    """oneDNN's kernel for any strides took 5 s for what takes 5 ms, as with the gradient of one step of a decoder."""
    given: list[Tensor] = []
    kernel = fast_linear.KERNEL
    assert kernel is not None

    def noted(x: Tensor, weight: Tensor, *rest: object) -> Tensor:
        given.extend([x, weight])
        return kernel(x, weight, *rest)

    monkeypatch.setattr(fast_linear, "KERNEL", noted)
    inputs, step = torch.randn(5, 6), torch.randn(6, 4, 7)[:, 2]
    torch.testing.assert_close(fast_linear.onednn(inputs, step.T), inputs @ step)
    assert [tensor.is_contiguous() or tensor.T.is_contiguous() for tensor in given] == [True, True]
