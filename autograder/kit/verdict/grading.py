"""From answers to points: the one comparison, used on the student's machine and by the judge."""

from autograder.kit.shown.example_hints import Examples, example_hint
from autograder.kit.verdict.answer import Caller, Failure
from autograder.kit.verdict.cases import Case, Criterion, Kind, KnownMistake, Verdict, title_of
from autograder.kit.verdict.criteria import Evaluation

__all__ = ["Case", "Criterion", "KnownMistake", "Verdict", "grade"]

FREE = 0.2  # of the points, at most, can be earned without the idea
MANY = {"wrong": 3, "raised": 2}  # so many lines that differ only in the case become one
NOT_WRITTEN = "It is not written yet."
Judged = list[tuple[Criterion, Failure | None]]  # each criterion, and its failure


def grade(
    check_id: str, cases: list[Case], criteria: list[Criterion], caller: Caller, examples: Examples = list
) -> Verdict:
    """Call the function of check_id on every case, and give the points of each criterion that all its cases meet.

    The public examples are made only when something is wrong.
    """
    evaluation = Evaluation(check_id.partition(".")[2], cases, caller)
    failures = [evaluation.failure(criterion) for criterion in criteria]
    most = sum(criterion.points for criterion in criteria)
    if not any(_is_earned(c, cases) and not failure for c, failure in zip(criteria, failures, strict=True)):
        failures = [failure or _locked(c, most) for c, failure in zip(criteria, failures, strict=True)]
    rows: list[tuple[str, float, float]] = [
        (c.name, c.points, 0 if failure else c.points) for c, failure in zip(criteria, failures, strict=True)
    ]
    score = sum(got for *_, got in rows)
    if score == most:
        return Verdict(score, most, None, [], rows)
    pairs = list(zip(criteria, failures, strict=True))
    return _explained(Verdict(score, most, None, [], rows), pairs, evaluation, examples)


def unwritten(function: str, criteria: list[Criterion], failures: list[Failure]) -> Verdict:
    """Return the verdict on a function whose cell is as it was released."""
    most = sum(each.points for each in criteria)
    rows: list[tuple[str, float, float]] = [(each.name, each.points, 0) for each in criteria]
    hint = f"{function}: 0 of {most} points. {NOT_WRITTEN}"
    return Verdict(0, most, hint, [], rows, failures=failures, first_failure=NOT_WRITTEN)


def _is_earned(criterion: Criterion, cases: list[Case]) -> bool:
    """Return whether only a function with something of the idea can meet the criterion."""
    return criterion.kind is Kind.VALUES and criterion.alone and not criterion.is_met_by_none(cases)


def _locked(criterion: Criterion, most: int) -> Failure | None:
    """Return the reason why a met demand earns nothing while no value is right; None for a small point for a shape."""
    if criterion.kind is Kind.SHAPE and criterion.points <= most * FREE:
        return None
    some = "other values" if criterion.kind is Kind.VALUES else "some of the values"
    return Failure("wrong", f"counts once {some} are right.")


def _explained(verdict: Verdict, judged: Judged, evaluation: Evaluation, examples: Examples) -> Verdict:
    """Return a verdict with its hint: each demand with its failure, the known mistake, an example."""
    verdict.failures = list(dict.fromkeys(failure for _, failure in judged if failure))
    if evaluation.is_unwritten():
        return unwritten(evaluation.function, [criterion for criterion, _ in judged], verdict.failures)
    head = f"{evaluation.function}: {verdict.score} of {verdict.max_score} points."
    (mistakes, lines), where = evaluation.mistakes(), evaluation.where()
    verdict.mistakes = [known.name for known in mistakes]
    verdict.titles = [title_of(known.hint) for known in mistakes]
    judged = _folded(judged, evaluation)
    verdict.first_failure = next((_text(failure, each, evaluation) for each, failure in judged if failure), "")
    verdict.details = [*_demands(judged, evaluation), *([where] if where else []), *lines]
    example = example_hint(evaluation.function, mistakes, examples(), evaluation.caller, verdict.failures)
    if example:
        verdict.details.append(example.text)
        verdict.failures += [example.failure] if example.failure else []
        verdict.outputs, verdict.shows_own = example.outputs, example.shows_own
    verdict.hint = "\n".join([head, *verdict.details])
    return verdict


def _folded(judged: Judged, evaluation: Evaluation) -> Judged:
    """Return the demands; many that fail alike share one failure, with the first case as the example."""
    alike: dict[str, list[Failure]] = {}
    for _, failure in judged:
        if failure and failure.kind in MANY and failure not in alike.get(what := evaluation.what(failure), []):
            alike.setdefault(what, []).append(failure)
    first = {each: many[0] for many in alike.values() if len(many) >= MANY[many[0].kind] for each in many}
    return [(criterion, first.get(failure, failure) if failure else None) for criterion, failure in judged]


def _demands(judged: Judged, evaluation: Evaluation) -> list[str]:
    """Return a line for each met demand, and one for each failure, with all the demands that it costs."""
    lines: list[str] = []
    costs: dict[Failure, list[Criterion]] = {}
    for criterion, failure in judged:
        if failure:
            costs.setdefault(failure, []).append(criterion)
    for criterion, failure in judged:
        if not failure:
            lines.append(f"  ✓ {criterion.name} ({criterion.points})")
        elif costs[failure][0] is criterion:
            names = ", ".join(f"{each.name} ({each.points})" for each in costs[failure])
            names = "everything" if len(costs[failure]) == len(judged) > 1 else names
            lines.append(f"  ✗ {names}: {_text(failure, criterion, evaluation)}")
    return lines


def _text(failure: Failure, criterion: Criterion, evaluation: Evaluation) -> str:
    """Return the text of a failure, with its case if it is the only one with this failure."""
    case = evaluation.only_in(failure, criterion)
    return (f"with “{case}”: {failure.text}" if case else failure.text).strip()
