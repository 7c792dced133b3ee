"""Questions that grade themselves: the numbers that notebooks ask for by hand, and wrong ones as known mistakes give.

A numerical question for each number, with the check's tolerance, and a multiple-choice one for each result.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import mistune
import numpy as np

from autograder.checks import Check, checks

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = re.compile(r"```\{code-cell\}[^\n]*\n#\| exercise (\w+)")
CODE = re.compile(r"^```.*?^```\n", re.MULTILINE | re.DOTALL)
HINT = re.compile(r"<details>.*?</details>\n*", re.DOTALL)
BETWEEN = re.compile(r"(?<=[.?!])\s+")  # two sentences
OF_NOTEBOOK = re.compile(r"\b([Pp]arts? \d|notebook|[Tt]ype)\b")  # what a sentence says that is no part of the task
MOST_CHOICES = 6  # the right one among them


@dataclass(frozen=True)
class Answer:
    """An answer as text, and what is told to those who give it: "" of the right one, else the mistake's hint."""

    text: str
    hint: str = ""


@dataclass(frozen=True)
class Question:
    """One result that is asked for, as HTML with TeX; the first answer is the right one, the others are all wrong."""

    name: str
    text: str
    answers: tuple[Answer, ...]
    tolerance: float | None = None  # of the number that is typed in; None: the answers are to choose from


def of_chapter(name: str) -> Iterator[Question]:
    """Yield the questions of what a chapter's notebook asks to be worked out by hand."""
    source = (ROOT / "exercises" / name / "notebook.md").read_text(encoding="utf-8")
    for exercise in EXERCISE.finditer(source):
        check = checks(name).get(exercise[1])
        if check and not check.arguments and not check.hunt:
            yield from _questions(check, task(source[: exercise.start()]))


def task(before: str) -> str:
    """Return the task in front of a notebook's cell as HTML: without its heading, its hint, and how to type it in."""
    text = HINT.sub("", CODE.split(before)[-1]).rpartition("\n## ")[2].partition("\n")[2]
    first, *paragraphs, _how_to_type = text.strip().split("\n\n")
    paragraphs = [" ".join(each for each in BETWEEN.split(first) if not OF_NOTEBOOK.search(each)), *paragraphs]
    return str(mistune.create_markdown(escape=False, plugins=["math", "table"])("\n\n".join(paragraphs))).strip()


def _questions(check: Check, task: str) -> Iterator[Question]:
    [case] = check.draw(np.random.default_rng(0))
    known = [(mistake.outputs or [], mistake.hint) for mistake in case.known if not mistake.usual]
    titles = {criterion.part: criterion.name for criterion in check.criteria}
    for place, (output, right) in enumerate(case.outputs.items()):
        title, results = titles.get(output) or output, [(right, "")]
        near = case.tolerance * (1 + float(np.abs(right).max()))
        for numbers, hint in known:
            others = [other for other, _ in results if other.shape == numbers[place].shape]
            if not any(np.allclose(numbers[place], other, rtol=0, atol=2 * near) for other in others):
                results.append((numbers[place], hint))
        prompt = f"{task}\n<p><strong>Wanted: {escape(title)}.</strong>"
        if right.ndim == 0:
            typed = tuple(Answer(f"{float(numbers):.6g}", hint) for numbers, hint in results)
            yield Question(title, f"{prompt} Two decimals are enough.</p>", typed, near)
        choices = tuple(Answer(shown(numbers), hint) for numbers, hint in results[:MOST_CHOICES])
        yield Question(f"{title}, a choice", f"{prompt}</p>", choices)


def shown(numbers: np.ndarray) -> str:
    """Return a result as people write it: a number, a vector in brackets, the rows of a matrix."""
    if numbers.ndim == 0:
        return f"{float(numbers):.2f}"
    return f"({', '.join(map(shown, numbers))})"
