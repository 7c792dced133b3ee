"""Laws of the batches that a process of its own makes ahead: a training does not notice them, whatever happens."""

import multiprocessing
import os
import resource
import signal
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from benchmarks.gpu.small_models import pairs, small_models
from lab import shards
from lab.checkpoints import load
from lab.prefetch import AHEAD, Remaining, WorkerLost
from lab.training import Trainer
from lab.translation import Translating

CPU = torch.device("cpu")
MODELS = small_models(dropout=0.1)


def running(name: str, folder: Path, **more) -> Trainer:
    return MODELS[name].trainer(folder, CPU, **more)


def weights(trained: Trainer) -> dict[str, Tensor]:
    return {name: weight.clone() for name, weight in trained.model.state_dict().items()}


def assert_equal(first: Trainer, second: Trainer) -> None:
    torch.testing.assert_close(weights(first), weights(second), rtol=0, atol=0)
    assert first.progress.tokens == second.progress.tokens
    assert [entry["loss"] for entry in first.progress.history] == [entry["loss"] for entry in second.progress.history]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("micro_tokens", [0, 50])
def test_a_training_learns_the_same_from_batches_that_were_made_ahead(
    name: str, micro_tokens: int, tmp_path: Path
) -> None:
    plain, ahead = (
        running(name, tmp_path / str(prefetch), micro_tokens=micro_tokens, prefetch=prefetch)
        for prefetch in (False, True)
    )
    for each in (plain, ahead):
        torch.manual_seed(5)
        each.run()
        assert not multiprocessing.active_children()  # the process ends with the training
    assert_equal(ahead, plain)


def test_a_training_that_was_stopped_after_each_step_goes_on_with_the_next_batch(tmp_path: Path) -> None:
    whole = running("structured", tmp_path / "whole")
    whole.run()
    while (part := running("structured", tmp_path / "parts", prefetch=True, minutes=0.0)).run().ended_by_budget:
        torch.rand(7)  # whatever happens to the random numbers in between
    torch.testing.assert_close(weights(part), weights(whole), rtol=0, atol=0)


def test_shards_are_read_by_the_process_and_gone_on_with_in_their_middle(tmp_path: Path) -> None:
    model = MODELS["bahdanau"]
    shards.write(tmp_path / "shards", pairs(), pairs=10)
    task = Translating(shards.Shards(tmp_path / "shards", buffer=2), model.training)
    whole = replace(model, task=task).trainer(tmp_path / "whole", CPU)
    whole.run()
    assert whole.steps > 2 * model.training.epochs
    while replace(model, task=task).trainer(tmp_path / "parts", CPU, prefetch=True, minutes=0.0).run().ended_by_budget:
        torch.rand(7)
    last = {name: load(tmp_path / name / "last.pt")["model"] for name in ("whole", "parts")}
    torch.testing.assert_close(last["parts"], last["whole"], rtol=0, atol=0)


def test_pieces_that_are_halved_are_cut_again_where_they_were_made_ahead(tmp_path: Path) -> None:
    plain, ahead = running("luong", tmp_path / "plain", micro_tokens=50), running("luong", tmp_path, prefetch=True)
    taken: list[int] = []
    step = ahead.step

    def halved(batch) -> Tensor:
        ahead.collator.micro_tokens = 50  # as where the memory is too small for the first batch
        taken.append(batch.micro_tokens)
        return step(batch)

    ahead.step = halved
    for each in (plain, ahead):
        torch.manual_seed(5)
        each.run()
    assert set(taken) == {0}
    assert_equal(ahead, plain)


def signalled(running: Trainer, number: int) -> Trainer:
    """Return the training, whose process gets a signal after each epoch but the last, and a checkpoint before."""
    close_epoch = running.close_epoch

    def closed(*given) -> None:
        close_epoch(*given)
        running.keep()
        if running.progress.epoch < running.training.epochs:
            (worker,) = multiprocessing.active_children()
            os.kill(worker.pid, number)
            worker.join(timeout=1)

    running.close_epoch = closed
    return running


def test_a_process_that_is_killed_ends_the_training_with_a_sentence_and_nothing_is_lost(tmp_path: Path) -> None:
    whole = running("pooling, HAN", tmp_path / "whole")
    whole.run()
    part = signalled(running("pooling, HAN", tmp_path / "part", prefetch=True), signal.SIGKILL)
    with pytest.raises(WorkerLost, match=r"ahead has ended .*goes on from the last checkpoint, .*--prefetch off"):
        part.run()
    rest = running("pooling, HAN", tmp_path / "part", prefetch=True)
    rest.run()
    torch.testing.assert_close(weights(rest), weights(whole), rtol=0, atol=0)


def test_ctrl_c_which_all_processes_hear_is_left_to_the_training(tmp_path: Path) -> None:
    heard = signalled(running("pooling, HAN", tmp_path / "heard", prefetch=True), signal.SIGINT)
    assert heard.run().epoch == heard.training.epochs


def test_an_error_of_the_process_is_that_of_the_training(tmp_path: Path) -> None:
    broken = running("pooling", tmp_path, prefetch=True)

    def collate(group: list, multiple: int = 1) -> tuple[Tensor, ...]:
        raise FileNotFoundError(2, "No such file", "shard7.npz")

    broken.task = broken.collator.task = type("Broken", (), {"collate": staticmethod(collate)} | attributes(broken))()
    with pytest.raises(FileNotFoundError, match="No such file") as caught:
        broken.run()
    assert caught.value.filename == "shard7.npz"
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("lost", [slice(2, 3), slice(9, None)], ids=["one in the middle", "all at the end"])
def test_a_batch_that_is_lost_on_its_way_is_noticed(lost: slice, tmp_path: Path) -> None:
    made = running("pooling, HAN", tmp_path)
    places = list(Remaining(made.collator, [made.epoch_seed(0), made.epoch_seed(1)], 0))
    del places[lost]
    made.remaining = lambda: nullcontext(iter(places))
    with pytest.raises(RuntimeError, match="batch"):
        made.run()


def test_many_pieces_need_few_open_files(tmp_path: Path) -> None:
    made = running("transformer", tmp_path, micro_tokens=1, prefetch=True)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with made.remaining() as places:
        next(places)
        open_files = len(list(Path("/proc/self/fd").iterdir()))
        resource.setrlimit(resource.RLIMIT_NOFILE, (open_files + 10, before[1]))
        try:
            assert sum(len(place.batch.pieces) for place in places) > 60
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)


def attributes(of: Trainer) -> dict:
    return {name: getattr(of.task, name) for name in ("unit", "groups", "weight", "units", "cells", "loss")}


def test_the_process_is_not_further_ahead_than_it_should_be(tmp_path: Path) -> None:
    made = running("pooling, HAN", tmp_path, prefetch=True)
    made_here = torch.zeros(1, dtype=torch.int64).share_memory_()
    collator = made.collator

    class Counted(type(collator)):
        def __call__(self, group):
            made_here.add_(1)
            return super().__call__(group)

    made.collator = Counted(made.task, made.team, made.training.tokens)
    assert made.steps > AHEAD + 3
    with made.remaining() as places:
        next(places)
        until = time.monotonic() + 5
        while made_here.item() < AHEAD + 1 and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.1)
        assert made_here.item() == AHEAD + 1


def test_a_system_that_cannot_fork_says_so_and_trains_as_well(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.delattr(os, "fork")
    made = running("pooling", tmp_path, prefetch=True)
    made.quiet = False
    assert made.run().epoch == made.training.epochs
    assert "batches are not made ahead, but by each step: this system cannot fork" in capsys.readouterr().out
