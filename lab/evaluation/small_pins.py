"""Pinned models that are trained by lab/kinds/fit.py, in a minute, on batches that are made on the fly."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lab.evaluation.pins import CHANGED, NEAR, First, code_digest, first_steps, made_by, unusable
from lab.kinds.fit import fit
from lab.kinds.pinned import packed, place_of, record_of, unpacked, write
from lab.kinds.runs import joined
from lab.train.checkpoints import CheckpointError
from lab.train.devices import device_name

Begun = tuple[nn.Module, Callable[[], Tensor]]  # a fresh model, and what draws a batch and returns its loss


@dataclass(frozen=True)
class SmallPin:
    """A small model that the book shows: how it begins, the same each time, and how far it is trained."""

    chapter: str
    variant: str
    module: str  # whose code makes and trains it
    begin: Callable[[], Begun]
    about: Mapping[str, Any]  # its settings, as plain values
    steps: int
    rate: float

    @property
    def name(self) -> str:
        return joined(self.chapter, self.variant)

    @property
    def path(self) -> Path:
        return place_of(self.chapter, self.variant)

    @property
    def code(self) -> str:
        """A digest of the chapter's code that the model is made of."""
        return code_digest(self.module)

    @property
    def settings(self) -> dict[str, Any]:
        """All that the training depends on beside the code, as JSON keeps it."""
        return json.loads(json.dumps({**self.about, "steps": self.steps, "rate": self.rate}))

    @property
    def key(self) -> list[Any]:
        return [self.settings, self.code]

    def moved(self) -> list[str]:
        """Return the reasons why the pinned model no longer holds, in words."""
        if reasons := unusable(self.path):
            return reasons
        record = record_of(self.path)
        if record["recipe"] != self.settings:
            return [f"recipe: {record['recipe']} is now {self.settings}"]
        reasons = [CHANGED] if record["code"] != self.code else []
        reasons += self.first_steps().differs(record["first steps"])
        loss = self.answer(unpacked(self.path.read_bytes())[1])
        if not math.isclose(loss, record["answer"], rel_tol=NEAR, abs_tol=1e-4):
            reasons.append(f"code: the model's loss on a batch is {loss:.4f}, it was {record['answer']:.4f}")
        return reasons

    def make(self, _: Path) -> str:
        """Train the model and pin it; return a sentence about it."""
        model, loss = self.begin()
        if sum(1 for _step in fit(model, loss, self.steps, self.rate)) < self.steps:
            raise CheckpointError(f"{self.name}: the training was cut short; nothing is pinned")
        data = packed({"recipe": self.settings}, model.state_dict())
        record = made_by(self.name, data) | {
            "device": device_name(torch.device("cpu")),
            "recipe": self.settings,
            "parameters": sum(weight.numel() for weight in model.parameters()),
            "code": self.code,
            "first steps": asdict(self.first_steps()),
            "answer": self.answer(unpacked(data)[1]),
        }
        write(self.path, data, record)
        return f"{len(data) / 1e6:.2f} MB, loss on a batch {record['answer']:.3f}"

    def first_steps(self) -> First:
        """Return the first steps of the training, taken anew."""
        losses: list[float] = []
        model, loss = self.begin()

        def noted() -> Tensor:
            value = loss()
            losses.append(value.item())
            return value

        return first_steps(model, (losses[-1] for _step in fit(model, noted, self.steps, self.rate)))

    @torch.no_grad()
    def answer(self, weights: Mapping[str, Tensor]) -> float:
        """Return the loss of the packed model on the first batch of its training."""
        model, loss = self.begin()
        model.load_state_dict(weights)
        return float(loss())
