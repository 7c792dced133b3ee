"""Tests of pinned models: as a file, made, loaded, and when something has moved away from one."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

from lab.corpora import reviews
from lab.evaluation import pins, small_pins
from lab.evaluation.pins import CHANGED, Pin, make, moved, noted
from lab.evaluation.small_pins import SmallPin
from lab.kinds import pinned as pinned_models
from lab.kinds.pinned import packed, pinned, unpacked, watched
from lab.kinds.runs import Solution
from lab.train.checkpoints import CheckpointError
from solutions.structured.model import SOLUTION, build
from solutions.structured.watched import EVERY, watching


def few() -> object:
    """Reviews that are read in a second."""
    corpus = reviews.short()
    return replace(corpus, train=corpus.train[:240], validation=corpus.validation[:40])


def fewer() -> object:
    corpus = few()
    return replace(corpus, train=corpus.train[1:])  # pyright: ignore


PIN = Pin(SOLUTION, "reviews", "small", changes={"hops": 3, "epochs": 1}, seed=2, texts=few, watching=watching)


def places(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let pinned models lie in a folder."""
    for module in (pinned_models, pins):
        monkeypatch.setattr(module, "place_of", lambda *name: folder / f"{'-'.join(name)}.npz")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a pinned model and its record."""
    folder = tmp_path_factory.mktemp("pinned")
    with pytest.MonkeyPatch.context() as monkeypatch:
        places(monkeypatch, folder)
        # After one epoch a model is near chance: eight bits turn one validation sentence of 40 on some processors.
        monkeypatch.setattr(pins, "COST", dict.fromkeys(pins.COST, 10.0))
        make(PIN, folder / "training")
    return folder


@pytest.fixture
def made(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pin:
    """The pinned model in a folder of its own."""
    places(monkeypatch, tmp_path)
    for path in (PIN.path, PIN.path.with_suffix(".json")):
        shutil.copy(trained / path.name, path)
    return PIN


def test_a_packed_model_has_its_rows_in_eight_bits_and_what_is_tied_once():
    matrix, vector = torch.randn(3, 5) * torch.tensor([[1e-3], [1.0], [1e3]]), torch.randn(7)
    about, weights = unpacked(packed({"corpus": "é"}, {"a": matrix, "b": vector, "c": matrix}))
    assert about == {"corpus": "é", "tied": {"c": "a"}}
    assert set(weights) == {"a", "b", "c"}
    assert torch.equal(weights["b"], vector)
    assert torch.equal(weights["c"], weights["a"])
    halves = matrix.abs().amax(dim=1, keepdim=True) / 127 / 2
    assert ((weights["a"] - matrix).abs() <= 1.001 * halves).all()
    again = unpacked(packed(about, weights))[1]
    torch.testing.assert_close(again["a"], weights["a"], rtol=1e-6, atol=0)  # packed twice it is what it was


def test_a_pinned_model_is_loaded_with_its_recipe_its_history_and_what_was_watched(made):
    model = pinned(SOLUTION, "small")
    weights = model.attention_weights([("the film was good .",)])[0].words
    assert weights.shape == (3, 5)
    assert model.progress.epoch == 1
    assert len(model.progress.history) == 1
    steps = [step for step, _ in watched(SOLUTION, "small")]
    assert steps == list(range(EVERY, model.progress.step + 1, EVERY))
    assert moved(made) == []


def test_there_is_a_sentence_for_a_model_that_nobody_has_made():
    with pytest.raises(CheckpointError, match=r"solutions/structured/pinned/structured-nobody\.npz.*make models"):
        pinned(SOLUTION, "nobody")


def half(*sizes: object, **handed_in: object) -> object:
    """The model with half of its last layer: code that computes something else."""
    model = build(*sizes, **handed_in)  # pyright: ignore
    list(model.parameters())[-2].data.mul_(0.5)
    return model


OTHER_CODE: Solution = replace(SOLUTION, build=half)  # pyright: ignore


@pytest.mark.parametrize(
    ("pin", "says"),
    [
        (replace(PIN, changes={"hops": 3, "epochs": 1, "rate": 0.1}), ["recipe: rate was 0.003 and is 0.1"]),
        (replace(PIN, changes={"hops": 2, "epochs": 1}), ["recipe: hops was 3 and is 2"]),
        (replace(PIN, texts=fewer), ["data: "]),
        (replace(PIN, seed=3), ["corpus and seed: "]),
        (replace(PIN, variant="unmade"), ["there is none yet"]),
    ],
)
def test_it_is_said_what_has_moved_away(made, pin, says):
    reasons = moved(pin)
    assert len(reasons) == len(says)
    assert all(reason.startswith(each) for reason, each in zip(reasons, says, strict=True)), reasons


def test_code_that_computes_something_else_is_seen_even_if_no_file_has_changed(made, monkeypatch):
    monkeypatch.setattr(pins, "code_digest", lambda module: pins.record_of(made.path)["code"])
    reasons = moved(replace(made, solution=OTHER_CODE))
    assert reasons[0].startswith("code: the training begins with losses of")


def test_a_trainer_that_takes_other_steps_is_seen(made, monkeypatch):
    monkeypatch.setattr(torch.optim, "AdamW", partial(torch.optim.AdamW, eps=1e-3))
    assert any(reason.startswith("code: the training begins with distances of") for reason in moved(made))


def test_other_code_that_computes_the_same_is_noted(made, monkeypatch):
    monkeypatch.setattr(pins, "code_digest", lambda module: "other")
    assert moved(made) == [CHANGED]
    before = made.path.read_bytes()
    noted(made.path, made.code)
    assert moved(made) == []
    assert made.path.read_bytes() == before


def test_a_file_that_is_not_the_one_of_its_record_is_seen(made):
    about, weights = unpacked(made.path.read_bytes())
    made.path.write_bytes(packed(about, {name: 1.1 * tensor for name, tensor in weights.items()}))
    assert moved(made)[0].endswith("is not the file that its record tells of")


def test_a_training_that_was_cut_short_pins_nothing(tmp_path, monkeypatch):
    places(monkeypatch, tmp_path)
    monkeypatch.setenv("ATTENTION_TRAINING_SECONDS", "0")
    with pytest.raises(CheckpointError, match="cut short"):
        make(PIN, tmp_path / "training")
    assert not PIN.path.exists()


def tiny(factor: float = 1.0) -> tuple[torch.nn.Linear, Callable[[], torch.Tensor]]:
    """A model of one matrix that learns to double."""
    torch.manual_seed(1)
    model, generator = torch.nn.Linear(3, 2), torch.Generator().manual_seed(1)

    def loss() -> torch.Tensor:
        x = torch.randn(8, 3, generator=generator)
        return (model(x) - factor * x[:, :2]).square().mean()

    return model, loss


BEGINS = "code: the training begins with"
SMALL = SmallPin("structured", "tiny", "solutions.structured.model", tiny, {"doubles": True}, steps=40, rate=0.1)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallPin:
    monkeypatch.setattr(small_pins, "place_of", lambda *name: tmp_path / f"{'-'.join(name)}.npz")
    assert SMALL.moved() == ["there is none yet"]
    SMALL.make(tmp_path)
    return SMALL


def test_a_small_pin_is_trained_kept_and_holds(small):
    assert small.moved() == []
    record = pinned_models.record_of(small.path)
    assert record["answer"] < record["first steps"]["losses"][0] / 2
    model, _ = tiny()
    model.load_state_dict(unpacked(small.path.read_bytes())[1])
    assert model.bias.abs().max() < 0.5


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"begin": lambda: tiny(3.0)}, [f"{BEGINS} losses", f"{BEGINS} distances", "code: the model's loss"]),
        ({"rate": 0.2}, ["recipe: "]),
        ({"about": {"doubles": False}}, ["recipe: "]),
        (
            {"begin": lambda: tiny(3.0)},
            ["code: the training begins with losses", "code: the training begins with distances", "code: the model's"],
        ),
        ({"module": "solutions.luong.model"}, [CHANGED]),
    ],
)
def test_it_is_said_what_has_moved_away_from_a_small_pin(small, changes, says):
    reasons = replace(small, **changes).moved()
    assert len(reasons) == len(says)
    assert all(reason.startswith(each) for reason, each in zip(reasons, says, strict=True)), reasons


def test_a_small_training_that_was_cut_short_pins_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(small_pins, "place_of", lambda *name: tmp_path / "x.npz")
    monkeypatch.setenv("ATTENTION_TRAINING_SECONDS", "0")
    with pytest.raises(CheckpointError, match="cut short"):
        SMALL.make(tmp_path)
    assert not (tmp_path / "x.npz").exists()
