"""From corpus to checkpoint and back: what training a translation model and training a classifier share."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import torch

from lab.kinds.ranges import demand
from lab.kinds.runs import Named, Solution, best, built, forget, kept_about, rebuilt
from lab.train.budget import Budget
from lab.train.training import Progress, Task, Trainer, best_device, seed_all

T = TypeVar("T")
Sides = tuple[Any, Any]  # source and target: two vocabularies, or words and labels


class Experiment(ABC, Generic[T]):
    """A kind of training, T being its model in use. Each kind has its own version of the first methods."""

    metric: ClassVar[str]  # what `score` is called when it is printed
    trained: Callable[..., T]  # (model, *sides, about, progress) -> the model in use

    @abstractmethod
    def texts(self, corpus: Any) -> Iterable[str]:
        """Return the training text, piece by piece."""

    @abstractmethod
    def learn(self, solution: Solution, corpus: Any, recipe: Any) -> Sides:
        """Learn both sides, from the training part alone."""

    @abstractmethod
    def state(self, source: Any, target: Any) -> dict[str, Any]:
        """Return both sides as plain values, for the checkpoint."""

    @abstractmethod
    def restored(self, about: dict[str, Any]) -> Sides:
        """Return the sides of which a checkpoint has the state."""

    @abstractmethod
    def task(self, trained: T, corpus: Any, recipe: Any) -> Task:
        """Return the batches and the loss."""

    @abstractmethod
    def score(self, trained: T, corpus: Any, tick: Callable[[], object]) -> float:
        """Return the score on the validation part, in percent; `tick` is called before each batch or step."""

    def fingerprint(self, corpus: Any) -> str:
        """Return a short name of the training text: a checkpoint is only resumed on the same text."""
        digest = hashlib.sha256()
        for text in self.texts(corpus):
            digest.update(text.encode())
        return digest.hexdigest()[:16]

    def train(
        self,
        solution: Solution,
        run: Named,
        recipe: Any,
        *,
        minutes: int | float | None = None,
        device: torch.device | None = None,
        folder: Path | None = None,
        fresh: bool = False,
        **how: Any,
    ) -> T:
        """Train a `run` of a `solution` by its `recipe`; go on where an earlier call was stopped, unless `fresh`.

        It ends with the last epoch or after so many `minutes`, reading the corpus and validating included. `device` and
        `folder` are by default the best device and the run's folder. `how`: the `corpus`, if it is at hand, and a
        trainer's `micro_tokens`, `quiet` and `keep_on_interrupt` (Ctrl-C ends it as the budget does).
        """
        budget, folder = Budget.of(minutes), folder or run.folder
        trainer = self.trainer(solution, run, recipe, folder, budget, fresh=fresh, device=device, **how)
        if fresh:  # only now, when corpus and model are there
            forget(folder)
        progress = trainer.run()  # of the whole training; the checkpoint holds that of its best moment
        return self.restore(solution, folder, device, progress)

    def trainer(
        self,
        solution: Solution,
        run: Named,
        recipe: Any,
        folder: Path,
        budget: Budget | None = None,
        corpus: Any = None,
        fresh: bool = False,
        device: torch.device | None = None,
        **how: Any,
    ) -> Trainer:
        """Return the trainer of a `run` of a `solution`, with corpus, vocabularies and model at hand.

        It works by the `recipe` in a `folder`, on a `device`, within a `budget`; it loads the `corpus` if none is
        handed over. Vocabularies of a training that can be resumed are taken from its checkpoint, unless `fresh`.
        `how` are other fields of a trainer.
        """
        demand(recipe)
        budget = budget or Budget.of(None)
        corpus = corpus or run.load()
        about: dict[str, Any] = {
            "solution": solution.name,
            "run": run.name,
            "recipe": asdict(recipe),
            "data": self.fingerprint(corpus),
        }
        kept = None if fresh else kept_about(folder, about)
        sides = self.restored(kept) if kept else self.learn(solution, corpus, recipe)
        about |= self.state(*sides)
        seed_all(run.seed)
        model = built(solution, recipe, *map(len, sides))
        if not kept and hasattr(model, "prepare"):  # vectors that come from elsewhere
            model.prepare(sides[0], corpus)
        if hasattr(model, "begin"):  # loads things outside the checkpoint, another model for example
            model.begin(run)

        def in_use(candidate: Any) -> T:
            return self.trained(candidate, *sides, about, Progress())

        return Trainer(
            model,
            self.task(in_use(model), corpus, recipe),
            recipe.training,
            folder,
            seed=run.seed,
            validate=lambda candidate: self.score(in_use(candidate), corpus, budget.demand),
            about=about,
            minutes=budget,
            rate=solution.rate(recipe) if solution.rate else None,
            device=device or best_device(),
            **how,
        )

    def restore(
        self, solution: Solution, folder: Path, device: torch.device | None = None, progress: Progress | None = None
    ) -> T:
        """Return the best model of a run's folder; a checkpoint of another solution is an error."""
        return self.revived(solution, folder / "best.pt", best(solution, folder), device, progress)

    def revived(
        self,
        solution: Solution,
        path: Path,
        content: dict[str, Any],
        device: torch.device | None = None,
        progress: Progress | None = None,
    ) -> T:
        """Return the model in the `content` of a file at `path`."""
        sides = self.restored(content)
        model = rebuilt(solution, path, content, (len(sides[0]), len(sides[1])), device)
        kept = Progress(**content["progress"])
        about = {key: value for key, value in content.items() if key not in ("weights", "progress")}
        return self.trained(model, *sides, about, progress or kept, kept=kept)
