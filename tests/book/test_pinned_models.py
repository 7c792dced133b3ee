"""The models of the book's pages are those of today's code, recipes and data."""

import re

import pytest

from autograder.places import ROOT
from book.make.models import MOST, pins
from lab.evaluation.pins import COST, Pin
from lab.kinds.pinned import record_of

PINS = list(pins())


@pytest.mark.parametrize("pin", PINS, ids=lambda pin: pin.name)
def test_nothing_has_moved_away_from_a_pinned_model(pin) -> None:
    assert not (reasons := pin.moved()), f"{pin.name}: {'; '.join(reasons)}. `make models` makes it anew"


@pytest.mark.parametrize("pin", [pin for pin in PINS if isinstance(pin, Pin)], ids=lambda pin: pin.name)
def test_eight_bits_a_number_cost_little(pin) -> None:
    scores = record_of(pin.path)["validation"]
    assert scores["trained"] - scores["packed"] <= COST[scores["metric"]]


def test_they_take_little_room_and_each_is_listed() -> None:
    files = {path for path in ROOT.glob("solutions/*/pinned/*") if path.suffix != ".json"}
    assert files == {pin.path for pin in PINS}
    assert sum(path.stat().st_size for path in files) <= MOST


CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
TRAINS = re.compile(r"\b(?:train|fit|Trainer|make)\(|optimizer\.step\(\)")
# Models of two sentences, for a reader who wants to see the loop: ten steps, and twice a hundred.
TOYS = ("book/tools/batch_and_loss.md", "book/transformer/evidence.md", "book/transformer/training.md")


def test_the_pages_train_nothing_but_models_of_two_sentences() -> None:
    found = {}
    for path in {*ROOT.glob("book/**/*.md"), *ROOT.glob("book/**/*.py")} - {*ROOT.glob("book/make/*")}:
        text = path.read_text("utf-8")
        code = "\n".join(CELL.findall(text)) if path.suffix == ".md" else text
        if hits := TRAINS.findall(code.replace(".train()", "")):
            found[str(path.relative_to(ROOT))] = ", ".join(hits)
    assert found == dict.fromkeys(TOYS, "optimizer.step()")
