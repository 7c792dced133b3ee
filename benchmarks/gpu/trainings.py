"""The full trainings: every model to its end, scored and written as result files, what is missed most first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.gpu.small_models import (
    BAHDANAU,
    ENCODER_DECODER,
    LANGUAGE_MODEL,
    LUONG,
    POOLING,
    SELF_ATTENTION,
    STRUCTURED,
    TRANSFORMER,
)
from benchmarks.gpu.table import Job, Row, Setting, Unfinished
from lab import corpora
from lab.corpora import Labelled, Parallel, Text
from lab.evaluation.evaluate import KINDS, evaluate
from lab.evaluation.result_files import read_json
from lab.evaluation.sweeps import changed
from lab.kinds import run_of
from lab.runs import Solution

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

    solution: Solution
    corpus: str
    recipe: str
    direction: tuple[str, ...] = ()
    variant: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1

    @property
    def run(self) -> Any:
        """The run's name and place."""
        return run_of(self.solution.name, self.corpus, self.recipe, self.variant, self.seed, *self.direction)

    @property
    def name(self) -> str:
        return f"train: {self.solution.name} {self.run.name}, seed {self.seed}"

    @property
    def command(self) -> str:
        """The options with which `evaluate` scores the run."""
        words = ["--corpus", self.corpus, "--recipe", self.recipe, "--seed", str(self.seed)]
        words += ["--source", self.direction[0], "--target", self.direction[1]] if self.direction else []
        return " ".join(words + (["--variant", self.variant] if self.variant else []))


BACK = ("en", "de")
DOT = {"variant": "dot", "changes": {"score": "dot"}}
FIRST: Sequence[Full] = (
    Full(TRANSFORMER, "multi30k", "tiny"),
    Full(BAHDANAU, "multi30k", "base"),
    Full(LUONG, "multi30k", "base", **DOT),
    Full(ENCODER_DECODER, "multi30k", "base"),
    Full(TRANSFORMER, "multi30k", "tiny", BACK),
    Full(BAHDANAU, "multi30k", "base", BACK),
    Full(LUONG, "multi30k", "base", BACK, **DOT),
    Full(ENCODER_DECODER, "multi30k", "base", BACK),
    Full(POOLING, "semeval2010", "zhou_texts"),
    Full(POOLING, "sst", "zhou"),
    Full(STRUCTURED, "sst", "sst"),
    Full(SELF_ATTENTION, "sst", "sentences"),
    Full(POOLING, "imdb", "yang"),
    Full(STRUCTURED, "imdb", "imdb"),
    Full(SELF_ATTENTION, "imdb", "base"),
    Full(LANGUAGE_MODEL, "shakespeare", "large"),
    Full(LANGUAGE_MODEL, "imdb_text", "imdb"),
    *(Full(solution, "phrasebook", "medium") for solution in (ENCODER_DECODER, BAHDANAU, LUONG, TRANSFORMER)),
)
LAST = Full(TRANSFORMER, "tatoeba", "base")
ONE_EPOCH: Mapping[str, Any] = {"variant": "quick", "changes": {"epochs": 1}}
QUICK: Sequence[Full] = (
    *(Full(it, "phrasebook", "small", **ONE_EPOCH) for it in (ENCODER_DECODER, BAHDANAU, LUONG, TRANSFORMER)),
    Full(POOLING, "relations", "small", **ONE_EPOCH),
    Full(POOLING, "reviews", "small_han", **ONE_EPOCH),
    *(Full(it, "reviews", "small", **ONE_EPOCH) for it in (STRUCTURED, SELF_ATTENTION)),
    Full(LANGUAGE_MODEL, "grammar", "small", **ONE_EPOCH),
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
    left, run = max(0.0, setting.budget.left) / 60, full.run
    trained = experiment.train(full.solution, run, recipe(full), minutes=left, device=setting.device, corpus=corpus)
    progress = trained.progress
    if progress.ended_by_budget:
        raise Unfinished(progress.spent)
    folder = setting.out / "results" / full.solution.name
    path = evaluate(full.solution, run, command=full.command, given=corpus, folder=folder)
    speed = progress.tokens / max(progress.seconds, 1e-9)
    return {"training seconds": progress.seconds, f"{unit.replace('_', ' ')}/s": speed} | headline(read_json(path))


def recipe(full: Full) -> Any:
    """Return the recipe with its changes."""
    return changed(full.solution, full.recipe, full.changes)


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
