"""Bug hunts in the sandbox: what shows the bug, names it and mends one statement counts, and nothing else does."""

import json
from collections.abc import Callable

import nbformat
import pytest

from autograder import checks
from autograder.assignment import CHECK, Template
from autograder.judge.judge import Judge, Judged
from autograder.judge.session import Limits
from autograder.kit.verdict.hunts import NOT_SHOWN
from autograder.release.blank import Module
from autograder.submissions.normalise import submission
from tests.support.notebooks import code, graded, tree

NAME = "luong"
HUNT = checks.find(f"{NAME}.failing_input").hunt
NAMES = ("failing_input", "diagnosis", "repaired_weights")
SOURCES = Module.of_hunt(NAME)
POINTS = {name: checks.find(f"{NAME}.{name}").max_points for name in NAMES}


def source(name: str) -> str:
    head, body = SOURCES.head_and_body(name)
    return "\n".join([*head, *body])


def cells(changed: dict[str, str], last: str = "") -> list[dict]:
    """Return a notebook's cells; `changed` holds what stands in place of the expected answers."""
    answers = [(name, changed.get(name, source(name))) for name in NAMES]
    pairs = [
        [
            code(answer, **graded(name, solution=True)),
            code(f'check("{NAME}.{name}", globals())', **graded(CHECK + name, grade=True, points=POINTS[name])),
        ]
        for name, answer in answers
    ]
    own = [code(last)] if last else []
    return [code("import torch"), *pairs[0], *pairs[1], pairs[2][0], *own, pairs[2][1]]


def content(changed: dict[str, str], last: str = "") -> bytes:
    return json.dumps(tree(cells(changed, last), attention_workbook={"assignment": NAME})).encode()


@pytest.fixture(scope="module")
def judged(built) -> Callable[..., Judged]:
    judge = Judge(built, b"the secret of this test's course", Limits(cell=4, check=4, grace=0.5, patience=25))
    released = nbformat.from_dict(tree(cells(dict.fromkeys(NAMES, "raise NotImplementedError()"))))
    for number, cell in enumerate(released.cells):
        cell["id"] = f"released-{number}"
    form = Template(NAME, released)

    def judged(changed: dict[str, str], last: str = "") -> Judged:
        written = content(changed, last)
        return judge.notebook(submission(written, form, [NAME]), form, written, "ada")

    return judged


def scores(judged: Judged) -> dict[str, float]:
    return {name: verdict.score for name, verdict in judged.verdicts.items()}


def test_the_expected_answers_get_all_points(judged):
    assert scores(judged({})) == POINTS


SHOWS = source("failing_input")
ARGUMENTS = ", ".join(each.name for each in HUNT.about_input.arguments)
INPUTS = {  # what is handed in, what kind of failure it is, and what the reason names
    "a window as wide as the sentence": (SHOWS.replace(", 1.0", ", 9.0"), "wrong", NOT_SHOWN),
    "a length beyond the sentence": (SHOWS.replace("tensor([4])", "tensor([5])"), "wrong", "lengths"),
    "a verdict of its own": ("def failing_input():\n    return torch.tensor(1.0)", "wrong", ARGUMENTS),
    "an exception": ("def failing_input():\n    raise SystemExit", "raised", "SystemExit"),
}


@pytest.mark.parametrize(("answer", "kind", "named"), INPUTS.values(), ids=INPUTS)
def test_an_input_that_does_not_show_the_bug_gets_nothing_and_the_reason(judged, answer, kind, named):
    verdict = judged({"failing_input": answer}).verdicts["failing_input"]
    [failure] = verdict.failures
    assert (verdict.score, failure.kind) == (0, kind)
    assert named in failure.text
    assert failure.text in verdict.hint


@pytest.mark.parametrize(("answer", "points"), [('8, "B"', 2), ('8, "a"', 1), ('7, "b"', 1), ('7, "a"', 0)])
def test_line_and_kind_of_a_diagnosis_count_each(judged, answer, points):
    assert judged({"diagnosis": f"def diagnosis():\n    return {answer}"}).verdicts["diagnosis"].score == points


TWO_STATEMENTS = source("repaired_weights").replace("~near", "~real").replace("<= D", "< D")


def test_what_is_no_repair_gets_nothing(judged):
    assert judged({"repaired_weights": TWO_STATEMENTS}).verdicts["repaired_weights"].score == 0


def test_what_another_cell_puts_in_the_place_of_a_repair_is_not_what_is_judged(judged):
    right = source("repaired_weights").replace("repaired_weights", "mine")
    smuggled = f"{right}\nglobals()['repaired' + '_weights'] = mine"
    assert judged({"repaired_weights": TWO_STATEMENTS}, smuggled).verdicts["repaired_weights"].score == 0
    broken = "globals()['repaired' + '_weights'] = lambda *given: None"
    assert judged({}, broken).verdicts["repaired_weights"].score == POINTS["repaired_weights"]


def test_an_unwritten_repair_is_said_to_be_unwritten(judged):
    answer = "def repaired_weights(*given):\n    raise NotImplementedError()"
    [failure] = judged({"repaired_weights": answer}).verdicts["repaired_weights"].failures
    assert failure.kind == "unwritten"
