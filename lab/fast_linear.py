"""Matrix products in single precision on CPUs where PyTorch's own choice is slower than the CPU is."""

from functools import cache
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

KERNEL = getattr(torch.ops.mkldnn, "_linear_pointwise", None)  # oneDNN's product; not every PyTorch has it
ENOUGH = 2**22  # multiplications; a smaller product is left to PyTorch


def linear(
    x: Float[Tensor, "*rows inputs"],
    weight: Float[Tensor, "outputs inputs"],
    bias: Float[Tensor, " outputs"] | None = None,
) -> Float[Tensor, "*rows outputs"]:
    """Return x weightᵀ + bias, as torch.nn.functional.linear, by whatever is fastest here."""
    exact = x.ndim > 1 and x.device.type == "cpu" and x.dtype == weight.dtype == torch.float32
    if not exact or x.numel() * len(weight) < ENOUGH or not mkl_is_slower() or not plain():
        return functional.linear(x, weight, bias)
    return _Product.apply(x, weight, bias)


class Linear(nn.Linear):
    """torch.nn.Linear with the product above; the same parameters, the same state dict."""

    def forward(self, input: Float[Tensor, "*rows inputs"]) -> Float[Tensor, "*rows outputs"]:
        return linear(input, self.weight, self.bias)


class _Product(torch.autograd.Function):
    """The product by oneDNN, forward and backward; autograd knows no way back through its kernel."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return onednn(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride] — the decorator hides the parameters
        ctx: Any, outer: Tensor
    ) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        left, right = outer.reshape(-1, len(weight)).T, x.reshape(-1, weight.shape[1]).T
        return (
            onednn(outer, weight.T) if of_x else None,
            # the first is copied, to have its rows in memory: the smaller one
            (onednn(left, right) if len(left) < len(right) else onednn(right, left).T) if of_weight else None,
            left.sum(dim=1) if of_bias else None,
        )


def onednn(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x weightᵀ + bias, by oneDNN; a transposed weight is read where it is.

    Raise ValueError for tensors that do not fit: the kernel looks at none of this, and the process would crash.
    """
    given = [x, weight] if bias is None else [x, weight, bias]
    if any(each.dtype != torch.float32 or each.device.type != "cpu" or not each.numel() for each in given):
        raise ValueError("expected tensors of float32 on the CPU that are not empty")
    if x.ndim < 2 or weight.ndim != 2 or x.shape[-1] != weight.shape[1]:
        raise ValueError(f"expected (..., rows, in) and (out, in), got {tuple(x.shape)} and {tuple(weight.shape)}")
    if bias is not None and bias.shape != weight.shape[:1]:
        raise ValueError(f"expected a bias of shape {tuple(weight.shape[:1])}, got {tuple(bias.shape)}")
    assert KERNEL is not None
    return KERNEL(_dense(x), _dense(weight), bias, "none", [], "")


def _dense(x: Tensor) -> Tensor:
    """Return a tensor whose numbers stand side by side: of others the kernel takes a thousand times as long."""
    return x if x.is_contiguous() or x.mT.is_contiguous() else x.contiguous()


def plain() -> bool:
    """Return whether nothing stands between the call and the product: neither autocast nor a compiler."""
    return not torch.is_autocast_enabled("cpu") and not torch.compiler.is_compiling()


@cache
def mkl_is_slower() -> bool:
    """Return whether this CPU has AVX-512 and MKL, which PyTorch takes for products, does not use it.

    MKL uses it on Intel's CPUs alone, oneDNN on all: 94 against 215 GFLOP/s for (1500 × 256) (256 × 1024) on one
    thread of an AMD EPYC of family 26; on one of family 25, at the shapes of a small Transformer, forward products
    and gradients of inputs go from 79 to 93 GFLOP/s to 94 to 104.
    """
    cpu = getattr(torch.cpu, "get_capabilities", dict)()  # an older PyTorch cannot tell
    wide = cpu.get("avx512_f", False) and KERNEL is not None
    return bool(wide and "AMD" in cpu.get("cpu_name", ""))
