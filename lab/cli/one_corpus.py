"""What the command lines of classifiers and of language models share: a corpus without directions, its runs."""

from collections.abc import Callable
from dataclasses import dataclass

from lab.cli import common
from lab.cli.common import Long, Named, find_recipe
from lab.corpora import CorpusError
from lab.experiment import Experiment
from lab.runs import CorpusRun, Solution


@dataclass(frozen=True)
class Where(Named):
    """Which corpus, by which recipe."""

    corpus: str | None = None
    """name of a corpus; by default the chapter's first, which is made on the spot"""


@dataclass(frozen=True)
class Train(Long, Where):
    """Train a model, and go on where an earlier call of the same run was stopped."""


@dataclass(frozen=True)
class Corpora:
    """The corpora that a kind of model takes, and what is said of another one."""

    fits: Callable[[str], bool]
    lacks: str

    def find(self, solution: Solution, name: str | None) -> str:
        """Return the corpus asked for, or the chapter's first; one that does not fit is an error."""
        name = name or next(iter(solution.defaults))
        if not self.fits(name):
            known = ", ".join(solution.defaults)
            raise CorpusError(f"{name} {self.lacks}. The corpora of {solution.name} are: {known}.")
        return name

    def run(self, solution: Solution, options: Where) -> CorpusRun:
        """Return the run that is asked for, with the first seed; a recipe that there is not is an error."""
        corpus = self.find(solution, options.corpus)
        recipe = options.recipe or default_recipe(solution, corpus)
        find_recipe(solution, recipe)
        return CorpusRun(solution.name, corpus, recipe, options.variant)

    def train(self, experiment: Experiment, solution: Solution, argv: list[str]) -> None:
        """Train the run that a command line asks for."""
        corpus, named = common.given(argv, "--corpus", "--recipe")
        corpus = self.find(solution, corpus)
        named = named or default_recipe(solution, corpus)
        options, recipe = common.with_recipe(solution, named, Train, Train(), argv)
        run = CorpusRun(solution.name, corpus, named, options.variant, options.seed)
        common.train(experiment, solution, run, recipe, options)


def default_recipe(solution: Solution, corpus: str) -> str:
    """Return the recipe that a corpus takes, or the chapter's first."""
    return solution.defaults.get(corpus) or next(iter(solution.defaults.values()))


def advice(solution: Solution, run: CorpusRun) -> str:
    """Return what to do where no model of a run is trained."""
    return common.nothing_trained(run, f"--corpus {run.corpus}", default_recipe(solution, run.corpus))
