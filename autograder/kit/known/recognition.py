"""The known mistakes that give the student's numbers: one, or two at once; a near match names nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations

import numpy as np

from autograder.kit.verdict.answer import Answer
from autograder.kit.verdict.cases import Case, KnownMistake
from autograder.kit.verdict.compare import aligned, are_same, are_same_prints, difference, nearness, printed

SIFTED = 3  # cases on which pairs are ruled out by the numbers of each mistake alone
MOST_PAIRS = 500  # remaining pairs that are run
Place = tuple[str, int]  # a case, and the number of one of its outputs


class Evidence:
    """A student's answers to the cases, beside the right answers and those of the mistakes."""

    def __init__(self, cases: list[Case], answers: dict[str, Answer]):
        self.cases = {case.name: case for case in cases}
        self.answers = answers
        self.given = {
            case.name: outputs
            for case in cases
            if not answers[case.name].error and (outputs := aligned(answers[case.name], case)) is not None
        }
        places = [(name, i) for name in self.given for i in range(self._parts(name))]
        self.wrong_places: set[Place] = {place for place in places if self._is_different(*place)}
        self.wrong = {name for name, _ in self.wrong_places}
        self.explained = cache(self._explained)
        # A wrong answer first: it rules out most mistakes at once, which then need not be run on every case.
        self.order = sorted(self.cases.values(), key=lambda case: case.name not in self.wrong)

    def _parts(self, case: str) -> int:
        """Return the number of outputs to compare in a case: 1, the whole, if the student gives more or fewer."""
        right = self.cases[case].outputs
        return len(right) if len(self.given[case]) == len(right) else 1

    def _is_different(self, case: str, part: int) -> bool:
        given, right = self.given[case], list(self.cases[case].outputs.values())
        if len(given) != len(right) or given[part].shape != right[part].shape:
            return True
        return difference(right[part], given[part], self.cases[case].tolerance) is not None

    @property
    def has_numbers(self) -> bool:
        """Return whether any wrong answer has a number in it: NaN alone may come from anything."""
        return any(not np.isnan(output).all() for name in self.wrong for output in self.given[name])

    def names(self) -> dict[str, KnownMistake]:
        return self._named(usual=False)

    def _named(self, usual: bool) -> dict[str, KnownMistake]:
        return {known.name: known for case in self.cases.values() for known in case.known if known.usual == usual}

    def alone(self) -> list[KnownMistake]:
        """Return the mistakes that explain every case, including those on which the function crashes."""
        return [known for name, known in self.names().items() if self._is_explanation(name)]

    def usual(self) -> list[KnownMistake]:
        """Return the first mistake that any function can have and that explains every case."""
        return [known for name, known in self._named(usual=True).items() if self._is_explanation(name)][:1]

    def _is_explanation(self, name: str) -> bool:
        told_apart = False
        for case in self.order:
            numbers = _numbers(case, name)
            if numbers is None:
                continue
            given = self.given.get(case.name)
            if are_same(numbers, case.outputs.values()):
                if given is not None and case.name in self.wrong:
                    return False
            elif given is None or not are_same(given, numbers, nearness(case.tolerance)):
                return False
            else:
                told_apart = True
        return told_apart

    def at_once(self, misshapen: bool = False) -> list[KnownMistake]:
        """Return two mistakes if one made inside the other gives all the answers.

        With `misshapen`, answers of a wrong shape are not compared.
        """
        answered = [case for case in self.order if case.name in self.given]
        if misshapen:
            answered = [
                case for case in answered if all(self._is_comparable(case.name, i) for i in range(len(case.outputs)))
            ]
        if not any(case.name in self.wrong for case in answered):
            return []
        prints = {case.name: printed(self.given[case.name]) for case in answered}
        # Two mistakes that undo each other give the right numbers, and explain no wrong one.
        right = [case for case in answered if case.name in self.wrong]
        right = [case for case in right if are_same_prints(printed(list(case.outputs.values())), prints[case.name])]
        places = self._candidates(answered) if not right else []
        known = answered[0].known
        wrong = {place for place in self.wrong_places if not misshapen or self._is_comparable(*place)}
        # A mistake that explains all by itself is no half of a pair: the other half would show nowhere.
        enough = {i for i, each in enumerate(known) if places and self.explained(each.name) >= wrong}
        fitting = [
            {one, two}
            for pair, one, two in places
            if not enough & {one, two}
            and all(are_same_prints(case.pairs.row(pair), prints[case.name]) for case in answered)
        ]
        return [each for i, each in enumerate(known) if _is_common(fitting, i)]

    def _candidates(self, answered: list[Case]) -> list[tuple[int, int, int]]:
        """Return the pairs that may be the student's two mistakes: their number, and the places of the two.

        Where only one of the two shows, the student has its numbers; where neither shows, the student is right. If
        there are too many candidates, return none: to run them would take seconds.
        """
        left = [(pair, int(one), int(two)) for pair, (one, two) in enumerate(answered[0].pairs.places)]
        for case in answered[:SIFTED]:
            known = {i: self._shown(case, case.known[i]) for i in {i for _, *two in left for i in two}}
            left = [(pair, i, j) for pair, i, j in left if _may_be_both(known[i], known[j], self._wrong_parts(case))]
        return left if len(left) <= MOST_PAIRS else []

    def _wrong_parts(self, case: Case) -> list[bool]:
        return [(case.name, i) in self.wrong_places for i in range(self._parts(case.name))]

    def _shown(self, case: Case, known: KnownMistake) -> list[str] | None:
        """Return for each output of a case "right", "given" (the student's) or "other"; None if the mistake crashes."""
        given, right, numbers = self.given[case.name], list(case.outputs.values()), known.outputs
        if numbers is None or not len(numbers) == len(given) == len(right):
            return None
        near = nearness(case.tolerance)
        return [
            "right" if are_same([mine], [ours]) else "given" if are_same([theirs], [mine], near) else "other"
            for mine, ours, theirs in zip(numbers, right, given, strict=True)
        ]

    def covering(self, most: int, misshapen: bool = False) -> list[KnownMistake]:
        """Return at most `most` mistakes: each gives some of the wrong outputs, and together they give all.

        With `misshapen`, outputs of a wrong shape explain nothing and need no explanation.
        """
        wrong = {place for place in self.wrong_places if not misshapen or self._is_comparable(*place)}
        if not wrong:
            return []
        names = self.names()
        explained = {name: places for name in names if (places := self.explained(name) & wrong)}
        groups: list[set[str]] = [{name} for name, places in explained.items() if places == wrong]
        if len(groups) == 2 and len(self.given) < len(self.cases):  # the cases that tell them apart may be the others
            groups = [set.union(*groups)]
        if not groups and most > 1:
            two = combinations(explained, 2)
            groups = [{a, b} for a, b in two if explained[a] | explained[b] == wrong]
        return [known for name, known in names.items() if _is_common(groups, name)]

    def _is_comparable(self, case: str, part: int) -> bool:
        """Return whether an output is to be compared; for whole numbers, such as tokens, even if its shape is wrong."""
        given, right = self.given[case], list(self.cases[case].outputs.values())
        if len(given) != len(right):
            return False
        return given[part].shape == right[part].shape or right[part].dtype.kind != "f"

    def _explained(self, name: str) -> set[Place]:
        """Return the wrong outputs that a mistake explains; none if it would show where the student is right."""
        explained = set()
        for case in self.order:
            numbers = _numbers(case, name) if case.name in self.given else None
            if numbers is None:
                continue
            given, right = self.given[case.name], list(case.outputs.values())
            whole = not len(numbers) == len(given) == len(right)
            for i in range(self._parts(case.name)):
                one, two, three = (given, right, numbers) if whole else ([given[i]], [right[i]], [numbers[i]])
                if are_same(two, three):
                    continue
                if (case.name, i) not in self.wrong_places:
                    return set()
                if are_same(one, three, nearness(case.tolerance)):
                    explained.add((case.name, i))
        return explained


def recognised(cases: list[Case], answers: dict[str, Answer]) -> tuple[list[KnownMistake], list[str]]:
    """Return the known mistakes that explain every wrong answer, and a line on each, with its hint.

    They are one, two at once, or several that look alike: any of them alone gives the same numbers. Where none explains
    all, one is returned that explains a part of the cases, and the line says which.
    Where the function crashes there is nothing to compare: a mistake may crash there or not.
    """
    evidence = Evidence(cases, answers)
    if not evidence.wrong:
        return [], []
    for explanation in EXPLANATIONS:
        if explanation.is_of_two and not evidence.has_numbers:
            continue
        if mistakes := explanation.find(evidence):
            return mistakes, explanation.lines(mistakes)
    return _in_part(cases, answers, evidence)


@dataclass(frozen=True)
class Explanation:
    """A way in which known mistakes may give the student's numbers."""

    find: Callable[[Evidence], list[KnownMistake]]
    where: str = ""  # the cases that it is about
    is_of_two: bool = False  # whether two mistakes together give the numbers

    def lines(self, mistakes: list[KnownMistake]) -> list[str]:
        """Return a line on each of the mistakes: on alternatives for one, or on the two."""
        begins = f"{self.where}, your numbers are those of" if self.where else "Your numbers are those of"
        first, *others = [known.hint for known in mistakes]
        if self.is_of_two and others:
            return [f"{begins} two known mistakes at once: {first}", *(f"And: {hint}" for hint in others)]
        what = "a known mistake, and of another" if self.is_of_two else "a known mistake"
        return [f"{begins} {what}: {first}", *(f"Or of this one, with the same numbers: {hint}" for hint in others)]


RIGHT_SHAPE = "Where the shape is right"
EXPLANATIONS = [  # the student reads the first that finds anything
    Explanation(Evidence.alone),
    Explanation(partial(Evidence.covering, most=1), "Where nothing crashes"),
    Explanation(Evidence.at_once, is_of_two=True),
    Explanation(partial(Evidence.covering, most=1, misshapen=True), RIGHT_SHAPE),
    Explanation(partial(Evidence.at_once, misshapen=True), RIGHT_SHAPE, is_of_two=True),
    Explanation(partial(Evidence.covering, most=2, misshapen=True), is_of_two=True),
    Explanation(Evidence.usual),
]


def _in_part(cases: list[Case], answers: dict[str, Answer], evidence: Evidence) -> tuple[list[KnownMistake], list[str]]:
    """Return the one mistake that explains all cases without a feature, or all of a group, and a line that says so.

    Of several such parts the largest counts. Other faults show in the other cases. The mistake is ruled out if the
    student is right in a case of its part where it would show.
    """
    features = dict.fromkeys(each for case in cases for each in case.features)
    groups = dict.fromkeys(case.group for case in cases)
    parts = [(f"without {each}", [case for case in cases if each not in case.features]) for each in features]
    parts += [(f"of “{each}”", [case for case in cases if case.group == each]) for each in groups]
    for words, part in sorted(parts, key=lambda each: -len(each[1])):
        own = Evidence(part, answers)
        mistakes = own.alone() if len(own.wrong) > 1 and own.has_numbers else []
        if len(mistakes) == 1 and evidence.explained(mistakes[0].name):
            return mistakes, [f"In the cases {words}, your numbers are those of a known mistake: {mistakes[0].hint}"]
    return [], []


def _numbers(case: Case, name: str) -> list[np.ndarray] | None:
    known = next((known for known in case.known if known.name == name), None)
    return known.outputs if known else None


def _may_be_both(one: list[str] | None, two: list[str] | None, wrong: list[bool]) -> bool:
    """Return whether two mistakes at once may give the student's outputs on a case, judged by each of them alone."""
    if one is None or two is None:
        return True
    visible = [{a, b} - {"right"} if "right" in (a, b) else {"both"} for a, b in zip(one, two, strict=True)]
    return all(
        (bool(each) and each <= {"given", "both"}) if is_wrong else not each
        for each, is_wrong in zip(visible, wrong, strict=True)
    )


def _is_common(groups: list[set], member) -> bool:
    """Return whether every group has a member."""
    return bool(groups) and all(member in group for group in groups)
