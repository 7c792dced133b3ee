"""Hands in every public function of an unpacked kit as an answer to every check: python FILE KIT [CHECK …] > JSON.

It runs with the kit alone on the path, so that what is called is what students have. Each function gets a check's
arguments in every order; what it returns is handed in as it is, turned round, and each part of it. Left out is what
an argument earns that is handed back.
"""

import contextlib
import importlib
import io
import itertools
import json
import os
import pkgutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

PACKAGES = "lab", "solutions", "given"
MOST_TURNED = 4  # arguments that are also given in every other order
PARTS = (slice(None), slice(None, None, -1), 0, 1, 2, 3)  # of several outputs: all of them, turned round, each
SECONDS = 10.0  # of CPU for all calls of a check: the machine may be loaded


class TooLong(KeyboardInterrupt):
    """A call did not end; an interrupt is what the kit does not take for the student's error."""


def functions() -> Iterator[tuple[str, Callable]]:
    """Yield the kit's own public functions and classes with their names."""
    for name in PACKAGES:
        with contextlib.suppress(ModuleNotFoundError):
            for about in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
                for own, value in vars(importlib.import_module(about.name)).items():
                    if callable(value) and not own.startswith("_") and value.__module__ == about.name:
                        yield f"{about.name}.{own}", value


def answer(function: Callable, order: tuple[int, ...], part: Any, *given: Any) -> Any:
    """Return a part of what a function returns whose arguments come in this order."""
    result = function(*(given[place] for place in order if place < len(given)))  # adapters give fewer
    return result[part] if isinstance(result, tuple | list) else result


def earned(known: Any, check_id: str, candidate: Callable) -> Iterator[list[str]]:
    """Yield what a candidate earns points for, shapes left out, in each way in which it answers."""
    name, arguments = check_id.partition(".")[2], list(known.cases[0].arguments.values())
    places = range(len(arguments))
    for order in itertools.permutations(places) if len(arguments) <= MOST_TURNED else [tuple(places)]:
        whole = known.caller({name: partial(answer, candidate, order, PARTS[0])})
        tried = in_time(partial(whole, name, arguments, None), 0.5)
        if tried is None or (tried.error and not tried.several):  # a part may be an answer where another is none
            continue
        for part in PARTS if tried.several else PARTS[:1]:
            calls = known.caller({name: partial(answer, candidate, order, part)})
            verdict = in_time(partial(grade, check_id, known.cases, known.criteria, calls), SECONDS)
            rows = zip(known.criteria, verdict.criteria, strict=True) if verdict else []
            yield [row.name for row, (_, _, got) in rows if got and row.kind != "shape"]


def in_time(action: Callable, seconds: float) -> Any:
    """Return what an action returns, None where it fails; raise TooLong where it takes longer."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 12 * seconds)  # for what waits
    try:
        return action()
    except (Exception, SystemExit):
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _refuse(*_: Any) -> None:
    raise OSError("no network here")


def _stop(*_: Any) -> None:
    raise TooLong


if __name__ == "__main__":
    sys.path[0] = sys.argv[1]
    import torch

    from autograder.kit.known.recordings import FOLDER, load
    from autograder.kit.verdict.grading import grade

    torch.set_num_threads(1)
    socket.socket.connect = _refuse  # type: ignore[method-assign]
    signal.signal(signal.SIGALRM, _stop)
    signal.signal(signal.SIGPROF, _stop)
    os.chdir(tempfile.mkdtemp())
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        every, answers = list(functions()), []
        for check_id in sys.argv[2:] or sorted(path.stem for path in FOLDER.glob("*.npz")):
            known = load(check_id)
            free = {point for points in earned(known, check_id, lambda *given: given) for point in points}
            for name, candidate in every:
                with contextlib.suppress(TooLong):  # it takes as long with its arguments in another order
                    for points in earned(known, check_id, candidate):
                        answers.append([check_id, name, [point for point in points if point not in free]])
    print(json.dumps(answers))
