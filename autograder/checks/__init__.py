"""What a right answer does, and the known mistakes: one module per name, on the trusted side only."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path

import numpy as np

from autograder.assignment import assignments
from autograder.checks.together import pairs
from autograder.checks.worked_examples import worked
from autograder.kit.answer import Answer
from autograder.kit.call import call
from autograder.kit.cases import TOLERANCE, Case, Criterion, Example, KnownMistake, Pairs
from autograder.kit.compare import aligned, printed

MOST_PAIRS = 150  # of mistakes made at once: each is run on a wrong answer's cases, some 10 ms apiece
REPEAT = Criterion("the same answer twice", 1, "repeat")
DIFFERENTIABLE = [
    Criterion("gradients", 1, "gradients"),
    Criterion("the arguments stay as they are", 1, "unchanged"),
    REPEAT,
]


@dataclass
class Drawn:
    """The arguments of one case before anyone has answered it; `features` say in words what is special in it.

    `asked` tells over the first axes of every output where it is compared: elsewhere, as at the outputs of padding, a
    right function may give what it likes.
    """

    name: str
    arguments: Sequence
    features: list[str] = field(default_factory=list)
    gradients: bool = False
    tolerance: float = TOLERANCE
    asked: np.ndarray | None = None


@dataclass(frozen=True)
class Written:
    """A question that is answered in words and graded by hand: its points, and an answer that gets them all."""

    points: int
    text: str


@dataclass(frozen=True)
class Check:
    """One graded function: how its cases are drawn, what earns points, and which mistakes have a name."""

    reference: Callable
    outputs: tuple[str, ...]
    draw_cases: Callable[[np.random.Generator], list[Drawn]]
    criteria: list[Criterion]
    mistakes: tuple[Callable, ...]
    name: str = ""  # of the student's function; by default the reference's
    may_call: tuple[str, ...] = ()  # functions of earlier checks on which the student's may rest
    codes: tuple[str, ...] = ()  # public examples: calls of the function, the simplest first
    parts: type | None = None  # the function in parts, of which mistakes replace some

    @property
    def function(self) -> str:
        return self.name or self.reference.__name__

    @property
    def is_bug_hunt(self) -> bool:
        """Return whether a broken function is to be repaired: the answer is that of an earlier exercise."""
        return self.function != self.reference.__name__

    @property
    def points(self) -> int:
        return sum(criterion.points for criterion in self.criteria)

    @cached_property
    def arguments(self) -> list[str]:
        return list(inspect.signature(self.reference).parameters)

    def draw(self, rng: np.random.Generator) -> list[Case]:
        """Return fresh cases with the reference's answers and those of every known mistake."""
        return [self._case(drawn, rng) for drawn in self.draw_cases(rng)]

    def examples(self) -> list[Example]:
        """Return the public examples with what the reference and the mistakes give there."""
        return worked(self.function, self.outputs, self.reference, self.mistakes, self.codes)

    def _case(self, drawn: Drawn, rng: np.random.Generator) -> Case:
        arguments = list(drawn.arguments)
        right: list[np.ndarray] = self._answer(self.reference, arguments).outputs or []
        cotangents, gradients = None, None
        if drawn.gradients:
            cotangents = [rng.normal(size=output.shape).astype(np.float32) for output in right]
            _put(cotangents, 0, drawn.asked)
            gradients = self._answer(self.reference, arguments, cotangents).gradients
        named = dict(zip(self.arguments, arguments, strict=True))
        _put(right, np.nan, drawn.asked)
        outputs: dict[str, np.ndarray] = dict(zip(self.outputs, right, strict=True))
        known = partial(self._known, arguments, outputs)
        together = partial(self._together, arguments, outputs)
        return Case(drawn.name, named, outputs, drawn.features, cotangents, gradients, known, drawn.tolerance, together)

    def _answer(self, function: Callable, arguments: list, cotangents: list | None = None) -> Answer:
        answer = call({self.function: function}, self.function, arguments, cotangents)
        if answer.error:
            raise RuntimeError(
                f"the reference {function.__name__} fails on a case of its own check: {answer.error.text}"
            )
        return answer

    def _known(self, arguments: list, right: dict[str, np.ndarray]) -> list[KnownMistake]:
        case = Case("", {}, right)
        return [
            KnownMistake(
                mistake.__name__,
                " ".join((mistake.__doc__ or "").split()),
                partial(self._numbers, mistake, arguments, case),
            )
            for mistake in self.mistakes
        ]

    def _together(self, arguments: list, right: dict[str, np.ndarray]) -> Pairs:
        case, two = Case("", {}, right), pairs(self.reference, self.mistakes, self.parts)
        if len(two) > MOST_PAIRS:
            two = []

        def row(pair: int) -> np.ndarray:
            outputs = self._numbers(two[pair][2], arguments, case)
            if outputs is None or len(outputs) != len(right):
                return np.full(2 * len(right), np.nan, np.float32)
            return printed(outputs)

        return Pairs(np.array([places for *places, _ in two], np.int16).reshape(-1, 2), row)

    def _numbers(self, mistake: Callable, arguments: list, case: Case) -> list[np.ndarray] | None:
        answer = call({self.function: mistake}, self.function, arguments)
        return None if answer.error else aligned(answer, case)


def _put(outputs: list[np.ndarray], number: float, asked: np.ndarray | None) -> None:
    """Write the number wherever an output is not asked for."""
    if asked is None:
        return
    for output in outputs:
        output[~asked] = number


def checks(name: str) -> dict[str, Check]:
    """Return the checks of one name by function."""
    written = name.isidentifier() and (Path(__file__).parent / name / "checks.py").exists()
    found = getattr(import_module(f"autograder.checks.{name}.checks"), "CHECKS", None) if written else None
    if found is None:
        raise LookupError(f"no checks for '{name}': expected one of {', '.join(assignments())}")
    return {check.function: check for check in found}


def written(name: str, question: str) -> Written:
    """Return the points and the model answer of a question that is graded by hand."""
    known = getattr(import_module(f"autograder.checks.{name}.checks"), "WRITTEN", {})
    if question not in known:
        raise LookupError(f"'{name}' has no written question '{question}': it has {', '.join(known)}")
    return known[question]


def find(check_id: str) -> Check:
    """Return the check called NAME.FUNCTION."""
    name, _, function = check_id.partition(".")
    known = checks(name)
    if function not in known:
        raise LookupError(f"'{name}' has no check for '{function}': it has {', '.join(known)}")
    return known[function]
