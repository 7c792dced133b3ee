"""The points of a check, and the words that many checks have for its demands."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.kit.verdict.cases import Criterion, Kind

SHAPE, VALUES, GRADIENTS, UNCHANGED, REPEAT = Kind
DIFFERENTIABLE = (GRADIENTS, UNCHANGED, REPEAT)
NAMES = {
    GRADIENTS: "gradients",
    UNCHANGED: "the arguments stay as they are",
    REPEAT: "the same answer twice",
}  # of criteria that many checks have, as students read them
NO_MASK, MASKED, FAR = "without a mask", "with a mask", "scores far from 0"  # groups of cases of several names
LOW = "scores around -200,000"  # a case of FAR: see random_inputs.far_below
PADDING, LARGE = "padding", "a score far from 0"
FEATURES = {MASKED: [PADDING], FAR: [PADDING, LARGE]}  # of a group's cases, unless they name others


@dataclass(frozen=True)
class Points:
    """Points for any other demand than right values in the group of cases of its name.

    It is about the cases of these groups (none: see Criterion); `part` names one of several outputs. A demand that a
    stub meets, too, is not `alone`, and counts once other values are right.
    """

    points: int
    groups: str | tuple[str, ...] = ()
    kind: Kind = VALUES
    part: str | None = None
    alone: bool = True

    def criterion(self, name: str) -> Criterion:
        groups = [self.groups] if isinstance(self.groups, str) else list(self.groups)
        return Criterion(name, self.points, self.kind, groups, self.part, self.alone)


def by_mask(*outputs: tuple[str, str, int, int], masked: str | tuple[str, ...] = MASKED) -> dict[str, Points]:
    """Return the demands on outputs without a mask, then with one: each output's words, its name, and both points."""
    without = {f"{words} {NO_MASK}": Points(points, NO_MASK, part=part) for words, part, points, _ in outputs}
    return without | {f"{words} {MASKED}": Points(points, masked, part=part) for words, part, _, points in outputs}


@dataclass(frozen=True)
class Written:
    """A question that is answered in words and graded by hand: its points, an answer that gets them all, a rubric.

    The rubric is {text: points} for each thing to look for; the points of those in an answer are added, to 0 at least
    and `points` at most.
    """

    points: int
    text: str
    rubric: Mapping[str, float] = field(default_factory=dict)
