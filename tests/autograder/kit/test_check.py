"""`check`, `hint` and `check_all` as a student has them: what they say, and what they ask a notebook."""

import contextlib
import json
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
from autograder.kit import NoPoints, Stopped, check, course
from autograder.kit.known import recordings
from autograder.kit.known.recordings import Recording
from autograder.kit.local import GRADING_TRIES
from autograder.kit.shown import history, printed, progress
from autograder.kit.verdict import lacking
from autograder.kit.verdict.cases import Verdict
from autograder.kit.whole_file import dry_run, dry_run_worker
from autograder.kit.whole_file.dry_run import Report
from autograder.release.notebook import build_source
from autograder.release.recordings import recording
from solutions.bahdanau.attention import additive_attention, masked_softmax


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
    assert "Grading has no `einops`" in line
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
    assert first == "name: 2 of 4 points; 2 more if ○ is right · part\N{NO-BREAK SPACE}5\N{NO-BREAK SPACE}○"
    assert then.startswith("All core parts with checks are done")


def test_hints_come_one_at_a_time_and_an_earlier_one_comes_again(tmp_path, monkeypatch, capsys):
    part = course.Part("task", 1, 4, hints=("an idea", "a skeleton"))
    monkeypatch.setattr(course, "parts", lambda name: {part.name: part})
    monkeypatch.setattr(course, "names", lambda: ["one", "two"])
    monkeypatch.setenv("ATTENTION_STORE", str(tmp_path))
    below = progress.noted("one.task", Verdict(3, 4, None, [], []), False)
    assert below == [
        "`hint()` shows hint 1 of 2.",
        "one: 3 of 4 points · part\N{NO-BREAK SPACE}1\N{NO-BREAK SPACE}½",
        "Still open, first: part 1, task.",
    ]
    first, second = "task, hint 1 of 2: an idea", "task, hint 2 of 2: a skeleton"
    for asked, shown in (
        ((), first),
        ((2,), "task: no hint 2 was shown; hint() shows the next, 2 of 2."),
        ((-1,), "task: no hint -1 was shown; hint() shows the next, 2 of 2."),
        ((1,), first),
        (("one.task", 1), first),
        (("task", 1), first),
        ((), second),
        ((1,), first),
        ((), "task has no more hints."),
        ((2,), second),
        ((3,), "task: no hint 3 was shown."),
    ):
        progress.hint(*asked)
        assert capsys.readouterr().out.strip() == shown


def test_how_far_one_is_stands_below_a_check_only_where_points_changed(tmp_path, monkeypatch):
    """Of the notebook alone: "16 of 651 points" of the course discourages whoever begins with its end."""
    part = course.Part("task", 1, 4, hints=("an idea", "a skeleton"))
    monkeypatch.setattr(course, "parts", lambda name: {part.name: part})
    monkeypatch.setenv("ATTENTION_STORE", str(tmp_path))
    lines = [len(progress.noted("two.task", Verdict(score, 4, None, [], []), False)) for score in (0, 3, 3, 4, 4, 3)]
    assert lines == [1, 3, 1, 2, 0, 3]
    progress.hint()
    again = "`hint()` shows hint 2 of 2; `hint(1)` shows hint 1 again."
    assert progress.noted("two.task", Verdict(3, 4, None, [], []), False) == [again]


def test_a_stopped_check_has_no_points_of_an_earlier_version(softmax_kit, tmp_path, monkeypatch):
    monkeypatch.setattr(course, "parts", lambda name: {"masked_softmax": course.Part("masked_softmax", 1, 4)})
    monkeypatch.setattr(course, "names", lambda: ["bahdanau"])
    monkeypatch.setenv("ATTENTION_STORE", str(tmp_path))

    def endless(scores, mask):
        raise KeyboardInterrupt

    check("bahdanau.masked_softmax", {"masked_softmax": softmax_kit.reference})
    with pytest.raises(Stopped):
        check("bahdanau.masked_softmax", {"masked_softmax": endless})
    assert progress._sum("bahdanau").startswith("0 of 4")


def ran(monkeypatch: pytest.MonkeyPatch, *inputs: str) -> None:
    """Let these be the cells that the running notebook ran."""
    shell = SimpleNamespace(history_manager=SimpleNamespace(input_hist_raw=["", *inputs]), transform_cell=str)
    monkeypatch.setattr(history, "shell", lambda: shell)


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
    cells = [{"cell_type": "code", "metadata": {}, "source": f"def {f}():\n    return 1\n"} for f in "fg"]
    (tmp_path / "name.ipynb").write_text(
        json.dumps({"cells": cells, "metadata": {"attention_workbook": {"assignment": "name"}}})
    )
    monkeypatch.setattr(course, "parts", lambda name: {name: course.Part(name, 1, 2) for name in "fg"})
    monkeypatch.setattr(course, "names", lambda: ["name"])
    monkeypatch.setattr(dry_run, "dry_run", lambda path: Report("name"))
    monkeypatch.chdir(tmp_path)
    one, two, other = (f"def {name}():\n    return {number}" for name, number in (("f", 1), ("f", 2), ("g", 2)))
    for cells_run, named in (([one], ""), ([two], "f"), ([two, other], "f and 1 more"), (["g()"], "")):
        ran(monkeypatch, *cells_run)
        dry_run.report_on_own("")
        warnings = [line for line in capsys.readouterr().out.splitlines() if line.startswith("⚠")]
        assert warnings == ([f"⚠ Not what you ran last: {named}. Run, save, check_all() again."] if named else [])


def test_a_cells_syntax_error_in_a_dry_run_names_its_line_and_no_file_of_ipythons():
    error = SyntaxError("expected ':'", ("<ipython-input-1-993bcc837ea0>", 3, 1, ""))
    shell = SimpleNamespace(run_cell=lambda source: SimpleNamespace(error_before_exec=error))
    clock = SimpleNamespace(limit=lambda seconds: contextlib.nullcontext(), over=False)
    assert dry_run_worker._ran(shell, "", clock, 1.0) == "SyntaxError: expected ':' (line 3)"  # type: ignore[arg-type]


PARTS = {"masked_softmax": 1, "additive_attention": 2}


def notebook(source: str) -> dict:
    """Return the names that this code defines, as a notebook has them."""
    namespace: dict = {"torch": torch}
    exec(source, namespace)
    return namespace


def test_an_earlier_part_that_is_not_called_is_neither_tried_nor_blamed(tmp_path: Path, monkeypatch) -> None:
    """It may hold an endless loop; and a part that is not written yet waits for nothing."""
    monkeypatch.setattr(recordings, "FOLDER", tmp_path)
    for function in PARTS:
        recordings.path(f"bahdanau.{function}").write_bytes(recording(f"bahdanau.{function}", PARTS))
    for body in ("return torch.zeros(1)", "raise NotImplementedError()"):
        namespace = notebook(f"def additive_attention(*given):\n    {body}")
        namespace["masked_softmax"] = lambda *given: pytest.fail("it was called")
        with pytest.raises(NoPoints) as no_points:
            check("bahdanau.additive_attention", namespace)
        assert "masked_softmax" not in str(no_points.value)


def test_a_part_whose_cell_has_not_run_is_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(recordings, "FOLDER", tmp_path)
    monkeypatch.setattr(course, "parts", lambda name: {"masked_softmax": course.Part("masked_softmax", 1, 4)})
    recordings.path("bahdanau.additive_attention").write_bytes(recording("bahdanau.additive_attention", PARTS))
    namespace = notebook("def additive_attention(*given):\n    return masked_softmax(torch.zeros(1, 2))")
    with pytest.raises(NoPoints, match="`masked_softmax` is from part 1: run its cell first"):
        check("bahdanau.additive_attention", namespace)


@pytest.mark.parametrize("is_right", [True, False])
def test_a_part_whose_earlier_one_is_wrong_is_told_to_wait_for_it(is_right: bool, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(recordings, "FOLDER", tmp_path)
    for function in PARTS:
        recordings.path(f"bahdanau.{function}").write_bytes(recording(f"bahdanau.{function}", PARTS))
    namespace = notebook(
        "def additive_attention(*given):\n    masked_softmax(torch.zeros(1, 2))\n    return torch.zeros(1)"
    )
    namespace["masked_softmax"] = masked_softmax if is_right else lambda scores, mask=None: scores.softmax(-1)
    with pytest.raises(NoPoints) as no_points:
        check("bahdanau.additive_attention", namespace)
    said = " ".join(str(no_points.value).split())
    assert ("It calls your masked_softmax (part 1): that is not right yet. Repair part 1 first." in said) != is_right
    assert (GRADING_TRIES in said) != is_right
    namespace["additive_attention"] = additive_attention
    assert check("bahdanau.additive_attention", namespace) is None
