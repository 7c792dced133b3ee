"""What the command lines of all kinds of models share: a corpus, its runs, how they are trained and scored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab import corpora
from lab.cli import common
from lab.cli.common import Long, Named, find_recipe
from lab.cli.sweep import sweep_of
from lab.corpora import CorpusError
from lab.evaluation.sweeps import Sweep
from lab.experiment import Experiment
from lab.kinds import run_of
from lab.ranges import Seed
from lab.runs import Solution


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
        """Return what the scorer is told beside the run."""
        return {}


@dataclass(frozen=True)
class Kind:
    """A kind of model: how it is trained, the corpora that it takes, and what is said of another one."""

    experiment: Experiment
    fits: Callable[[str], Any]
    lacks: str
    training: type = Train
    evaluating: type = Evaluate

    def commands(self, sweeps: Mapping[str, Sweep] | None, **asked: Callable) -> dict[str, Callable]:
        """Return the commands: those of every kind, and between them the ones that ask a model."""
        return {"train": self.train, "evaluate": self.evaluate, **asked, "sweep": sweep_of(sweeps or {})}

    def corpus(self, solution: Solution, name: str | None) -> str:
        """Return the corpus asked for, or the chapter's first; one that does not fit is an error."""
        name = name or next(iter(solution.defaults))
        if not self.fits(name):
            known = ", ".join(solution.defaults)
            raise CorpusError(f"{name} {self.lacks}. The corpora of {solution.name} are: {known}.")
        return name

    def run(self, solution: Solution, options: Where, recipe: str | None = None, seed: int = 1) -> Any:
        """Return the run that is asked for; a recipe that there is not is an error."""
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
        common.train(self.experiment, solution, self.run(solution, options, named, options.seed), recipe, options)

    def evaluate(self, solution: Solution, argv: list[str]) -> None:
        """Score the trained models on the test sets and write the results."""
        from lab.evaluation.evaluate import evaluate

        options, command = common.read(self.evaluating, solution, argv), " ".join(argv)
        first, how = self.run(solution, options), options.how()
        common.evaluate(
            first, options.seed, advice(solution, first), lambda run: evaluate(solution, run, command=command, **how)
        )

    def newest(self, solution: Solution, options: Any) -> Any:
        """Return the model of the run asked for, or the one trained last for the task."""
        first = self.run(solution, options)
        return self.experiment.restore(solution, common.newest(first, options, advice(solution, first)))


def default_recipe(solution: Solution, corpus: str) -> str:
    """Return the recipe that a corpus takes, or the chapter's first; of a translation model its last, for real text."""
    return solution.defaults.get(corpus) or list(solution.defaults.values())[-1 if corpora.is_parallel(corpus) else 0]


def advice(solution: Solution, run: Any) -> str:
    """Return what to do where no model of a run is trained."""
    options = f"--corpus {run.corpus}"
    if corpora.is_parallel(run.corpus) and (run.source, run.target) != corpora.direction(run.corpus):
        options += f" --source {run.source} --target {run.target}"
    return common.nothing_trained(run, options, default_recipe(solution, run.corpus))
