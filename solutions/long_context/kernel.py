"""`flash_forward` as one kernel in Triton, for an NVIDIA GPU: an option, which no training of the course uses."""

from typing import Any

import torch
import triton  # pyright: ignore[reportMissingImports] - it comes with PyTorch for CUDA alone
import triton.language as tl  # pyright: ignore[reportMissingImports]
from jaxtyping import Float
from torch import Tensor


@triton.jit
def _rows(  # noqa: PLR0913 - a kernel is handed pointers and sizes
    query,
    key,
    value,
    context,
    logsumexp,
    scale,
    length,
    causal: tl.constexpr,
    width: tl.constexpr,
    tile: tl.constexpr,
):
    """Compute one `tile` of queries of one head: all keys pass by, tile by tile, with m, l and o in registers.

    `query`, `key` and `value` point to (`length`, `width`) numbers of each head, `context` and `logsumexp` to the
    results; `scale` is a factor of the scores, and with `causal` a query sees no later key.
    """
    first, head = tl.program_id(0) * tile, tl.program_id(1)
    rows, columns, features = first + tl.arange(0, tile), tl.arange(0, tile), tl.arange(0, width)
    here = head * length * width + rows[:, None] * width + features
    q = tl.load(query + here, mask=rows[:, None] < length, other=0.0)
    m = tl.full((tile,), float("-inf"), tl.float32)
    l = tl.zeros((tile,), tl.float32)  # the paper's name
    o = tl.zeros((tile, width), tl.float32)
    end = tl.minimum(first + tile, length) if causal else length
    for start in range(0, end, tile):
        places = start + columns
        offsets = head * length * width + places[:, None] * width + features
        k = tl.load(key + offsets, mask=places[:, None] < length, other=0.0)
        v = tl.load(value + offsets, mask=places[:, None] < length, other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        seen = places[None] < length
        if causal:
            seen = seen & (places[None] <= rows[:, None])
        scores = tl.where(seen, scores, float("-inf"))
        largest = tl.maximum(m, tl.max(scores, 1))
        weights = tl.exp(scores - largest[:, None])
        shrunk = tl.exp(m - largest)
        l = l * shrunk + tl.sum(weights, 1)
        o = o * shrunk[:, None] + tl.dot(weights.to(v.dtype), v, input_precision="ieee")
        m = largest
    tl.store(context + here, o / l[:, None], mask=rows[:, None] < length)
    tl.store(logsumexp + head * length + rows, m + tl.log(l), mask=rows < length)


def flash_forward(
    query: Float[Tensor, "batch length width"],
    key: Float[Tensor, "batch length width"],
    value: Float[Tensor, "batch length width"],
    tile: int = 64,
    causal: bool = False,
) -> tuple[Float[Tensor, "batch length width"], Float[Tensor, "batch length"]]:
    """Return the result of the taught `flash_forward`, where there are as many queries as keys.

    `width` and `tile` are powers of two, 16 or more.
    """
    batch, length, width = query.shape
    query, key, value = (each.contiguous() for each in (query, key, value))
    context, logsumexp = torch.empty_like(query), query.new_empty(batch, length, dtype=torch.float32)
    kernel: Any = _rows  # a jitted function is indexed by how many programs run
    programs = kernel[triton.cdiv(length, tile), batch]
    programs(query, key, value, context, logsumexp, width**-0.5, length, causal, width, tile)
    return context, logsumexp
