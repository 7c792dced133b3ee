"""What a command line cannot do is said in one message, whatever its kind of model."""

from importlib import import_module
from pathlib import Path

import pytest

CASES = {
    "bahdanau": {
        "train --corpus multi3k": "multi30k?",
        "train --recipe huge": "bahdanau has no recipe 'huge'. Its recipes are: small",
        "train --units 5": "units=5 differs from recipe small: name the run with --variant",
        "train --corpus multi30k --source it": "it→en",
        "train --device quantum": "--device quantum cannot be used here",
        "translate --run unheard-of a": "no run 'unheard-of'. It has: none yet",
        "translate ab": "Make one with: python -m solutions.bahdanau train --corpus phrasebook",
        "train --corpus imdb": "imdb",
        "evaluate": "no trained model of phrasebook-fr-en",
        "evaluate --seed 7": "train --corpus phrasebook --seed 7",
        "train --variant ../../x": "--variant: expected a word of letters",
        "train --dropout 1 --variant d": "--dropout: expected 0 or more, and below 1, got 1.0",
        "train --rate nan --variant e": "--rate: expected a number above 0, got nan",
        "evaluate --beam 0": "--beam: expected 1 or more, got 0",
        "translate --run ../../x a": "--run: expected a word of letters",
        "fly": "expected one of these commands, got fly",
    },
    "pooling": {
        "train --corpus review": "reviews?",
        "train --corpus phrasebook": "phrasebook has no labels",
        "train --corpus reviews --ema 0.9 --mean-of 2 --variant x": "mean_of = 2",
        "evaluate": "train --corpus roles",
        "classify a": "python -m solutions.pooling train --corpus roles",
    },
    "language_model": {
        "train --corpus reviews": "grammar, shakespeare",
        "train --corpus gramar": "grammar?",
        "train --kv-heads 3 --variant x": "kv_heads to divide",
        "train --share 2 --variant x": "--share: expected 0 or more, and at most 1, got 2.0",
        "train --layers 1": "--variant WORD",
        "evaluate": "train --corpus grammar",
        "generate the": "train --corpus grammar",
    },
}


@pytest.mark.parametrize(
    ("name", "words", "message"), [(name, *case) for name, cases in CASES.items() for case in cases.items()]
)
def test_what_cannot_be_done_is_said_in_one_message(
    here: Path, capsys: pytest.CaptureFixture[str], name: str, words: str, message: str
) -> None:
    command = import_module(f"solutions.{name}.__main__")
    given = [command.next_probabilities] if name == "language_model" else []
    with pytest.raises(SystemExit) as stop:
        command.main(command.SOLUTION, *given, words.split())
    printed = capsys.readouterr()
    assert stop.value.code == 2
    assert len(printed.out.splitlines()) <= ("--variant x" in words)  # a training says first which run it is
    assert message in printed.err
    assert not list(here.rglob("*.*"))
