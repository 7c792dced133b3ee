"""Tests of the store of trained models."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep
from typing import Any

from lab.kinds import model_cache, translation
from solutions.encoder_decoder.model import SOLUTION


@dataclass
class Trainings:
    """What stands in place of `lab.kinds.translation`: it counts its trainings, and each takes a while."""

    folders: list[Path] = field(default_factory=list)

    def __call__(self, *_, folder: Path, **__) -> str:
        self.folders.append(folder)
        sleep(0.3)
        folder.mkdir(parents=True)
        return "trained"


def test_of_two_that_need_the_same_model_one_trains_it_and_the_other_gets_it_from_the_store(tmp_path, monkeypatch):
    trainings = Trainings()
    monkeypatch.setattr(model_cache, "STORE", tmp_path)
    monkeypatch.setattr(translation, "train", trainings)
    monkeypatch.setattr(translation, "restore", lambda solution, folder: "restored")
    monkeypatch.setattr(model_cache, "key", lambda *_: "same")  # Python 3.11's parser does not bear two threads
    with ThreadPoolExecutor(2) as pool:
        models = list(pool.map(lambda _: model_cache.trained(SOLUTION), range(2)))
    assert sorted(models) == ["restored", "trained"]
    assert len(trainings.folders) == 1


def test_another_seed_or_other_texts_are_another_model(tmp_path, monkeypatch):
    trainings = Trainings()
    monkeypatch.setattr(model_cache, "STORE", tmp_path)
    monkeypatch.setattr(translation, "train", trainings)
    changes: list[dict[str, Any]] = [{"seed": 1}, {"seed": 2}, {"texts": ["il m' a entarté"]}]
    assert [model_cache.trained(SOLUTION, **each) for each in changes] == ["trained"] * 3
    assert len(set(trainings.folders)) == 3
