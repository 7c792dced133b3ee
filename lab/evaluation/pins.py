"""Making pinned models, and telling when code, recipe or data have moved away from one (lab/kinds/pinned.py)."""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import nn

from lab import corpora
from lab.dependencies import ROOT, files_behind
from lab.evaluation.result_files import commit, versions
from lab.evaluation.syntax import syntax_digest
from lab.files import scratch
from lab.kinds.kind import experiment_of, run_of
from lab.kinds.pinned import packed, pinned, place_of, record_of, shown, unpacked, write
from lab.kinds.runs import Solution, best, forget, joined
from lab.train.checkpoints import CheckpointError
from lab.train.training import Trainer

FIRST = 4  # steps of a training that are taken again: they show whether it is still the same one
CHANGED = "code: that of the chapter has changed"
NEAR, FAR = 1e-3, 1e-2  # by what part losses may differ, and distances: machines add in other orders
COST = {"BLEU": 0.5, "score": 0.5, "log-likelihood": 0.005}  # what eight bits may take from the validation score


@dataclass(frozen=True)
class Pin:
    """A model that the book shows: a chapter's, on a corpus, by a recipe or by one that differs from it."""

    solution: Solution
    corpus: str
    variant: str = ""  # a word for the second model of a chapter, and the third
    recipe: str = ""  # by default the chapter's for the corpus
    changes: Mapping[str, Any] = field(default_factory=dict)  # of the recipe's fields and of its training's
    seed: int = 1
    texts: Callable[[], Any] | None = None  # in place of the corpus
    watching: Callable[[list[Any]], Solution] | None = None  # the solution that notes something at each step

    @property
    def name(self) -> str:
        return joined(self.solution.name, self.variant)

    @property
    def path(self) -> Path:
        return place_of(self.solution.name, self.variant)

    @property
    def code(self) -> str:
        """A digest of the chapter's code that the model is made of."""
        return code_digest(self.solution.build.__module__)

    @cached_property
    def settings(self) -> Any:
        """The recipe with its changes."""
        recipe = self.solution.recipes[self.recipe or self.solution.defaults[self.corpus]]
        own = {each.name for each in fields(recipe)}
        training = {name: value for name, value in self.changes.items() if name not in own}
        others = {name: value for name, value in self.changes.items() if name in own}
        return replace(recipe, training=replace(recipe.training, **training), **others)

    @cached_property
    def data(self) -> Any:
        """The corpus that it is trained and validated on."""
        return self.texts() if self.texts else corpora.load(self.corpus)

    @property
    def key(self) -> list[Any]:
        """The properties that a stopped training and the one that resumes it must share."""
        return [asdict(self.settings), self.corpus, self.seed, self.code]

    def moved(self) -> list[str]:
        return moved(self)

    def make(self, folder: Path) -> str:
        return make(self, folder)

    def trainer(self, folder: Path, solution: Solution | None = None, precision: str = "") -> Trainer:
        """Return the trainer of this pin, in a folder; in `precision` if one is named, otherwise in the recipe's."""
        training = self.settings.training
        recipe = replace(self.settings, training=replace(training, precision=precision or training.precision))
        named = self.recipe or self.solution.defaults[self.corpus]
        run = run_of(self.solution.name, self.corpus, named, self.variant, self.seed)
        experiment = experiment_of(self.corpus)
        device = torch.device("cpu")
        return experiment.trainer(
            solution or self.solution, run, recipe, folder, corpus=self.data, quiet=True, device=device
        )


def code_digest(module: str) -> str:
    """Return a digest of a module and its imports from the chapters, without comments and docstrings."""
    files = files_behind([module], ROOT)
    return syntax_digest([file for file in files if file.is_relative_to(ROOT / "solutions") and file.suffix == ".py"])


@dataclass(frozen=True)
class First:
    """The first steps of a training: the loss of each, and the distance of the parameters from where they began."""

    losses: list[float]
    distances: list[float]

    def differs(self, kept: Mapping[str, Sequence[float]]) -> list[str]:
        """Return the differences between these steps and the `kept` ones, in words."""
        bounds = {"losses": NEAR, "distances": FAR}
        return [
            f"code: the training begins with {name} of {now}, it began with {kept[name]}"
            for name, now in asdict(self).items()
            if not all(math.isclose(*pair, rel_tol=bounds[name]) for pair in zip(now, kept[name], strict=True))
        ]


def first_steps(model: nn.Module, steps: Iterable[float]) -> First:
    """Return the first of some `steps`: each moves the model, and is the loss."""
    begun = [weight.detach().clone() for weight in model.parameters()]
    losses, distances = [], []
    for loss in islice(steps, FIRST):
        moves = [(weight.detach() - one).square().sum() for weight, one in zip(model.parameters(), begun, strict=True)]
        losses.append(loss)
        distances.append(float(torch.stack(moves).sum().sqrt()))
    return First(losses, distances)


def first_of(pin: Pin) -> First:
    """Return the first steps of the training, taken anew, in fp32: the same on every processor."""
    trainer = pin.trainer(scratch(), precision="fp32")
    trainer.model.train()
    groups = trainer.task.groups(trainer.epoch_seed(0))
    return first_steps(trainer.model, (float(trainer.step(group)) for group in groups))


@torch.no_grad()
def answer(pin: Pin, trained: Any) -> float:
    """Return the loss of the packed model on the first batch of its training text, without dropout."""
    task = experiment_of(pin.corpus).task(trained, pin.data, pin.settings)
    model = trained.model.cpu().eval()
    return float(task.loss(model, task.collate(task.groups(0)[0]), torch.device("cpu")))


def moved(pin: Pin) -> list[str]:
    """Return the reasons why the pinned model no longer holds, in words; nothing if it does."""
    if reasons := unusable(pin.path):
        return reasons
    record, (about, _) = record_of(pin.path), unpacked(pin.path.read_bytes())
    reasons = [f"recipe: {each}" for each in differing(about["content"]["recipe"], asdict(pin.settings))]
    if (about["corpus"], record["seed"]) != (pin.corpus, pin.seed):
        reasons.append(f"corpus and seed: {about['corpus']}, {record['seed']} are now {pin.corpus}, {pin.seed}")
    elif about["content"]["data"] != experiment_of(pin.corpus).fingerprint(pin.data):
        reasons.append("data: the training text is another one")
    if reasons:
        return reasons
    if record["code"] != pin.code:
        reasons.append(CHANGED)
    return reasons + computed_otherwise(pin, record)


def unusable(path: Path) -> list[str]:
    """Return the reasons why a file is no pinned model with its record, in words."""
    if not (path.exists() and path.with_suffix(".json").exists()):
        return ["there is none yet"]
    if record_of(path)["sha256"] != hashlib.sha256(path.read_bytes()).hexdigest():
        return [f"{shown(path)} is not the file that its record tells of"]
    return []


def computed_otherwise(pin: Pin, record: Mapping[str, Any]) -> list[str]:
    """Return the differences in what the code computes since the model was made: its first steps, its loss."""
    reasons = first_of(pin).differs(record["first steps"])
    try:
        loss = answer(pin, pinned(pin.solution, pin.variant))
    except CheckpointError as error:
        return [*reasons, f"code: {error}"]
    if not math.isclose(loss, record["answer"], rel_tol=NEAR, abs_tol=1e-4):
        reasons.append(f"code: the model's loss on a batch is {loss:.4f}, it was {record['answer']:.4f}")
    return reasons


def differing(kept: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the fields of a recipe that have other values now, in words."""
    pairs = {**kept, **kept["training"]}, {**now, **now["training"]}
    names = [name for name in {**pairs[0], **pairs[1]} if name != "training"]
    return [
        f"{name} was {one!r} and is {other!r}"
        for name in names
        if (one := pairs[0].get(name)) != (other := pairs[1].get(name))
    ]


def make(pin: Pin, folder: Path) -> str:
    """Train a model, going on from where an earlier call was stopped, and pin it; return a sentence about it.

    A training with `watching` begins anew: its notes start with the first step.
    """
    notes: list[Any] = []
    if pin.watching:
        forget(folder)
    trainer = pin.trainer(folder, pin.watching(notes) if pin.watching else None)
    progress = trainer.run()
    if progress.ended_by_budget:
        raise CheckpointError(f"{pin.name}: the training was cut short; nothing is pinned")
    content = best(pin.solution, folder)
    weights = content.pop("weights")
    about = {"corpus": pin.corpus, "content": content, "progress": asdict(progress), "watched": notes}
    data, experiment = packed(about, weights), experiment_of(pin.corpus)
    model = experiment.revived(pin.solution, pin.path, content | {"weights": unpacked(data)[1]})
    scores = {"trained": content["progress"]["best"], "packed": experiment.score(model, pin.data, lambda: None)}
    if scores["trained"] - scores["packed"] > COST[experiment.metric]:
        raise CheckpointError(f"{pin.name}: eight bits a number cost too much: {scores}")
    record = made_by(pin.name, data) | {
        "device": progress.device,
        "precision": "bf16" if trainer.gradient.bf16 else "fp32",
        "seconds": round(progress.seconds),
        "corpus": pin.corpus,
        "data": content["data"],
        "recipe": content["recipe"],
        "seed": pin.seed,
        "parameters": sum(weight.numel() for weight in model.model.parameters()),
        "code": pin.code,
        "validation": {"metric": experiment.metric} | scores,
        "first steps": asdict(first_of(pin)),
        "answer": answer(pin, model),
    }
    write(pin.path, data, record)
    return f"{len(data) / 1e6:.2f} MB, validation {scores['trained']:.3f}, packed {scores['packed']:.3f}"


def made_by(name: str, data: bytes) -> dict[str, Any]:
    """Return the head of a record: who made a file, and which one."""
    return {
        "command": f"python -m book.make.models {name}",
        "commit": commit(),
        "versions": versions(),
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def noted(path: Path, code: str) -> None:
    """Note the code as it is now, which computes the same as when the model was made."""
    write(path, path.read_bytes(), record_of(path) | {"code": code})
