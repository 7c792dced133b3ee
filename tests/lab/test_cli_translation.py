"""The command line: what it does, and one clear message for what it cannot do."""

import os
from dataclasses import fields, replace
from importlib import import_module
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import get_args

import pytest

from lab import corpora
from lab.cli import translation
from lab.cli.common import answer, dispatch, read_with_texts
from lab.cli.translation import Evaluate, Train, Translate
from lab.corpora import Pair, Parallel
from lab.evaluation import translation_results
from lab.evaluation.result_files import read_json
from lab.kinds.ranges import RecipeError, demand, ranges
from lab.kinds.runs import ROOT
from lab.kinds.translation import vocabularies
from lab.train.schedules import Training
from solutions.bahdanau.model import SOLUTION
from tests.answers import chapters

WITH_RECIPES = [name for name in chapters() if (ROOT / "solutions" / name / "recipe.py").exists()]
RECIPES = [import_module(f"solutions.{name}.recipe").Recipe for name in WITH_RECIPES]
TEXTS = ["ein Mann", "ein Hund"]
PAIRS = [
    Pair(f"{a} {b}", f"{b} {a}", frozenset({(0, 1), (1, 0)})) for a in "abcdefgh" for b in "abcdefgh" for _ in range(2)
]
LETTERS = Parallel("phrasebook", "fr", "en", PAIRS[:100], PAIRS[100:110], {"test": PAIRS[110:]})
SHORT = "--units 8 --embedding-dim 8 --maxout 8 --epochs 1 --tokens 90 --variant tiny".split()


@pytest.fixture
def place(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Its own place for runs and results, and a phrasebook of letters."""
    monkeypatch.setattr(translation_results, "LENGTHS", ((1, 8),))
    monkeypatch.setattr(corpora, "load", lambda *_: LETTERS)
    return here


def refused(capsys: pytest.CaptureFixture, *words: str) -> str:
    """Return the message of a command that ends with exit code 2, and prints nothing else."""
    with pytest.raises(SystemExit) as stop:
        translation.main(SOLUTION, list(words))
    printed = capsys.readouterr()
    assert stop.value.code == 2
    assert printed.out == ""
    return printed.err


@pytest.mark.parametrize("kind", [Evaluate, Translate, Train, Training, *RECIPES], ids=lambda kind: kind.__module__)
def test_every_number_of_a_command_and_of_a_recipe_has_a_range(kind: type) -> None:
    numbers = {item.name for item in fields(kind) if {int, float} & {item.type, *get_args(item.type)}}
    allowed = {name for name, found in ranges(kind).items() if found}
    assert allowed
    assert not numbers - allowed


def test_every_recipe_is_in_its_ranges() -> None:
    for name in WITH_RECIPES:
        for recipe in import_module(f"solutions.{name}.recipe").RECIPES.values():
            demand(recipe)


def test_train_evaluate_and_translate_hold_together(
    place: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    translation.main(SOLUTION, ["train", *SHORT, "--minutes", "0"])
    assert "ended by the time budget of 0 minutes" in capsys.readouterr().out
    translation.main(SOLUTION, ["train", *SHORT])
    printed = capsys.readouterr().out
    assert "going on from epoch 0, step 1" in printed
    assert "BLEU" in printed
    translation.main(SOLUTION, ["evaluate", "--variant", "tiny", "--beam", "2"])
    result = read_json(place / "solutions/bahdanau/results/phrasebook-fr-en-small-tiny-seed1.json")
    assert result["recipe"]["units"] == 8
    assert set(result["scores"]["test"]) == {"greedy", "beam2", "alignment"}
    assert result["training"]["ended_by_budget"] is False
    capsys.readouterr()
    assert "Trained with: seed 1." in refused(capsys, "evaluate", "--variant", "tiny", "--seed", "7")
    assert "pieces that the model knows: zzz" in refused(capsys, "translate", "a zzz")
    translation.main(SOLUTION, ["translate", "a zzz", "--unknown"])
    assert capsys.readouterr().out
    assert "knows: " + 60 * "z" + "…. Say it" in refused(capsys, "translate", "a " + 3000 * "z")
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO("a b\nça\n".encode("latin-1"))))
    with pytest.raises(SystemExit, match="2"):
        translation.main(SOLUTION, ["translate"])
    assert "line 2 of standard input is not UTF-8: it holds the byte 0xe7" in capsys.readouterr().err
    assert "an empty sentence has no translation" in refused(capsys, "translate", "")
    assert "knows: </s> <pad>." in refused(capsys, "translate", "a </s> b <pad>")


@pytest.mark.parametrize("typed", ["entart\u00e9", "entarte\u0301"])
def test_a_letter_with_an_accent_is_one_character_however_it_was_typed(typed: str) -> None:
    answer([typed], lambda line: line == "entart\u00e9")
    with pytest.raises(SystemExit):
        answer([typed], lambda line: line == "entarte")


def test_whole_words_are_not_lower_cased_in_silence() -> None:
    with pytest.raises(RecipeError, match="expected lowercase = False, or vocabulary above 0"):
        vocabularies(LETTERS, replace(SOLUTION.recipes["small"], lowercase=True))


@pytest.mark.parametrize("words", [["--beam", "5", "--no-weights", *TEXTS], [*TEXTS, "--no-weights", "--beam=5"]])
def test_options_are_read_before_and_after_sentences(words: list[str]) -> None:
    options, texts = read_with_texts(translation.Translate, SOLUTION, words)
    assert (options.beam, options.weights, list(texts)) == (5, False, TEXTS)


def test_a_reader_who_leaves_early_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)

    def speak(*_) -> None:
        print("more than anybody reads")

    with os.fdopen(writer, "w") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        with pytest.raises(SystemExit) as left:
            dispatch(SOLUTION, {"speak": speak}, ["speak"])
    assert left.value.code == 1
