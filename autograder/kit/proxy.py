"""Stand-ins for functions: they ask somebody else for their values, and for gradients when those are sent back."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from types import FunctionType
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

# A question: {"function": name, "arguments": [...], "cotangents": None, or one array or None for each output}.
# Its answer: {"outputs": [...], "several": bool, "differentiable": [bool, ...]}; with cotangents {"gradients": [...]},
# one array or None for each float array among the arguments; or {"error": [type, message]}.
Ask = Callable[[dict], dict]
Outline = list[list]  # of a function's parameters, each [name] or [name, default]

MOST_HEADER, MOST_BODY = 1 << 20, 16 << 20  # bytes of a question: text, and arrays
IN_PLACE = ", a right one in place of yours"  # of a function that the student's calls
SPOKEN = {kind.__name__: kind for kind in (ValueError, TypeError, IndexError, RuntimeError)}


def outline(function: Callable) -> Outline:
    """Return the parameters of a function with their defaults, as plain values."""
    parameters = inspect.signature(function).parameters.values()
    return [[each.name] if each.default is Parameter.empty else [each.name, each.default] for each in parameters]


def remote_stub(name: str, parameters: Outline, ask: Ask, suffix: str = IN_PLACE) -> Callable:
    """Return a function of these parameters that asks for what it returns. Its errors begin with name and suffix."""
    kind = Parameter.POSITIONAL_OR_KEYWORD
    signature = Signature(
        [Parameter(first, kind, default=rest[0] if rest else Parameter.empty) for first, *rest in parameters]
    )

    def standing_in(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        return _asked(name, list(bound.arguments.values()), ask, suffix)

    standing_in.__name__ = standing_in.__qualname__ = name
    return standing_in


@dataclass
class _Call:
    """One call of a stand-in: what it asks, and the tensors behind the arrays of its question."""

    question: dict
    tensors: list[Tensor]
    ask: Ask
    suffix: str = IN_PLACE
    several: bool = False

    @property
    def floats(self) -> list[Tensor]:
        return [tensor for tensor in self.tensors if tensor.is_floating_point()]

    def answer(self, cotangents: list[np.ndarray | None] | None = None) -> dict:
        answer = self.ask(self.question | {"cotangents": cotangents})
        if "error" in answer:
            kind, message = answer["error"]
            text = message if kind in SPOKEN else f"{kind}: {message}"
            raise SPOKEN.get(kind, RuntimeError)(f"{self.question['function']}{self.suffix}: {text}")
        return answer

    def tensor(self, value: Any) -> Any:
        """Return an output as a tensor of the dtype and on the device of the arguments; a number stays one."""
        if not isinstance(value, np.ndarray):
            return value
        made = torch.from_numpy(np.array(value)).to(self.tensors[0].device if self.tensors else "cpu")
        dtype = self.floats[0].dtype if self.floats else made.dtype
        for tensor in self.floats:
            dtype = torch.promote_types(dtype, tensor.dtype)
        return made.to(dtype) if made.is_floating_point() else made


class _Remote(torch.autograd.Function):
    """A call whose values and vector–Jacobian products come from anyone who is asked."""

    @staticmethod
    def forward(ctx: Any, call: _Call, *_: Tensor) -> Any:
        answer = call.answer()
        call.several = answer["several"]
        outputs = tuple(map(call.tensor, answer["outputs"]))
        fixed = [o for o, smooth in zip(outputs, answer["differentiable"], strict=True) if not smooth]
        ctx.mark_non_differentiable(*(output for output in fixed if isinstance(output, Tensor)))
        ctx.set_materialize_grads(False)
        ctx.call = call
        return outputs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *cotangents: Tensor | None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        call: _Call = ctx.call
        sent = [None if cotangent is None else _array(cotangent) for cotangent in cotangents]
        gradients = (
            call.answer(sent)["gradients"] if any(each is not None for each in sent) else [None] * len(call.floats)
        )
        pairs = zip(gradients, call.floats, strict=True)
        back = [None if g is None else torch.from_numpy(np.array(g)).to(t.device, t.dtype) for g, t in pairs]
        return None, *back


def _asked(name: str, arguments: list, ask: Ask, suffix: str) -> Any:
    tensors: list[Tensor] = []
    call = _Call({"function": name, "arguments": _plain(arguments, tensors)}, tensors, ask, suffix)
    outputs = _Remote.apply(call, *call.floats)
    return outputs if call.several else outputs[0]


def _plain(value: Any, tensors: list[Tensor]) -> Any:
    """Return arguments with arrays for tensors, and note the tensors in order."""
    if isinstance(value, np.ndarray):
        value = torch.from_numpy(np.array(value))
    if isinstance(value, Tensor):
        tensors.append(value)
        return _array(value)
    if isinstance(value, Mapping | torch.nn.ParameterDict):
        return {key: _plain(item, tensors) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, tensors) for item in value]
    return value


def _array(tensor: Tensor) -> np.ndarray:
    """Return a copy of a tensor's numbers; numpy has no bfloat16."""
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy().copy()


def install(namespace: dict, remote_stubs: Mapping[str, Callable]) -> list[Callable[[], None]]:
    """Put stand-ins in place of the functions of these names; return what takes them out again, last first."""
    undo: list[Callable[[], None]] = []
    for name, standing_in in remote_stubs.items():
        own = namespace.get(name, Parameter.empty)
        if own is standing_in:
            continue
        undo += _redirect(own, standing_in, namespace)
        namespace[name] = standing_in
        undo.append(lambda name=name, own=own: _put_back(namespace, name, own))
    return undo[::-1]


def _put_back(namespace: dict, name: str, own: Any) -> None:
    if own is Parameter.empty:
        namespace.pop(name, None)
    else:
        namespace[name] = own


def _redirect(own: Any, standing_in: Callable, namespace: dict) -> Iterable[Callable[[], None]]:
    """Make a notebook's function do what the stand-in does, wherever else it is at hand: a default, a partial."""
    try:
        inner = inspect.unwrap(own)
    except Exception:  # it may be anything
        return []
    if not isinstance(inner, FunctionType) or inner.__globals__ is not namespace or inner.__code__.co_freevars:
        return []
    before = inner.__code__, inner.__defaults__, inner.__kwdefaults__
    _set(inner, _handed_on.__code__, None, {"_right": standing_in})
    return [lambda: _set(inner, *before)]


def _handed_on(*given: Any, _right: Any = None, **named: Any) -> Any:
    return _right(*given, **named)


def _set(function: FunctionType, code: Any, defaults: Any, named: Any) -> None:
    function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, named
