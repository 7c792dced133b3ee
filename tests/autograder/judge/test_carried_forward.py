"""Errors carried forward: one early mistake is charged once, and nobody gets points that way which are not theirs."""

import inspect
import time
from collections.abc import Iterator

import nbformat
import numpy as np
import pytest
import torch

from autograder import checks
from autograder.assignment import Template, assignments, grade_id, template
from autograder.judge import reference_server
from autograder.judge.caller import Student
from autograder.judge.carried import Forward
from autograder.judge.judge import Judge, Judged
from autograder.judge.reference_server import MOST_ELEMENTS, Earlier
from autograder.judge.session import Limits, Session, Worker
from autograder.kit.calls.proxy import MOST_BODY
from autograder.kit.course import numbers
from autograder.places import source_notebook
from autograder.sandbox.sandbox import Sandbox
from autograder.submissions.normalise import submission
from tests.support.sandboxed import QUICK, ask, says

HEADS = "multi_head_attention"
WRONG_HEADS = f"""def {HEADS}(query, key, value, params, heads, mask=None):
    return 2 * query, torch.zeros(query.shape[0], heads, query.shape[1], key.shape[1])"""
LAYERS = f"{HEADS} encoder_layer decoder_layer"
BLANK = "def {}(*given):\n    raise NotImplementedError()"
CALLED = [  # by the solution of the first: the second
    ("bahdanau.additive_attention", "masked_softmax"),
    ("luong.attentional_state", "general_score"),
    ("luong.local_p_weights", "general_score"),
    ("luong.input_feeding", "dot_score"),
    ("pooling.hierarchical_attention", "context_attention"),
    ("structured.structured_attention", "penalization"),
    ("self_attention.self_attention", "scaled_dot_product"),
    ("transformer.encoder_layer", HEADS),
    ("transformer.decoder_layer", HEADS),
]


@pytest.fixture(scope="module")
def judge(course_judge: Judge) -> Judge:
    return Judge(course_judge.sandbox, course_judge.secret, Limits(cell=20, check=20, notebook=200))


def graded(
    judge: Judge, name: str, changed: dict[str, str], below: dict[str, str] | None = None, only: str = ""
) -> Judged:
    """Judge the solved notebook with some answers changed, and with cells of the student's own below some.

    `only`: the functions that are checked, without the others it takes less time; none: all.
    """
    notebook, form = nbformat.read(source_notebook(name), as_version=4), template(name)
    gone = {f"check-{function}" for function in form.functions if only and function not in only.split()}
    form.notebook.cells = [cell for cell in form.notebook.cells if grade_id(cell) not in gone]
    form = Template(name, form.notebook)  # which knows these cells alone
    cells = []
    for cell in (cell for cell in notebook.cells if grade_id(cell) not in gone):
        cell.source = changed.get(grade_id(cell), cell.source)
        cells.append(cell)
        if grade_id(cell) in (below or {}):
            cells.append(nbformat.v4.new_code_cell((below or {})[grade_id(cell)]))
    notebook.cells = cells
    content = nbformat.writes(notebook).encode()
    return judge.notebook(submission(content, form, assignments()), form, content, "ada")


def solution(name: str, function: str) -> str:
    return next(cell.source for cell in nbformat.read(source_notebook(name), 4).cells if grade_id(cell) == function)


def part_of(name: str, function: str) -> str:
    """Return a function as feedback names it: with the number of its part."""
    return f"{function} (part {numbers(nbformat.read(source_notebook(name), 4).cells)[function]})"


@pytest.mark.parametrize("answer", [WRONG_HEADS, "pass"], ids=["wrong", "deleted"])
def test_one_early_mistake_is_charged_once(judge: Judge, answer: str) -> None:
    judged = graded(judge, "transformer", {HEADS: answer})
    lost = {function: verdict.max_score - verdict.score for function, verdict in judged.verdicts.items()}
    assert lost.pop(HEADS) >= 13
    lost.pop("cached_heads")  # its answer calls a function that the changed cell defined
    assert set(lost.values()) == {0}
    for function in ("encoder_layer", "decoder_layer"):
        verdict = judged.verdicts[function]
        assert part_of("transformer", HEADS) in verdict.hint
        assert (verdict.mistakes, verdict.details, verdict.failures) == ([], [], [])
    assert judged.verdicts["make_masks"].hint is None


@pytest.mark.slow
@pytest.mark.parametrize(("check_id", "earlier"), CALLED)
def test_in_every_chapter_a_part_that_calls_an_earlier_one_keeps_its_points(
    judge: Judge, check_id: str, earlier: str
) -> None:
    name, _, function = check_id.partition(".")
    judged = graded(judge, name, {earlier: BLANK.format(earlier)})
    verdict = judged.verdicts[function]
    assert judged.verdicts[earlier].score == 0
    assert verdict.score == verdict.max_score
    assert part_of(name, earlier) in verdict.hint


def test_a_bug_hunt_is_not_answered_by_the_function_that_it_repairs(judge: Judge) -> None:
    calls = "def repaired_attention(*given):\n    return additive_attention(*given)"
    blank, parts = BLANK.format("additive_attention"), "masked_softmax additive_attention repaired_attention"
    judged = graded(judge, "bahdanau", {"additive_attention": blank, "repaired_attention": calls}, only=parts)
    assert judged.verdicts["repaired_attention"].score == 0
    judged = graded(judge, "bahdanau", {"masked_softmax": BLANK.format("masked_softmax")}, only=parts)
    assert judged.verdicts["additive_attention"].score == 11
    assert judged.verdicts["repaired_attention"].score == 8  # it calls nothing


def test_a_part_that_is_wrong_itself_is_told_its_own_mistake(judge: Judge) -> None:
    own = solution("transformer", "encoder_layer").replace("x + attended", "attended")
    judged = graded(judge, "transformer", {HEADS: WRONG_HEADS, "encoder_layer": own}, only=LAYERS)
    verdict = judged.verdicts["encoder_layer"]
    alone = graded(judge, "transformer", {"encoder_layer": own}, only=LAYERS).verdicts["encoder_layer"]
    assert (verdict.score, verdict.mistakes) == (alone.score, alone.mistakes)
    assert verdict.mistakes
    head, *rest = verdict.hint.splitlines()
    assert part_of("transformer", HEADS) in head
    assert [line for line in rest if "✗" not in line] == [
        line for line in alone.hint.splitlines()[1:] if "✗" not in line
    ]
    assert any("✗" in line and "gradients" in line for line in rest)  # which are had with the values
    assert judged.verdicts["decoder_layer"].score == 12  # it may call the encoder's layer, and does not


def test_a_part_that_does_not_call_the_earlier_one_is_judged_as_ever(judge: Judge) -> None:
    inline = solution("transformer", HEADS).replace(f"def {HEADS}", "def mine")
    inline = inline.replace("### BEGIN SOLUTION", "").replace("### END SOLUTION", "")
    own = {f: solution("transformer", f).replace(HEADS, "mine") for f in ("encoder_layer", "decoder_layer")}
    own["encoder_layer"] = f"{inline}\n\n\n{own['encoder_layer']}"
    own["decoder_layer"] = own["decoder_layer"].replace("y + attended", "attended")
    judged = graded(judge, "transformer", {HEADS: WRONG_HEADS, **own}, only=LAYERS)
    assert (judged.verdicts["encoder_layer"].score, judged.verdicts["encoder_layer"].hint) == (12, None)
    wrong = judged.verdicts["decoder_layer"]
    assert wrong.score < 12
    assert HEADS not in wrong.hint


def test_two_parts_that_fit_each_other_only_lose_nothing_by_the_second_look(judge: Judge) -> None:
    """The first gives its results the other way round, and the second knows that; a right one does not help it."""
    turned = solution("transformer", HEADS).replace('params["b_o"], attended', 'params["b_o"]')
    turned = turned.replace("return merge_heads", "return attended, merge_heads")
    layer = solution("transformer", "encoder_layer").replace("attended, _ =", "_, attended =").replace(", eps)", ")")
    judged = graded(judge, "transformer", {HEADS: turned, "encoder_layer": layer}, only=LAYERS)
    verdict = judged.verdicts["encoder_layer"]
    assert 6 < verdict.score < 12
    assert "yours" in verdict.hint.splitlines()[0]  # with these it does better than with right ones


def test_a_cell_that_stopped_at_the_earlier_function_defines_what_it_defines(judge: Judge) -> None:
    """The second function and a trial of the first are in one cell, which ends there with an error."""
    changed = {HEADS: BLANK.format(HEADS)}
    changed["encoder_layer"] = f"{solution('transformer', 'encoder_layer')}\n\n\n{HEADS}(1, 2, 3, {{}}, 1)\nlast = 1"
    assert graded(judge, "transformer", changed, only=LAYERS).verdicts["encoder_layer"].score == 12


def test_grading_costs_no_second_worker_where_nothing_is_carried(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    enter = Worker.__init__
    monkeypatch.setattr(Worker, "__init__", lambda self, *given: made.append(1) or enter(self, *given))
    graded(judge, "bahdanau", {"additive_attention": BLANK.format("additive_attention")})  # nothing earlier is wrong
    assert len(made) == 1
    graded(judge, "bahdanau", {"masked_softmax": BLANK.format("masked_softmax")})
    assert len(made) == 1 + 1 + 3  # one each for the three functions that call it
    made.clear()
    calls_it = ("additive_attention", "rnnsearch_step", "additive_attention_backward")
    graded(judge, "bahdanau", {each: BLANK.format(each) for each in ("masked_softmax", *calls_it)})
    assert len(made) == 1  # what nobody has written calls nothing


def test_cells_that_take_too_long_to_run_again_leave_the_verdict_as_it_was(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.judge.judge.Forward", lambda *given: Forward(*given[:3], until=0.0))
    blank, only = {"masked_softmax": BLANK.format("masked_softmax")}, "masked_softmax additive_attention"
    verdict = graded(judge, "bahdanau", blank, only=only).verdicts["additive_attention"]
    assert verdict.score == 0
    assert part_of("bahdanau", "masked_softmax") in verdict.hint


SOFTMAX = inspect.unwrap(checks.find("bahdanau.masked_softmax").reference)


@pytest.fixture
def asking(built: Sandbox) -> Iterator[Session]:
    """Return a session in which masked_softmax is a stand-in."""
    with Session(built, QUICK, Earlier({"masked_softmax": SOFTMAX})) as session:
        session.run("import torch")
        yield session


def test_a_cell_and_a_check_are_answered(asking: Session) -> None:
    shown = says(asking, "def masked_softmax(x): return x\nmasked_softmax(torch.zeros(2))")
    assert "0., 0." in shown
    assert "0.5000, 0.5000" in says(asking, "masked_softmax(torch.zeros(2))")
    asking.run("def twice(x):\n    return masked_softmax(x) + masked_softmax(scores=x, mask=None)")
    asking.begin_check()
    x = np.array([0.0, 1.0986123], np.float32)
    assert np.allclose(Student(asking)("twice", [x]).outputs[0], [0.5, 1.5])


FORGED = """import os, json, struct, gc, socket
from autograder.kit.calls import frames
asker = next(each for each in gc.get_objects() if type(each).__name__ == "_JudgeLink")
def forges(x):
    frames.send(asker.link, {ASK})
    return x"""


@pytest.mark.parametrize(
    "frame",
    [
        "{'id': 7, 'ask': {'function': 'masked_softmax', 'arguments': []}}",
        "{'id': asker.request, 'ask': {'function': 'open', 'arguments': ['/etc/passwd']}}",
        "{'id': asker.request, 'ask': 7}",
        "{'id': asker.request, 'tell': 7}",
        "[1, 2]",
    ],
)
def test_a_frame_that_is_no_question_ends_the_worker(asking: Session, frame: str) -> None:
    asking.run(FORGED.replace("{ASK}", frame))
    answer = ask(asking, "forges", np.ones(2, np.float32))
    assert answer.error.kind == "bad_output"
    assert "disturbed the grader's connection" in answer.error.text
    assert "0.5000" in says(asking, "masked_softmax(torch.zeros(2))")  # the next worker is asked and answered


def test_too_much_is_an_error_in_the_students_code(built: Sandbox) -> None:
    with Session(built, Limits(cell=30, check=60, notebook=200), Earlier({"masked_softmax": SOFTMAX})) as asking:
        asking.run("import torch")
        asking.run("def huge(x):\n    return masked_softmax(torch.zeros(30_000_000))")
        asking.run("def wide(x):\n    return masked_softmax(torch.zeros(60_000, 1), torch.ones(1, 60_000).bool())")
        for function, most in (("huge", f"{MOST_BODY >> 20} MB"), ("wide", str(MOST_ELEMENTS))):
            error = ask(asking, function, np.ones(2, np.float32)).error
            assert error.kind == "raised"
            assert most in error.text
        asking.run("def kept(x):\n    try:\n        return huge(x)\n    except ValueError:\n        return x")
        assert ask(asking, "kept", np.ones(2, np.float32)).error is None


def test_a_small_operation_is_not_worked_out_by_shapes(monkeypatch) -> None:
    looked = []
    monkeypatch.setattr(reference_server, "_size", lambda *_: looked.append(1) or 1)
    with reference_server.Bounded():
        row = torch.ones(3, 4) @ torch.ones(4)
        assert not looked, "for that torch imports its compiler: a second of each judging process"
        torch.zeros(600, 600) + row[0]
    assert looked


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "while True: masked_softmax(x)",
        "while True:\n        try: masked_softmax(x)\n        except BaseException: pass",
        "while True: frames.send(asker.link, {'id': asker.request, 'ask': QUESTION})",
    ],
    ids=["asks for ever", "asks for ever and catches all", "asks and never listens"],
)
def test_whoever_asks_without_end_is_stopped_in_time(asking: Session, body: str) -> None:
    asking.run(FORGED.replace("{ASK}", "0"))
    question = "{'function': 'masked_softmax', 'arguments': [x.numpy(), None]}"
    asking.run(f"def asks(x):\n    x = torch.zeros(20_000)\n    {body.replace('QUESTION', question)}")
    began = time.monotonic()
    assert ask(asking, "asks", np.ones(2, np.float32)).error
    assert time.monotonic() - began < 60
    assert asking.earlier is not None
    asking.earlier.begin()  # as each check does: a fast machine has asked as often as a check may
    assert "0.5000" in says(asking, "masked_softmax(torch.zeros(2))")
