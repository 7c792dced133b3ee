"""Mistakes that any function can have, made from its reference: every check knows them by itself."""

import ast
import inspect
from collections.abc import Callable, Iterator
from typing import get_args

from autograder.checks.edits import Edit, Mistake
from autograder.checks.trees import reached

WHERE = "autograder/checks/usual.py"


def usual(reference: Callable, outputs: tuple[str, ...]) -> tuple[Mistake, ...]:
    """Return the usual mistakes that fit a reference, as edits of its own source."""
    definitions = reached(reference)
    if not definitions or isinstance(reference, type):
        return ()
    scope, node = definitions[0].name, definitions[0].node
    returns = any(isinstance(each, ast.Return) for each in ast.walk(node))  # a function that draws may have none
    results = _of_results(reference, outputs) if returns else ()
    texts = [*results, *_of_first(reference), *_of_source(node)]
    return tuple(
        Mistake(f"usual_{name}", hint, reference, [_edit(reference, scope, text)]) for name, hint, text in texts
    )


def _edit(reference: Callable, scope: str, text: str) -> Edit:
    return Edit(reference, f"in {scope}: {text}", WHERE)


def _of_results(reference: Callable, outputs: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Yield results in another order, and with an axis too many."""
    order = f"The results have changed places. Their order: {', '.join(outputs)}."
    for i in range(1, len(outputs)):
        places = list(range(len(outputs)))
        places[0], places[i] = places[i], places[0]
        yield f"results_swapped_{i}", order, f"return => {', '.join(f'_[{place}]' for place in places)}"
    less = "_.squeeze()" if len(outputs) == 1 else "tuple(each.squeeze() for each in _)"
    yield (
        "axes_squeezed",
        "`squeeze()` takes away every axis of length 1. Name the one: `squeeze(1)`.",
        f"return => {less}",
    )
    if len(outputs) == 1 and getattr(inspect.signature(reference).return_annotation, "dim_str", ""):
        kept = "The result has an axis of length 1 too many. Take it away: `squeeze`, or an index 0 there."
        yield "first_axis_kept", kept, "return => _[:, None]"
        yield "last_axis_kept", kept, "return => _[..., None]"


def _of_first(reference: Callable) -> Iterator[tuple[str, str, str]]:
    """Yield mistakes in which all of a batch get the first one's argument."""
    for name, parameter in inspect.signature(reference).parameters.items():
        kinds = [getattr(each, "dim_str", "") for each in (parameter.annotation, *get_args(parameter.annotation))]
        if any(kind.split()[:1] == ["batch"] for kind in kinds):
            first = f"{name}[:1].expand_as({name})"
            value = first if parameter.default is inspect.Parameter.empty else f"None if {name} is None else {first}"
            hint = f"All of the batch get the first one's `{name}`. Each has its own."
            yield f"first_{name}", hint, f"start => {name} = {value}"


def _of_source(tree: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Yield sums that are means, means that are sums, and matrices that are not transposed."""
    hints = {
        "sum": ("mean", "There is a mean where a sum belongs."),
        "mean": ("sum", "There is a sum where a mean belongs."),
    }
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    for source in dict.fromkeys(ast.unparse(node) for node in attributes):
        of, _, name = source.rpartition(".")
        if name in hints:
            other, hint = hints[name]
            yield f"{other}_for_{name}_of_{_word(of)}", hint, f"every {source} => ({of}).{other}"
        elif name == "T" and of.isidentifier():
            hint = f"{of} is used without a transpose, or transposed once too often: compare the shapes."
            yield f"{of}_not_transposed", hint, f"every {source} => {of}"


def _word(source: str) -> str:
    return "_".join("".join(c if c.isalnum() else " " for c in source).split())
