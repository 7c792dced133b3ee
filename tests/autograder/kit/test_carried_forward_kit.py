"""Errors carried forward on a student's machine: `check` knows from recordings what a right earlier function gives."""

import functools
from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import pytest

from autograder.assignment import grade_id, parts
from autograder.checks import Check, checks
from autograder.kit import NoPoints, check, recordings
from autograder.release.notebook import build_source
from autograder.release.traces import record_earlier_calls

HEADS = "multi_head_attention"
WRONG_HEADS = f"""def {HEADS}(query, key, value, params, heads, mask=None):
    return 2 * query, torch.zeros(query.shape[0], heads, query.shape[1], key.shape[1])"""


@functools.cache
def built(name: str) -> nbformat.NotebookNode:
    return build_source(name)


@functools.cache
def packed(name: str, function: str) -> bytes:
    return pack(name, checks(name)[function])


def pack(name: str, one: Check) -> bytes:
    cases, examples = one.draw(np.random.default_rng(5)), one.worked_examples()
    return recordings.pack(
        cases, one.criteria, examples, record_earlier_calls(name, one, cases, examples, parts(built(name).cells))
    )


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return what records some functions of a name."""
    monkeypatch.setattr(recordings, "FOLDER", tmp_path)

    def record(name: str, *functions: str) -> None:
        for function in functions:
            recordings.path(f"{name}.{function}").write_bytes(packed(name, function))

    return record


def notebook(name: str, **changed: str) -> dict:
    """Return what the solved notebook defines, with some answers changed."""
    namespace: dict = {}
    for cell in built(name).cells:
        if cell.cell_type == "code" and (grade_id(cell) in checks(name) or "import torch" in cell.source):
            exec(changed.get(grade_id(cell), cell.source).replace("### BEGIN SOLUTION", ""), namespace)
        if cell.cell_type == "code" and "train" in cell.metadata.get("tags", []):
            break
    return namespace


def blank(function: str) -> str:
    return f"def {function}(*given):\n    raise NotImplementedError()"


def test_the_encoder_with_a_wrong_attention_has_its_points_and_its_own_mistakes(kit, capsys) -> None:
    kit("transformer", HEADS, "encoder_layer")
    namespace = notebook("transformer", multi_head_attention=WRONG_HEADS)
    assert check("transformer.encoder_layer", namespace) is None
    sentence = f"It has them with a right {HEADS} (part 1); with yours it fails, so repair that one first."
    assert sentence in " ".join(capsys.readouterr().out.split())
    assert namespace[HEADS].__code__.co_argcount == 6  # the student's own is back
    own = next(cell.source for cell in built("transformer").cells if grade_id(cell) == "encoder_layer")
    namespace = notebook(
        "transformer", multi_head_attention=WRONG_HEADS, encoder_layer=own.replace("x + attended", "attended")
    )
    score = check("transformer.encoder_layer", namespace)
    output = capsys.readouterr().out
    assert 0 < score < 12
    assert "Tried with a right one, this part shows:" in output
    assert "Your numbers are those of a known mistake" in output


def test_where_the_recordings_do_not_reach_the_earlier_part_comes_first(kit, capsys) -> None:
    """Sentence by sentence: right, but these calls nobody has recorded."""
    kit("transformer", HEADS, "encoder_layer")
    own = next(cell.source for cell in built("transformer").cells if grade_id(cell) == "encoder_layer")
    halves = own.replace(
        f"attended, _ = {HEADS}(x, x, x, params, heads, keys)",
        f"attended = torch.cat([{HEADS}(x[i:i+1], x[i:i+1], x[i:i+1], params, heads, "
        "None if keys is None else keys[i:i+1])[0] for i in range(len(x))])",
    )
    assert halves != own
    namespace = notebook("transformer", multi_head_attention=WRONG_HEADS, encoder_layer=halves)
    score = check("transformer.encoder_layer", namespace)
    assert score is not None
    output = capsys.readouterr().out
    assert f"If it calls your {HEADS} (part 1): that is not right yet. Repair part 1 first." in output


def test_a_bug_hunt_says_which_part_comes_first(kit) -> None:
    """A repair whose answer is an earlier function: of what that one calls, nothing is recorded."""
    repaired = replace(checks("pooling")["hierarchical_attention"], name="repaired_levels", examples=())
    assert repaired.is_bug_hunt
    kit("pooling", "context_attention")
    recordings.path("pooling.repaired_levels").write_bytes(pack("pooling", repaired))
    namespace = notebook("pooling", context_attention=blank("context_attention"))
    namespace["repaired_levels"] = namespace["hierarchical_attention"]
    with pytest.raises(NoPoints, match=r"context_attention \(part 2\)"):
        check("pooling.repaired_levels", namespace)
    known = recordings.earlier("pooling.repaired_levels")
    assert [about["asked"] for about in known.values()] == [None]


def test_equal_arrays_are_recorded_once() -> None:
    from autograder.kit.cases import Case

    x = np.arange(10_000.0)
    one, many = (recordings.pack([Case("a", {"x": x}, {"y": x.copy()})] * n, []) for n in (1, 20))
    assert len(many) < 2 * len(one)
