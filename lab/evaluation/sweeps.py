"""Sweeps: one question about one model, answered by runs that differ only in the fields named."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lab.evaluation.result_files import read_json, results_folder
from lab.kinds.kind import run_of
from lab.kinds.ranges import RecipeError
from lab.kinds.runs import Solution, as_recipe, joined

Changes = Mapping[str, Any]  # field of the recipe, or of its training -> another value


@dataclass(frozen=True)
class Sweep:
    """A question, the run that it starts from, and the variants: their word in the run's name and what differs."""

    question: str
    corpus: str
    recipe: str
    variants: Mapping[str, Changes]  # "" is the recipe as it stands
    seeds: tuple[int, ...] = (1, 2, 3)
    direction: tuple[str, ...] = ()  # from which language into which, where that is not the corpus's own

    def steps(self, solution: Solution, seeds: Sequence[int] = ()) -> Iterator["Step"]:
        """Return a step for each run: all variants with the first seed, then all with the second, …"""
        for seed in seeds or self.seeds:
            for variant in self.variants:
                yield Step(solution, self, variant, seed)

    def longer(self, epochs: int, question: str = "The same with more epochs: what was only slower?") -> "Sweep":
        """Return the same sweep with another number of epochs and a word for it in each name: long, last-long, …"""
        variants = {joined(name, "long"): {**own, "epochs": epochs} for name, own in self.variants.items()}
        return replace(self, question=question, variants=variants)


def changed(solution: Solution, name: str, changes: Changes) -> Any:
    """Return a recipe with changes, of itself or of its training; a field that it does not have is an error."""
    recipe = solution.recipes[name]
    for field, value in changes.items():
        if hasattr(recipe, field):
            recipe = replace(recipe, **{field: value})
        elif hasattr(recipe.training, field):
            recipe = replace(recipe, training=replace(recipe.training, **{field: value}))
        else:
            raise RecipeError(f"recipe {name} of {solution.name} has no field {field!r}")
    return recipe


@dataclass(frozen=True)
class Step:
    """One run of a sweep: the commands that train and score it, and the result file that they leave."""

    solution: Solution
    sweep: Sweep
    variant: str
    seed: int

    @property
    def run(self) -> Any:
        """The run's name, as result files are called, and place."""
        where = self.sweep.corpus, self.sweep.recipe, self.variant, self.seed, *self.sweep.direction
        return run_of(self.solution.name, *where)

    @property
    def name(self) -> str:
        return f"{self.run.name}-seed{self.seed}"

    @property
    def options(self) -> list[str]:
        """The options by which a reader names the run."""
        words = ["--corpus", self.sweep.corpus, "--recipe", self.sweep.recipe, "--seed", str(self.seed)]
        for side, language in zip(("--source", "--target"), self.sweep.direction, strict=False):
            words += [side, language]
        return words + (["--variant", self.variant] if self.variant else [])

    @property
    def recipe(self) -> Any:
        """The recipe with the changes; a field that it does not have is an error."""
        return changed(self.solution, self.sweep.recipe, self.sweep.variants[self.variant])

    @property
    def is_done(self) -> bool:
        """Return whether there is a result of this run, by this very recipe, trained to its end."""
        path = results_folder(self.solution.name) / f"{self.name}.json"
        if not path.exists():
            return False
        result = read_json(path)
        same = as_recipe(type(self.recipe), result["recipe"]) == self.recipe  # a newer field has its default
        return same and not result["training"]["ended_by_budget"]

    def commands(self, device: str | None = None) -> list[list[str]]:
        """Return the two commands of this run, as a reader would type them: train, then evaluate."""
        where = [*self.options, "--threads", "1"]
        changes = [word for field, value in self.sweep.variants[self.variant].items() for word in option(field, value)]
        train = ["train", *where, *changes, *(["--device", device] if device else [])]
        return [
            [sys.executable, "-m", f"solutions.{self.solution.name}", *words] for words in (train, ["evaluate", *where])
        ]


def option(field: str, value: Any) -> list[str]:
    """Return a field of a recipe as an option of `train`."""
    name = field.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    return [f"--{name}", str(value)]
