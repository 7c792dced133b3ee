"""From answers to points: the one comparison, used on the student's machine and by the judge."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from autograder.kit.answers import Answer, Caller, arrays

TOLERANCE = 1e-4  # float32 noise of right answers stays under 3e-6, no wrong value passes even at 1e-3
ZERO = 1e-6  # a masked position may keep this much: exact zeros are not demanded
SAME = 2e-5  # numbers of a known mistake: a near match is no match
KINDS = ("shape", "values", "gradients", "unchanged", "repeat")


@dataclass
class Known:
    """What one known mistake gives on a case: the feedback names it when the student's numbers are the same."""

    name: str
    hint: str
    outputs: list[np.ndarray] | None  # None: the mistake crashes here


@dataclass
class Case:
    """One call: its arguments and what a right function answers. `features` say in words what is special in it."""

    name: str
    arguments: dict
    outputs: dict[str, np.ndarray]
    features: list[str] = field(default_factory=list)
    cotangents: list[np.ndarray] | None = None
    gradients: list[np.ndarray | None] | None = None
    known: list[Known] = field(default_factory=list)


@dataclass
class Criterion:
    """Points for one demand on some cases; `part` names one of several outputs."""

    name: str
    points: int
    kind: str
    cases: list[str]
    part: str | None = None


@dataclass
class Verdict:
    """Points, and what to tell the student: nothing when all is right."""

    score: float
    max_score: float
    hint: str | None
    mistakes: list[str]
    criteria: list[tuple[str, float, float]]  # name, points, got


def grade(check_id: str, cases: list[Case], criteria: list[Criterion], caller: Caller) -> Verdict:
    """Call the function of check_id on every case and give the points of each criterion that all its cases meet."""
    trial = Trial(check_id.partition(".")[2], cases, caller)
    complaints = [trial.complaint(criterion) for criterion in criteria]
    some_value = any(c.kind == "values" and not said for c, said in zip(criteria, complaints, strict=True))
    rows = []
    for i, criterion in enumerate(criteria):
        if criterion.kind in ("unchanged", "repeat") and not complaints[i] and not some_value:
            complaints[i] = "counts once some of the values are right."
        rows.append((criterion.name, criterion.points, 0 if complaints[i] else criterion.points))
    score, most = sum(got for *_, got in rows), sum(points for _, points, _ in rows)
    if score == most:
        return Verdict(score, most, None, [], rows)
    found = trial.mistakes()
    hint = _hint(rows, complaints, found, trial)
    return Verdict(score, most, hint, [known.name for known in found], rows)


def _hint(rows: list, complaints: list, found: list[Known], trial: "Trial") -> str:
    """Return the feedback as a few lines: each demand, what went wrong with it, and the mistake it looks like."""
    score, most = sum(got for *_, got in rows), sum(points for _, points, _ in rows)
    lines = [f"{trial.function}: {score} of {most} points."]
    if trial.unwritten():
        return f"{lines[0]} It is not written yet."
    said = set()
    for (name, points, _), complaint in zip(rows, complaints, strict=True):
        again = " as above." if complaint in said else complaint  # one crash often costs several criteria
        said.add(complaint)
        lines.append(f"  ✗ {name} ({points}): {again.strip()}" if complaint else f"  ✓ {name} ({points})")
    where = trial.where()
    lines += [where] if where else []
    lines += [f"Your numbers are those of a known mistake: {known.hint}" for known in found]
    return "\n".join(lines)


class Trial:
    """The calls of one function under test, each made once and remembered."""

    def __init__(self, function: str, cases: list[Case], caller: Caller):
        self.function = function
        self.cases = {case.name: case for case in cases}
        self.caller = caller
        # All first calls come before any second one: a function that remembers its arguments gives itself away.
        self.first = {case.name: self._call(case) for case in cases}
        self.backward = {case.name: self._call(case, gradients=True) for case in cases if case.cotangents is not None}
        self.second: dict[str, Answer] = {}

    def _call(self, case: Case, gradients: bool = False) -> Answer:
        return checked(
            self.caller(self.function, list(case.arguments.values()), case.cotangents if gradients else None)
        )

    def complaint(self, criterion: Criterion) -> str | None:
        """Return what speaks against the criterion, or None."""
        judge = getattr(self, f"_{criterion.kind}")
        for name in criterion.cases:
            complaint = judge(self.cases[name], criterion.part)
            if complaint:
                return complaint
        return None

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

    def _values(self, case: Case, part: str | None, answer: Answer | None = None) -> str | None:
        complaint = self._shape(case, part)
        if complaint:
            return complaint
        outputs = named(answer or self.first[case.name], case)
        if isinstance(outputs, str):
            return outputs
        for name in [part] if part else outputs:
            complaint = difference(case.outputs[name], outputs[name])
            if complaint:
                return f"{name} {complaint} ({case.name})."
        return None

    def _gradients(self, case: Case, part: str | None) -> str | None:
        answer = self.backward[case.name]
        if answer.gradients is None:
            return answer.error or "no gradient came back."
        names = _leaves(case)
        for name, expected, got in zip(names, case.gradients or [], answer.gradients, strict=False):
            expected = expected if expected is not None else np.zeros(1)
            if got is None and np.abs(expected).max() > ZERO:
                return f"no gradient reaches {name}."
            got = np.zeros_like(expected) if got is None else got
            if not np.isfinite(got).all():
                return f"the gradient of {name} holds NaN or infinity ({case.name})."
            if got.shape != expected.shape or not np.allclose(got, expected, rtol=TOLERANCE, atol=TOLERANCE):
                return f"the gradient of {name} is not the expected one ({case.name})."
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
            return "the arguments did not come back."
        for name, old, new in zip(names, before, answer.inputs_after, strict=True):
            if old.shape != np.shape(new) or not np.array_equal(old, new):
                return f"changes its argument {name}: work on a copy, the caller still needs it."
        return None

    def _repeat(self, case: Case, part: str | None) -> str | None:
        again = self.second.setdefault(case.name, self._call(case))
        first = self.first[case.name]
        if first.error or again.error or not first.outputs or not again.outputs:
            return again.error or first.error or "no answer came back."
        for one, two in zip(first.outputs, again.outputs, strict=False):
            if one.shape != two.shape or not np.allclose(one, two, rtol=ZERO, atol=ZERO, equal_nan=True):
                return "the same arguments give another answer the second time: keep no state, draw nothing at random."
        return None

    def unwritten(self) -> bool:
        """Tell whether the cell still holds what the student found in it."""
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

    def mistakes(self) -> list[Known]:
        """Return the known mistakes whose numbers are the student's wherever they are not the right ones."""
        names = {known.name: known for case in self.cases.values() for known in case.known}
        return [known for name, known in names.items() if self._is(name)]

    def _is(self, name: str) -> bool:
        told_apart = False
        for case in self.cases.values():
            known = next((known for known in case.known if known.name == name), None)
            if known is None or known.outputs is None:
                continue
            right = list(case.outputs.values())
            answer = self.first[case.name]
            if same(known.outputs, right):
                if not answer.error and self._values(case, None):
                    return False
            elif answer.error or not same(_aligned(answer, case), known.outputs):
                return False
            else:
                told_apart = True
        return told_apart


def _leaves(case: Case) -> list[str]:
    """Return the name of each float array among the arguments, in the order of the gradients."""
    return [
        name if not isinstance(value, dict) else f"{name}[{key!r}]"
        for name, value in case.arguments.items()
        for key, leaf in (value.items() if isinstance(value, dict) else [(None, value)])
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f"
    ]


def _aligned(answer: Answer, case: Case) -> list[np.ndarray] | None:
    outputs = named(answer, case)
    return answer.outputs if isinstance(outputs, str) else list(outputs.values())


def named(answer: Answer, case: Case) -> dict[str, np.ndarray] | str:
    """Return the outputs under their names, or a sentence that says why their number is not the expected one."""
    names, given = list(case.outputs), answer.outputs or []
    if len(names) > 1:
        if answer.several and len(given) == len(names):
            return {name: _number(array, case.outputs[name]) for name, array in zip(names, given, strict=True)}
        got = f"{len(given)} things" if answer.several else "one thing"
        return f"returns {got}, expected ({', '.join(names)})."
    if not answer.several and len(given) == 1:
        return {names[0]: given[0]}
    if len({row.shape for row in given}) > 1:
        return f"returns {len(given)} things of different shapes, expected {names[0]} alone, every row of one length."
    return {names[0]: np.stack(given) if given else np.zeros(0)}


def _number(array: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return a tensor of one element as a number where a number is expected."""
    return array.reshape(()) if expected.ndim == 0 and array.size == 1 else array


def checked(answer: Answer) -> Answer:
    """Return the answer if it is made of arrays alone: it comes from the student's side and may be anything."""
    lists = [answer.outputs or [], answer.gradients or [], answer.inputs_after or []]
    fine = all(isinstance(items, list) for items in lists) and isinstance(answer.error, str | None)
    if fine and all(isinstance(item, np.ndarray | None) for items in lists for item in items):
        fine = all(item is not None for item in lists[0])
        fine = fine and all(item is None or item.dtype.kind in "biuf" for items in lists for item in items)
    else:
        fine = False
    return answer if fine else Answer(error="The answer is not made of numbers.")


def difference(expected: np.ndarray, got: np.ndarray) -> str | None:
    """Return how the values differ, in words that give no expected value away, or None when they agree."""
    if expected.dtype.kind in "iub":
        return None if np.array_equal(expected, got) else "are not the expected ones"
    if np.isnan(got).any():
        return "hold NaN" if got.ndim else "is NaN"
    if not np.isfinite(got).all():
        return "hold an infinity" if got.ndim else "is infinite"
    zero = expected == 0
    if np.any(np.abs(got[zero]) > ZERO):
        return "are not 0 where they have to be"
    if not np.allclose(got[~zero], expected[~zero], rtol=TOLERANCE, atol=TOLERANCE):
        return "are not the expected ones" if got.ndim else "is not the expected one"
    return None


def same(one: Iterable[np.ndarray] | None, two: Iterable[np.ndarray] | None) -> bool:
    """Tell whether two lists of outputs hold the same numbers, NaN for NaN."""
    one, two = list(one or []), list(two or [])
    return len(one) == len(two) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=SAME, atol=SAME, equal_nan=True)
        for a, b in zip(one, two, strict=True)
    )
