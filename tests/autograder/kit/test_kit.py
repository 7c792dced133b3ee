"""Tests of the public side: values in, values out, whatever the student's function does."""

import contextlib
import functools
import json
import random
import re
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from autograder.checks import find
from autograder.kit import (
    NoPoints,
    check,
    course,
    dry_run_report,
    dry_run_worker,
    history,
    lacking,
    printed,
    progress,
    recordings,
)
from autograder.kit.answer import OWN_KINDS, Answer, Failure, clean_answer
from autograder.kit.call import _foreign, call
from autograder.kit.cases import Verdict
from autograder.kit.dry_run import Report
from autograder.kit.grading import Case, Criterion, KnownMistake, grade
from autograder.kit.recordings import Recording
from autograder.kit.table_models import BeamStep, GreedyStep
from autograder.release.notebook import build_source


def one_case(function, caller=None):
    """Grade a function that should double its argument x."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    case = Case("a case", {"x": x}, {"y": 2 * x}, cotangents=[np.ones_like(x)], gradients=[np.full_like(x, 2)])
    criteria = [Criterion(kind, 1, kind) for kind in ("shape", "values", "gradients", "unchanged", "repeat")]
    return grade("name.double", [case], criteria, caller or functools.partial(call, {"double": function}))


@pytest.mark.parametrize(
    "double",
    [
        lambda x: x + x,
        lambda x: (2 * x).double(),
        lambda x: list(2 * x),
        lambda x: torch.stack([row + row for row in x]),
    ],
)
def test_right_values_get_all_points_in_any_wrapping(double):
    assert one_case(double).hint is None


@pytest.mark.parametrize(
    ("double", "sentence"),
    [
        (lambda x: None, "returned None"),
        (lambda x: "2x", "returned a str"),
        (lambda x: x[0], "y has shape (3,), expected (2, 3)"),
        (lambda x: x / 0 * 0, "NaN"),
        (lambda x: x / 0, "NaN"),
        (lambda x: x * 3, "not the expected values"),
        (lambda x: 2 * x.detach(), "No gradient comes back"),
        (lambda x: x.detach().mul_(2), "changes its argument x"),
        (lambda x: 2 * x * torch.rand(1).round() + torch.rand(1), "another answer the second time"),
        (lambda x: [[1.0], [1.0, 2.0]], "different"),
        (lambda x: x @ x, "RuntimeError"),
        (lambda x: exit(), "SystemExit"),
        (lambda x: (x, x, x), "returns 3 things of shape (2, 3), expected y alone."),
    ],
)
def test_the_hint_says_what_is_wrong(double, sentence):
    verdict = one_case(double)
    assert verdict.score < verdict.max_score
    assert sentence in verdict.hint


@pytest.mark.parametrize(
    ("function", "right"),
    [
        (lambda x, unused: 2 * x, True),
        (lambda x, unused: 2 * x + 0 * unused.sum(), True),
        (lambda x, unused: 2 * x + (unused - unused.detach()).sum(), False),
    ],
)
def test_a_gradient_of_zeros_is_as_good_as_none_where_nothing_depends_on_the_argument(function, right):
    x, unused = np.ones((2, 3), np.float32), np.ones((4, 5), np.float32)
    gradients = [np.full_like(x, 2), None]
    case = Case("a case", {"x": x, "unused": unused}, {"y": 2 * x}, cotangents=[np.ones_like(x)], gradients=gradients)
    verdict = grade(
        "name.f", [case], [Criterion("gradients", 1, "gradients")], functools.partial(call, {"f": function})
    )
    assert (verdict.score == 1) == right, verdict.hint


def test_an_exception_that_cannot_be_printed_is_still_a_fault_of_the_student():
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    def double(x):
        raise Mute

    assert "Mute" in one_case(double).hint


def test_a_function_with_a_memory_loses_the_point_for_the_second_call():
    calls = []

    def forgetful(x):
        calls.append(1)
        return 2 * x if len(calls) < 3 else 3 * x

    verdict = one_case(forgetful)
    assert [name for name, points, got in verdict.criteria if not got] == ["repeat"]
    assert [failure.kind for failure in verdict.failures] == ["wrong"]


@pytest.mark.parametrize(
    "answer",
    [
        Answer(outputs=[None]),
        Answer(outputs="aa"),
        Answer(outputs=[np.array(["a"])]),
        Answer(outputs=[]),
        Answer(outputs=[np.zeros((2, 3))], gradients=[np.array("x")], inputs_after=[None]),
        Answer(outputs=[np.zeros((2, 3))], gradients=[], inputs_after=[]),
        Answer(error=3),
        Answer(error=Failure(3, "text")),
        Answer(error=Failure(["raised"], 3)),
        Answer(error=Failure("all right", "text")),
        Answer(),
    ],
)
def test_answers_from_a_hostile_worker_are_only_wrong(answer):
    verdict = one_case(None, caller=lambda *call: answer)
    assert verdict.score <= 1
    assert verdict.hint


@pytest.mark.parametrize("kind", ["timeout", "died", "no_worker", "wrong", "all right", 3, ["raised"]])
def test_a_worker_cannot_give_a_failure_that_only_the_grader_can_know(kind):
    error = clean_answer(Answer(error=Failure(kind, "the text")), OWN_KINDS).error
    assert error.kind == "bad_output"
    assert "the text" not in error.text


def test_what_ends_a_call_has_a_kind():
    def masked_softmax(x):
        raise NotImplementedError

    def calls_it(x):
        return masked_softmax(x)

    x = np.ones(2, np.float32)
    functions = {
        "masked_softmax": masked_softmax,
        "calls_it": calls_it,
        "stops": lambda x: x.nothing,
        "leaves": lambda x: exit(),
        "gives_text": lambda x: "text",
        "gives_none": lambda x: None,
        "cuts": lambda x: x.detach(),
    }
    kinds = {name: call(functions, name, [x], [x]).error.kind for name in [*functions, "missing"]}
    assert kinds == {
        "masked_softmax": "unwritten",
        "calls_it": "raised",  # its own cell is written
        "stops": "raised",
        "leaves": "raised",
        "gives_text": "bad_output",
        "gives_none": "bad_output",
        "cuts": "no_gradient",
        "missing": "undefined",
    }


def test_a_function_that_is_as_it_was_released_is_said_to_be_so_and_a_written_one_with_its_last_line_is_not():
    def double(x):
        """Return it."""
        raise NotImplementedError()

    assert one_case(double).hint == "double: 0 of 5 points. It is not written yet."

    def double(x):
        x = 2 * x
        # YOUR CODE HERE
        raise NotImplementedError()

    assert "everything: the line `raise NotImplementedError()` is still in your function" in one_case(double).hint


def test_lines_of_libraries_are_not_shown_as_the_students():
    for place in (
        "/usr/local/lib/python3.12/dist-packages/torch/nn.py",
        "/usr/lib/python3.12/random.py",
        torch.__file__,
    ):
        assert _foreign(place)
    for place in ("/tmp/ipykernel_17/1.py", "<ipython-input-3-a>", r"C:\Users\me\work\helpers.py", __file__):
        assert not _foreign(place)
    hint = one_case(lambda x: random.sample(x, 2)).hint
    assert "random.sample(x, 2)" in hint
    assert "in sample" not in hint
    assert "call.py" not in hint


def test_the_hint_holds_neither_inputs_nor_expected_values():
    verdict = one_case(lambda x: 0.123 * x)
    assert not any(digit in verdict.hint.replace("(1)", "").replace("points", "") for digit in ("10.", "8.", "6."))


def test_a_mistake_that_shows_nowhere_is_never_named():
    x = np.ones(3, np.float32)
    invisible, crashing = KnownMistake("invisible", "", [2 * x]), KnownMistake("crashing", "", None)
    cases = [Case("one", {"x": x}, {"y": 2 * x}, known=[invisible, crashing])]
    criteria = [Criterion("values", 1, "values"), Criterion("unchanged", 1, "unchanged")]

    def double(x):
        return x.mul_(2)

    verdict = grade("name.double", cases, criteria, functools.partial(call, {"double": double}))
    assert (verdict.score, verdict.mistakes) == (1, [])


def test_recorded_cases_come_back_as_they_were(tmp_path):
    for check_id in ("bahdanau.additive_attention", "encoder_decoder.beam_search", "encoder_decoder.greedy_decode"):
        drawn = find(check_id)
        cases = drawn.draw(np.random.default_rng(0))
        packed = recordings.pack(Recording(cases, drawn.criteria, drawn.worked_examples(), stars=2))
        assert len(recordings.pack(Recording(cases * 3, drawn.criteria))) < 2 * len(packed)  # equal arrays once
        recordings.path(check_id, tmp_path).write_bytes(packed)
        known = recordings.load(check_id, tmp_path)
        assert (known.criteria, known.stars) == (drawn.criteria, 2)
        assert recordings.pack(known) == packed
        assert grade(check_id, known.cases, known.criteria, drawn.calling(drawn.reference)).hint is None


def test_a_missing_recording_is_named(tmp_path):
    with pytest.raises(LookupError, match=r"no recorded answers for the check 'bahdanau.magic'.*none"):
        recordings.load("bahdanau.magic", tmp_path)
    for name in ("bahdanau.masked_softmax", "self_attention.rotated"):
        recordings.path(name, tmp_path).touch()
    for typed in ("bahdanau.masked_sofmax", "masked_softmax"):
        with pytest.raises(LookupError, match=rf"check '{typed}': did you mean 'bahdanau.masked_softmax'\?"):
            recordings.load(typed, tmp_path)


@pytest.fixture
def softmax_kit(tmp_path, monkeypatch):
    drawn = find("bahdanau.masked_softmax")
    packed = recordings.pack(Recording(drawn.draw(np.random.default_rng(0)), drawn.criteria))
    recordings.path("bahdanau.masked_softmax", tmp_path).write_bytes(packed)
    monkeypatch.setattr(recordings, "FOLDER", tmp_path)
    return drawn


def test_check_follows_the_score_protocol_of_nbgrader(softmax_kit, capsys):
    full, name = softmax_kit.max_points, "bahdanau.masked_softmax"
    assert check(name, {"masked_softmax": softmax_kit.reference}) is None
    assert f"all {full} points" in capsys.readouterr().out
    partial = check(name, {"masked_softmax": lambda scores, mask: scores.softmax(-1)})
    assert isinstance(partial, float)
    assert 0 < partial < full
    assert "The mask has no effect" in capsys.readouterr().out
    with pytest.raises(NoPoints, match="not defined"):
        check(name, {})


def test_a_print_is_shown_once_below_the_verdict(softmax_kit, capsys):
    """An example's or the first failing call's, a few lines of it; a plot of each call is not shown at all."""

    def loud(scores, mask):
        warnings.warn("a student's warning", stacklevel=1)
        print("the scores have the shape", scores.shape)
        print(*range(100), sep="\n", file=sys.stderr)
        return softmax_kit.reference(scores, mask)

    def wrong(scores, mask=None):
        print("wrong")
        return scores.softmax(-1)

    check("bahdanau.masked_softmax", {"masked_softmax": loud})
    shown = capsys.readouterr()
    assert shown.err == ""  # which nbgrader takes for a failure
    first, then, *lines = shown.out.splitlines()
    assert first.startswith("✓")
    assert then == "Your function prints, in the first call of the check:"
    assert lines[0].startswith("    the scores have the shape")
    assert re.fullmatch(r"    \(\d+ more lines, of all calls\)", lines[-1])
    assert len(lines) == printed.MOST_LINES + 1
    points = check("bahdanau.masked_softmax", {"masked_softmax": wrong})
    verdict, prints = capsys.readouterr().out.split("Your function prints, ")
    assert "The mask has no effect" in verdict
    assert prints.count("    wrong") == 1
    assert points._repr_html_() == f"<small>{points:g} of {softmax_kit.max_points} points</small>"


EINSUM = """
from einops import einsum
def helper(x): return einsum(x, "b -> b")
def masked_softmax(scores, mask=None): return helper(scores)
"""


def test_what_grading_does_not_have_is_named(softmax_kit, tmp_path, monkeypatch):
    modules = tmp_path / "modules.txt"
    monkeypatch.setattr(lacking, "MODULES", modules)
    (tmp_path / "einops.py").write_text("def einsum(x, how): return x")
    monkeypatch.syspath_prepend(tmp_path)
    namespace: dict = {"torch": torch, "__name__": "__main__"}
    exec(EINSUM, namespace)
    assert lacking.lacking("masked_softmax", namespace) == []  # a kit that knows nothing of grading
    modules.write_text("numpy\ntorch\n")
    [line] = lacking.lacking("masked_softmax", namespace)
    assert "there is no `einops`" in line
    for body, count in {
        "import einops; return einops.einsum(scores, '')": 1,
        "return scores.cuda().softmax(-1)": 1,
        "return scores.to('mps')": 1,
        "return scores.to('cuda' if torch.cuda.is_available() else 'cpu')": 0,
        "import math, numpy; return math.pi * scores": 0,
        "import nowhere_to_be_found": 0,
    }.items():
        exec(f"def masked_softmax(scores, mask=None): {body}", namespace)
        assert len(lacking.lacking("masked_softmax", namespace)) == count, body
    namespace["masked_softmax"] = softmax_kit.reference
    assert lacking.lacking("masked_softmax", namespace) == []


def test_steps_depend_on_every_token_and_greedy_ones_on_the_row():
    table = np.random.default_rng(0).normal(size=(127, 9)).astype(np.float32)
    prefix = torch.tensor([[3, 1, 4, 1, 5]])
    assert all(
        not torch.equal(BeamStep(table)(prefix), BeamStep(table)(prefix + other)) for other in torch.eye(5).int()
    )
    logits = GreedyStep(np.array([5, 70]), table)(prefix.repeat(2, 1))
    assert logits.shape == (2, 5, 9)
    assert not torch.equal(logits[0], logits[1])


def test_steps_say_what_is_wrong_with_a_prefix():
    table = np.zeros((127, 9), np.float32)
    with pytest.raises(ValueError, match="all 2 rows of the batch, got 1"):
        GreedyStep(np.array([5, 70]), table)(torch.tensor([[1]]))
    with pytest.raises(ValueError, match="begins with bos"):
        BeamStep(table)(torch.tensor([1, 2]))
    with pytest.raises(TypeError, match="whole numbers"):
        BeamStep(table)(torch.tensor([[1.0]]))


PLACES = {  # where the notebook lies: where the kit lies
    "beside it": ("course", "course/kit"),
    "one folder up": ("course/NAME", "course/kit"),
    "two folders up": ("course/week 3/NAME", "course/kit"),
    "unpacked into a folder that the system called kit": ("course", "course/kit/attention-workbook/kit"),
    "unpacked on Colab": ("content", "content/attention-workbook/kit"),
}


def begun(name: str, folder: Path) -> subprocess.CompletedProcess:
    """Run the beginning of the notebook's first code cell in a folder, with nothing of the course within reach."""
    source = next(cell.source for cell in build_source(name).cells if cell.cell_type == "code")
    look = source.partition("import torch")[0] + "\nimport autograder.kit\nprint(autograder.kit.__file__)"
    folder.mkdir(parents=True, exist_ok=True)
    alone = [sys.executable, "-I", "-c", look]
    return subprocess.run(alone, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("place", PLACES)
def test_the_first_cell_finds_the_kit(place, tmp_path):
    notebook, kit = (tmp_path / path for path in PLACES[place])
    own = kit / "autograder" / "kit" / "__init__.py"
    own.parent.mkdir(parents=True)
    own.touch()
    (own.parent.parent / "__init__.py").touch()
    assert begun("pooling", notebook).stdout.splitlines() == [f"kit found: {kit}", str(own)]


def test_a_notebook_that_was_sent_alone_says_where_the_kit_is_to_be_had(tmp_path):
    """In an empty folder; and one day there is a folder called kit with something else in it."""
    for _ in range(2):
        ran = begun("pooling", tmp_path / "inbox")
        assert ran.returncode == 1
        last_line = ran.stderr.splitlines()[-1]
        assert last_line.startswith("FileNotFoundError: This notebook needs the folder `kit`: there is none in ")
        assert str(tmp_path) in last_line
        (tmp_path / "inbox" / "kit").mkdir(exist_ok=True)


def test_a_report_has_no_line_that_a_notebook_breaks_in_a_word(softmax_kit, capsys):
    """JupyterLab breaks long lines anywhere. Code, and what a function prints, stays as it is: it may be copied."""

    def wrong(scores, mask=None):
        print("y" * 120)
        return scores.softmax(-1)

    def failing(scores, mask=None):
        raise RuntimeError("a long message " * 20)

    check("bahdanau.masked_softmax", {"masked_softmax": wrong})
    report = capsys.readouterr().out
    with pytest.raises(NoPoints) as error:
        check("bahdanau.masked_softmax", {"masked_softmax": failing})
    assert "    " + "y" * 120 in report.splitlines()
    for text in (report.replace("y" * 120, ""), str(error.value)):
        assert max(map(len, text.splitlines())) <= 96


def test_points_that_only_grading_knows_are_counted_apart(tmp_path, monkeypatch):
    """Else "all core parts are done" stands beside points that seem to be missing."""
    parts = [course.Part(name, 5, 2) for name in ("input", "diagnosis")]
    monkeypatch.setattr(course, "parts", lambda name: {part.name: part for part in parts})
    monkeypatch.setattr(course, "names", lambda: ["name"])
    monkeypatch.setenv("ATTENTION_STORE", str(tmp_path))
    progress.noted("name.input", Verdict(2, 2, None, [], []), False)
    first, then = progress.noted("name.diagnosis", Verdict(2, 2, None, [], []), True)
    assert first == "name: 2 of 4 points; 2 more if ○ is right · part 5 ○"
    assert then.startswith("All core parts are done")


def test_hints_come_one_at_a_time_and_the_course_is_counted_with_the_notebook(tmp_path, monkeypatch, capsys):
    part = course.Part("task", 1, 4, hints=("an idea", "a skeleton"))
    monkeypatch.setattr(course, "parts", lambda name: {part.name: part})
    monkeypatch.setattr(course, "names", lambda: ["one", "two"])
    monkeypatch.setenv("ATTENTION_STORE", str(tmp_path))
    below = progress.noted("one.task", Verdict(3, 4, None, [], []), False)
    assert below == [
        "`hint()` shows hint 1 of 2.",
        "one: 3 of 4 points · part 1 ½",
        "Still open, first: part 1, task. The course: 3 of 8 points.",
    ]
    for shown in ("task, hint 1 of 2: an idea", "task, hint 2 of 2: a skeleton", "task has no more hints."):
        progress.hint()
        assert capsys.readouterr().out.strip() == shown


def ran(monkeypatch: pytest.MonkeyPatch, *inputs: str) -> None:
    """Let these be the cells that the running notebook ran."""
    shell = SimpleNamespace(history_manager=SimpleNamespace(input_hist_raw=["", *inputs]), transform_cell=str)
    monkeypatch.setattr(history, "_shell", lambda: shell)


def test_a_verdict_on_an_older_function_than_the_cell_says_so(softmax_kit, capsys, monkeypatch):
    namespace = {"masked_softmax": softmax_kit.reference}
    for newest, is_older in (("def masked_softmax(s, m)\n  pass", True), ("def masked_softmax(s, m): pass", False)):
        ran(monkeypatch, newest, "x = 1", "masked_softmax(")
        check("bahdanau.masked_softmax", namespace)
        assert ("SyntaxError" in capsys.readouterr().out.splitlines()[0]) == is_older


def test_a_cell_that_ended_at_its_import_is_named(softmax_kit, monkeypatch):
    for package, is_missing in (("einops_of_nobody.torch", True), ("json, __main__", False)):
        ran(monkeypatch, f"import {package}\ndef masked_softmax(s, m): pass")
        with pytest.raises(AssertionError) as no_points:
            check("bahdanau.masked_softmax", {})
        said = " ".join(str(no_points.value).split())
        assert ("imports einops_of_nobody, which is not installed" in said) == is_missing


def test_check_all_names_what_was_run_and_is_not_in_the_file(tmp_path, monkeypatch, capsys):
    """Anyone who has changed a function and not saved reads of the old one."""
    cells = [{"cell_type": "code", "metadata": {}, "source": "def f():\n    return 1\n"}]
    (tmp_path / "name.ipynb").write_text(
        json.dumps({"cells": cells, "metadata": {"attention_workbook": {"assignment": "name"}}})
    )
    monkeypatch.setattr(course, "parts", lambda name: {name: course.Part(name, 1, 2) for name in "fg"})
    monkeypatch.setattr(course, "names", lambda: ["name"])
    monkeypatch.setattr(dry_run_report, "dry_run", lambda path: Report("name"))
    monkeypatch.chdir(tmp_path)
    for last, is_saved in (("def f():\n    return 1", True), ("def f():\n    return 2", False), ("g()", True)):
        ran(monkeypatch, last)
        dry_run_report.report_on_own("")
        assert ("f is other code in this file" in capsys.readouterr().out) != is_saved


def test_a_cells_syntax_error_in_a_dry_run_names_its_line_and_no_file_of_ipythons():
    error = SyntaxError("expected ':'", ("<ipython-input-1-993bcc837ea0>", 3, 1, ""))
    shell = SimpleNamespace(run_cell=lambda source: SimpleNamespace(error_before_exec=error))
    clock = SimpleNamespace(limit=lambda seconds: contextlib.nullcontext(), over=False)
    assert dry_run_worker._ran(shell, "", clock, 1.0) == "SyntaxError: expected ':' (line 3)"  # type: ignore[arg-type]
