"""The common parts of all trainings: a chapter's recipes, a folder, a checkpoint to resume from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from lab import corpora
from lab.corpora import Labelled
from lab.kinds.ranges import RecipeError, demand_word
from lab.train.checkpoints import CheckpointError, load
from lab.train.devices import best_device
from lab.train.schedules import Rate

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / "build" / "runs"
Build = Callable[[Any, int, int], Any]  # (recipe, source or text vocabulary, target vocabulary or labels) -> model


@dataclass(frozen=True)
class Solution:
    """A chapter as the lab sees it: its name, its model, its recipes, and the recipe for each corpus."""

    name: str
    build: Build
    recipes: Mapping[str, Any]
    defaults: Mapping[str, str]
    # run without recipe: the published scores, and how they were computed
    peers: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    rate: Callable[[Any], Rate | None] | None = None  # recipe -> its learning rates, where the loop's are not taken
    reading: Callable[[Labelled, Any], Iterable[str]] | None = (
        None  # the text for its vocabulary, if there is more of it
    )


def joined(*parts: str) -> str:
    """Return the name of a run or a variant, made of its parts without the empty ones."""
    return "-".join(filter(None, parts))


class Named:
    """The names of a run: its corpus, its recipe, a word for a difference from the recipe, its seed."""

    solution: str
    corpus: str
    recipe: str
    variant: str
    seed: int

    def __post_init__(self) -> None:
        demand_word("--variant", self.variant)  # it is part of a folder's name

    @property
    def task(self) -> str:
        """The corpus, in its direction if it has several."""
        return joined(self.corpus, *(getattr(self, side, "") for side in ("source", "target")))

    @property
    def name(self) -> str:
        return joined(self.task, self.recipe, self.variant)

    def load(self) -> Any:
        """Return its corpus."""
        return corpora.load(self.corpus, getattr(self, "source", None), getattr(self, "target", None))

    @property
    def folder(self) -> Path:
        return RUNS / self.solution / self.name / f"seed{self.seed}"


@dataclass(frozen=True)
class CorpusRun(Named):
    """A run on a corpus without directions."""

    solution: str
    corpus: str
    recipe: str
    variant: str = ""
    seed: int = 1


def trained_seeds(folder: Path) -> list[int]:
    """Return the seeds that a run has been trained with."""
    return sorted(int(path.parent.name.removeprefix("seed")) for path in folder.glob("seed*/best.pt"))


def kept_about(folder: Path, about: dict[str, Any]) -> dict[str, Any] | None:
    """Return the description in the checkpoint of a training that can be resumed, None if there is none.

    It holds the vocabularies, which might come out differently if they were learnt anew.
    """
    if not (folder / "last.pt").exists():
        return None
    kept = load(folder / "last.pt").get("about", {})
    return kept if all(kept.get(key) == value for key, value in about.items()) else None


def forget(folder: Path) -> None:
    """Remove the checkpoints of a training."""
    for file in (folder / "last.pt", folder / "best.pt", *folder.glob("epochs/*.pt")):
        file.unlink(missing_ok=True)


def best(solution: Solution, folder: Path) -> dict[str, Any]:
    """Return the best checkpoint of a run's folder; one of another solution is an error."""
    content = load(folder / "best.pt")
    if missing := {"solution", "recipe", "weights", "progress"} - set(content):
        raise CheckpointError(f"{folder / 'best.pt'} is not a trained model: it lacks {', '.join(sorted(missing))}.")
    if content["solution"] != solution.name:
        raise CheckpointError(
            f"{folder / 'best.pt'} holds another model: expected {solution.name}, got {content['solution']}. "
            f"Use python -m solutions.{content['solution']}, or train this one."
        )
    return content


def built(solution: Solution, recipe: Any, *sizes: int) -> Any:
    """Return a new model; raise RecipeError where it cannot have the values of the recipe."""
    try:
        return solution.build(recipe, *sizes)
    except ValueError as error:
        raise RecipeError(f"{solution.name} cannot be built so: {error}") from error


def rebuilt(
    solution: Solution, path: Path, content: dict[str, Any], sizes: tuple[int, int], device: torch.device | None
) -> Any:
    """Return the model of a checkpoint, ready to be used."""
    try:
        recipe = as_recipe(type(next(iter(solution.recipes.values()))), content["recipe"])
        model = solution.build(recipe, *sizes)
        model.load_state_dict(content["weights"])
    except (RuntimeError, TypeError) as error:
        raise CheckpointError(
            f"{path} does not fit the model as it is now: {str(error).splitlines()[-1].strip()} "
            f"{'Train again with --fresh.' if path.name == 'best.pt' else 'Make it anew: make models.'}"
        ) from None
    return model.to(device or best_device()).eval()


def as_recipe(kind: type, values: dict[str, Any]) -> Any:
    """Return the recipe that a checkpoint keeps as plain values."""
    training = kind.__dataclass_fields__["training"].default_factory
    return kind(**{**values, "training": training(**values["training"])})
