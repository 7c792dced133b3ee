"""Ways to spoil any right function: what they return is wrong, however good the mathematics is."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.checks import Check
from autograder.kit.verdict.cases import Case, Kind

Change = Callable[[Tensor], Tensor]
ARGUMENTS: dict[str, Change] = {  # of each array of floats among the arguments, before the call
    "detached": Tensor.detach,
    "twice its gradient": lambda x: 2 * x - x.detach(),
    "0.1 % larger": lambda x: 1.001 * x,
    "bfloat16": lambda x: x.bfloat16().float(),
    "noise": lambda x: x + 1e-3 * torch.randn_like(x),
    "its last feature lost": lambda x: torch.cat([x[..., :-1], 0 * x[..., -1:]], -1),
}
BATCHED: dict[str, Change] = {  # of each of them that has an entry for every sentence
    "first of the batch": lambda x: x[:1].expand_as(x),
    "clamped to 2": lambda x: x.clamp(-2, 2),
    "of the next sentence": lambda x: x.roll(1, 0),
    "minus its mean over a large batch": lambda x: x - x.mean(0) if len(x) > 4 else x,
    "wrong for one sentence": lambda x: 1.1 * x if len(x) == 1 else x,
}
RESULTS: dict[str, Change] = {  # of each result
    "detached": Tensor.detach,
    "noise": lambda y: y + 0.001 * torch.randn_like(y),
    "dropout": lambda y: F.dropout(y, 0.2),
    "squeezed": Tensor.squeeze,
    "a new axis": lambda y: y[:, None],
    "a new axis for one sentence": lambda y: y[0] if len(y) == 1 else y,
    "turned": lambda y: y.flip(0),
    "of the next sentence": lambda y: y.roll(1, 0),
    "rolled": lambda y: y.roll(1, -1),
    "transposed": lambda y: y.transpose(0, -1),
    "transposed where square": lambda y: y.transpose(0, 1) if y.shape[0] == y.shape[1] else y,
    "0.0005 more": lambda y: y + 0.0005,
    "0.1 % larger": lambda y: y * 1.001,
    "zeros": torch.zeros_like,
    "not finite": lambda y: y * torch.nan,
}
OF_FLOATS: dict[str, Change] = {
    "float16": Tensor.half,
    "rounded to float16": lambda y: y.half().float(),
    "bfloat16": Tensor.bfloat16,
    "three digits": lambda y: y + ((y * 1e3).round() / 1e3 - y).detach(),
}
MASKS: dict[str, Change] = {  # of each array of truth values among the arguments
    "of the next sentence": lambda m: m.roll(1, 0),
    "without gaps": lambda m: m.flip(-1).cummax(-1).values.flip(-1),
    "keeps the first position": lambda m: m | (torch.arange(m.shape[-1]) == 0),
    "transposed where square": lambda m: m.mT if m.ndim > 1 and m.shape[-1] == m.shape[-2] else m,
}
# What is tried by `make test`, of the results and the first argument; the rest by `make test-all`.
QUICK = ("detached", "dropout", "three digits", "squeezed", "a new axis", "turned", "0.0005 more", "zeros", "in place")
QUICK += ("remembered", "remembered by shape", "tires after nine calls", "nothing")


TIRING = ("tires after nine calls", "tires after its first answers")
CANCELS = ("b_k", "b_k_cross")  # in the softmax


def _given(right: Callable, change: Callable, i: int, key: str | None) -> Callable:
    """Return the function with one of its arguments, or an entry of one, changed before."""

    def wrong(*given: Any) -> Any:
        item = given[i]
        if item is not None:
            item = change(item) if key is None else item | {key: change(item[key])}
        return right(*given[:i], item, *given[i + 1 :])

    return wrong


def _then(right: Callable, change: Callable, place: int) -> Callable:
    """Return the function with one of its results changed after."""

    def wrong(*given: Any) -> Any:
        result = right(*given)
        if not isinstance(result, tuple):
            return change(result)
        return tuple(change(each) if i == place else each for i, each in enumerate(result))

    return wrong


def _in_place(right: Callable, i: int, key: str | None) -> Callable:
    """Return the function that doubles one of its arguments, or turns its truth values, once it has its answer."""

    def wrong(*given: Any) -> Any:
        result, item = right(*given), given[i] if key is None else given[i][key]
        if item is not None:
            item.data.copy_(~item if item.dtype == torch.bool else 2 * item)
        return result

    return wrong


def _tires(right: Callable, count: int) -> Callable:
    calls = []

    def wrong(*given: Any) -> Any:
        calls.append(given)
        return right(*given) if len(calls) <= count else _zeros(right(*given))

    return wrong


def _zeros(result: Any) -> Any:
    return tuple(map(_zeros, result)) if isinstance(result, tuple) else 0 * result


def _remembered(memory: dict, key: str, value: Tensor) -> Tensor:
    """Return what came first of this shape, with the gradient of what has come now."""
    first = memory.setdefault((key, value.shape), value.detach().clone())
    return first + value - value.detach() if value.is_floating_point() else first


def _shapes(given: tuple) -> tuple:
    return tuple(each.shape if isinstance(each, Tensor | np.ndarray) else None for each in given)


def _repeats(shapes: list) -> bool:
    """Return whether some shape comes twice: where none does, memory is right."""
    return len(set(shapes)) < len(shapes)


def _given_to(cases: list[Case], name: str, key: str | None) -> list:
    """Return an argument, or an entry of one, of all cases that have it."""
    given = [value for case in cases if (value := case.arguments.get(name)) is not None]
    return given if key is None else [value[key] for value in given]


def _leaves(check: Check, cases: list[Case]) -> Iterator[tuple[str, int, str | None, dict[str, Change]]]:
    """Yield name, place and entry of each argument that is an array or holds some, and what can be changed in it."""
    for i, (name, parameter) in enumerate(inspect.signature(check.reference).parameters.items()):
        value = next(iter(_given_to(cases, name, None)), None)
        batched = getattr(parameter.annotation, "dim_str", "").lstrip("*").startswith("batch")
        for key, item in value.items() if isinstance(value, dict) else [(None, value)]:
            if isinstance(item, np.ndarray) and key not in CANCELS:
                floats = ARGUMENTS | BATCHED if batched else ARGUMENTS
                changes = {"f": floats, "b": MASKS}.get(item.dtype.kind, {})
                yield f"{name}[{key}]" if key else name, i, key, changes


def can_be_spoiled(check: Check) -> bool:
    """Return whether the check calls a function with tensors: straight, or through an adapter and with gradients."""
    straight = check.adapter is None and check.hunt is None and bool(check.arguments)
    return inspect.isfunction(check.reference) and (straight or _asks(check, Kind.GRADIENTS))


def quick(check: Check, names: Iterable[str]) -> list[str]:
    """Return the names of the forms that are tried by `make test`."""
    first = next(iter(inspect.signature(check.reference).parameters))
    return [name for name in names if name.endswith(QUICK) and name.partition(":")[0] in (first, *check.outputs, name)]


def _asks(check: Check, kind: Kind) -> bool:
    return any(criterion.kind is kind for criterion in check.criteria)


def spoiled(check: Check, cases: list[Case]) -> dict[str, Callable]:
    """Return the reference in every spoiled form."""
    right, memory = check.reference, {}
    wrong: dict[str, Callable] = {
        "nothing": lambda *given: (right(*given), None)[1],
        "twice": lambda *given: [right(*given), right(*given)],
        "one thing more": lambda *given: (*(r if isinstance(r := right(*given), tuple) else (r,)), given[0]),
        "tires after nine calls": _tires(right, 9),
        "tires after its first answers": _tires(right, len(cases) + sum(case.cotangents is not None for case in cases)),
    }
    if _repeats([_shapes(tuple(case.arguments.values())) for case in cases]):
        wrong["remembered by shape"] = lambda *given: memory.setdefault(_shapes(given), right(*given))
    for name, i, key, changes in _leaves(check, cases):
        for what, change in changes.items():
            wrong[f"{name}: {what}"] = _given(right, change, i, key)
        wrong[f"{name}: changed in place"] = _in_place(right, i, key)
        if _repeats([np.shape(each) for each in _given_to(cases, name.partition("[")[0], key)]):
            wrong[f"{name}: remembered"] = _given(right, partial(_remembered, memory, name), i, key)
    for place, output in enumerate(check.outputs):
        changes = RESULTS | (OF_FLOATS if cases[0].outputs[output].dtype.kind == "f" else {})
        wrong |= {f"{output}: {what}": _then(right, change, place) for what, change in changes.items()}
    # A repair is not asked to answer twice alike: it differs from the broken function in one statement.
    about = {Kind.GRADIENTS: ("detached", "gradient"), Kind.UNCHANGED: ("in place",), Kind.REPEAT: TIRING}
    left_out = tuple(word for kind, words in about.items() if not _asks(check, kind) for word in words)
    return {name: each for name, each in wrong.items() if not name.endswith(left_out)}


# What changes nothing, and why. A single number, or a row of them, has no axis to lose or to exchange.
ONE_NUMBER = {"loss: squeezed", "loss: turned", "loss: transposed"}
HARMLESS: dict[str, set[str]] = {
    "encoder_decoder.sequence_loss": ONE_NUMBER,
    "bahdanau.coverage_penalty": {"penalty: transposed", "weights: clamped to 2"},  # no weight is above 1
    "luong.local_p_weights": {"p: transposed"},
    "luong.repaired_weights": {"p: transposed"},
    "luong.replaced_unknowns": {"words: transposed", "weights: 0.1 % larger"},  # the largest stays the largest
    # Weights are divided by their sum, and none is above 1.
    "pooling.leave_one_out": {"weights: 0.1 % larger", "weights: clamped to 2", "weights: wrong for one sentence"},
    # Only the order of these counts.
    "pooling.adversarial_weights": {"values: 0.1 % larger", "direction: 0.1 % larger", "weights: transposed"},
    "structured.penalization": {"penalty: transposed"},
    "structured.structured_attention": {"penalty: transposed"},
    "structured.repaired_attention": {"penalty: transposed"},
    "structured.hop_overlap": {"A: 0.1 % larger", "A: wrong for one sentence"},  # rows are divided by their length
    "transformer.label_smoothed_loss": ONE_NUMBER,
    "transformer.make_masks": {"source: transposed where square"},  # (B, 1, S): square where B = 1
    "transformer.decoder_layer": {"source_mask: transposed where square"},  # (B, 1, S): where S = 1
    "long_context.stretched": {"angles: transposed"},
    # Only the order of index scores counts, and no gradient goes through a choice.
    "long_context.chosen_attention": {
        f"{argument}: {change}"
        for argument in ("index_query", "index_key", "index_weight")
        for change in "0.1 % larger;bfloat16;detached;noise;twice its gradient;wrong for one sentence".split(";")
    },
    "language_model.accept": {"draft: clamped to 2", "target: clamped to 2"},  # no probability is above 1
    "language_model.induction_score": {"score: transposed"},
    # The first axis of a cache holds keys and values: two.
    "language_model.cached_step": {"cache: a new axis for one sentence"},
    "transformer.cached_heads": {"cache: a new axis for one sentence"},
}
