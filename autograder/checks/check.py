"""A check: how cases are drawn, which demands earn points, which mistakes have a name."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from autograder.checks import faults
from autograder.checks.edits import in_file, pairs, target, union
from autograder.checks.faults import CheckFault
from autograder.checks.points import DIFFERENTIABLE, FEATURES, GRADIENTS, NAMES, SHAPE, Points
from autograder.checks.portable import portable
from autograder.checks.usual import usual
from autograder.checks.worked_examples import Code, of_file, worked
from autograder.kit.calls.adapter import Adapter
from autograder.kit.calls.call import call
from autograder.kit.known.table_models import CachedSteps
from autograder.kit.verdict.answer import Answer, Caller
from autograder.kit.verdict.cases import TOLERANCE, Case, Criterion, Example, Kind, KnownMistake, Pairs
from autograder.kit.verdict.compare import aligned, printed

TWO_DECIMALS = 0.006  # may be off, for two decimals that are rounded


@dataclass
class CaseInput:
    """The arguments of one case before anyone has answered it; `features` say in words what is special in it.

    `group` is its name in the check's points, the case's own name by default. Gradients are compared where `gradients`
    is set. `compared` is a mask over the first axes of every output: elsewhere, as at padding, a right function may
    give any value. `peak` is the number of bytes that the call may take: a factor of 3 above a right function's, and
    below a wrong one's.
    """

    name: str
    arguments: Sequence
    group: str = ""
    features: list[str] | None = None
    gradients: bool = False
    tolerance: float = TOLERANCE
    compared: np.ndarray | None = None
    peak: int | None = None

    def __post_init__(self) -> None:
        self.group = self.group or self.name
        if self.features is None:
            self.features = list(FEATURES.get(self.group, []))


@dataclass
class Check:
    """One graded function: how its cases are drawn, which demands earn points, and which mistakes have a name.

    `points` has the demands in the words and in the order that students read; a number stands for right values in the
    group of cases of that name. Each kind in `also` earns one point more, on all cases.
    """

    reference: Callable
    outputs: tuple[str, ...]
    cases: Callable[[np.random.Generator], list[CaseInput]]
    points: Mapping[str, int | Points]
    also: tuple[Kind, ...] = (SHAPE, *DIFFERENTIABLE)
    mistakes: tuple[Callable, ...] = ()  # by default those of mistakes/FUNCTION.txt
    examples: tuple[Code, ...] = ()  # public: calls of the function, by default those of examples/FUNCTION.txt
    name: str = ""  # of the student's function; by default the reference's
    shape: str = ""  # the words for its point, by default "the shape of the OUTPUT"
    may_call: tuple[str, ...] = ()  # functions of earlier checks that the student's may call
    hunt: Any = None  # the Hunt to which the function belongs; its module imports this one
    steps: Callable[[list], CachedSteps] | None = None  # made from a call's arguments: the steps that it asks for
    adapter: Callable | None = None  # where the target is no function of tensors: adapter(target, *arguments) → tensors
    exact: tuple[str, ...] = ()  # outputs in which an integer has to come as one (with SHAPE), and a weight of 0 as 0
    stars: int = 0  # 1 or 2 of a task beyond the core: its points are a bonus, on top of the notebook's maximum

    def __post_init__(self) -> None:
        self.mistakes = self.mistakes or in_file(self.reference)
        self.examples = self.examples or of_file(self.reference, self.function)
        fields = ("outputs", "also", "mistakes", "examples", "may_call", "exact")
        faults.demand_tuples(self.function, **{field: getattr(self, field) for field in fields})
        faults.demand_names(self.function, self.outputs, self.exact)
        faults.demand_points(self.function, self.outputs, self.points)
        faults.demand_stars(self.function, self.stars)
        self.portable_adapter  # noqa: B018 — raises where it cannot be one

    @property
    def function(self) -> str:
        return self.name or self.reference.__name__

    @property
    def is_bug_hunt(self) -> bool:
        """Return whether a broken function is to be repaired: the answer is that of an earlier exercise."""
        return self.function != self.reference.__name__

    @property
    def is_secret(self) -> bool:
        """Return whether a student's own check must not tell the right answer: there are few to choose from."""
        return self.hunt is not None and self.function == self.hunt.diagnosis.__name__

    @cached_property
    def usual(self) -> tuple[Callable, ...]:
        """Return the mistakes that any function can have, made of the reference; a bug hunt has its own."""
        return usual(self.reference, self.outputs) if not self.hunt else ()

    @cached_property
    def criteria(self) -> list[Criterion]:
        """Return the criteria in the order of the feedback: the shape, the values, then the other kinds."""
        names = NAMES | {SHAPE: self.shape or _shape_of(self.outputs)}
        also = [Criterion(names[kind], 1, kind) for kind in self.also]
        own = [
            (points if isinstance(points, Points) else Points(points, name)).criterion(name)
            for name, points in self.points.items()
        ]
        return [*(c for c in also if c.kind is SHAPE), *own, *(c for c in also if c.kind is not SHAPE)]

    @property
    def max_points(self) -> int:
        return sum(criterion.points for criterion in self.criteria)

    @property
    def core_points(self) -> int:
        """Return the function's points in the notebook's maximum: 0 where its points are a bonus."""
        return 0 if self.stars else self.max_points

    @cached_property
    def arguments(self) -> list[str]:
        own = list(inspect.signature(self.reference).parameters)
        if not self.adapter:
            return own
        _target, *given = inspect.signature(self.adapter).parameters.values()
        if given and given[-1].kind is inspect.Parameter.VAR_POSITIONAL:  # which hands on the function's own
            return [each.name for each in given[:-1]] + own[len(given) - 1 :]
        return [each.name for each in given]

    @cached_property
    def portable_adapter(self) -> Adapter | None:
        """Return the adapter in the form in which kit and sandbox run it."""
        return portable(self.function, self.adapter) if self.adapter else None

    def calling(self, target: Any) -> partial[Answer]:
        """Return a caller that calls this function, class or object as the check calls the student's."""
        return partial(call, {self.function: target}, adapter=self.portable_adapter)

    def caller(self, caller: Caller) -> Caller:
        """Return the check's caller, made of one for students' functions; a bug hunt tries inputs on this side."""
        return self.hunt.caller(self.function, caller) if self.hunt else caller

    def draw(self, rng: np.random.Generator) -> list[Case]:
        """Return fresh cases with the reference's answers and those of every known mistake."""
        drawn = self.cases(rng)
        self._demand_groups(drawn)
        return [self._case(each, rng) for each in drawn]

    def _demand_groups(self, drawn: list[CaseInput]) -> None:
        """Raise CheckFault for a criterion without a case: everybody would meet it."""
        groups = {each.group for each in drawn}
        for criterion in self.criteria:
            unknown = [group for group in criterion.groups if group not in groups]
            if unknown:
                raise CheckFault(
                    f"{self.function}: no case is in the group '{unknown[0]}', in which “{criterion.name}” gives "
                    f"points: there are {', '.join(sorted(groups))}"
                )
        if any(c.kind is GRADIENTS for c in self.criteria) and not any(each.gradients for each in drawn):
            raise CheckFault(
                f"{self.function}: gradients earn points, and no case asks for them: write gradients=True in some, or "
                "leave GRADIENTS out of the check's `also`"
            )

    def worked_examples(self) -> list[Example]:
        """Return the public examples with the outputs of the reference and of the mistakes."""
        return self._worked

    @cached_property
    def _worked(self) -> list[Example]:
        return [worked(self, code) for code in self.examples]

    def _case(self, given: CaseInput, rng: np.random.Generator) -> Case:
        arguments = list(given.arguments)
        faults.demand_arguments(self.function, given.name, self.arguments, arguments)
        answer, cotangents = self._answer(given, rng)
        right = answer.outputs or []
        faults.demand_outputs(self.function, given.name, self.outputs, right)
        named = dict(zip(self.arguments, arguments, strict=True))
        _put(right, np.nan, given.compared)
        case = Case(
            given.name,
            named,
            outputs=dict(zip(self.outputs, right, strict=True)),
            features=given.features or [],
            cotangents=cotangents,
            gradients=answer.gradients,
            tolerance=given.tolerance,
            group=given.group,
            peak=given.peak,
            exact=list(self.exact),
        )
        case.known = [
            KnownMistake(
                mistake.__name__, hint_of(mistake), partial(self._run, mistake, case), number >= len(self.mistakes)
            )
            for number, mistake in enumerate((*self.mistakes, *self.usual))
        ]
        case.pairs = Pairs(self._pairs, partial(self._print, case))
        return case

    def _answer(self, given: CaseInput, rng: np.random.Generator) -> tuple[Answer, list[np.ndarray] | None]:
        """Return the reference's answer, and the cotangents drawn where gradients are asked for.

        Raise CheckFault if it fails on a case of its own check.
        """
        cotangents: list[np.ndarray] = []

        def draw(outputs: list[np.ndarray]) -> list[np.ndarray]:
            cotangents[:] = [rng.normal(size=output.shape).astype(np.float32) for output in outputs]
            _put(cotangents, 0, given.compared)
            return cotangents

        reference, arguments = self.calling(self.reference), list(given.arguments)
        if given.gradients:
            answer = reference(self.function, arguments, draw)
        else:
            answer = self.caller(reference)(self.function, arguments, None)
        if answer.error:
            kinds = ", ".join(f"{name}: {_kind(value)}" for name, value in zip(self.arguments, arguments, strict=True))
            raise CheckFault(
                f"{self.function}, case “{given.name}”: the reference fails on it ({kinds}): {answer.error.text}"
            )
        return answer, cotangents if given.gradients else None

    @cached_property
    def _pairs(self) -> np.ndarray:
        return np.array(pairs(self.mistakes), np.int16).reshape(-1, 2)

    def _print(self, case: Case, pair: int) -> np.ndarray:
        """Return the print of the outputs of two mistakes at once; NaN where they crash."""
        one, two = (self.mistakes[place] for place in self._pairs[pair])
        try:
            outputs = self._run(union(one, two), case)
        except CheckFault:  # both edits want the same place
            outputs = None
        if outputs is None or len(outputs) != len(case.outputs):
            return np.full(2 * len(case.outputs), np.nan, np.float32)
        return printed(outputs)

    def _run(self, mistake: Callable, case: Case) -> list[np.ndarray] | None:
        """Return a mistake's outputs on a case, None where it crashes."""
        answer = self.calling(target(mistake))(self.function, list(case.arguments.values()), None)
        return None if answer.error else aligned(answer, case)


@cache
def hint_of(mistake: Callable) -> str:
    """Return a known mistake's hint for students: its docstring on one line."""
    return " ".join((mistake.__doc__ or "").split())


def _kind(value: object) -> str:
    """Return an argument's kind in a few words: "float32 (3, 5)", "None"."""
    return f"{value.dtype} {value.shape}" if isinstance(value, np.ndarray) else repr(value)[:40]


def _shape_of(outputs: tuple[str, ...]) -> str:
    """Return the words for the point for the shape of these outputs."""
    *first, last = outputs
    return f"the shapes of {', '.join(first)} and {last}" if first else f"the shape of the {last}"


def _put(outputs: list[np.ndarray], number: float, compared: np.ndarray | None) -> None:
    """Write the number wherever an output is not asked for."""
    if compared is None:
        return
    for output in outputs:
        output[~compared] = number


def by_hand(reference: Callable, titles: Mapping[str, str], case: str = "your numbers", points: int = 1) -> Check:
    """Return the check of numbers that students work out on paper, with points for each of `titles`, {output: title}.

    It has no examples: a right function's numbers are the answer.
    """
    of_each = {title: Points(points, case, part=output) for output, title in titles.items()}
    cases = [CaseInput(case, [], tolerance=TWO_DECIMALS)]
    return Check(reference, tuple(titles), lambda rng: cases, points=of_each, also=())
