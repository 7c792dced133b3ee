"""The law that the kit answers no check: each of its public functions and methods is handed in for each graded one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.checks import checks
from autograder.release.blank import Module
from autograder.release.build import release
from tests.support import kit_as_answer

# The identity: the gradients of x + PE are those of x. Anyone who returns x has written no position.
IDENTITY = ("lab.distributed.Team.", "lab.transfer.on_host")
ALLOWED = {("transformer.positional_encoding", "gradients")}

PLANTED = {
    # A function of three arguments in another order, which returns another thing besides.
    "lab/planted.py": """
def looks(values, mask, scores):
    lowest = scores.new_tensor(-1e30)
    return values, scores.where(mask, lowest).softmax(-1) * mask

def softly(mask, scores):
    return None, (scores if mask is None else scores.where(mask, -1e30)).softmax(-1) * (1 if mask is None else mask)
""",
    # A layer that attends, by the module's own parameters.
    "solutions/transformer/planted.py": """
from solutions.transformer.layers import MultiHeadAttention

class Attends(MultiHeadAttention):
    def __init__(self, recipe):
        super().__init__(recipe)
        self.heads = recipe.heads

    def forward(self, query, key, value, mask=None):
        w = self.named()
        q, k, v = (
            (x @ w["W_" + n].T + w["b_" + n]).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for n, x in zip("qkv", (query, key, value))
        )
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(-3), -1e30)
        weights = scores.softmax(-1)
        return (weights @ v).transpose(1, 2).flatten(-2) @ w["W_o"].T + w["b_o"], weights
""",
}


def handed_in(kit: Path, *check_ids: str) -> dict:
    """Return what earns more than its shape when a kit's callables are handed in, in a process that has the kit."""
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(kit_as_answer.__file__)), str(kit), *check_ids]
    done = subprocess.run(command, cwd=kit, env=clean, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def beyond_shapes(report: dict) -> list[list]:
    """Return what earned more than its shape, the identity left out where the gradients are its own."""
    return [
        [check_id, who, how, points]
        for check_id, who, how, points in report["earned"]
        if not (who.startswith(IDENTITY) and {(check_id, each) for each in points} <= ALLOWED)
    ]


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    release(["bahdanau", "transformer"], build=tmp_path / "build")
    return tmp_path / "build" / "release" / "kit"


@pytest.mark.slow
def test_an_answer_in_the_kit_is_seen_in_other_clothes_and_nothing_else_is_one(kit: Path) -> None:
    for path, text in PLANTED.items():
        (kit / path).write_text(text)
    report = handed_in(kit, "bahdanau.masked_softmax", "transformer.multi_head_attention")
    assert report["callables"] > 300
    assert report["answered"] > 5
    earned = beyond_shapes(report)
    assert {who.rpartition("planted.")[2] for _, who, _, _ in earned} == {"softly", "Attends.forward of an object"}
    for name in ("softly", "Attends"):
        assert any(len(points) >= 3 for _, who, _, points in earned if f"planted.{name}" in who), earned


@pytest.mark.slow
def test_nothing_in_the_kit_earns_more_than_its_shape(tmp_path: Path) -> None:
    release(build=tmp_path / "build")
    report = handed_in(tmp_path / "build" / "release" / "kit")
    assert report["answered"] > 50
    assert not beyond_shapes(report)


@pytest.mark.slow
def test_what_is_given_answers_its_own_chapter_and_no_other(tmp_path: Path) -> None:
    release(["bahdanau", "luong"], build=tmp_path / "build", given=["bahdanau"])
    earned = beyond_shapes(handed_in(tmp_path / "build" / "release" / "kit"))
    known = Module.of("bahdanau").functions
    answers = {check_id.rpartition(".")[2]: who for check_id, who, how, _ in earned if how == "by position, whole"}
    assert {function for function in checks("bahdanau") if function in known} <= set(answers)
    assert {(check_id.partition(".")[0], who.rpartition(".")[0]) for check_id, who, _, _ in earned} == {
        ("bahdanau", "given.bahdanau")
    }
