"""Results are what their outputs give: each is scored again where the references are at hand."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lab.corpora import Pair, Parallel
from lab.evaluation import __main__ as command
from lab.evaluation.__main__ import changed, kept, rescored, same
from lab.evaluation.result_files import keep, read_json, write_json

PAIRS = [
    Pair("il m' a entarté", "he hit me with a pie", frozenset({(0, 0), (1, 2), (3, 1)})),
    Pair("le chat dort", "the cat sleeps", frozenset({(0, 0), (1, 1), (2, 2)})),
]
MADE = Parallel("made", "fr", "en", PAIRS, PAIRS, {"test": PAIRS}, tokenised=True)


@pytest.mark.slow
@pytest.mark.parametrize("path", kept(), ids=lambda path: path.stem)
def test_kept_outputs_give_the_kept_scores(path: Path) -> None:
    again = rescored(path)
    if again is None:
        pytest.skip("the corpus is not at hand: set ATTENTION_DATA")
    assert same(again, read_json(path)["scores"])


def test_what_changed_since_it_was_scored_gives_the_kept_scores() -> None:
    paths = [path for path in kept() if changed(path)]
    assert [path.stem for path in paths if not same(rescored(path), read_json(path)["scores"])] == []
    assert not paths, f"{len(paths)} results were scored again, with the same scores: `make results` keeps that"


@pytest.mark.parametrize("what", ["outputs", "scores", "references", "code"])
def test_a_result_is_scored_again_when_anything_it_depends_on_has_changed(tmp_path, monkeypatch, what: str) -> None:
    about = {"run": "made-fr-en", "seed": 1, "corpus": {"name": "phrasebook"}, "scores": {"bleu": 1.5}}
    monkeypatch.setattr(command.corpora, "load", lambda *_: MADE)
    monkeypatch.setattr(command, "SCORER", tmp_path / "scorer")
    (tmp_path / "scorer").write_text(command.scorer_digest())
    path = keep(about, {"translations": {}}, MADE, tmp_path)
    assert not changed(path)
    if what == "outputs":
        write_json(tmp_path / "made-fr-en-seed1.outputs.json.gz", {"translations": {"test": {}}})
    elif what == "scores":
        write_json(path, read_json(path) | {"scores": {"bleu": 1.6}})
    elif what == "references":
        monkeypatch.setattr(command.corpora, "load", lambda *_: replace(MADE, tests={"test": PAIRS[:1]}))
    else:
        monkeypatch.setattr(command, "scorer_digest", lambda: "another")
    assert changed(path)


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
