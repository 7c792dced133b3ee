"""Table 1 of Vaswani et al. (2017), measured: python -m benchmarks.complexity writes the figures.

Each layer maps n vectors of width d to n vectors of width d. What is counted is exact and the same everywhere: the
multiplications of its matrix products, and the numbers that it keeps for the backward pass. What is timed is one
forward and backward pass on this machine, several times, as a range: on a CPU the processor's time, in which other
programs of the machine do not count.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.measured import counted, in_turn, keep, repeats_asked
from lab.evaluation.result_files import results_folder
from lab.train.training import best_device
from solutions.self_attention.attention import scaled_dot_product

KERNEL, REACH = 3, 32  # k and r of the table
LENGTHS, WIDTHS = (64, 128, 256, 512, 1024, 2048), (32, 64, 128, 256, 512, 1024)
FIXED_LENGTH, FIXED_WIDTH = 256, 256  # while the other one grows


class Attention(nn.Module):
    """Self-attention of the table; with `projected`, the three matrices in front of it, which the table leaves out."""

    def __init__(self, d: int, projected: bool, product: Callable = scaled_dot_product) -> None:
        super().__init__()
        self.product = product
        self.matrices = nn.ParameterList(torch.randn(d, d) / math.sqrt(d) for _ in range(3 if projected else 0))

    def forward(self, X: Tensor) -> Tensor:
        query, key, value = [X @ W.T for W in self.matrices] or [X, X, X]
        output = self.product(query, key, value)
        return output[0] if isinstance(output, tuple) else output


class Recurrent(nn.Module):
    """A recurrent layer of PyTorch's: one gate (plain), three (GRU) or four (LSTM)."""

    def __init__(self, d: int, cell: Callable = nn.RNN) -> None:
        super().__init__()
        self.network = cell(d, d, bias=False, batch_first=True)

    def forward(self, X: Tensor) -> Tensor:
        return self.network(X[None])[0][0]


class Convolution(nn.Module):
    """A convolution over k neighbouring words."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.layer = nn.Conv1d(d, d, KERNEL, padding=KERNEL // 2, bias=False)

    def forward(self, X: Tensor) -> Tensor:
        return self.layer(X.T[None])[0].T


def near(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return softmax(q · k / √d) v over the r keys around each query: position i looks at i - r/2 … i + r/2 - 1."""
    n, d = query.shape
    # Windows are views of the padded keys and values: (n, d, r).
    keys, values = (nn.functional.pad(x, (0, 0, REACH // 2, REACH // 2 - 1)).unfold(0, REACH, 1) for x in (key, value))
    place = torch.arange(n, device=query.device)[:, None] + torch.arange(REACH, device=query.device) - REACH // 2
    outside = (place < 0) | (place >= n)
    scores = torch.bmm(query[:, None], keys)[:, 0] / math.sqrt(d)
    weights = scores.masked_fill(outside, -math.inf).softmax(dim=-1)
    return torch.bmm(values, weights[..., None])[..., 0]


LAYERS: dict[str, Callable[[int], nn.Module]] = {
    "self_attention": lambda d: Attention(d, projected=False),
    "self_attention, projected": lambda d: Attention(d, projected=True),
    "self_attention, projected, fused": lambda d: Attention(d, projected=True, product=fused),
    "recurrent": Recurrent,
    "recurrent, GRU": lambda d: Recurrent(d, nn.GRU),
    "recurrent, LSTM": lambda d: Recurrent(d, nn.LSTM),
    "convolution": Convolution,
    "restricted": lambda d: Attention(d, projected=False, product=near),
    "restricted, projected": lambda d: Attention(d, projected=True, product=near),
}


def fused(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return the same by PyTorch's own kernel, which never writes the weights down."""
    return scaled_dot_product_attention(query[None, None], key[None, None], value[None, None])[0, 0]


def multiplications(name: str, n: int, d: int) -> int:
    """Return the number of products of two numbers in the layer's matrix products, by formula."""
    kind, projected = name.partition(",")[0], 3 * n * d * d * ("projected" in name)
    gates = {"recurrent": 1, "recurrent, GRU": 3, "recurrent, LSTM": 4}
    if kind == "recurrent":
        return 2 * gates[name] * n * d * d  # for the word and for the state before
    if kind == "convolution":
        return KERNEL * n * d * d
    return projected + 2 * n * d * (n if kind == "self_attention" else REACH)  # scores, and sums of values


def kept(layer: nn.Module, X: Tensor) -> int:
    """Return the bytes that a forward pass keeps for the backward pass, without the layer's parameters."""
    params = {each.untyped_storage().data_ptr() for each in layer.parameters()}
    sizes: dict[int, int] = {}
    alive = []  # an address is used again once its tensor is gone

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in params:
            sizes[storage.data_ptr()] = storage.nbytes()
            alive.append(tensor)
        return tensor

    with saved_tensors_hooks(note, lambda tensor: tensor):
        layer(X)
    return sum(sizes.values())


def measure(sizes: Sequence[tuple[int, int]], repeats: int, device: torch.device) -> list[dict[str, Any]]:
    """Return counts and times of every layer at every size (n, d)."""
    rows = []
    for n, d in sizes:
        torch.manual_seed(0)
        X = torch.randn(n, d, device=device, requires_grad=True)
        layers = {name: build(d).to(device) for name, build in LAYERS.items()}
        calls = {name: lambda layer=layer, X=X: layer(X).sum().backward() for name, layer in layers.items()}
        times = in_turn(calls, repeats)
        rows += [
            {"layer": name, "n": n, "d": d, "seconds": [each / 1000 for each in times[name]]}
            | {"kept_bytes": kept(layer, X), "multiplications": multiplications(name, n, d)}
            | {"counted": counted(layer, X)}
            for name, layer in layers.items()
        ]
        print(f"n = {n}, d = {d}", flush=True)
    return rows


def slope(x: Sequence[int | float], y: Sequence[int | float]) -> float:
    """Return the exponent a of the power law y = c · xᵃ that fits best: a straight line through the logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def exponents(rows: Sequence[dict[str, Any]], axis: str) -> dict[str, Any]:
    """Return, for one layer, the exponents of what was counted and of the times: one fit a pass over all sizes."""
    x = [row[axis] for row in rows]
    fits = [slope(x, seconds) for seconds in zip(*(row["seconds"] for row in rows), strict=False)]
    return {
        "multiplications": slope(x, [row["multiplications"] for row in rows]),
        "kept_bytes": slope(x, [row["kept_bytes"] for row in rows]),
        "seconds": {"median": float(np.median(fits))},
    }


def crossing(lengths: Sequence[int], first: Sequence[int | float], second: Sequence[int | float]) -> float | None:
    """Return the length from which on the first takes longer than the second, between two sizes by a power law."""
    gaps = np.log(first) - np.log(second)
    if gaps[-1] <= 0:
        return None
    place = max(i for i in range(len(gaps)) if i == 0 or gaps[i - 1] <= 0)
    if place == 0:
        return float(lengths[0])
    low, high = gaps[place - 1], gaps[place]
    share = -low / (high - low)
    return float(np.exp((1 - share) * np.log(lengths[place - 1]) + share * np.log(lengths[place])))


def main(repeats: int, device: torch.device, folder: Path | None = None) -> Path:
    """Measure, on one thread, fit, write, and return the file."""
    torch.set_num_threads(1)
    over_length = measure([(n, FIXED_WIDTH) for n in LENGTHS], repeats, device)
    over_width = measure([(FIXED_LENGTH, d) for d in WIDTHS], repeats, device)

    def of(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
        return [row for row in rows if row["layer"] == name]

    def times(name: str) -> list[float]:
        return [float(np.median(row["seconds"])) for row in of(over_length, name)]

    attention = [name for name in LAYERS if name.startswith("self_attention")]
    recurrent = [name for name in LAYERS if name.startswith("recurrent")]
    return keep(
        folder or results_folder("self_attention"),
        f"complexity-{device.type}.json",
        f"benchmarks.complexity --repeats {repeats}",
        device,
        clock="seconds of the processor" if device.type == "cpu" else "seconds on the wall",
        k=KERNEL,
        r=REACH,
        over_length=over_length,
        over_width=over_width,
        exponents={
            name: {"n": exponents(of(over_length, name), "n"), "d": exponents(of(over_width, name), "d")}
            for name in LAYERS
        },
        timed_crossings={a: {b: crossing(LENGTHS, times(a), times(b)) for b in recurrent} for a in attention},
    )


if __name__ == "__main__":
    print(main(repeats_asked("complexity", __doc__, 7), best_device()))
