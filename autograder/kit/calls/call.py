"""Calls a student's function with given arguments, and returns its answer as plain arrays."""

from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograder.kit.calls.adapter import Adapter, adapted
from autograder.kit.calls.errors import failure
from autograder.kit.verdict.answer import Answer, Failure, Kind

MOST_OUTPUTS = 1000

Cotangents = list | Callable[[list[np.ndarray]], list]  # one for each output, or a function from outputs to them


class Unusable(Exception):
    """The function's value cannot be used; the message says why, and the error has the kind of failure."""

    def __init__(self, text: str, kind: Kind = "bad_output") -> None:
        super().__init__(text)
        self.failure = Failure(kind, text)


def arrays(value: Any) -> Iterator[np.ndarray]:
    """Yield every array in an argument list, in order, also in dictionaries; for other values there, an empty one."""
    return _leaves(value, np.ndarray, np.zeros(0, np.float32))


def digest(array: np.ndarray) -> str:
    """Return a digest of an argument: the numbers need not come back to show that a call has changed them."""
    about = f"{array.dtype.str} {array.shape} ".encode()
    return blake2b(about + array.tobytes(), digest_size=8).hexdigest()


def _leaves(value: Any, kind: type, empty: Any) -> Iterator[Any]:
    if isinstance(value, kind):
        yield value
    elif isinstance(value, dict):
        for item in value.values():  # to add a number to a dictionary is a change, too
            yield from _leaves(item, kind, empty) if isinstance(item, kind | dict | list | tuple) else [empty]
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item, kind, empty)


def call(
    namespace: dict,
    function: str,
    arguments: list,
    cotangents: Cotangents | None = None,
    kept: list | None = None,
    adapter: Adapter | None = None,
) -> Answer:
    """Call the `function` of this name in a notebook's `namespace`; send `cotangents`, if any, back through it.

    `adapter` calls it with the `arguments` if it is no function of tensors. A fault of the student's code becomes
    Answer.error, never an exception here. `kept` takes the tensors of the call; tensors in it are used again.
    """
    target = namespace.get(function)
    if not callable(target):
        state = "is not defined" if target is None else f"is not a function any more ({type(target).__name__})"
        text = f"{function} {state}. Run the cell that defines it, and keep the name."
        return Answer(error=Failure("undefined", text))
    tensors: list[Tensor] = []
    answer = Answer()
    try:
        with torch.inference_mode(False), torch.enable_grad():  # whatever the student's cells have left on
            given = kept or fresh(arguments, tensors, wants_gradients=cotangents is not None)
            if kept is not None:
                kept[:] = given
            result = adapted(target, adapter)(*given)
            answer.several = isinstance(result, tuple | list)
            answer.apart = isinstance(result, tuple) and _has_tensors(result)
            answer.outputs = _outputs(result)
            answer.inputs_after = [digest(each.detach().numpy()) for each in _leaves(given, Tensor, torch.zeros(0))]
            if cotangents is not None:
                sent = cotangents(answer.outputs) if callable(cotangents) else cotangents
                answer.gradients = _gradients(result, sent, tensors)
    except KeyboardInterrupt:
        raise
    except Unusable as error:
        answer.error = error.failure
    except BaseException as error:  # exit() in a student's function must not end the grader
        answer.error = failure(error, function, target)
    return answer


def fresh(value, tensors: list[Tensor], wants_gradients: bool):
    """Return the arguments with every array as a new tensor, and note those tensors in order."""
    if isinstance(value, np.ndarray):
        tensor = torch.from_numpy(np.array(value))
        if wants_gradients and tensor.is_floating_point():
            tensor.requires_grad_()
        tensors.append(tensor)
        return tensor
    if isinstance(value, dict):
        return {key: fresh(item, tensors, wants_gradients) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [fresh(item, tensors, wants_gradients) for item in value]
    return value


def _outputs(result) -> list[np.ndarray]:
    if not isinstance(result, tuple | list):
        return [_array(result)]
    kind = type(result).__name__
    if len(result) > MOST_OUTPUTS:
        raise Unusable(f"The function returned a {kind} of {len(result)} things.")
    if any(item is None for item in result):
        raise Unusable(f"The function returned a {kind} with None in it: expected tensors or numbers.")
    for number, item in enumerate(result if len(result) > 1 else [], 1):
        if _has_tensors(item):
            what = f"a {type(item).__name__} of {len(item)} tensors as result {number}"
            raise Unusable(f"The function returned {what}, expected one tensor there (torch.stack makes one).")
    return [_array(item) for item in result]


def _has_tensors(value: Any) -> bool:
    """Return whether a value is a tuple or list with tensors in it, beside those of one number."""
    return isinstance(value, tuple | list) and any(isinstance(item, Tensor) and item.ndim for item in value)


def _array(value) -> np.ndarray:
    """Return the student's value as a numeric array: of tensors, arrays, numbers and nested lists of them."""
    if value is None:
        raise Unusable("The function returned None: is a `return` missing?")
    if isinstance(value, Tensor):
        value = value.detach().to_dense() if value.is_sparse else value.detach()
        value = value.half() if value.dtype == torch.bfloat16 else value  # numpy has none; both cost the same points
        array = value.cpu().resolve_conj().resolve_neg().numpy().copy()
    elif isinstance(value, list | tuple):
        rows = [_array(item) for item in value[: MOST_OUTPUTS + 1]]
        if len({row.shape for row in rows}) > 1:
            raise Unusable("The function returned a list whose rows have different lengths.")
        array = np.stack(rows) if rows else np.zeros(0, dtype=np.int64)
    else:
        array = np.asarray(value) if isinstance(value, np.ndarray | np.generic | int | float) else None
    if array is None or array.dtype.kind not in "biuf":
        raise Unusable(f"The function returned a {type(value).__name__}: expected tensors or numbers.")
    return array


def _gradients(result, cotangents: list, tensors: list[Tensor]) -> list[np.ndarray | None]:
    """Return the gradients of Σ output · cotangent with respect to every float argument; None: not reached."""
    outputs = list(result) if isinstance(result, tuple | list) else [result]
    if len(cotangents) == 1 and isinstance(result, tuple | list):
        outputs = [outputs]
    outputs = [_stacked(output) for output in outputs]
    terms = [
        (output * torch.from_numpy(np.array(cotangent)).to(output.device, output.dtype)).sum().cpu()
        for output, cotangent in zip(outputs, cotangents, strict=True)
        if isinstance(output, Tensor) and output.requires_grad and cotangent is not None
    ]
    if not terms:
        ways = ".detach(), .item(), .tolist(), .numpy(), torch.tensor(…) or no_grad()"
        text = f"No gradient comes back: a {ways} cuts it off, or the result is made of none of the arguments."
        raise Unusable(text, "no_gradient")
    inputs = [tensor for tensor in tensors if tensor.requires_grad]
    total = torch.stack([term.double() for term in terms]).sum()
    gradients = torch.autograd.grad(total, inputs, allow_unused=True)
    return [None if gradient is None else gradient.detach().numpy().copy() for gradient in gradients]


def _stacked(output: Any) -> Any:
    """Return tensors in a list or tuple stacked to one, as their values are compared; anything else as it is."""
    parts = [_stacked(part) for part in output] if isinstance(output, list | tuple) else []
    return torch.stack(parts) if parts and all(isinstance(part, Tensor) for part in parts) else output
