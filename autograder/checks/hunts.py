"""Bug hunts: an input on which a broken function is wrong, the line and the kind of its bug, and its repair."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from sys import modules
from typing import Any, get_args

from autograder.checks.check import CaseInput, Check, by_hand
from autograder.checks.edits import in_file
from autograder.checks.faults import CheckFault
from autograder.checks.points import GRADIENTS, UNCHANGED, Points
from autograder.checks.worked_examples import Code, of_file
from autograder.kit.calls import adapters
from autograder.kit.verdict.answer import Caller
from autograder.kit.verdict.hunts import Argument, HuntInput, Tried

Within = Callable[[], AbstractContextManager]
# The kinds of bugs: the same list in each notebook, so that it gives nothing away.
KINDS = (
    "the wrong axis: a softmax, a sum or a mean runs along another one",
    "the wrong positions: a mask covers others than it should, or too many, or too few",
    "a wrong factor: something is scaled by another number, twice, or not at all",
    "a step too early or too late: inputs, targets or positions are shifted by one",
    "the wrong shape: numbers are put into another shape where axes should be exchanged",
    "the wrong input: another tensor, state or layer is used than the formula has there (a wrong mask is not meant)",
)


@dataclass(frozen=True)
class Hunt:
    """A broken function. Students show the bug, name it, and mend one statement: three checks.

    `right` is the check of the right function, and `repaired` the repair that the teacher expects; `bug`, "old => new",
    breaks it: `old` stands once in its text. `ranges` bounds whole numbers and single numbers among the arguments:
    {"lengths": (1, "source")}, where a name stands for the length of that axis. Where the broken function has other
    arguments than the student's `own`, `through(own, *arguments)` calls that one.
    """

    right: Check
    repaired: Callable
    failing_input: Callable
    diagnosis: Callable
    bug: str
    points: Mapping[str, int | Points]  # of the repair; those for the input and the diagnosis are the same everywhere
    ranges: Mapping[str, tuple[float | None, float | str | None]] = field(default_factory=dict)
    rests_on: str = ""  # the graded function that a student's own right function calls, where it is not graded itself
    own: str = ""  # the student's function against which an input is tried on their machine; by default the right one's
    through: Callable | None = None

    @property
    def name(self) -> str:
        """Return the broken function's name."""
        return self.repaired.__name__.replace("repaired", "broken")

    @cached_property
    def source(self) -> str:
        """Return the broken function as students read it."""
        right, (old, new) = source_of(self.repaired), self.bug.split(" => ")
        if right.count(old) != 1:
            raise CheckFault(f"{self.repaired.__name__}: `{old}` stands there {right.count(old)} times, expected once")
        return right.replace(old, new).replace(self.repaired.__name__, self.name)

    @cached_property
    def broken(self) -> Callable:
        """Return the broken function."""
        names = dict(vars(modules[self.repaired.__module__]))
        exec(self.source, names)
        return names[self.name]

    @property
    def about_input(self) -> HuntInput:
        parameters = inspect.signature(self.right.reference).parameters.values()
        arguments = [argument(each, *self.ranges.get(each.name, (None, None))) for each in parameters]
        through = source_of(self.through) if self.through else ""
        own = self.own or self.right.function
        return HuntInput(own, self.source, arguments, self.rests_on or own, through)

    def checks(self) -> list[Check]:
        """Return the checks of the input, of the diagnosis and of the repair, in this order."""
        of_input = Check(
            self.failing_input,
            ("input",),
            lambda rng: [CaseInput("your input", [])],
            {f"{self.name} is wrong on it": Points(2, "your input")},
            also=(),
            adapter=adapters.failing_input,
            hunt=self,
        )
        of_diagnosis = by_hand(self.diagnosis, {"line": "the line", "kind": "the kind"}, "your diagnosis")
        named = replace(of_diagnosis, adapter=adapters.diagnosis, hunt=self)
        mended = replace(
            self.right,
            points=self.points,
            also=tuple(kind for kind in (GRADIENTS, UNCHANGED) if kind in self.right.also),
            mistakes=(*in_file(self.right.reference, self.repaired.__name__), self._still_broken()),
            examples=self._examples(),
            name=self.repaired.__name__,
            may_call=(),
            hunt=self,
        )
        return [of_input, named, mended]

    def _examples(self) -> tuple[Code, ...]:
        """Return the calls of examples/repaired_….txt, else those of the right function, under the repair's name."""
        reference, name = self.right.reference, self.repaired.__name__
        right_name = re.compile(rf"\b{self.right.function}\b")
        of_right = of_file(reference, self.right.function)
        return of_file(reference, name) or tuple(
            right_name.sub(name, code) for code in of_right if isinstance(code, str)
        )

    def _still_broken(self) -> Callable:
        """Return the broken function as a mistake whose hint does not name the bug."""

        def still_broken(*arguments):
            return self.broken(*arguments)

        still_broken.__doc__ = f"The bug is still there: these are the numbers of {self.name}."
        return still_broken

    def caller(self, function: str, caller: Caller, within: Within = nullcontext) -> Caller:
        """Return the caller for the check of this function: for an input, one that answers with its verdict."""
        if function != self.failing_input.__name__:
            return caller
        return Tried(self.about_input.arguments, self.broken, self.right.reference, caller, within)


@cache
def source_of(function: Callable) -> str:
    """Return a function's source without its docstring, which would name the bug."""
    lines = textwrap.dedent(inspect.getsource(function)).rstrip().splitlines()
    first = ast.parse("\n".join(lines)).body[0].body[0]  # pyright: ignore[reportAttributeAccessIssue]
    if inspect.getdoc(function):
        del lines[first.lineno - 1 : first.end_lineno]
    return "\n".join(lines)


def argument(parameter: inspect.Parameter, least: float | None, most: float | str | None) -> Argument:
    """Return the demands on an argument, from its annotation: Float[Tensor, "batch units"] | None, int, float."""
    choices: list[Any] = [each for each in get_args(parameter.annotation) if each is not type(None)]
    optional = type(None) in get_args(parameter.annotation)
    annotation = choices[0] if optional else parameter.annotation
    if annotation is int:
        return Argument(parameter.name, "int", None, optional, least, most)
    if annotation in (float, int | float):
        return Argument(parameter.name, "float", None, optional, least, most)
    kind = annotation.__name__.partition("[")[0].lower()
    return Argument(parameter.name, kind, annotation.dim_str.split(), optional, least, most)
