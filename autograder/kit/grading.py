"""From answers to points: the one comparison, used on the student's machine and by the judge."""

from autograder.kit.call import Caller
from autograder.kit.cases import Case, Criterion, KnownMistake, Verdict
from autograder.kit.criteria import Evaluation
from autograder.kit.example_hints import Examples, example_hint
from autograder.kit.recognition import Recognised

__all__ = ["Case", "Criterion", "KnownMistake", "Verdict", "grade"]


def grade(
    check_id: str, cases: list[Case], criteria: list[Criterion], caller: Caller, examples: Examples = list
) -> Verdict:
    """Call the function of check_id on every case and give the points of each criterion that all its cases meet.

    The public examples are asked for only when something is wrong.
    """
    trial = Evaluation(check_id.partition(".")[2], cases, caller)
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
    hint = _hint(rows, complaints, found, trial, examples)
    return Verdict(score, most, hint, [known.name for known in found.mistakes], rows)


def _hint(rows: list, complaints: list, found: Recognised, trial: Evaluation, examples: Examples) -> str:
    """Return the feedback as a few lines: each demand, what went wrong with it, the mistake it looks like, a trial."""
    score, most = sum(got for *_, got in rows), sum(points for _, points, _ in rows)
    lines = [f"{trial.function}: {score} of {most} points."]
    if trial.unwritten():
        return f"{lines[0]} It is not written yet."
    said: dict[str, str] = {}  # complaint → the demand under which it stands: one crash often costs several
    for (name, points, _), complaint in zip(rows, complaints, strict=True):
        if not complaint:
            lines.append(f"  ✓ {name} ({points})")
            continue
        if complaint in said:
            told = f"as for “{said[complaint]}”."
        else:
            case, said[complaint] = trial.only_in(complaint), name
            told = f"with “{case}”: {complaint}" if case else complaint
        lines.append(f"  ✗ {name} ({points}): {told.strip()}")
    where = trial.where()
    lines += [where] if where else []
    lines += found.lines()
    shown = example_hint(trial.function, found.mistakes, examples(), trial.caller, set(said))
    return "\n".join([*lines, shown] if shown else lines)
