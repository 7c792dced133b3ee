"""A student's progress: the points of the last check of each part of a notebook, and the next step.

Points are kept beside the kit, so that a new kernel knows them; where nothing can be written, until the kernel ends.
"""

import contextlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from autograder.kit import course
from autograder.kit.shown.history import shell
from autograder.kit.verdict.cases import Verdict

HANDED_IN = -1.0  # in place of points: only grading knows them
_known: dict[str, dict[str, float]] = {}  # by notebook and function, of the notebooks that this kernel checks
_last = ""  # the id of the last check, for `hint()`
_given: dict[str, int] = {}  # the number of hints shown, by check


def noted(check_id: str, verdict: Verdict, is_secret: bool) -> list[str]:
    """Keep a verdict; return the lines below it: the way to the next hint and, if points changed, the progress."""
    global _last
    _last = check_id
    name, _, function = check_id.partition(".")
    part = course.parts(name).get(function)
    if part is None:  # a kit that came without notebooks
        return []
    scores = _known[name] = _scores(name)
    before, score = scores.get(function, 0.0), HANDED_IN if is_secret and verdict.score else float(verdict.score)
    scores[function] = score
    _keep(name, scores)
    count, lines = _given.get(check_id, 0), []
    if verdict.score < verdict.max_score and count < len(part.hints):
        again = f"; `hint({count})` shows hint {count} again" if count else ""
        lines.append(f"`hint()` shows hint {count + 1} of {len(part.hints)}{again}.")
    return [*lines, *(_lines(name) if score != before else [])]


def stopped(check_id: str) -> None:
    """Forget the points of a stopped check: they belong to an earlier version of the function."""
    name, _, function = check_id.partition(".")
    scores = _known[name] = _scores(name)
    if scores.pop(function, None) is not None:
        _keep(name, scores)


def hint(check_id: str | int = "", number: int = 0) -> None:
    """Show a hint of a part: `hint()` the next of the last one that was checked, `hint(2)` an earlier one again.

    Another part is named first: `hint("NAME.FUNCTION")`, `hint("NAME.FUNCTION", 2)`.
    """
    check_id, number = (_last, check_id) if isinstance(check_id, int) else (check_id or _last, number)
    if check_id and "." not in check_id:  # the function alone: of the notebook that was checked last
        check_id = f"{_last.partition('.')[0]}.{check_id}"
    name, _, function = check_id.partition(".")
    part = course.parts(name).get(function)
    if part is None:
        print('Run a check first, or name a part: hint("NAME.FUNCTION").')
        return
    count = _given.get(check_id, 0)
    if not 0 <= number <= count:
        left = f"; hint() shows the next, {count + 1} of {len(part.hints)}" if count < len(part.hints) else ""
        print(f"{function}: no hint {number} was shown{left}.")
        return
    if number == 0 and count >= len(part.hints):
        print(f"{function} has {'no more hints' if count else 'no hints'}.")
        return
    number = number or count + 1
    _given[check_id] = max(number, count)
    text = f"{function}, hint {number} of {len(part.hints)}: {part.hints[number - 1]}"
    if shell() is None:
        print(text)
        return
    from IPython.display import Markdown, display

    display(Markdown(text))


def _lines(name: str) -> list[str]:
    """Return two lines: the parts of a notebook with their marks, and the next step."""
    parts, scores = [part for part in course.parts(name).values() if not part.written], _scores(name)
    places = dict.fromkeys(part.place for part in parts)
    marks = [f"{place} {mark([p for p in parts if p.place == place], scores)}" for place in places]
    first = " · ".join([f"{name}: {_sum(name)}", *(mark.replace(" ", "\N{NO-BREAK SPACE}") for mark in marks)])
    open_ones = [part for part in parts if scores.get(part.name, 0) not in (part.points, HANDED_IN)]
    core = [part for part in open_ones if not part.stars]
    if core:
        then = f"Still open, first: {core[0].place}, {core[0].name}."
    else:
        left = " and ".join(dict.fromkeys(part.place for part in open_ones))
        more = f"{left} left for anyone who wants more; " if left else ""
        by_hand = " and ".join(dict.fromkeys(part.place for part in course.parts(name).values() if part.written))
        read = f"your teacher reads {by_hand}; " if by_hand else ""
        then = f"All core parts with checks are done; {read}{more}`check_all()` runs the saved file as grading does."
    return [first, then]


def mark(parts: list[course.Part], scores: dict[str, float]) -> str:
    """Return a part's mark: ✓ all points, ○ all that is known here, ½ some of them, – none yet."""
    got = [HANDED_IN if scores.get(p.name) == HANDED_IN else scores.get(p.name, 0) / (p.points or 1) for p in parts]
    if all(each in (1, HANDED_IN) for each in got):
        return "○" if HANDED_IN in got else "✓"
    return "½" if any(got) else "–"


def _sum(name: str) -> str:
    scores = _scores(name)
    return summed((part, scores.get(part.name, 0.0)) for part in course.parts(name).values())


def summed(scored: Iterable[tuple[course.Part, float]]) -> str:
    """Return the points of parts: "21 of 54 points, ★ 4; 2 more if ○ is right"."""
    got = most = bonus = hoped = 0.0
    for part, score in scored:
        own = min(max(0.0, score), part.points)
        got, bonus = (got, bonus + own) if part.stars else (got + own, bonus)
        most += 0 if part.stars or part.written else part.points
        hoped += part.points if score == HANDED_IN else 0
    more = f"; {hoped:g} more if ○ is right" if hoped else ""
    return f"{got:g} of {most:g} points" + (f", ★ {bonus:g}" if bonus else "") + more


def _place(name: str) -> Path:
    return Path(os.environ.get("ATTENTION_STORE") or course.KIT / "build") / "progress" / f"{name}.json"


def _scores(name: str) -> dict[str, float]:
    """Return the points of each function's last check."""
    if name in _known:
        return _known[name]
    with contextlib.suppress(OSError, ValueError, AttributeError, TypeError):  # another program may write there
        kept = json.loads(_place(name).read_text(encoding="utf-8"))
        return {function: float(score) for function, score in kept.items()}
    return {}


def _keep(name: str, scores: dict[str, float]) -> None:
    place = _place(name)
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        aside = place.with_name(f".{name}.{os.getpid()}.part")
        aside.write_text(json.dumps(scores), encoding="utf-8")
        aside.replace(place)
