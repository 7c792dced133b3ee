"""One function under test: its calls, and its failures."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from autograder.kit.calls.call import arrays, digest
from autograder.kit.calls.peak import within
from autograder.kit.known.recognition import recognised
from autograder.kit.verdict.answer import Answer, Call, Caller, Failure, ManyCaller, clean_answer
from autograder.kit.verdict.cases import Case, Criterion, Kind, KnownMistake
from autograder.kit.verdict.compare import (
    are_different,
    by_hand,
    difference,
    gradient_difference,
    is_text,
    misshapen,
    named,
)

FEW = 2  # cases that are named
NUMBERS = re.compile(r"( at \d+ of \d+ places, first)?( at )?[(\[][\d, ]*[)\]]")  # shapes, and places in a tensor
CUT = " The values are right: is a part of the way back cut off, by .detach(), .data or no_grad()?"
OVERFLOWS = (
    " The values are right: does a part of the way back give NaN, as exp of a large number does, log of 0, 0/0, "
    "and a softmax of -inf alone?"
)
NO_ANSWER = Failure("bad_output", "no answer came back.")


class OneByOne:
    """Makes the calls of a plain caller one after the other, each with tensors of its own."""

    def __init__(self, caller: Caller):
        self.caller = caller

    def call_many(self, function: str, calls: list[Call]) -> list[Answer]:
        return [
            within(self.caller, function, call.arguments, call.most)
            if call.most
            else self.caller(function, call.arguments, call.cotangents)
            for call in calls
        ]


class Evaluation:
    """The calls of one function under test, the first of each remembered."""

    def __init__(self, function: str, cases: list[Case], caller: Caller):
        self.function = function
        self.cases = {case.name: case for case in cases}
        self.caller = caller
        self.keeps_tensors = isinstance(caller, ManyCaller)
        self.calls = caller if isinstance(caller, ManyCaller) else OneByOne(caller)
        # All first calls come before any second one, so that a function that remembers its arguments shows.
        self.numbers = {case.name: number for number, case in enumerate(cases)}
        self.first = self._answers([(case, replace(self._call(case), most=case.peak)) for case in cases])
        self.second: dict[str, Answer] = {}
        smooth = [case for case in cases if case.cotangents is not None and not self.first[case.name].error]
        self.backward = self._answers([(case, Call(self._call(case).arguments, case.cotangents)) for case in smooth])

    def _call(self, case: Case) -> Call:
        """Return the call of a case, whose tensors are kept."""
        return Call(list(case.arguments.values()), number=self.numbers[case.name])

    def _answers(self, calls: list[tuple[Case, Call]]) -> dict[str, Answer]:
        """Return the answers to calls by the names of their cases, at one request unless memory is measured."""
        if any(call.most for _, call in calls):
            return {case.name: self._answer(call) for case, call in calls}
        answers = self.calls.call_many(self.function, [call for _, call in calls]) if calls else []
        return {case.name: clean_answer(answer) for (case, _), answer in zip(calls, answers, strict=True)}

    def _answer(self, call: Call) -> Answer:
        return clean_answer(self.calls.call_many(self.function, [call])[0])

    def _anew(self, case: Case) -> Answer:
        """Return the answer to a call with fresh tensors."""
        return self._answer(Call(list(case.arguments.values())))

    def failure(self, criterion: Criterion) -> Failure | None:
        """Return the first failure of the criterion, None if it is met."""
        judge = FAILURES[criterion.kind]
        failures = (judge(self, case, criterion.part) for case in self._about(criterion))
        return next((failure for failure in failures if failure), None)

    def _about(self, criterion: Criterion) -> list[Case]:
        """Return the cases that the criterion looks at; see Criterion."""
        chosen = criterion.chosen(self.cases.values())
        if criterion.groups or criterion.kind is Kind.VALUES:
            return chosen
        if criterion.kind is Kind.GRADIENTS:
            backward = [case for case in chosen if case.cotangents is not None] or chosen
            return [case for case in backward if not self._shape(case, None)] or backward
        return [case for case in chosen if not self.first[case.name].error] or chosen

    def _outputs(self, case: Case) -> dict[str, np.ndarray] | Failure:
        """Return the outputs of the first call under their names, or the failure."""
        answer = self.first[case.name]
        if answer.error or answer.outputs is None:
            return answer.error or NO_ANSWER
        return named(answer, case)

    def _shape(self, case: Case, part: str | None) -> Failure | None:
        outputs = self._outputs(case)
        if isinstance(outputs, Failure):
            return outputs
        for name in [part] if part else outputs:
            if outputs[name].shape != case.outputs[name].shape and not is_text(case.outputs[name]):
                return _wrong(misshapen(name, outputs[name], case.outputs[name]))
        return None

    def _shape_and_dtype(self, case: Case, part: str | None) -> Failure | None:
        """Return the failure of shapes or dtypes, None for none: integers as demanded, floats of 32 bits."""
        if failure := self._shape(case, part):
            return failure
        outputs = self._outputs(case)
        assert not isinstance(outputs, Failure)
        for name in case.exact:
            if case.outputs[name].dtype.kind in "iu" and outputs[name].dtype.kind == "f":
                return _wrong(f"{name} holds floats ({outputs[name].dtype}), expected integers.")
        return self._rounded(case, part)

    def _rounded(self, case: Case, part: str | None) -> Failure | None:
        """Return the failure of an output rounded to 16 bits, None for none: its values can hardly be right."""
        outputs = self._outputs(case)
        assert not isinstance(outputs, Failure)
        for name in [part] if part else outputs:
            if outputs[name].dtype == np.float16 and case.outputs[name].dtype.kind == "f":
                return _wrong(f"{name} holds 16-bit floats (float16 or bfloat16), expected float32.")
        return None

    def _values(self, case: Case, part: str | None) -> Failure | None:
        outputs = self._outputs(case)
        if isinstance(outputs, Failure):
            return outputs
        if failure := self._shape(case, part):
            return failure
        for name in [part] if part else outputs:
            if text := difference(case.outputs[name], outputs[name], case.tolerance, name in case.exact):
                text = text if case.arguments else by_hand(case.outputs[name], outputs[name], case.tolerance) or text
                complaint = f"{name}: {text} ({case.name})." if case.arguments else f"{name}: {text}."
                return self._rounded(case, name) or _wrong(complaint)
        return None

    def _gradients(self, case: Case, part: str | None) -> Failure | None:
        if failure := self._shape(case, None):
            return failure  # what does not fit the values does not fit their gradients either
        if case.cotangents is None:  # nothing comes back through a right function in place of the student's
            return self._values(case, None)
        answer = self.backward[case.name]
        if answer.gradients is None:
            return answer.error or Failure("no_gradient", "no gradient came back.")
        names = _leaves(case)
        for name, expected, got in zip(names, case.gradients or [], answer.gradients, strict=False):
            if text := gradient_difference(name, case.name, expected, got):
                cause = "" if got is None or self._values(case, None) else CUT if np.isfinite(got).all() else OVERFLOWS
                return self._rounded(case, None) or _wrong(text + cause)
        if len(answer.gradients) != len(names):
            return Failure("no_gradient", "no gradient came back for some of the arguments.")
        return None

    def _unchanged(self, case: Case, part: str | None) -> Failure | None:
        answer = self.first[case.name]
        if answer.inputs_after is None:
            return answer.error or NO_ANSWER
        before = list(arrays(list(case.arguments.values())))
        names = [name for name, value in case.arguments.items() for _ in arrays(value)]
        if len(before) != len(answer.inputs_after):
            text = "puts something into its arguments or takes something out: work on a copy, the caller needs them."
            return _wrong(text)
        for name, old, new in zip(names, before, answer.inputs_after, strict=True):
            if digest(old) != new:
                return _wrong(f"changes its argument {name}: work on a copy, the caller still needs it.")
        # The student's own process reports the content of the tensors: another call with them tests the report.
        if (
            not answer.error
            and are_different(answer, self._with_the_same_tensors(case))
            and not are_different(answer, self._anew(case))
        ):
            text = "it changes its arguments, or draws random numbers"
            return _wrong(f"called with the same tensors once more, it gives another answer: {text}.")
        return None

    def _repeat(self, case: Case, part: str | None) -> Failure | None:
        first, again = self.first[case.name], self._with_the_same_tensors(case)
        if are_different(first, again) and self.keeps_tensors:
            again = self._anew(case)  # tensors that the function has changed are another demand's
        if first.error or again.error or not first.outputs or not again.outputs:
            return again.error or first.error or NO_ANSWER
        if are_different(first, again):
            text = "the same arguments give another answer the second time: keep no state, draw nothing at random."
            return _wrong(text)
        return None

    def _with_the_same_tensors(self, case: Case) -> Answer:
        """Return the second answer: to the tensors of the first call, if the caller has kept them."""
        if case.name not in self.second and self.keeps_tensors:
            cases = [each for name, each in self.cases.items() if each is case or not self.first[name].error]
            self.second |= self._answers([(each, self._call(each)) for each in cases])
        if case.name not in self.second:
            self.second[case.name] = self._anew(case)
        return self.second[case.name]

    def only_in(self, failure: Failure, criterion: Criterion) -> str | None:
        """Return the name of the criterion's only case with this failure, None if there are others."""
        names = [name for name, answer in self.first.items() if answer.error == failure]
        if not names or len(names) == len(self.first):
            return None
        own = [case.name for case in self._about(criterion) if case.name in names]
        return (own or names)[0]

    def what(self, failure: Failure) -> str:
        """Return a failure's text without its case, shapes, places and sizes."""
        if failure.kind == "raised":
            return re.sub(r"\d+", "", failure.text)
        ends = (f" ({name})." for name in self.cases if failure.text.endswith(f" ({name})."))
        return NUMBERS.sub("", failure.text.removesuffix(next(ends, "")))

    def is_unwritten(self) -> bool:
        """Return whether the cell is still as it was released."""
        return all(answer.error and answer.error.kind == "unwritten" for answer in self.first.values())

    def where(self) -> str | None:
        """Return a sentence on the wrong cases, if a feature or a few names describe them, or on the wrong outputs."""
        wrong = [case for case in self.cases.values() if self._values(case, None)]
        right = [case for case in self.cases.values() if case not in wrong]
        for feature in wrong[0].features if wrong and right else []:
            if all(feature in case.features for case in wrong) and not any(feature in c.features for c in right):
                return f"It is wrong exactly in the cases with {feature}, and right in the others."
        if 0 < len(right) <= FEW < len(wrong):
            return f"It is right only with {' and '.join(f'“{case.name}”' for case in right)}."
        return self._right_outputs(wrong) if len(wrong) > FEW else None

    def _right_outputs(self, wrong: list[Case]) -> str | None:
        """Return a sentence where some outputs are right in all cases, and others are not."""
        names = list(wrong[0].outputs)
        bad = [name for name in names if any(self._values(case, name) for case in wrong)]
        good = [name for name in names if name not in bad]
        return f"Right in all cases: {' and '.join(good)}." if good and bad else None

    def mistakes(self) -> tuple[list[KnownMistake], list[str]]:
        """Return the known mistakes whose numbers are the student's where they are not right, and a line on each."""
        return recognised(list(self.cases.values()), self.first)


FAILURES: dict[Kind, Callable[[Evaluation, Case, str | None], Failure | None]] = {
    Kind.SHAPE: Evaluation._shape_and_dtype,
    Kind.VALUES: Evaluation._values,
    Kind.GRADIENTS: Evaluation._gradients,
    Kind.UNCHANGED: Evaluation._unchanged,
    Kind.REPEAT: Evaluation._repeat,
}  # the function that finds a case's failure, by the kind of the criterion


def _wrong(text: str) -> Failure:
    return Failure("wrong", text)


def _leaves(case: Case) -> list[str]:
    """Return the name of each float array among the arguments, in the order of the gradients."""
    return [
        name if not isinstance(value, dict) else f"{name}[{key!r}]"
        for name, value in case.arguments.items()
        for key, leaf in (value.items() if isinstance(value, dict) else [(None, value)])
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f"
    ]
