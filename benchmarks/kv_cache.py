"""What a token costs when a language model writes: python -m benchmarks.kv_cache writes its results/cache.json.

Models of one size keep keys and values of every head, of groups, of one head, or latent vectors, and get one token more
after texts of several lengths: into a cache with room for it, and into one that is copied to make room, as the model's
own step does. Beside that, what a token costs when a text is read at once. Timed in the processor's time, in which
other programs of the machine do not count.
"""

import statistics
from copy import deepcopy
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.measured import in_turn, keep, repeats_asked
from lab.evaluation.result_files import results_folder
from solutions.language_model.fast import FastDecoder
from solutions.language_model.latent import LatentAttention
from solutions.language_model.layers import Attention, cut, joined
from solutions.language_model.recipe import Recipe

VOCABULARY, LENGTHS = 1000, (256, 1024, 4096, 16384)
BASE = Recipe(d_model=512, d_ff=1536, heads=8, layers=4)
WAYS = {  # as many parameters each: what attention saves goes to the feed-forward network
    "mha": BASE,
    "gqa": replace(BASE, kv_heads=2, d_ff=1920),
    "mqa": replace(BASE, kv_heads=1, d_ff=1984),
    "mla": replace(BASE, latent=96, d_ff=1760),
}


def cache_of(model: FastDecoder, length: int) -> list[Tensor]:
    """Return a cache of random numbers, as large as after a text of this length."""
    shape = model.read(torch.zeros(1, 1, dtype=torch.long))[1][0].shape
    return [torch.randn(*shape[:3], length, shape[-1]) for _ in model.blocks]


class InPlace(nn.Module):
    """An attention layer whose cache has room for the newest token: nothing that is kept is copied."""

    def __init__(self, layer: Attention | LatentAttention) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor, cache: Tensor, mask: None = None) -> tuple[Tensor, Tensor, None]:
        """Write what is kept of the newest token into the last place of the cache, and return what the layer does."""
        layer, place = self.layer, torch.tensor([cache.shape[-2] - 1])
        if isinstance(layer, Attention):
            q, k, v = (cut(project(x), layer.width) for project in (layer.q, layer.k, layer.v))
            cache[0, ..., -1:, :], cache[1, ..., -1:, :] = layer.parts.rope(k, place, layer.base), v
            q = layer.parts.rope(q, place, layer.base)
            context, _ = layer.parts.grouped_query_attention(q, cache[0], cache[1], mask)
        else:
            cache[0, ..., -1:, : layer.latent] = layer.down(x)[:, None]
            cache[0, ..., -1:, layer.latent :] = layer.turn(layer.k_turned(x)[:, None], int(place))
            turned = layer.q_turned(x).unflatten(-1, (layer.heads, layer.turned)).transpose(1, 2)
            q, q_place = cut(layer.q(x), layer.width), layer.turn(turned, int(place))
            context, _ = layer.absorbed(q, q_place, cache[0], mask)
        return layer.out(joined(context)), cache, None


def in_place(model: FastDecoder) -> FastDecoder:
    """Return the same model with layers that write in place: its `read` takes caches with room for one token more."""
    changed = deepcopy(model)
    for block in changed.blocks:
        block.attention = InPlace(block.attention)  # pyright: ignore[reportArgumentType]
    return changed


@torch.no_grad()
def milliseconds(models: dict[str, FastDecoder], length: int, room: int, repeats: int) -> dict[str, float]:
    """Return the time of one token after caches of so many places, `room` of them free, for each; they take turns."""
    token = torch.full((1, 1), 5)
    caches = {name: cache_of(model, length - 1 + room) for name, model in models.items()}
    timed = {name: in_place(model) if room else model for name, model in models.items()}
    calls = {name: lambda m=model, c=caches[name]: m.readout(m.read(token, c)[0]) for name, model in timed.items()}
    return {name: statistics.median(times) for name, times in in_turn(calls, repeats).items()}


@torch.no_grad()
def at_once(models: dict[str, FastDecoder], length: int, repeats: int) -> dict[str, float]:
    """Return the time of reading a text of this length in one pass, a token; they take turns."""
    text = torch.full((1, length), 5)
    calls = {name: lambda m=model: m.readout(m.read(text)[0][:, -1]) for name, model in models.items()}
    return {name: statistics.median(times) / length for name, times in in_turn(calls, repeats).items()}


def measured(repeats: int) -> list[dict[str, Any]]:
    """Return, for each way, its sizes, the numbers that it keeps of a token, and its times by length."""
    torch.manual_seed(0)
    models = {name: FastDecoder(recipe, VOCABULARY).eval() for name, recipe in WAYS.items()}
    times = {length: milliseconds(models, length, 1, repeats) for length in LENGTHS}
    copied = {length: milliseconds(models, length, 0, repeats) for length in LENGTHS}
    read = {length: at_once(models, length, min(repeats, 7)) for length in LENGTHS[:3]}
    return [
        {
            "name": name,
            "parameters": sum(weight.numel() for weight in model.parameters()),
            "kept": sum(layer.numel() for layer in cache_of(model, 1)),  # numbers a token
            "recipe": {field: value for field, value in asdict(model.recipe).items() if field != "training"},
            "ms": {str(length): of_length[name] for length, of_length in times.items()},
            "ms at once": {str(length): of_length[name] for length, of_length in read.items()},
            "ms copied": {str(length): of_length[name] for length, of_length in copied.items()},
        }
        for name, model in models.items()
    ]


def main(repeats: int) -> Path:
    """Time a token after texts of several lengths, on one thread, write the figures, and return the file."""
    torch.set_num_threads(1)
    command = f"benchmarks.kv_cache --repeats {repeats}"
    return keep(results_folder("language_model"), "cache.json", command, ways=measured(repeats))


if __name__ == "__main__":
    print(main(repeats_asked("kv_cache", __doc__, 31)))
