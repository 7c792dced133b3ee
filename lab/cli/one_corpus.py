"""What the command lines of classifiers and of language models share: which corpus, and the run of that name."""

from collections.abc import Callable
from dataclasses import dataclass

from lab.cli import common
from lab.cli.common import Named, find_recipe
from lab.corpora import CorpusError
from lab.runs import CorpusRun, Solution


@dataclass(frozen=True)
class Where(Named):
    """Which corpus, by which recipe."""

    corpus: str | None = None
    """name of a corpus; by default the chapter's first, which is made on the spot"""


def find_corpus(solution: Solution, name: str | None, fits: Callable[[str], bool], lacks: str) -> str:
    """Return the corpus asked for, or the chapter's first; a misspelt one, or one that does not fit, is an error."""
    name = name or next(iter(solution.defaults))
    if not fits(name):
        raise CorpusError(f"{name} {lacks}. The corpora of {solution.name} are: {', '.join(solution.defaults)}.")
    return name


def default_recipe(solution: Solution, corpus: str) -> str:
    """Return the recipe that a corpus takes, or the chapter's first."""
    return solution.defaults.get(corpus) or next(iter(solution.defaults.values()))


def name_run(solution: Solution, corpus: str, options: Where) -> CorpusRun:
    """Return the run of a corpus with the first seed; a recipe that there is not is an error."""
    recipe = options.recipe or default_recipe(solution, corpus)
    find_recipe(solution, recipe)
    return CorpusRun(solution.name, corpus, recipe, options.variant)


def advice(solution: Solution, run: CorpusRun) -> str:
    """Return what to do where no model of a run is trained."""
    return common.nothing_trained(run, f"--corpus {run.corpus}", default_recipe(solution, run.corpus))
