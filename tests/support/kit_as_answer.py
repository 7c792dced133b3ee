"""Hands in every public function and method of an unpacked kit as an answer to every check: python FILE KIT > JSON.

It runs with the kit alone on the path, so that what is called is what students have. Each callable gets a check's
arguments in several ways: by position, fewer of them, in another order, by name, each in a list of one (of a corpus).
Of what it returns, the whole, the whole turned round, each part and the value of a score are handed in. A class is made
first: without arguments, or from a recipe of its package with the sizes of the call; the weights of the call are
written into it where it names its own (`named`).
"""

import contextlib
import dataclasses
import functools
import importlib
import inspect
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
from typing import Any

PACKAGES = "lab", "solutions", "given"
MOST_TURNED = 4  # arguments that are also given in every other order
SECONDS = 20.0  # for all calls of a check


class TooLong(BaseException):
    """A call did not end."""


def modules() -> Iterator[Any]:
    """Yield the modules of the kit."""
    for name in PACKAGES:
        with contextlib.suppress(ModuleNotFoundError):
            package = importlib.import_module(name)
            yield package
            for module in pkgutil.walk_packages(package.__path__, f"{name}."):
                yield importlib.import_module(module.name)


def candidates() -> dict[str, Callable | type]:
    """Return the kit's own public functions and classes, those in the bodies of classes included, by their names."""
    own: dict[str, Callable | type] = {}
    for module in modules():
        for name, value in vars(module).items():
            if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
                continue
            if inspect.isclass(value) or callable(value):
                own[f"{module.__name__}.{name}"] = value
    return own


def instances(kind: type, arguments: dict[str, Any]) -> Iterator[Any]:
    """Yield objects of a class, with the sizes and the weights of a call where they can be told."""
    with contextlib.suppress(Exception):
        yield kind()
    package = kind.__module__.rpartition(".")[0]
    with contextlib.suppress(Exception):
        recipes = importlib.import_module(f"{package}.recipe").RECIPES
        recipe = recipes.get("small") or next(iter(recipes.values()))
        sizes = {name: value for name, value in arguments.items() if isinstance(value, int)}
        floats = [value for value in arguments.values() if getattr(value, "ndim", 0) == 3]
        sizes |= {name: floats[0].shape[-1] for name in ("d_model", "embedding_dim") if floats}
        fields = {field.name for field in dataclasses.fields(recipe)}
        instance = kind(dataclasses.replace(recipe, **{k: v for k, v in sizes.items() if k in fields}))
        if hasattr(instance, "named") and isinstance(weights := arguments.get("weights"), dict):
            with torch.no_grad():
                for name, own in instance.named().items():
                    own.copy_(torch.from_numpy(weights[name].copy()))
        if hasattr(instance, "eval"):
            instance.eval()
        yield instance


def callables(value: Callable | type) -> Iterator[tuple[str, Callable[[dict[str, Any]], Callable]]]:
    """Yield (what it is, how to get it for a call's arguments) for a function, or a class and its public methods."""
    yield "", lambda arguments: value
    if not inspect.isclass(value):
        return
    names = [name for name, member in inspect.getmembers(value) if callable(member) and _is_own(value, name, member)]
    for name in names:
        yield f".{name} of the class", functools.partial(lambda name, arguments: getattr(value, name), name)
        for number in range(2):

            def bound(arguments: dict[str, Any], name: str = name, number: int = number) -> Callable:
                return getattr(next(itertools.islice(instances(value, arguments), number, None)), name)

            yield f".{name} of an object", bound


def _is_own(kind: type, name: str, member: Any) -> bool:
    return not name.startswith("_") and str(getattr(member, "__module__", "")).partition(".")[0] in PACKAGES


def ways(parameters: list[inspect.Parameter] | None, names: list[str]) -> Iterator[tuple[str, list[str], str]]:
    """Yield (what it is called, names of the arguments, "plain", "by name" or "in lists") for a signature."""
    count = len(names)
    if parameters is None:
        yield "by position", names, "plain"
        return
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = sum(p.default is p.empty for p in plain)
    many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if required <= count and (many or count <= len(plain)):
        yield "by position", names, "plain"
        yield "each in a list", names, "in lists"
        if count <= MOST_TURNED:
            for order in list(itertools.permutations(names))[1:]:
                yield f"in the order {', '.join(order)}", list(order), "plain"
    for fewer in range(max(1, required), min(count, len(plain) + 1)):
        yield f"the first {fewer}", names[:fewer], "plain"
    by_name = [p.name for p in parameters if p.name in names]
    needed = {p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    if by_name and needed <= set(by_name):
        yield "by name", by_name, "by name"


def chosen(result: Any, how: str) -> Any:
    """Return what is handed in of a result."""
    if how == "whole":
        return result
    if how == "turned round":
        return tuple(reversed(result))
    if how == "value":
        return result.value
    return result[int(how)]


def asked(check_id: str, case: Any) -> dict[str, Any] | None:
    """Return the arguments that a student's function gets: a case's own, or what its adapter makes of them.

    None where an adapter takes an object of a class, or asks otherwise than once.
    """
    name, _, function = check_id.partition(".")
    adapter = caller(check_id, {}).keywords["adapter"]
    if adapter is None:
        return case.arguments
    handed: list[tuple] = []

    def target(*given: Any) -> None:
        handed.append(given)
        raise TooLong

    in_time(lambda: adapter(target, *fresh(list(case.arguments.values()), [], False)))
    blank = getattr(importlib.import_module(f"solutions.{name}.attention"), function, None)
    if len(handed) != 1 or blank is None or inspect.isclass(blank):
        return None
    return dict(zip(inspect.signature(blank).parameters, handed[0], strict=False))


def submissions(given: dict[str, Any] | None, make: Callable) -> Iterator[tuple[str, Callable]]:
    """Yield (how, a function of these arguments) for each way in which a callable answers them at all."""
    function = None if given is None else in_time(lambda: make(given))
    if given is None or function is None:
        return
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = None
    for way, order, form in ways(parameters, list(given)):
        answer = functools.partial(answered, make, list(given), order, form)
        result = in_time(functools.partial(answer, *fresh(list(given.values()), [], False)))
        if result is None:
            continue
        yield f"{way}, whole", functools.partial(_part, answer, "whole")
        if hasattr(result, "value"):
            yield f"{way}, value", functools.partial(_part, answer, "value")
        if isinstance(result, tuple | list) and 1 < len(result) <= 4:
            yield f"{way}, turned round", functools.partial(_part, answer, "turned round")
            for number in range(len(result)):
                yield f"{way}, part {number}", functools.partial(_part, answer, str(number))


def answered(make: Callable, names: list[str], order: list[str], form: str, *values: Any) -> Any:
    """Return what a callable answers to the arguments of these names, given in this order and this form."""
    given = dict(zip(names, values, strict=True))
    function = make({name: _plain(value) for name, value in given.items()})
    if form == "by name":
        return function(**{name: given[name] for name in order})
    return function(*([given[name]] if form == "in lists" else given[name] for name in order))


def _plain(value: Any) -> Any:
    """Return tensors as arrays, those in a dictionary too."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value.detach().numpy() if isinstance(value, torch.Tensor) else value


def _part(answer: Callable, how: str, *values: Any) -> Any:
    return chosen(answer(*values), how)


def shapes_fit(check_id: str, case: Any, function: Callable) -> bool:
    """Return whether the shapes of what a function returns on a case are those of the right answer."""
    name = check_id.partition(".")[2]
    answer = caller(check_id, {name: function})(name, list(case.arguments.values()), None)
    outputs = named_outputs(answer, case) if answer.outputs else {}
    return isinstance(outputs, dict) and any(
        name in outputs and outputs[name].shape == right.shape for name, right in case.outputs.items()
    )


def report(check_ids: list[str]) -> dict[str, Any]:
    """Return how many callables there are, how often one answered, and each that earned more than its shape."""
    every = candidates()
    count, earned = 0, []
    for check_id in check_ids:
        cases, criteria, _ = load(check_id)
        given = asked(check_id, cases[0])
        for name, value in every.items():
            for member, make in callables(value):
                for how, function in submissions(given, make):
                    if any(in_time(functools.partial(shapes_fit, check_id, case, function)) for case in cases):
                        count += 1
                        points = points_beyond_shape(check_id, cases, criteria, function)
                        earned += [[check_id, name + member, how, points]] if points else []
    return {"callables": len(every), "answered": count, "earned": earned}


def points_beyond_shape(check_id: str, cases: list, criteria: list, function: Callable) -> list[str]:
    """Return what a function earns points for, shapes left out."""
    calls = caller(check_id, {check_id.partition(".")[2]: function})
    verdict = in_time(functools.partial(grade, check_id, cases, criteria, calls), SECONDS)
    rows = zip(criteria, verdict.criteria, strict=True) if verdict else []
    return [criterion.name for criterion, (_, _, got) in rows if got and criterion.kind != "shape"]


def in_time(action: Callable, seconds: float = 0.5) -> Any:
    """Return what an action returns, None where it fails or takes longer."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return action()
    except (Exception, SystemExit, TooLong):
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _refuse(*_: Any) -> None:
    raise OSError("no network here")


def _stop(*_: Any) -> None:
    raise TooLong


if __name__ == "__main__":
    sys.path[0] = sys.argv[1]
    import torch

    from autograder.kit.call import fresh
    from autograder.kit.compare import named as named_outputs
    from autograder.kit.grading import grade
    from autograder.kit.recordings import FOLDER, caller, load

    torch.set_num_threads(1)
    socket.socket.connect = _refuse  # type: ignore[method-assign]
    signal.signal(signal.SIGALRM, _stop)
    wanted = sys.argv[2:] or sorted(path.stem for path in FOLDER.glob("*.npz"))
    os.chdir(tempfile.mkdtemp())
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        result = report(wanted)
    print(json.dumps(result))
