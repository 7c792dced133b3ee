"""The common part of the command lines for all kinds of models: a corpus, its runs, training and scoring."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from lab import corpora
from lab.cli import common
from lab.cli.common import Long, Named, UsageError, find_device, find_recipe
from lab.cli.sweep import sweep_of
from lab.corpora import CorpusError
from lab.evaluation.sweeps import Sweep
from lab.kinds.experiment import Experiment
from lab.kinds.kind import run_of
from lab.kinds.ranges import Seed, demand_word
from lab.kinds.runs import Solution, trained_seeds
from lab.train.checkpoints import CheckpointError
from lab.train.distributed import Team, here, is_process_lost, part_ways


@dataclass(frozen=True)
class Where(Named):
    """Which corpus, by which recipe."""

    corpus: str | None = None
    """name of a corpus; by default the chapter's first, which is made on the spot"""


@dataclass(frozen=True)
class Train(Long, Where):
    """Train a model, and go on where an earlier call of the same run was stopped."""


@dataclass(frozen=True)
class Evaluate(Where):
    """Score the trained models on the test sets and write solutions/NAME/results/RUN-seedN.json."""

    seed: Seed | None = None
    """one seed; by default every seed that has been trained"""

    def how(self) -> dict[str, Any]:
        """Return the scorer's options beside the run."""
        return {}


def which(options: Train) -> list[str]:
    """Return the options of `evaluate` for the run that `train` made with these."""
    names = ("corpus", "source", "target", "recipe", "variant", "seed")
    given = {name: getattr(options, name, None) for name in names}
    return [word for name, value in given.items() if value not in (None, "") for word in (f"--{name}", str(value))]


@contextmanager
def joint_failure(team: Team) -> Iterator[None]:
    """Say in one sentence that another process of the team is gone."""
    try:
        yield
    except RuntimeError as error:
        if not is_process_lost(error):
            raise
        raise UsageError(
            f"process {team.rank} of {team.size} has lost another one, which was killed, or gave its reason above; "
            "the same command continues from the last checkpoint"
        ) from None


@dataclass(frozen=True)
class Kind:
    """A kind of model: how it is trained, the corpora that it takes, and the error for any other."""

    experiment: Experiment
    fits: Callable[[str], Any]
    lacks: str
    training: type = Train
    evaluating: type = Evaluate

    def commands(self, sweeps: Mapping[str, Sweep] | None, **others: Callable) -> dict[str, Callable]:
        """Return the commands: those of every kind, and between them the ones that ask a model."""
        return {"train": self.train, "evaluate": self.evaluate, **others, "sweep": sweep_of(sweeps or {})}

    def corpus(self, solution: Solution, name: str | None) -> str:
        """Return the corpus asked for, or the chapter's first; one that does not fit is an error."""
        name = name or next(iter(solution.defaults))
        if not self.fits(name):
            known = ", ".join(solution.defaults)
            raise CorpusError(f"{name} {self.lacks}. The corpora of {solution.name} are: {known}.")
        return name

    def run(self, solution: Solution, options: Where, recipe: str | None = None, seed: int = 1) -> Any:
        """Return the run asked for; an unknown recipe is an error."""
        corpus = self.corpus(solution, options.corpus)
        recipe = recipe or options.recipe or default_recipe(solution, corpus)
        find_recipe(solution, recipe)
        sides = (getattr(options, side, None) for side in ("source", "target"))
        return run_of(solution.name, corpus, recipe, options.variant, seed, *sides)

    def train(self, solution: Solution, argv: list[str]) -> None:
        """Train a model, and go on where an earlier call was stopped."""
        corpus, named = common.given(argv, "--corpus", "--recipe")
        named = named or default_recipe(solution, self.corpus(solution, corpus))
        options, recipe = common.with_recipe(solution, named, self.training, self.training(), argv)
        run, device, team = self.run(solution, options, named, options.seed), find_device(options.device), here()
        if team.is_main:
            print(f"{run.name}, seed {run.seed}, on {device}: {run.folder}", flush=True)
        how = {"minutes": options.minutes, "fresh": options.fresh, "micro_tokens": options.micro_tokens}
        with joint_failure(team):
            trained = self.experiment.train(solution, run, recipe, device=device, **how)
        part_ways()
        if team.is_main:
            print(trained.progress.best_of(self.experiment.metric))
            print(f"Score it: python -m solutions.{solution.name} evaluate {shlex.join(which(options))}")

    def evaluate(self, solution: Solution, argv: list[str]) -> None:
        """Score the trained models on the test sets and write the results."""
        from lab.evaluation.evaluate import evaluate

        options, command = common.read(self.evaluating, solution, argv), " ".join(argv)
        first = self.run(solution, options)
        for seed in asked_seeds(first, options.seed, advice(solution, first)):
            print(f"wrote {evaluate(solution, replace(first, seed=seed), command=command, **options.how())}")

    def newest(self, solution: Solution, options: Any) -> Any:
        """Return the model of the run asked for, or the one trained last for the task."""
        first = self.run(solution, options)
        demand_word("--run", options.run or "")
        pattern = options.run or (first.name if options.recipe or options.variant else f"{first.task}-*")
        folder = first.folder.parent.parent
        paths = sorted(folder.glob(f"{pattern}/seed*/best.pt"), key=lambda path: path.stat().st_mtime)
        if not paths and options.run:
            known = ", ".join(sorted({path.parent.parent.name for path in folder.glob("*/seed*/best.pt")}))
            raise CheckpointError(f"{first.solution} has no run {options.run!r}. It has: {known or 'none yet'}.")
        if not paths:
            raise CheckpointError(advice(solution, first))
        return self.experiment.restore(solution, paths[-1].parent)


def asked_seeds(run: Any, seed: int | None, advice: str) -> list[int]:
    """Return the seed asked for, or all trained seeds; if there is none, raise an error with the advice."""
    trained = trained_seeds(run.folder.parent)
    if chosen := [one for one in trained if seed in (None, one)]:
        return chosen
    others = f"\nTrained with: seed {', '.join(map(str, trained))}." if trained else ""
    raise CheckpointError(advice if seed is None else f"seed {seed}: {advice} --seed {seed}{others}")


def default_recipe(solution: Solution, corpus: str) -> str:
    """Return the recipe for a corpus: the one set for it, or the chapter's first; for a real parallel text its last."""
    return solution.defaults.get(corpus) or list(solution.defaults.values())[-1 if corpora.is_parallel(corpus) else 0]


def advice(solution: Solution, run: Any) -> str:
    """Return the advice for a run without a trained model."""
    options = f"--corpus {run.corpus}"
    if corpora.is_parallel(run.corpus) and (run.source, run.target) != corpora.direction(run.corpus):
        options += f" --source {run.source} --target {run.target}"
    options += f" --recipe {run.recipe}" if run.recipe != default_recipe(solution, run.corpus) else ""
    options += f" --variant {run.variant}" if run.variant else ""
    command = f"python -m solutions.{run.solution} train {options}"
    return f"no trained model of {run.task} in {run.folder.parent.parent}. Make one with: {command}"
