"""Pinned models: trained weights that the repository keeps, eight bits a number. The book's pages train nothing.

`solutions/NAME/pinned/MODEL.npz` is a model whole; MODEL.json beside it says how it came about. `make models` makes
both anew, from the list in `solutions/NAME/pins.py`.
"""

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int8
from torch import Tensor

from lab.files import atomic_write
from lab.kinds.kind import experiment_of
from lab.kinds.runs import ROOT, Solution, joined
from lab.train.checkpoints import CheckpointError
from lab.train.training import Progress

ABOUT = "about"  # the entry of the file that holds all but the weights, as JSON
SCALES = "scales of "  # before the name of a matrix: one number for each of its rows
LARGEST = 127  # of eight bits with a sign


def place_of(solution: str, variant: str = "") -> Path:
    """Return the path of a pinned model; a chapter's own has the chapter's name, another one a word behind it."""
    return ROOT / "solutions" / solution / "pinned" / f"{joined(solution, variant)}.npz"


def pinned(solution: Solution, variant: str = "") -> Any:
    """Return a chapter's pinned model, a `Trained` of its kind: the one of every page, picture and live figure.

    Raises CheckpointError where there is none, or where the model's code does not take its weights.
    """
    path = found(solution.name, variant)
    about, weights = unpacked(path.read_bytes())
    content = about["content"] | {"weights": weights}
    return experiment_of(about["corpus"]).revived(solution, path, content, progress=Progress(**about["progress"]))


def watched(solution: Solution, variant: str = "") -> list[Any]:
    """Return the notes from a pinned model's training, step by step (`watching` in its chapter's pins.py)."""
    return unpacked(place_of(solution.name, variant).read_bytes())[0]["watched"]


def pinned_weights(chapter: str, variant: str) -> dict[str, Tensor]:
    """Return the weights of a small model that no `Solution` describes (lab/evaluation/small_pins.py)."""
    return unpacked(found(chapter, variant).read_bytes())[1]


def found(chapter: str, variant: str) -> Path:
    """Return the path of a pinned model; raise CheckpointError if nobody has made it."""
    path = place_of(chapter, variant)
    if not path.exists():
        raise CheckpointError(f"there is no pinned model {shown(path)}: list it in pins.py there, and `make models`")
    return path


def record_of(path: Path) -> dict[str, Any]:
    """Return the record of a pinned model: how it was made."""
    return json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def rounded(
    matrix: Float[Tensor, "rows columns"],
) -> tuple[Int8[Tensor, "rows columns"], Float[Tensor, "rows 1"]]:
    """Return a matrix in whole numbers from -127 to 127, and what each row has to be multiplied by."""
    scales = matrix.abs().amax(dim=1, keepdim=True).clamp_min(1e-12) / LARGEST
    return (matrix / scales).round().to(torch.int8), scales


def packed(about: Mapping[str, Any], weights: Mapping[str, Tensor]) -> bytes:
    """Return a model as one file: matrices in eight bits a number, vectors as they are, tied weights once."""
    arrays: dict[str, np.ndarray] = {}
    for name, tensor in apart(weights):
        if tensor.dim() == 2:
            numbers, scales = rounded(tensor.detach().float())
            arrays |= {name: numbers.numpy(), SCALES + name: scales.numpy()}
        else:
            arrays[name] = tensor.detach().float().numpy()
    text = json.dumps({**about, "tied": tied(weights)}, ensure_ascii=False).encode()
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **{ABOUT: np.frombuffer(text, dtype=np.uint8)}, **arrays)
    return stream.getvalue()


def unpacked(data: bytes) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Return a packed model's description of itself, and its weights by name."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        about = json.loads(arrays[ABOUT].tobytes())
        names = [name for name in arrays.files if name != ABOUT and not name.startswith(SCALES)]
        weights = {name: torch.from_numpy(arrays[name]) for name in names}
        for name in names:
            if SCALES + name in arrays.files:
                weights[name] = weights[name].float() * torch.from_numpy(arrays[SCALES + name])
    return about, weights | {name: weights[other] for name, other in about["tied"].items()}


def tied(weights: Mapping[str, Tensor]) -> dict[str, str]:
    """Return the weights that share their memory with another one, {name: the other's name}."""
    first: dict[int, str] = {}
    return {name: one for name, tensor in weights.items() if (one := first.setdefault(tensor.data_ptr(), name)) != name}


def apart(weights: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights, tied ones once."""
    doubles = tied(weights)
    yield from ((name, tensor) for name, tensor in weights.items() if name not in doubles)


def write(path: Path, data: bytes, record: Mapping[str, Any]) -> None:
    """Write a packed model, then how it came about: a record without its model would be believed."""
    atomic_write(path, data)
    atomic_write(path.with_suffix(".json"), json.dumps(record, ensure_ascii=False, indent=1).encode() + b"\n")
