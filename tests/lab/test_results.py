"""Results are what their outputs give: each is scored again where the references are at hand."""

import re
from pathlib import Path

import pytest

from lab.evaluation.__main__ import are_equal, kept, main, rescored
from lab.evaluation.result_files import read_json

ONE_A_CHAPTER = {path.parent: path for path in kept()}.values()  # the others are slow in their number
PATHS = [pytest.param(p, id=p.stem, marks=[pytest.mark.slow] if p not in ONE_A_CHAPTER else []) for p in kept()]


@pytest.mark.parametrize("path", PATHS)
def test_kept_outputs_give_the_kept_scores(path: Path) -> None:
    again = rescored(path)
    if again is None:
        pytest.skip("the corpus is not at hand: set ATTENTION_DATA")
    assert are_equal(again, read_json(path)["scores"])


@pytest.mark.parametrize("is_same", [True, False])
def test_the_command_ends_with_1_where_a_result_is_another(monkeypatch, capsys, is_same: bool) -> None:
    path = kept()[0]
    scores = read_json(path)["scores"]
    monkeypatch.setattr("lab.evaluation.__main__.kept", lambda: [path])
    monkeypatch.setattr("lab.evaluation.__main__.rescored", lambda _: scores if is_same else {})
    assert main([]) == (not is_same)
    assert ("DIFFERS" in capsys.readouterr().out) == (not is_same)


@pytest.mark.parametrize("path", kept(), ids=lambda path: path.stem)
def test_a_result_says_how_it_came_about(path: Path) -> None:
    result = read_json(path)
    assert path.stem == f"{result['run']}-seed{result['seed']}"
    assert re.fullmatch(r"[0-9a-f]{64}", result["checkpoint_sha256"])
    assert result["training"]["seconds"] > 0
    assert result["command"].startswith(f"python -m solutions.{result['solution']} evaluate")
    training = result["training"]
    assert training["ended_by_budget"] == (training["epochs"] < training["of_epochs"])
    assert training["best_epoch"] <= training["of_epochs"]
