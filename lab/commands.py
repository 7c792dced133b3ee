"""The command line of every translation chapter: python -m solutions.NAME train | evaluate | translate."""

import sys
from dataclasses import dataclass, make_dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import torch

from lab import corpora
from lab.arguments import differences, peek, split_arguments
from lab.checkpoints import CheckpointError
from lab.corpora import CorpusError
from lab.training import best_device
from lab.translation import RUNS, Run, Solution, Trained, restore, train


class UsageError(Exception):
    """A command that cannot be carried out as written."""


@dataclass(frozen=True)
class Where:
    """Which corpus, in which direction, by which recipe."""

    corpus: str = "phrasebook"
    """name of a corpus: phrasebook is made on the spot, the others are fetched"""
    source: str | None = None
    """language to translate from; by default the corpus's own"""
    target: str | None = None
    """language to translate into; by default the corpus's own"""
    recipe: str | None = None
    """name of a recipe; by default the one made for the corpus"""
    variant: str = ""
    """a word for what differs from the recipe; part of the run's name"""
    threads: int | None = None
    """CPU threads; by default as many as torch takes"""


@dataclass(frozen=True)
class Train(Where):
    """Train a model, and go on where an earlier call of the same run was stopped."""

    seed: int = 1
    minutes: float | None = None
    """stop after this time and keep what there is"""
    fresh: bool = False
    """forget an earlier training of this run"""
    device: str | None = None
    """cpu, cuda, …; by default a GPU if there is one"""


@dataclass(frozen=True)
class Evaluate(Where):
    """Score the trained models on the test sets and write solutions/NAME/results/RUN-seedN.json."""

    seed: int | None = None
    """one seed; by default every seed that has been trained"""
    beam: int = 5
    """width of the beam search that is scored beside greedy decoding"""
    alpha: float = 1.0
    """exponent of the length by which a hypothesis's log-probability is divided"""


@dataclass(frozen=True)
class Translate(Where):
    """Translate sentences (arguments, or lines of standard input) with the newest model of a corpus and direction."""

    run: str | None = None
    """name of a run; by default the newest of the corpus and direction"""
    beam: int = 1
    """width of the beam; 1 is greedy"""
    weights: bool = True
    """draw where the model looked"""
    unknown: bool = False
    """translate although words are unknown, which the model then reads as <unk>"""


def main(solution: Solution, argv: list[str] | None = None) -> None:
    """Run one command. A mistake of the user ends with one message and exit code 2, and changes nothing."""
    argv = sys.argv[1:] if argv is None else argv
    commands = {"train": run_train, "evaluate": run_evaluate, "translate": run_translate}
    if not argv or argv[0] not in commands:
        asked = argv[0] if argv else "nothing"
        help_asked = asked in ("-h", "--help")
        usage = f"usage: python -m solutions.{solution.name} {' | '.join(commands)} [--help]"
        print(usage if help_asked else f"{usage}\nexpected one of these commands, got {asked}", file=sys.stderr)
        sys.exit(0 if help_asked else 2)
    try:
        commands[argv[0]](solution, argv[1:])
    except (CorpusError, CheckpointError, UsageError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        fail("stopped; what the last checkpoint holds is kept, the same command goes on from there")


def fail(message: str) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def run_train(solution: Solution, argv: list[str]) -> None:
    named = peek(argv, "--recipe") or default_recipe(solution, peek(argv, "--corpus") or Where.corpus)
    recipe = find_recipe(solution, named)
    import tyro

    # Every field of the recipe is an option beside those of Train.
    options: Any = make_dataclass("Options", [("what", Train), ("model", type(recipe))], frozen=True)
    parsed = tyro.cli(
        options,
        prog=f"python -m solutions.{solution.name} train",
        description=Train.__doc__,
        args=argv,
        default=options(Train(), recipe),
        config=(tyro.conf.OmitArgPrefixes,),
    )
    what: Any = parsed.what
    if parsed.model != recipe and not what.variant:
        changed = ", ".join(differences(recipe, parsed.model))
        raise UsageError(f"{changed} differs from recipe {named}: name the run with --variant WORD")
    set_threads(what)
    run = name_run(solution, what, named, what.seed)
    device = find_device(what.device)
    print(f"{run.name}, seed {run.seed}, on {device}: {run.folder}", flush=True)
    trained = train(solution, run, parsed.model, minutes=what.minutes, device=device, fresh=what.fresh)
    best = trained.progress
    print(f"best validation BLEU {best.best:.2f} after epoch {best.best_epoch}")
    if best.ended_by_budget:
        print(f"ended by the time budget of {what.minutes:g} minutes, before epoch {parsed.model.training.epochs}")


def run_evaluate(solution: Solution, argv: list[str]) -> None:
    import tyro

    from lab.results import evaluate

    what = tyro.cli(Evaluate, prog=f"python -m solutions.{solution.name} evaluate", args=argv)
    if what.beam < 1:
        raise UsageError(f"--beam must be 1 or more, got {what.beam}")
    set_threads(what)
    first = name_run(solution, what, what.recipe or default_recipe(solution, what.corpus), what.seed or 1)
    seeds = [what.seed] if what.seed else trained_seeds(first.folder.parent)
    if not seeds:
        raise CheckpointError(nothing_trained(solution, first))
    for seed in seeds:
        path = evaluate(solution, replace(first, seed=seed), width=what.beam, alpha=what.alpha, command=" ".join(argv))
        print(f"wrote {path}")


def run_translate(solution: Solution, argv: list[str]) -> None:
    import tyro

    options, sentences = split_arguments(argv)
    prog = f"python -m solutions.{solution.name} translate [options] SENTENCE …"
    what = tyro.cli(Translate, prog=prog, args=options)
    if what.beam < 1:
        raise UsageError(f"--beam must be 1 or more, got {what.beam}")
    set_threads(what)
    source, _ = corpora.direction(what.corpus, what.source, what.target)
    trained = newest(solution, what)
    lines = sentences or [line.rstrip("\n") for line in sys.stdin]
    said = [show(trained, corpora.tokenise(what.corpus, sentence, source), what) for sentence in lines]
    if not all(said):
        sys.exit(2)


def show(trained: Trained, sentence: str, what: Translate) -> bool:
    """Print a translation, and below it where the model looked for each word; tell whether there was one."""
    from lab.heat import alignment_text

    if not sentence.split():
        print("error: an empty sentence has no translation: give at least one word", file=sys.stderr)
        return False
    unknown = trained.source_text.unknown(sentence)
    if unknown and not what.unknown:
        print(
            f"error: not among the {len(trained.source_text)} words or pieces that the model knows: "
            f"{' '.join(unknown)}. Say it in other words, or add --unknown to have them read as <unk>.",
            file=sys.stderr,
        )
        return False
    translation = trained.translate([sentence], what.beam)[0]
    print(translation)
    if what.weights and hasattr(trained.model, "look"):
        weights = trained.attention(sentence, translation)
        source = [*trained.source_text.pieces(sentence), "</s>"]
        print(alignment_text(weights, source, trained.target_text.pieces(translation)))
    return True


def name_run(solution: Solution, what: Where, recipe: str, seed: int) -> Run:
    find_recipe(solution, recipe)
    source, target = corpora.direction(what.corpus, what.source, what.target)
    return Run(solution.name, what.corpus, source, target, recipe, what.variant, seed)


def default_recipe(solution: Solution, corpus: str) -> str:
    corpora.direction(corpus)  # a misspelt corpus is an error of its own
    return solution.defaults.get(corpus) or list(solution.defaults.values())[-1]


def set_threads(what: Where) -> None:
    if what.threads:
        torch.set_num_threads(what.threads)


def find_device(name: str | None) -> torch.device:
    if name is None:
        return best_device()
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise UsageError(f"--device {name} cannot be used here ({reason}). Leave it out, or say cpu.") from None
    return device


def find_recipe(solution: Solution, name: str) -> Any:
    if name not in solution.recipes:
        raise UsageError(f"{solution.name} has no recipe {name!r}. Its recipes are: {', '.join(solution.recipes)}.")
    return solution.recipes[name]


def newest(solution: Solution, what: Translate) -> Trained:
    """Return the model of the run asked for, or the one trained last for the corpus and direction."""
    first = name_run(solution, what, what.recipe or default_recipe(solution, what.corpus), 1)
    pattern = what.run or (first.name if what.recipe or what.variant else f"{first.task}-*")
    found = sorted((RUNS / solution.name).glob(f"{pattern}/seed*/best.pt"), key=lambda path: path.stat().st_mtime)
    if not found and what.run:
        known = sorted({path.parent.parent.name for path in (RUNS / solution.name).glob("*/seed*/best.pt")})
        raise CheckpointError(f"{solution.name} has no run {what.run!r}. It has: {', '.join(known) or 'none yet'}.")
    if not found:
        raise CheckpointError(nothing_trained(solution, first))
    return restore(solution, found[-1].parent)


def nothing_trained(solution: Solution, run: Run) -> str:
    command = f"python -m solutions.{solution.name} train --corpus {run.corpus}"
    if (run.source, run.target) != corpora.direction(run.corpus):
        command += f" --source {run.source} --target {run.target}"
    if run.recipe != default_recipe(solution, run.corpus):
        command += f" --recipe {run.recipe}"
    command += f" --variant {run.variant}" if run.variant else ""
    return f"no trained model of {run.task} in {run.folder.parent.parent}. Make one with: {command}"


def trained_seeds(folder: Path) -> list[int]:
    return sorted(int(path.parent.name.removeprefix("seed")) for path in folder.glob("seed*/best.pt"))
