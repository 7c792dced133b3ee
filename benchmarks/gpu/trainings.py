"""The full trainings: every model to its end, scored and written as result files, what is missed most first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.gpu.small_models import TRANSLATING, solution_of
from benchmarks.gpu.table import Job, Row, Setting, Unfinished
from lab import corpora
from lab.corpora import Labelled, Parallel, Text
from lab.evaluation.evaluate import KINDS, evaluate
from lab.evaluation.result_files import read_json
from lab.evaluation.sweeps import changed
from lab.kinds import run_of

QUICK_EXAMPLES, QUICK_TESTS = 300, 40
LEAST = 60.0  # seconds: with less left no training is begun
LONGER = {
    "imdb": 240.0,
    "imdb_text": 240.0,
    "semeval2010": 240.0,
}  # whose texts are cut into words and counted before the first step


@dataclass(frozen=True)
class Full:
    """One run: the chapter's model on a corpus, in a direction if it has several, and how the recipe is changed."""

    solution: str
    corpus: str
    recipe: str
    direction: tuple[str, ...] = ()
    variant: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1

    @property
    def run(self) -> Any:
        """The run's name and place."""
        return run_of(self.solution, self.corpus, self.recipe, self.variant, self.seed, *self.direction)

    @property
    def name(self) -> str:
        return f"train: {self.solution} {self.run.name}, seed {self.seed}"

    @property
    def command(self) -> str:
        """The options with which `evaluate` scores the run."""
        words = ["--corpus", self.corpus, "--recipe", self.recipe, "--seed", str(self.seed)]
        words += ["--source", self.direction[0], "--target", self.direction[1]] if self.direction else []
        return " ".join(words + (["--variant", self.variant] if self.variant else []))


BACK = ("en", "de")
DOT = {"variant": "dot", "changes": {"score": "dot"}}
FIRST: Sequence[Full] = (
    Full("transformer", "multi30k", "tiny"),
    Full("bahdanau", "multi30k", "base"),
    Full("luong", "multi30k", "base", **DOT),
    Full("encoder_decoder", "multi30k", "base"),
    Full("transformer", "multi30k", "tiny", BACK),
    Full("bahdanau", "multi30k", "base", BACK),
    Full("luong", "multi30k", "base", BACK, **DOT),
    Full("encoder_decoder", "multi30k", "base", BACK),
    Full("pooling", "semeval2010", "zhou_texts"),
    Full("pooling", "sst", "zhou"),
    Full("structured", "sst", "sst"),
    Full("self_attention", "sst", "sentences"),
    Full("pooling", "imdb", "yang"),
    Full("structured", "imdb", "imdb"),
    Full("self_attention", "imdb", "base"),
    Full("language_model", "shakespeare", "large"),
    Full("language_model", "imdb_text", "imdb"),
    *(Full(name, "phrasebook", "medium") for name in TRANSLATING),
)
LAST = Full("transformer", "tatoeba", "base")
ONE_EPOCH: Mapping[str, Any] = {"variant": "quick", "changes": {"epochs": 1}}
QUICK: Sequence[Full] = (
    *(Full(name, "phrasebook", "small", **ONE_EPOCH) for name in TRANSLATING),
    Full("pooling", "relations", "small", **ONE_EPOCH),
    Full("pooling", "reviews", "small_han", **ONE_EPOCH),
    *(Full(name, "reviews", "small", **ONE_EPOCH) for name in ("structured", "self_attention")),
    Full("language_model", "grammar", "small", **ONE_EPOCH),
)


def jobs(quick: bool) -> Iterator[Job]:
    """Yield the trainings: all with the first seed, then with the second and the third, then the large one."""
    runs = QUICK if quick else [replace(run, seed=seed) for seed in (1, 2, 3) for run in FIRST] + [LAST]
    for run in runs:
        least = 0.0 if quick else LONGER.get(run.corpus, LEAST)
        yield Job(run.name, lambda setting, run=run: train(run, setting), least)


def train(full: Full, setting: Setting) -> Row:
    """Train a run until it is done or the time is over, score it, and return its scores."""
    corpus = load(full, setting.quick)
    experiment, _, unit = KINDS[type(corpus)]
    left, run, solution = max(0.0, setting.budget.left) / 60, full.run, solution_of(full.solution)
    trained = experiment.train(solution, run, recipe(full), minutes=left, device=setting.device, corpus=corpus)
    progress = trained.progress
    if progress.ended_by_budget:
        raise Unfinished(progress.spent)
    folder = setting.out / "results" / full.solution
    path = evaluate(solution, run, command=full.command, given=corpus, folder=folder)
    speed = progress.tokens / max(progress.seconds, 1e-9)
    return {"training seconds": progress.seconds, f"{unit.replace('_', ' ')}/s": speed} | headline(read_json(path))


def recipe(full: Full) -> Any:
    """Return the recipe with its changes."""
    return changed(solution_of(full.solution), full.recipe, full.changes)


def load(full: Full, quick: bool) -> Any:
    """Return the corpus, a small part of it where all goes quickly."""
    corpus: Labelled | Parallel | Text = corpora.load(full.corpus, *full.direction)
    if not quick:
        return corpus
    tests = {split: texts[:QUICK_TESTS] for split, texts in corpus.tests.items()}
    known = {"entropy": None, "known": None} if isinstance(corpus, Text) else {}  # of all test texts
    return replace(
        corpus, train=corpus.train[:QUICK_EXAMPLES], validation=corpus.validation[:QUICK_TESTS], tests=tests, **known
    )


def headline(result: Mapping[str, Any]) -> Row:
    """Return every score of a result file that is a single number: "test beam5 bleu"."""
    row: Row = {}

    def note(path: tuple[str, ...], value: Any) -> None:
        if isinstance(value, Mapping) and isinstance(value.get("value"), int | float):
            row[" ".join(path)] = float(value["value"])
        elif isinstance(value, Mapping):
            for key, item in value.items():
                note((*path, key), item)

    note((), result["scores"])
    return row
