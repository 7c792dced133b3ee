"""The full trainings: every model to its end, scored and written as result files, what is missed most first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.gpu.small_models import TRANSLATING, solution_of
from benchmarks.gpu.table import Job, Row, Setting, Unfinished
from lab import corpora
from lab.corpora import Labelled, Parallel, Text
from lab.evaluation.evaluate import KINDS, evaluate
from lab.evaluation.result_files import read_json
from lab.evaluation.sweeps import Step, Sweep

QUICK_EXAMPLES, QUICK_TESTS = 300, 40
LEAST = 60.0  # seconds: with less left no training is begun
LONGER = {"imdb": 240.0, "semeval2010": 240.0}  # whose texts are cut into words and counted before the first step


def run(
    name: str, corpus: str, recipe: str, direction: tuple[str, ...] = (), variant: str = "", **changes: Any
) -> Step:
    """Return a run of a chapter's model on a corpus, with these changes of the recipe."""
    return Step(solution_of(name), Sweep("", corpus, recipe, {variant: changes}, direction=direction), variant, 1)


BACK = ("en", "de")
DOT: Mapping[str, Any] = {"variant": "dot", "score": "dot"}
FIRST: Sequence[Step] = (
    run("transformer", "multi30k", "tiny"),
    run("bahdanau", "multi30k", "base"),
    run("luong", "multi30k", "base", **DOT),
    run("encoder_decoder", "multi30k", "base"),
    run("transformer", "multi30k", "tiny", BACK),
    run("bahdanau", "multi30k", "base", BACK),
    run("luong", "multi30k", "base", BACK, **DOT),
    run("encoder_decoder", "multi30k", "base", BACK),
    run("pooling", "semeval2010", "zhou_texts"),
    run("pooling", "sst", "zhou"),
    run("structured", "sst", "sst"),
    run("self_attention", "sst", "sentences"),
    run("pooling", "imdb", "yang"),
    run("structured", "imdb", "imdb"),
    run("self_attention", "imdb", "base"),
    run("language_model", "shakespeare", "large"),
    run("language_model", "imdb_text", "imdb"),
    *(run(name, "phrasebook", "medium") for name in TRANSLATING),
)
LAST = run("transformer", "tatoeba", "base")
ONE_EPOCH: Mapping[str, Any] = {"variant": "quick", "epochs": 1}
QUICK: Sequence[Step] = (
    *(run(name, "phrasebook", "small", **ONE_EPOCH) for name in TRANSLATING),
    run("pooling", "relations", "small", **ONE_EPOCH),
    run("pooling", "reviews", "small_han", **ONE_EPOCH),
    *(run(name, "reviews", "small", **ONE_EPOCH) for name in ("structured", "self_attention")),
    run("language_model", "grammar", "small", **ONE_EPOCH),
)


def jobs(quick: bool) -> Iterator[Job]:
    """Yield the trainings: all with the first seed, then with the second and the third, then the large one."""
    for step in QUICK if quick else [replace(step, seed=seed) for seed in (1, 2, 3) for step in FIRST] + [LAST]:
        least = 0.0 if quick else LONGER.get(step.sweep.corpus, LEAST)
        yield Job(title(step), lambda setting, step=step: train(step, setting), least)


def title(step: Step) -> str:
    return f"train: {step.solution.name} {step.run.name}, seed {step.seed}"


def train(step: Step, setting: Setting) -> Row:
    """Train a run until it is done or the time is over, score it, and return its scores."""
    corpus = load(step, setting.quick)
    experiment, _, unit = KINDS[type(corpus)]
    left = max(0.0, setting.budget.left) / 60
    trained = experiment.train(step.solution, step.run, step.recipe, minutes=left, device=setting.device, corpus=corpus)
    progress = trained.progress
    if progress.ended_by_budget:
        raise Unfinished(progress.spent)
    folder = setting.out / "results" / step.solution.name
    path = evaluate(step.solution, step.run, command=" ".join(step.options), given=corpus, folder=folder)
    speed = progress.tokens / max(progress.seconds, 1e-9)
    return {"training seconds": progress.seconds, f"{unit.replace('_', ' ')}/s": speed} | headline(read_json(path))


def load(step: Step, quick: bool) -> Any:
    """Return the corpus, a small part of it where all goes quickly."""
    corpus: Labelled | Parallel | Text = corpora.load(step.sweep.corpus, *step.sweep.direction)
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
