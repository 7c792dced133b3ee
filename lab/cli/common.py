"""Command lines read in two steps: a recipe's fields are options, so its name is needed before the rest is parsed."""

import argparse
import os
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, make_dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

import torch

from lab.corpora import CorpusError
from lab.kinds.ranges import Amount, Count, RecipeError, Seed, Size, demand
from lab.kinds.runs import Solution
from lab.published.gguf_file import NoModel
from lab.train.checkpoints import CheckpointError
from lab.train.training import best_device


class UsageError(Exception):
    """A command that cannot be carried out as written."""


@dataclass(frozen=True)
class Named:
    """By which recipe: the options that every command has."""

    recipe: str | None = None
    """name of a recipe; by default the one made for the corpus"""
    variant: str = ""
    """a word for the change from the recipe; it becomes part of the run's name"""
    threads: Size | None = None
    """CPU threads (default: torch's own number)"""


@dataclass(frozen=True)
class Long:
    """The options of a training."""

    seed: Seed = 1
    minutes: Amount | None = None
    """stop after this time and keep the model as it is then"""
    fresh: bool = False
    """discard an earlier training of this run"""
    device: str | None = None
    """cpu, cuda, …; by default a GPU if there is one"""
    micro_tokens: Count = 0
    """split each batch into pieces of about so many tokens, for a small GPU, with the same gradient; 0: no pieces"""


def dispatch(
    solution: Solution, commands: Mapping[str, Callable[[Solution, list[str]], None]], argv: list[str] | None
) -> None:
    """Run one command. A mistake of the user ends with one message and exit code 2, and changes nothing."""
    argv = sys.argv[1:] if argv is None else argv
    if not argv or argv[0] not in commands:
        command = argv[0] if argv else "nothing"
        help_asked = command in ("-h", "--help")
        usage = f"usage: python -m solutions.{solution.name} {' | '.join(commands)} [--help]"
        if help_asked:
            print("\n".join([usage, *(f"  {name:<10} {run.__doc__}" for name, run in commands.items())]))
            sys.exit(0)
        fail(f"expected one of these commands, got {command}\n{usage}")
    try:
        commands[argv[0]](solution, argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has read enough, as in `classify … | head`
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())  # so that Python's own last flush succeeds
        sys.exit(1)
    except (CorpusError, CheckpointError, RecipeError, NoModel, UsageError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        fail("stopped; the same command continues from the last checkpoint")


def fail(message: str) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def with_recipe(solution: Solution, named: str, kind: type, default: Any, argv: list[str]) -> tuple[Any, Any]:
    """Return the options of `train`, and the recipe: every field of it is an option beside them."""
    import tyro

    recipe = find_recipe(solution, named)
    options: Any = make_dataclass("Options", [("run", kind), ("model", type(recipe))], frozen=True)
    parsed = tyro.cli(
        options,
        prog=f"python -m solutions.{solution.name} train",
        description=kind.__doc__,
        args=argv,
        default=options(default, recipe),
        config=(tyro.conf.OmitArgPrefixes,),
    )
    demand(parsed)
    set_threads(parsed.run)
    if parsed.model != recipe and not parsed.run.variant:
        changed = ", ".join(differences(recipe, parsed.model))
        raise UsageError(f"{changed} differs from recipe {named}: name the run with --variant WORD")
    return parsed.run, parsed.model


def read(kind: type, solution: Solution, argv: list[str]) -> Any:
    """Return the options of a command as an object of its class `kind`, every number in its range."""
    import tyro

    prog = f"python -m solutions.{solution.name} {kind.__name__.lower()}"
    options = tyro.cli(kind, prog=prog, description=kind.__doc__, args=argv)
    demand(options)
    set_threads(options)
    return options


def read_with_texts(kind: type, solution: Solution, argv: list[str]) -> tuple[Any, Sequence[str]]:
    """Return the options of a command and the texts that stand before or behind them."""
    import tyro

    texts = tyro.conf.Positional[tuple[str, ...]]
    both: Any = make_dataclass(kind.__name__, [("texts", texts, ())], bases=(kind,), frozen=True)
    both.__doc__ = kind.__doc__
    options = read(both, solution, argv)
    return options, options.texts


def answer(lines: Sequence[str], show: Callable[[str], bool]) -> None:
    """Show what a model says to each line, or to those of standard input; exit code 2 if one got no answer.

    A ValueError is the model's complaint about a line, such as one longer than the table of learned positions.
    """

    def has_answer(line: str) -> bool:
        try:
            return show(line)
        except ValueError as error:
            print(f"error: {error}", file=sys.stderr)
            return False

    answers = [has_answer(line) for line in (map(as_text, lines) if lines else standard_input())]
    if not all(answers):
        sys.exit(2)


def standard_input() -> Iterator[str]:
    """Yield the lines of standard input, whatever bytes they hold."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    for number, line in enumerate([line.rstrip("\n") for line in sys.stdin], start=1):
        yield as_text(line, f"line {number} of standard input")


def as_text(line: str, where: str = "an argument") -> str:
    """Return a line in Unicode's form NFC; raise UsageError if it holds bytes that are no UTF-8."""
    if byte := next((ord(letter) - 0xDC00 for letter in line if "\udc80" <= letter <= "\udcff"), None):
        raise UsageError(
            f"{where} is not UTF-8: it holds the byte 0x{byte:x}. Convert it first, as with: iconv -f latin1 -t utf-8"
        )
    return unicodedata.normalize("NFC", line)


def cut(words: Sequence[str], letters: int = 60, most: int = 20) -> str:
    """Return words side by side, the long ones and the list cut off."""
    words_shown = [word if len(word) <= letters else f"{word[:letters]}…" for word in words[:most]]
    return " ".join([*words_shown, *(["…"] if len(words) > most else [])])


def find_recipe(solution: Solution, name: str) -> Any:
    if name not in solution.recipes:
        raise UsageError(f"{solution.name} has no recipe {name!r}. Its recipes are: {', '.join(solution.recipes)}.")
    return solution.recipes[name]


def set_threads(options: Named) -> None:
    if options.threads:
        torch.set_num_threads(options.threads)


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


def differences(first: Any, second: Any, prefix: str = "") -> list[str]:
    """Return the fields in which two recipes differ, as name=value."""
    changes = []
    for item in fields(first):
        a, b = getattr(first, item.name), getattr(second, item.name)
        if is_dataclass(a):
            changes += differences(a, b, f"{item.name}.")
        elif a != b:
            changes.append(f"{prefix}{item.name}={b}")
    return changes


def given(argv: list[str], *options: str) -> list[str | None]:
    """Return the values of some options before the whole line is read: the recipe's fields are options themselves."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for option in options:
        parser.add_argument(option, nargs="?")
    return list(vars(parser.parse_known_args(argv)[0]).values())
