"""The command line of a language model, and its scores: trained, measured, and continuing a text."""

import math
from pathlib import Path

import pytest

from lab import corpora
from lab.cli import language
from lab.corpora import Text, grammar, imdb, imdb_text, shakespeare, sources
from lab.evaluation import language_results
from lab.evaluation.__main__ import rescored
from lab.evaluation.result_files import read_json
from solutions.language_model.__main__ import SOLUTION, next_probabilities

TINY = "--d-model 8 --d-ff 12 --heads 2 --layers 1 --epochs 1 --tokens 100 --variant tiny".split()
REVIEWS = {  # label, number, stars, part, text
    "train": "pos\t1\t7\ttrain\tthe cats sleep<br />often\nneg\t2\t2\ttrain\ta test\npos\t1\t8\tval\tcats\n",
    "test": "neg\t4\t1\ttest\tthe cats<br /><br />see a test\n",
}


@pytest.fixture
def place(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for runs and results, and a grammar that says little."""
    made = grammar.generate(40, 1)
    known = {"test": [log_p for _, log_p in made[30:]]}
    train, validation, test = (
        [sentence for sentence, _ in made[cut]] for cut in (slice(20), slice(20, 30), slice(30, 40))
    )
    text = Text("grammar", "word", train, validation, {"test": test}, grammar.expected(grammar.rules()).loss, known)
    monkeypatch.setattr(grammar, "load", lambda: text)
    return here


def typed(*words: str) -> None:
    language.main(SOLUTION, next_probabilities, list(words))


def refused(capsys: pytest.CaptureFixture, *words: str) -> str:
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        typed(*words)
    assert stop.value.code == 2
    return capsys.readouterr().err


def test_reviews_are_read_by_subwords(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(imdb, "table", lambda name: REVIEWS[name].encode())
    imdb_text.load.cache_clear()
    here = ["--corpus", "imdb_text", "--variant", "tiny"]
    typed("train", *TINY, *here, "--vocabulary", "24", "--kv-heads", "1")
    typed("evaluate", *here)
    assert "nats a subword" in capsys.readouterr().out
    typed("generate", "the cats", "--count", "5", *here)
    assert capsys.readouterr().out.startswith("the cats")
    imdb_text.load.cache_clear()


def test_a_model_is_trained_measured_and_writes(place: Path, capsys: pytest.CaptureFixture) -> None:
    typed("train", *TINY)
    typed("evaluate", "--variant", "tiny")
    printed = capsys.readouterr().out
    path = place / "solutions/language_model/results/grammar-small-tiny-seed1.json"
    result = read_json(path)
    assert rescored(path) == result["scores"]
    scores = result["scores"]["test"]
    loss = scores["loss"]["value"]
    assert f"loss {loss:.4f} nats a word" in printed
    assert scores["bits"]["value"] == pytest.approx(loss / math.log(2))
    assert scores["perplexity"]["value"] == pytest.approx(math.exp(loss))
    assert scores["floor"] == corpora.load("grammar").entropy < loss
    assert scores["excess"]["value"] > 0
    typed("generate", "the", "--count", "5", "--seed", "2")
    first = capsys.readouterr().out
    assert first.startswith("the")
    typed("generate", "the", "--count", "5", "--seed", "2")
    assert capsys.readouterr().out == first
    typed("generate", "the", "--count", "5", "--top-k", "1")
    greedy = capsys.readouterr().out
    for temperature in ("1e-38", "1e-300"):
        typed("generate", "the", "--count", "5", "--temperature", temperature)
        assert capsys.readouterr().out == greedy
    typed("train", *TINY, "--positions", "learned", "--variant", "ends")
    refusal = refused(capsys, "generate", "the " * 600, "--variant", "ends")
    assert refusal.startswith("error: learned positions end at 512 tokens")
    assert "zygote" in refused(capsys, "generate", "the zygote")
    assert "above 0" in refused(capsys, "generate", "the", "--top-p", "0")
    assert "--temperature" in refused(capsys, "generate", "the", "--temperature", "-1")


def test_a_beginning_past_the_learned_positions_is_refused_and_the_others_are_answered(
    place: Path, capsys: pytest.CaptureFixture
) -> None:
    typed("train", *TINY, "--positions", "learned")
    lines = ["the", "the " * 600, "the"]
    printed = refused(capsys, "generate", *lines, "--count", "1", "--variant", "tiny")
    assert printed.startswith("error: learned positions end at")
    with pytest.raises(SystemExit):
        typed("generate", *lines, "--count", "1", "--variant", "tiny")
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_model_that_is_the_grammar_is_not_above_the_floor() -> None:
    text = Text("made", "word", [], [], {"test": ["a b", "c"]}, 0.9, {"test": [-2.0, -3.0]})
    scores = language_results.score({"losses": {"test": [2.0, 3.0]}, "tokens": {"test": [3, 2]}}, text)["test"]
    assert scores["excess"]["value"] == 0
    assert scores["loss"]["value"] == 1


def test_the_real_shakespeare_has_the_published_split() -> None:
    if not (sources.data_folder() / shakespeare.SOURCE.path).is_file():
        pytest.skip("tiny Shakespeare is not in the data folder (ATTENTION_DATA)")
    text = shakespeare.load()
    assert (len(text.train[0]), len(text.validation[0])) == (1_003_854, 111_540)
    assert text.tests["validation"] == text.validation
