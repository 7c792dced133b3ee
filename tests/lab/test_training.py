"""Tests of batches and the training loop: little padding, exact resume, no step after one that diverged."""

import math
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from lab.corpora import Pair, Parallel
from lab.kinds import translation
from lab.kinds.ranges import RecipeError
from lab.kinds.runs import forget
from lab.kinds.translation import Run, Translating, restore, train
from lab.show.diagnosis import Diverged
from lab.text.batches import Batch, Example, bucketed, collate
from lab.train import checkpoints, devices, progress
from lab.train.budget import SECONDS, Budget
from lab.train.checkpoints import CheckpointError
from lab.train.schedules import Rate
from lab.train.training import Trainer, Training, rate_at, seed_all
from solutions.bahdanau.model import SOLUTION, Bahdanau
from solutions.bahdanau.recipe import Recipe
from solutions.encoder_decoder.model import SOLUTION as OTHER

TINY = Recipe(embedding_dim=6, units=8, hidden=7, maxout=6, dropout=0.3)
TRAINING = Training(tokens=60, epochs=3, rate=1e-2, ema=0.9, smoothing=0.1)


def sentences(count: int = 60, seed: int = 0) -> list[Example]:
    generator = torch.Generator().manual_seed(seed)

    def sentence() -> list[int]:
        length = int(torch.randint(1, 9, (), generator=generator))
        return torch.randint(4, 15, (length,), generator=generator).tolist()

    return [(row, row[::-1]) for row in (sentence() for _ in range(count))]


def trainer(folder: Path, training: Training = TRAINING, dropout: float = 0.3, **changes) -> Trainer:
    seed_all(3)
    model = Bahdanau(replace(TINY, dropout=dropout), 15, 15)
    return Trainer(model, Translating(sentences(), training), training, folder, seed=3, quiet=True, **changes)


def test_every_sentence_is_in_one_batch_whatever_the_seed_and_a_twentieth_at_most_is_padding() -> None:
    examples = sentences(2000)
    for seed in (None, 1, 2):
        groups = list(bucketed(examples, 400, seed))
        assert sorted(example for group in groups for example in group) == sorted(examples)
        batches = [collate(group) for group in groups]
        assert sum(each.targets.numel() for each in batches) <= 1.05 * sum(each.tokens for each in batches)
        assert all(each.targets.numel() <= 400 for each in batches)
    assert list(bucketed(examples, 50, 1)) == list(bucketed(examples, 50, 1)) != list(bucketed(examples, 50, 2))


def same(first: nn.Module, second: nn.Module) -> bool:
    return all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))


CHANGES = [
    ({"ema": 0.0}, None),
    ({"ema": 0.0, "mean_of": 2}, None),
    ({"ema": 0.9}, lambda step, steps: 1e-2 * min((step + 1) ** -0.5, (step + 1) * 7**-1.5)),
]


@pytest.mark.parametrize(("changes", "rate"), CHANGES)
def test_a_training_that_was_stopped_after_every_step_ends_with_the_very_same_parameters(
    tmp_path: Path, changes: dict, rate: Rate | None
) -> None:
    training = replace(TRAINING, **changes)
    whole = trainer(tmp_path / "whole", training, rate=rate)
    whole.run()
    stops = 0
    while (part := trainer(tmp_path / "parts", training, rate=rate, minutes=0.0)).run().ended_by_budget:
        torch.rand(7)  # whatever happens to the random numbers in between
        stops += 1
    assert stops == whole.progress.step - 1
    assert part.progress.step == whole.progress.step
    assert same(part.model, whole.model)
    assert same(part.result, whole.result)
    assert all(math.isfinite(entry["loss"]) for entry in part.progress.history)


def test_the_mean_of_the_last_epochs_is_validated_and_kept(tmp_path: Path) -> None:
    seen: list[tuple[list[Tensor], list[Tensor]]] = []

    def validate(candidate: nn.Module) -> float:
        now, kept = ([weight.clone() for weight in model.parameters()] for model in (running.model, candidate))
        seen.append((now, kept))
        return float(len(seen))

    running = trainer(tmp_path, replace(TRAINING, ema=0.0, mean_of=2), validate=validate)
    running.run()
    for epoch, (_, kept) in enumerate(seen):
        last = [params for params, _ in seen[max(0, epoch - 1) : epoch + 1]]
        torch.testing.assert_close(kept, [torch.stack(each).mean(dim=0) for each in zip(*last, strict=True)])
    best = checkpoints.load(tmp_path / "best.pt")["weights"]
    assert all(torch.equal(best[name], weight) for name, weight in running.result.state_dict().items())
    assert sorted(file.name for file in (tmp_path / "epochs").iterdir()) == ["0002.pt", "0003.pt"]
    forget(tmp_path)
    assert not list((tmp_path / "epochs").iterdir())


def test_a_mean_of_epochs_that_was_killed_while_it_closed_one_ends_with_the_very_same_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = replace(TRAINING, ema=0.0, mean_of=2)
    whole = trainer(tmp_path / "whole", training)
    whole.run()

    def killed(path: Path, content: dict) -> None:
        if content["progress"]["epoch"] == 3:  # the parameters of the epoch are written, last.pt is that of the second
            raise KeyboardInterrupt
        checkpoints.save(path, content)

    with monkeypatch.context() as patch:
        patch.setattr("lab.train.training.save", killed)
        with pytest.raises(KeyboardInterrupt):
            trainer(tmp_path / "parts", training).run()
    resumed = trainer(tmp_path / "parts", training)
    resumed.run()
    assert same(resumed.result, whole.result)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("due", [0.0, math.inf], ids=["looked at often", "looked at once"])
def test_a_training_that_diverges_stops_and_says_at_which_step(
    tmp_path: Path, bad: float, due: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = trainer(tmp_path)
    whole, third = made.task.loss, made.task.collate(made.task.groups(made.epoch_seed(0))[2])

    def loss(model: nn.Module, batch: Batch, device: torch.device) -> Tensor:
        return whole(model, batch, device) * (bad if torch.equal(batch.targets, third.targets) else 1)

    monkeypatch.setattr(made.task, "loss", loss)
    monkeypatch.setattr("lab.show.diagnosis.EVERY", due)
    made.watch.due = due
    with pytest.raises(Diverged, match=r"diverged at step 3: loss .*learning rate about .*Try a lower --rate"):
        made.run()
    assert not (tmp_path / "last.pt").exists()


def test_a_precision_that_the_processor_lacks_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(devices, "can_run_bf16_on_cpu", lambda: False)
    with pytest.raises(RecipeError, match=r"bf16.*AVX-512.*choose auto or fp32"):
        trainer(tmp_path / "run", replace(TRAINING, precision="bf16"))
    assert not (tmp_path / "run").exists()


def test_another_training_or_a_broken_checkpoint_is_not_gone_on_with(tmp_path: Path) -> None:
    trainer(tmp_path, minutes=0.0).run()
    with pytest.raises(CheckpointError, match=r"another training.*--fresh"):
        trainer(tmp_path, about={"run": "other"}).run()
    (tmp_path / "last.pt").write_bytes(b"PK not a checkpoint")
    with pytest.raises(CheckpointError, match=r"last\.pt is not a readable checkpoint"):
        trainer(tmp_path).run()


def test_the_learning_rate_rises_and_falls_or_is_halved_after_every_epoch() -> None:
    rates = [rate_at(step, 100, Training(rate=2.0, warmup=0.1)) for step in range(101)]
    assert rates[:10] == sorted(rates[:10])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert (max(rates), rates[-1]) == pytest.approx((2.0, 0.0), abs=1e-9)
    training = Training(rate=2.0, warmup=0.0, epochs=5, halve_after=3)
    assert [rate_at(step, 10, training) for step in range(10)] == [2.0] * 6 + [1.0] * 2 + [0.5] * 2


PAIRS = [Pair(f"{a} {b}", f"{b} {a}") for a in "abcdefgh" for b in "abcdefgh"]
LETTERS = Parallel("letters", "fr", "en", PAIRS[:50], PAIRS[50:], {"test": PAIRS[50:]})
RUN = Run("bahdanau", "letters", "fr", "en", "tiny")


def run_of(folder: Path) -> translation.Trained:
    recipe = replace(TINY, training=replace(TRAINING, epochs=2))
    return train(SOLUTION, RUN, recipe, folder=folder, corpus=LETTERS, quiet=True)


def test_a_restored_model_translates_as_the_trained_one(tmp_path: Path) -> None:
    trained = run_of(tmp_path)
    again = restore(SOLUTION, tmp_path)
    translations = trained.translate(["a b", "c"])
    assert again.translate(["a b", "c"]) == translations
    assert again.about["recipe"]["training"]["epochs"] == 2
    assert again.alignments(PAIRS[:2])[0].shape == (2, 3)
    assert len(again.translate(["", "zzz a"])) == 2
    with pytest.raises(CheckpointError, match="expected encoder_decoder, got bahdanau"):
        restore(OTHER, tmp_path)


class Clock:
    """A clock that stands still until something is said to take time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


@pytest.mark.parametrize(("reading", "learning", "saying"), [(100, 0.1, 4.0), (20, 4.0, 0.1)])
def test_three_minutes_are_over_after_three_minutes_on_a_slow_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reading: float, learning: float, saying: float
) -> None:
    """The seconds that a slow machine takes to read the corpus, for a training step, for a word of each translation."""
    clock = Clock(monkeypatch)

    class Slow(Bahdanau):
        def loss(self, batch: Batch, real: Tensor, smoothing: float) -> Tensor:
            clock.now += learning
            return super().loss(batch, real, smoothing)

        def step(self, *arguments):
            clock.now += saying
            return super().step(*arguments)

    def load(*_) -> Parallel:
        clock.now += reading
        return LETTERS

    monkeypatch.setattr("lab.corpora.load", load)
    recipe = replace(TINY, training=replace(TRAINING, tokens=30, epochs=1000))
    trained = train(replace(SOLUTION, build=Slow), RUN, recipe, minutes=3, folder=tmp_path, quiet=True)
    assert 90 < clock.now <= 185
    assert trained.progress.ended_by_budget
    assert 0 < trained.kept.epochs <= trained.progress.epochs < 1000


def test_the_first_validation_that_has_no_time_keeps_the_model_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    recipe = replace(TINY, training=replace(TRAINING, epochs=2))
    trained = train(SOLUTION, RUN, recipe, minutes=0.0, folder=tmp_path, corpus=LETTERS)
    printed = capsys.readouterr().out
    assert "no time to validate" in printed
    assert "ended by the time budget of 0 minutes, after 0." in printed
    assert "more minutes" in printed  # what to do where the model has learnt too little
    assert trained.kept.step == trained.progress.step == 1
    assert trained.progress.best_of("BLEU") == "no validation BLEU: the time ended before one"
    later = run_of(tmp_path)
    assert later.progress.best_of("BLEU").startswith("best validation BLEU")


@pytest.mark.parametrize("at", [0, 5], ids=["before the first step", "in the second epoch"])
def test_an_interrupt_ends_a_training_that_keeps_what_it_has_and_any_other_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], at: int
) -> None:
    step, steps, recipe = Trainer.step, [], replace(TINY, training=replace(TRAINING, epochs=2))

    def interrupted(self: Trainer, batch: object) -> Tensor:
        steps.append(batch)
        if len(steps) > at:
            raise KeyboardInterrupt
        return step(self, batch)

    monkeypatch.setattr(Trainer, "step", interrupted)
    trained = train(SOLUTION, RUN, recipe, folder=tmp_path / "kept", corpus=LETTERS, keep_on_interrupt=True)
    assert trained.progress.step == at
    assert trained.translate(["a"])
    assert "ended by you, after" in capsys.readouterr().out
    steps.clear()
    with pytest.raises(KeyboardInterrupt):
        train(SOLUTION, RUN, recipe, folder=tmp_path / "other", corpus=LETTERS, quiet=True)


def test_one_variable_cuts_every_training_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECONDS, "0")
    assert run_of(tmp_path).progress.step == 1
    monkeypatch.setenv(SECONDS, "120")
    assert Budget.of(3).seconds == Budget.of(None).seconds == 120
    assert Budget.of(1).seconds == 60
    monkeypatch.delenv(SECONDS)
    assert Budget.of(None).seconds == math.inf
    for nonsense in ("soon", "-1", "nan"):
        monkeypatch.setenv(SECONDS, nonsense)
        with pytest.raises(RecipeError, match=f"{SECONDS} ends every training.*got '{nonsense}'"):
            Budget.of(3)


BAR = r"%\|.*\| epoch 1/2  loss \d+\.\d{3}  \d+ target tokens/s  \d\d:\d\d left"


@pytest.mark.parametrize("quiet", [True, False])
@pytest.mark.parametrize("notebook", [True, False])
def test_a_bar_with_loss_speed_and_time_left_is_shown_in_a_notebook_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, notebook: bool, quiet: bool
) -> None:
    monkeypatch.setattr(progress, "is_in_notebook", lambda: notebook)
    recipe = replace(TINY, training=replace(TRAINING, epochs=2))
    train(SOLUTION, RUN, recipe, folder=tmp_path, corpus=LETTERS, quiet=quiet)
    printed = capsys.readouterr()
    assert not printed.err
    assert bool(re.search(BAR, printed.out)) == (notebook and not quiet)
    assert ("validating" in printed.out) == (notebook and not quiet)
    assert ("epoch    2  loss " in printed.out) != quiet
