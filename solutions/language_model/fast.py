"""The language model as it is trained: the parameters and values of model.py, by PyTorch's own kernels.

They write no weights down, except where padding or a cache is in play: there attention is the taught function.
"""

from dataclasses import replace

from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional

from solutions.language_model import attention, model
from solutions.language_model.layers import Parts
from solutions.language_model.model import Decoder
from solutions.language_model.recipe import Recipe


def swiglu(
    x: Float[Tensor, "*batch d_model"],
    W_1: Float[Tensor, "inner d_model"],
    W_gate: Float[Tensor, "inner d_model"],
    W_2: Float[Tensor, "d_model inner"],
) -> Float[Tensor, "*batch d_model"]:
    """Return the result of the taught `swiglu`."""
    inner = functional.silu(functional.linear(x, W_gate)) * functional.linear(x, W_1)
    return functional.linear(inner, W_2)


def grouped_query_attention(
    query: Float[Tensor, "batch heads target key_dim"],
    key: Float[Tensor, "batch kv_heads source key_dim"],
    value: Float[Tensor, "batch kv_heads source value_dim"],
    mask: Bool[Tensor, "batch source"] | None = None,
) -> tuple[Float[Tensor, "batch heads target value_dim"], Tensor | None]:
    """Return the context that the taught function returns; the weights only where padding or a cache is in play."""
    if mask is None and query.shape[2] == 1:  # the newest sees everything: heads of a group are rows, no key is copied
        rows = query.unflatten(1, (key.shape[1], -1)).squeeze(3)
        return functional.scaled_dot_product_attention(rows, key, value).flatten(1, 2).unsqueeze(2), None
    if mask is not None or query.shape[2] != key.shape[2]:
        return attention.grouped_query_attention(query, key, value, mask)
    group = query.shape[1] // key.shape[1]
    key, value = (each if group == 1 else each.repeat_interleave(group, dim=1) for each in (key, value))
    return functional.scaled_dot_product_attention(query, key, value, is_causal=True), None


FAST = Parts(
    rms_norm=lambda x, gamma, eps=1e-6: functional.rms_norm(x, gamma.shape, gamma, eps),
    layer_norm=lambda x, gamma, beta: functional.layer_norm(x, gamma.shape, gamma, beta),
    swiglu=swiglu,
    grouped_query_attention=grouped_query_attention,
)


class FastDecoder(Decoder):
    """The same model with the same state dict; no function is handed in."""

    def __init__(self, recipe: Recipe, vocabulary: int, written: int | None = None) -> None:
        super().__init__(recipe, vocabulary, written, FAST)


SOLUTION = replace(model.SOLUTION, build=FastDecoder)
