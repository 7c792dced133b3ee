"""Matrix products in single precision on CPUs where PyTorch's own choice is half as fast as the CPU is."""

from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

ENOUGH = 2**22  # multiplications from which the copies into oneDNN's layout and back cost less than they save


def linear(
    x: Float[Tensor, "*rows inputs"],
    weight: Float[Tensor, "outputs inputs"],
    bias: Float[Tensor, " outputs"] | None = None,
) -> Float[Tensor, "*rows outputs"]:
    """Return x weightᵀ + bias, as torch.nn.functional.linear, by whatever is fastest here."""
    exact = x.device.type == "cpu" and x.dtype == weight.dtype == torch.float32
    if not exact or x.numel() * len(weight) < ENOUGH or not mkl_is_half() or not plain():
        return functional.linear(x, weight, bias)
    product = functional.linear(x.to_mkldnn(), weight).to_dense()
    return product if bias is None else product + bias


class Linear(nn.Linear):
    """torch.nn.Linear with the product above; the same parameters, the same state dict."""

    def forward(self, input: Float[Tensor, "*rows inputs"]) -> Float[Tensor, "*rows outputs"]:
        return linear(input, self.weight, self.bias)


def plain() -> bool:
    """Return whether nothing stands between the call and the product: neither autocast nor a compiler."""
    return not torch.is_autocast_enabled("cpu") and not torch.compiler.is_compiling()


@cache
def mkl_is_half() -> bool:
    """Return whether this CPU has AVX-512 and MKL, which PyTorch takes for products, does not use it.

    MKL uses it on Intel's CPUs alone, oneDNN on all: 94 against 215 GFLOP/s for (1500 × 256) (256 × 1024) on one
    thread of an AMD EPYC of family 26.
    """
    cpu = getattr(torch.cpu, "get_capabilities", dict)()  # an older PyTorch cannot tell
    wide = cpu.get("avx512_f", False) and torch.backends.mkldnn.is_available()
    return bool(wide and "AMD" in cpu.get("cpu_name", ""))
