"""Trained models as scripts for the page: the numbers of a model of this book, for the engine in book/live to run."""

import base64
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from lab import corpora, model_cache
from lab.corpora import Pair
from lab.translation import Trained
from solutions.transformer.fast import SOLUTION

ENGINE = Path(__file__).parent / "live"
SCRIPTS = ("tensors.js", "transformer.js", "translator.js")  # in the order in which a page loads them
SENTENCES = 60  # of the test set that the page can offer
Precision = Literal["int8", "float32"]


def stored(tensor: Tensor, precision: Precision = "int8") -> dict[str, Any]:
    """Return a table of numbers as the engine unpacks it: with int8, a matrix has one scale for each row."""
    table = tensor.detach().float().reshape(1, -1) if tensor.dim() == 1 else tensor.detach().float()
    shape = {"rows": table.shape[0] if tensor.dim() > 1 else tensor.numel(), "cols": table.shape[-1]}
    if precision == "float32" or tensor.dim() == 1:
        return shape | {"data": encoded(table.numpy())}
    scales = table.abs().amax(dim=1, keepdim=True).clamp_min(1e-12) / 127
    return shape | {"data": encoded((table / scales).round().to(torch.int8).numpy()), "scales": encoded(scales.numpy())}


def encoded(numbers: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers).tobytes()).decode("ascii")


def transformer(trained: Trained, precision: Precision = "int8") -> dict[str, Any]:
    """Return the model of chapter 7 with both vocabularies: what the engine's Transformer takes."""
    model = trained.model
    tensors = {name: tensor for name, tensor in model.state_dict().items() if name != "readout.weight"}  # tied
    return {
        "settings": {"d": model.recipe.d_model, "heads": model.recipe.heads, "layers": model.recipe.layers},
        "source": trained.source_text.state()["words"],
        "target": trained.target_text.state()["words"],
        "tensors": {name: stored(tensor, precision) for name, tensor in tensors.items()},
    }


def offered(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Return some test sentences with their true translations and links, for "another sentence"."""
    chosen = random.Random(1).sample(list(pairs), SENTENCES)
    return [{"source": pair.source, "target": pair.target, "links": sorted(pair.links)} for pair in chosen]


def script(model: dict[str, Any]) -> str:
    """Return the script that hands a model to the page. It is a script, since a page on a disk may fetch nothing."""
    return f"live.received({json.dumps(model, ensure_ascii=False, separators=(',', ':'))});\n"


def write(folder: Path) -> None:
    """Write the engine and this build's Transformer into a folder of the book's pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCRIPTS:
        (folder / name).write_bytes((ENGINE / name).read_bytes())
    model = transformer(model_cache.trained(SOLUTION, quiet=True))
    model["sentences"] = offered(corpora.load("phrasebook").tests["test"])
    (folder / "transformer-model.js").write_text(script(model), encoding="utf-8")
