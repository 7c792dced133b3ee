"""From corpus to checkpoint and back: what training a translation model and training a classifier share."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch

from lab.kinds.ranges import demand
from lab.kinds.runs import Named, Solution, best, built, forget, kept_about, rebuilt
from lab.train.budget import Budget
from lab.train.training import Progress, Task, Trainer, best_device, seed_all

T = TypeVar("T")
Sides = tuple[Any, Any]  # what is read and what is said: two vocabularies, or words and labels


@dataclass(frozen=True)
class Experiment(Generic[T]):
    """A kind of training: the steps in which translation and classification differ."""

    metric: str  # what `score` is called when it is printed
    trained: Callable[..., T]  # (model, *sides, about, progress) -> the model in use
    load: Callable[[Any], Any]  # run -> corpus
    fingerprint: Callable[[Any], str]  # corpus -> short name of its training text
    learn: Callable[[Solution, Any, Any], Sides]  # (solution, corpus, recipe) -> sides
    state: Callable[[Any, Any], dict[str, Any]]  # sides -> plain values, for the checkpoint
    restored: Callable[[dict[str, Any]], Sides]  # what a checkpoint says -> sides
    task: Callable[[T, Any, Any], Task]  # (model in use, corpus, recipe) -> its batches and its loss
    score: Callable[[T, Any, Callable[[], object]], float]  # (model in use, corpus, tick) -> on validation, in percent

    def train(  # noqa: PLR0913 — what a command can ask for
        self,
        solution: Solution,
        run: Named,
        recipe: Any,
        *,
        minutes: int | float | None = None,
        quiet: bool = False,
        device: torch.device | None = None,
        folder: Path | None = None,
        corpus: Any = None,
        fresh: bool = False,
        micro_tokens: int = 0,
        keep_on_interrupt: bool = False,
    ) -> T:
        """Train one run to its end or its time budget, going on from where an earlier call was stopped, unless `fresh`.

        The budget is that of the whole call: reading the corpus and validating are in it. With `keep_on_interrupt` a
        KeyboardInterrupt ends the training as the budget does.
        """
        budget, folder = Budget.of(minutes), folder or run.folder
        how = {"micro_tokens": micro_tokens, "quiet": quiet, "keep_on_interrupt": keep_on_interrupt}
        trainer = self.trainer(solution, run, recipe, folder, budget, corpus, fresh, device, **how)
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
        """Return what trains a run, with corpus, vocabularies and model at hand; `how` are other fields of a trainer.

        Vocabularies of a training that can be resumed are taken from its checkpoint, unless `fresh`.
        """
        demand(recipe)
        budget = budget or Budget.of(None)
        corpus = corpus or self.load(run)
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
        if hasattr(model, "begin"):  # what a training needs beside its checkpoint, another model for example
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
        """Return the model that a file holds, whose content was read already."""
        sides = self.restored(content)
        model = rebuilt(solution, path, content, (len(sides[0]), len(sides[1])), device)
        kept = Progress(**content["progress"])
        about = {key: value for key, value in content.items() if key not in ("weights", "progress")}
        return self.trained(model, *sides, about, progress or kept, kept=kept)
