"""Speed of training on a device: each model's step."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.gpu.small_models import solution_of
from benchmarks.gpu.table import Job, Row, Setting
from lab.kinds.classification import Classifier, Classifying
from lab.kinds.language import LanguageModel, Predicting
from lab.kinds.translation import Translating
from lab.show.diagnosis import memory
from lab.train.devices import should_use_bf16
from lab.train.training import Trainer

STEPS, LABELS = 20, 19


@dataclass(frozen=True)
class Shape:
    """A model and the size of its batches, as a corpus has them: words of a vocabulary and of a text."""

    solution: str
    recipe: str
    vocabulary: int
    words: int  # of a text, or of a sentence on either side
    sentences: int = 1  # of a text


SHAPES: Mapping[str, Shape] = {
    "encoder_decoder, Multi30k": Shape("encoder_decoder", "base", 6000, 14),
    "bahdanau, Multi30k": Shape("bahdanau", "base", 6000, 14),
    "luong, Multi30k": Shape("luong", "base", 6000, 14),
    "transformer tiny, Multi30k": Shape("transformer", "tiny", 10000, 14),
    "transformer base, WMT'14": Shape("transformer", "base", 37000, 27),
    "pooling, SemEval": Shape("pooling", "zhou", 9000, 19),
    "pooling HAN, IMDB": Shape("pooling", "yang", 20000, 20, 12),
    "structured, IMDB": Shape("structured", "imdb", 30000, 230),
    "self_attention, IMDB": Shape("self_attention", "base", 20000, 230),
    "language_model large, Shakespeare": Shape("language_model", "large", 65, 256),
}
QUICK = ("bahdanau, Multi30k", "pooling, SemEval")


def jobs(quick: bool) -> Iterator[Job]:
    """Yield the measurements."""
    for name in QUICK if quick else SHAPES:
        yield Job(f"speed: {name}", lambda setting, name=name: step(name, setting), 30)
    yield Job("speed: attention in tiles", tiles, 30)


def precisions(device: torch.device) -> tuple[str, ...]:
    """Return the precisions that the device multiplies natively."""
    return ("fp32", "bf16") if should_use_bf16("auto", device) else ("fp32",)


def step(name: str, setting: Setting) -> Row:
    """Return the time of a step after two, and target tokens or words in a second: with and without CUDA graphs."""
    row: Row = {}
    wait = torch.cuda.synchronize if setting.device.type == "cuda" else lambda: None
    for precision, recorded in product(precisions(setting.device), (False, True)):
        running = training(SHAPES[name], setting, precision, recorded=recorded)
        if recorded and not running.gradient.graphs:
            continue
        group, count = max(running.task.groups(1), key=len), 3 if setting.quick else STEPS
        for _ in range(2):
            running.step(group)
        wait()
        started = time.perf_counter()
        for _ in range(count):
            running.step(group)
        wait()
        taken = (time.perf_counter() - started) / count
        kind = f"{precision}, CUDA graphs" if recorded else precision
        row[f"{kind}: ms a step"] = 1000 * taken
        row[f"{kind}: {running.task.unit}/s"] = running.task.units(group) / taken
    return row | memory(setting.device)


def training(shape: Shape, setting: Setting, precision: str, **more: Any) -> Trainer:
    """Return a training on a batch of random words."""
    solution = solution_of(shape.solution)
    recipe = solution.recipes[shape.recipe]
    tokens = recipe.training.tokens // (8 if setting.quick else 1)
    recipe = replace(recipe, training=replace(recipe.training, precision=precision, tokens=tokens))
    torch.manual_seed(0)
    model = solution.build(recipe, shape.vocabulary, shape.vocabulary)
    rng = np.random.default_rng(0)

    def sentence() -> list[int]:
        return rng.integers(4, shape.vocabulary, shape.words).tolist()

    if isinstance(model, Classifier):
        model = solution.build(recipe, shape.vocabulary, LABELS)
        count = max(1, tokens // (shape.words * shape.sentences))
        texts = [([sentence() for _ in range(shape.sentences)], int(rng.integers(LABELS))) for _ in range(count)]
        task: Any = Classifying(texts, recipe.training, model.nested)
    elif isinstance(model, LanguageModel):
        text = [word for _ in range(tokens // shape.words + 2) for word in sentence()]
        task = Predicting([text], tokens, recipe.context)
    else:
        pairs = [(sentence(), sentence()) for _ in range(tokens // (shape.words + 1))]
        task = Translating(pairs, recipe.training)
    return Trainer(model, task, recipe.training, Path("unused"), device=setting.device, quiet=True, **more)


def tiles(setting: Setting) -> Row:
    """Return the time and the memory of causal attention, 8 rows of 12 heads: matrix, taught loop, Triton, PyTorch."""
    if setting.device.type != "cuda":
        return {"left out": "the kernel is one for a GPU"}
    from solutions.long_context import attention, kernel

    row: Row = {}
    for length, dtype in product((1024, 4096), (torch.float32, torch.bfloat16)):
        query, key, value = torch.randn(3, 96, length, 64, device=setting.device, dtype=dtype)
        given, heads = (query, key, value), (query[None], key[None], value[None])
        ahead = torch.ones(length, length, dtype=torch.bool, device=setting.device).triu(1)
        ways: Mapping[str, Callable[[], Any]] = {
            "matrix": lambda: (query @ key.mT / 8).masked_fill(ahead, -torch.inf).softmax(-1) @ value,  # noqa: B023
            "flash_forward": lambda: attention.flash_forward(*given, 64, True),  # noqa: B023
            "kernel": lambda: kernel.flash_forward(*given, 64, True),  # noqa: B023
            "PyTorch": lambda: functional.scaled_dot_product_attention(*heads, is_causal=True),  # noqa: B023
        }
        for name, way in ways.items():
            name = f"{name}, {length} tokens, {str(dtype).removeprefix('torch.')}"
            way()
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
            before, started = torch.cuda.memory_allocated(), time.perf_counter()
            for _ in range(count := 1 if name.startswith("flash") else STEPS):
                way()
            torch.cuda.synchronize()
            row[f"{name}: ms"] = 1000 * (time.perf_counter() - started) / count
            row[f"{name}: MiB"] = (torch.cuda.max_memory_allocated() - before) / 2**20
    return row
