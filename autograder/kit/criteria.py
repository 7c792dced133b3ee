"""One function under test: the calls that are made of it, and what speaks against it."""

from collections.abc import Callable

import numpy as np

from autograder.kit.answers import Answer, Caller, arrays
from autograder.kit.cases import TOLERANCE, Case, Criterion, Kind
from autograder.kit.compare import ZERO, checked, difference, named
from autograder.kit.recognition import Recognised, recognised


class Evaluation:
    """The calls of one function under test, the first of each remembered."""

    def __init__(self, function: str, cases: list[Case], caller: Caller):
        self.function = function
        self.cases = {case.name: case for case in cases}
        self.caller = caller
        # All first calls come before any second one: a function that remembers its arguments gives itself away.
        self.first = {case.name: self._call(case) for case in cases}
        self.numbers = {name: number for number, name in enumerate(self.first)}
        self.second: dict[str, Answer] = {}
        self.backward = {case.name: self._call(case, gradients=True) for case in cases if case.cotangents is not None}

    def _call(self, case: Case, gradients: bool = False) -> Answer:
        return checked(
            self.caller(self.function, list(case.arguments.values()), case.cotangents if gradients else None)
        )

    def complaint(self, criterion: Criterion) -> str | None:
        """Return what speaks against the criterion, or None."""
        complaint = COMPLAINTS[criterion.kind]
        complaints = (complaint(self, case, criterion.part) for case in self._about(criterion))
        return next(filter(None, complaints), None)

    def _about(self, criterion: Criterion) -> list[Case]:
        """Return the cases that the criterion looks at; see Criterion."""
        chosen = criterion.chosen(self.cases.values())
        if criterion.groups or criterion.kind is Kind.VALUES:
            return chosen
        if criterion.kind is Kind.GRADIENTS:
            backward = [case for case in chosen if case.cotangents is not None]
            return [case for case in backward if not self._shape(case, None)] or backward
        return [case for case in chosen if not self.first[case.name].error] or chosen

    def _shape(self, case: Case, part: str | None) -> str | None:
        answer = self.first[case.name]
        if answer.error or answer.outputs is None:
            return answer.error or "no answer came back."
        outputs = named(answer, case)
        if isinstance(outputs, str):
            return outputs
        for name in [part] if part else outputs:
            if outputs[name].shape != case.outputs[name].shape:
                return f"{name} has shape {outputs[name].shape}, expected {case.outputs[name].shape}."
        return None

    def _values(self, case: Case, part: str | None) -> str | None:
        complaint = self._shape(case, part)
        if complaint:
            return complaint
        outputs = named(self.first[case.name], case)
        if isinstance(outputs, str):
            return outputs
        for name in [part] if part else outputs:
            complaint = difference(case.outputs[name], outputs[name], case.tolerance)
            if complaint:
                return f"{name}: {complaint} ({case.name})."
        return None

    def _gradients(self, case: Case, part: str | None) -> str | None:
        if complaint := self._shape(case, None):
            return complaint  # what does not fit the values does not fit their gradients either
        answer = self.backward[case.name]
        if answer.gradients is None:
            return answer.error or "no gradient came back."
        names = _leaves(case)
        for name, expected, got in zip(names, case.gradients or [], answer.gradients, strict=False):
            if complaint := _gradient(expected, got):
                return complaint.format(name=name, case=case.name)
        if len(answer.gradients) != len(names):
            return "no gradient came back for some of the arguments."
        return None

    def _unchanged(self, case: Case, part: str | None) -> str | None:
        answer = self.first[case.name]
        if answer.inputs_after is None:
            return answer.error or "no answer came back."
        before = list(arrays(list(case.arguments.values())))
        names = [name for name, value in case.arguments.items() for _ in arrays(value)]
        if len(before) != len(answer.inputs_after):
            return "puts something into its arguments or takes something out: work on a copy, the caller needs them."
        for name, old, new in zip(names, before, answer.inputs_after, strict=True):
            if old.shape != np.shape(new) or not np.array_equal(old, new):
                return f"changes its argument {name}: work on a copy, the caller still needs it."
        # What is left in the tensors, the student's own process says: another call with them shows whether it is so.
        if (
            not answer.error
            and _differ(answer, self._with_the_same_tensors(case))
            and not _differ(answer, self._call(case))
        ):
            return "changes its arguments: called with the same tensors once more, it gives another answer."
        return None

    def _repeat(self, case: Case, part: str | None) -> str | None:
        first, again = self.first[case.name], self._with_the_same_tensors(case)
        if _differ(first, again) and hasattr(self.caller, "again"):
            again = self._call(case)  # tensors that the function has changed are another demand's
        if first.error or again.error or not first.outputs or not again.outputs:
            return again.error or first.error or "no answer came back."
        if _differ(first, again):
            return "the same arguments give another answer the second time: keep no state, draw nothing at random."
        return None

    def _with_the_same_tensors(self, case: Case) -> Answer:
        """Return the second answer: to the tensors of the first call, where the caller has kept them."""
        if case.name not in self.second:
            again = getattr(self.caller, "again", None)
            arguments = list(case.arguments.values())
            answer = again(self.function, arguments, self.numbers[case.name]) if again else None
            self.second[case.name] = checked(answer) if answer else self._call(case)
        return self.second[case.name]

    def only_in(self, error: str) -> str | None:
        """Return the name of a case that ends with this error, if others do not."""
        names = [name for name, answer in self.first.items() if answer.error == error]
        return names[0] if names and len(names) < len(self.first) else None

    def unwritten(self) -> bool:
        """Return whether the cell still holds what the student found in it."""
        last_lines = [(answer.error or "-").splitlines()[-1] for answer in self.first.values()]
        stops = all((answer.error or "").startswith("NotImplementedError") for answer in self.first.values())
        return stops and all(f" in {self.function}" in line or len(line) < 30 for line in last_lines)

    def where(self) -> str | None:
        """Return a sentence when the failing cases, and no others, have something in common."""
        wrong = [case for case in self.cases.values() if self._values(case, None)]
        right = [case for case in self.cases.values() if case not in wrong]
        for feature in wrong[0].features if wrong and right else []:
            if all(feature in case.features for case in wrong) and not any(feature in c.features for c in right):
                return f"It is wrong exactly where there is {feature}, and right elsewhere."
        return None

    def mistakes(self) -> Recognised:
        """Return the known mistakes whose numbers are the student's wherever they are not the right ones."""
        return recognised(list(self.cases.values()), self.first)


COMPLAINTS: dict[Kind, Callable[[Evaluation, Case, str | None], str | None]] = {
    Kind.SHAPE: Evaluation._shape,
    Kind.VALUES: Evaluation._values,
    Kind.GRADIENTS: Evaluation._gradients,
    Kind.UNCHANGED: Evaluation._unchanged,
    Kind.REPEAT: Evaluation._repeat,
}  # what speaks against a case, by the kind of the criterion


def _differ(one: Answer, two: Answer) -> bool:
    """Return whether two answers to the same arguments differ."""
    if one.error or two.error or not one.outputs or not two.outputs:
        return True
    return any(
        a.shape != b.shape or not np.allclose(a, b, rtol=ZERO, atol=ZERO, equal_nan=True)
        for a, b in zip(one.outputs, two.outputs, strict=False)
    )


def _gradient(expected: np.ndarray | None, got: np.ndarray | None) -> str | None:
    """Return what is wrong with one gradient; None stands for zeros of any shape."""
    if got is None:
        reached = expected is not None and np.any(np.abs(expected) > TOLERANCE)  # the noise of a 0 may reach 2e-6
        return "no gradient reaches {name}." if reached else None
    if not np.isfinite(got).all():
        return "the gradient of {name} holds NaN or infinity ({case})."
    right = np.zeros_like(got) if expected is None else expected
    if got.shape != right.shape or not np.allclose(got, right, rtol=TOLERANCE, atol=TOLERANCE):
        return "the gradient of {name} is not the expected one ({case})."
    return None


def _leaves(case: Case) -> list[str]:
    """Return the name of each float array among the arguments, in the order of the gradients."""
    return [
        name if not isinstance(value, dict) else f"{name}[{key!r}]"
        for name, value in case.arguments.items()
        for key, leaf in (value.items() if isinstance(value, dict) else [(None, value)])
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f"
    ]
